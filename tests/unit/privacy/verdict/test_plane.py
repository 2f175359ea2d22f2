"""Privacy against utility: every sentence, and the case in which it would be false."""

import numpy as np
from support import verdict_schema, verdicts

from voiceprivacy.inout.arrays import write_npz
from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy.uncertainty.interval_files import Estimate
from voiceprivacy.privacy.verdict.findings import Judged
from voiceprivacy.privacy.verdict.levels import Findings
from voiceprivacy.privacy.verdict.plane import Measure, plane, read_measures, said
from voiceprivacy.privacy.verdict.strongest import AttackName, Candidate, strongest
from voiceprivacy.privacy.verdict.verdict import verdict
from voiceprivacy.vocabulary import UtilityMean

from .test_verdict import Run, protected

N = 1000
PP = AttackName("ecapa", "cosine", "pp", "ascending")
DRAW = np.random.default_rng(0)


def noise(spread):
    return spread * DRAW.normal(size=N)


def judged(left, *, spread=3.0, n_speakers=200, drawn=None):
    """A system of which an attack finds ``left`` percent of the evidence."""
    replicates = left + noise(spread) if drawn is None else drawn
    half = 2 * spread
    attacks = {PP: Candidate(left, left, left - half, left + half, replicates, n_speakers)}
    findings = Findings(attacks, {}, {}, False, False, None)
    numbers = {"evidence_left_percent": strongest(attacks)}
    return Judged([], findings, numbers, False, None, False)


def errors(value, *, spread=1.0, n_speakers=200):
    return Estimate(value, value + noise(spread), n_speakers)


def drawn_plane(left, lost, better=(), competing=None, metric="wer_of_mine", direction="lower"):
    """A plane of {system: evidence left}, {system: utility}; numbers get noise."""
    systems = {
        name: judged(one) if isinstance(one, int | float) else one for name, one in left.items()
    }
    utility = {
        name: errors(one) if isinstance(one, int | float) else one for name, one in lost.items()
    }
    competing = list(left) if competing is None else competing
    measure = Measure(metric, direction, utility)
    return plane(measure, systems, competing=competing, better=better)


def sentences(*arguments, metric="wer_of_mine", order=None, **options):
    drawn = drawn_plane(*arguments, metric=metric, **options)
    return said(metric, drawn, order or options.get("competing") or list(arguments[0]))


def test_who_is_better_in_one_each_is_on_the_front_and_the_price_is_told():
    told = sentences({"b2r": 12, "b2": 29}, {"b2r": 68, "b2": 62}, [("b2r", "b2")])
    assert told[0] == "On the front of evidence and wer_of_mine: b2r and b2."
    assert told[1].startswith("b2r instead of b2: 17 points less evidence for ")
    assert told[1].endswith(" more wer_of_mine.") and len(told) == 2


def test_points_are_said_of_percent_and_less_of_what_is_better_high():
    metric = "own_percent"
    told = sentences(
        {"a": 12, "b": 29}, {"a": 62, "b": 68}, [("a", "b")], metric=metric, direction="higher"
    )
    assert told[1].endswith(" points less own_percent.")


def test_a_dominated_system_is_not_on_the_front_and_has_no_price():
    told = sentences({"a": 10, "b": 40}, {"a": 30, "b": 60}, [("a", "b")])
    assert told == ["On the front of evidence and wer_of_mine: a.", "Not on it: b."]


def test_of_a_dominated_system_whose_interval_overlaps_nothing_can_be_said():
    told = sentences({"a": 10, "b": 13}, {"a": 30, "b": 31})
    assert told == [
        "Whether a or b is on the front of evidence and wer_of_mine cannot be said.",
        "Of a and b, none is shown to leave less evidence: no price can be told.",
    ]


def test_of_equal_systems_nothing_can_be_said_but_copies_are_both_on_the_front():
    assert sentences({"a": 20, "b": 20}, {"a": 50, "b": 50})[0] == (
        "Whether a or b is on the front of evidence and wer_of_mine cannot be said."
    )
    system, utility = judged(20), errors(50)
    assert sentences({"a": system, "b": system}, {"a": utility, "b": utility})[0] == (
        "On the front of evidence and wer_of_mine: a and b."
    )


def test_of_one_system_there_is_nothing_to_choose():
    assert sentences({"a": 20}, {"a": 50}) == []
    assert drawn_plane({"a": 20}, {"a": 50})["front"] == ["a"]


def test_a_difference_of_utility_that_is_not_shown_has_no_price():
    same = errors(50.0, spread=3)
    near = Estimate(50.1, same.replicates + 0.1 + noise(2), 200)
    told = sentences({"a": 10, "b": 40}, {"a": near, "b": same}, [("a", "b")])
    assert told[-1] in (
        "a instead of b: 30 points less evidence; a difference in wer_of_mine is not shown.",
    )


def of_two_corpora(first, second):
    """Sentences of a set whose measure is the mean of two corpora, of which pairs are given."""
    systems = {"a": judged(10), "b": judged(40)}
    corpora = [dict(zip("ab", map(errors, pair), strict=True)) for pair in (first, second)]
    mean = {name: errors((corpora[0][name].value + corpora[1][name].value) / 2) for name in "ab"}
    measure = Measure("wer_of_mine", "lower", mean, corpora)
    drawn = plane(measure, systems, competing=["a", "b"], better=[("a", "b")])
    return said("wer_of_mine", drawn, ["a", "b"]), drawn["instead"][0]["shown"]


def test_where_corpora_disagree_about_a_pair_there_is_no_price_though_the_mean_has_one():
    told, shown = of_two_corpora((30, 60), (95, 35))
    assert shown == "corpora_disagree"
    assert told[-1] == (
        "a instead of b: 30 points less evidence; corpora disagree about its price in wer_of_mine."
    )


def test_a_corpus_that_shows_nothing_of_a_pair_contradicts_nobody():
    told, shown = of_two_corpora((60, 30), (50, 50))
    assert shown == "worse" and told[-1].startswith("a instead of b: 30 points less evidence for ")
    assert of_two_corpora((60, 30), (70, 50))[1] == "worse"


def test_values_that_contradict_the_pair_are_not_said_as_a_difference():
    """The pair was decided by attacks on both: a was spared the strongest one on b's evidence."""
    told = sentences({"a": 30, "b": 29}, {"a": 68, "b": 62}, [("a", "b")])
    assert any(one.startswith("a instead of b: less evidence for ") for one in told)


def test_controls_and_unprotected_speech_do_not_compete():
    """Noise hides everybody, and would lead."""
    left = {"a": 10, "b": 40, "noise": 0}
    lost = {"original": 1, "a": 60, "b": 30, "noise": 100}
    drawn = drawn_plane(left, lost, competing=["a", "b"])
    assert drawn["front"] == ["a", "b"]
    assert drawn["systems"]["noise"]["on_front"] == "undefined"
    assert "noise" not in " ".join(said("wer_of_mine", drawn, ["a", "b"]))


def test_noise_that_is_no_control_is_on_the_front_for_what_it_is():
    told = sentences({"noise": 0, "b": 40}, {"noise": 100, "b": 30}, [("noise", "b")])
    assert told[0] == "On the front of evidence and wer_of_mine: noise and b."
    assert told[1].startswith("noise instead of b: 40 points less evidence for ")


def test_an_undefined_utility_is_said_to_be_unknown():
    undefined = Estimate("undefined", np.full(N, np.nan), 0)
    left, lost = {"a": 10, "b": 40, "c": 20}, {"a": 60, "b": 30, "c": undefined}
    drawn = drawn_plane(left, lost)
    assert drawn["systems"]["c"] == {"value": "undefined", "on_front": "undefined"}
    assert said("m", drawn, ["a", "c", "b"])[-1] == "Of c, the m is not known."


def test_two_speakers_have_no_front():
    few = errors(50, n_speakers=2)
    drawn = drawn_plane({"a": 10, "b": 40}, {"a": few, "b": few})
    assert drawn["front"] == [] and drawn["systems"]["a"]["on_front"] == "undefined"


def test_few_speakers_are_surer_of_nothing():
    """The same replicates, of 4 speakers and of 200."""
    shares = []
    for n_speakers in (4, 200):
        systems = {"a": judged(10, n_speakers=n_speakers), "b": judged(20, n_speakers=n_speakers)}
        utility = {"a": errors(50, n_speakers=n_speakers), "b": errors(53, n_speakers=n_speakers)}
        shares.append(drawn_plane(systems, utility)["systems"]["b"]["on_front"])
    assert shares[0] > shares[1] + 0.02


def test_at_most_three_prices_and_at_most_three_numbers_a_sentence():
    names = list("abcdef")
    left = {name: 10.0 * at for at, name in enumerate(names)}
    lost = {name: 90.0 - 12 * at for at, name in enumerate(names)}
    better = [(one, other) for one in names for other in names if one < other]
    told = sentences(left, lost, better)
    prices = [one for one in told if "instead of" in one]
    assert [one[:14] for one in prices] == ["a instead of b", "b instead of c", "c instead of d"]
    for one in prices:
        assert sum(word[0].isdigit() for word in one.split()) <= 3


def test_a_system_that_another_beats_by_a_hair_is_seldom_said_to_be_on_the_front():
    """The least favourable truth: a is worse in both by nothing that could be seen."""
    draw = np.random.default_rng(1)
    on = off = 0
    for _ in range(600):
        values = draw.normal(size=4)  # of estimates whose truths are alike, with spread 1
        systems, utility = {}, {}
        for name, (left, lost) in {"a": values[:2], "b": values[2:]}.items():
            systems[name] = judged(left, drawn=left + draw.normal(size=N), spread=1.0)
            utility[name] = Estimate(lost, lost + draw.normal(size=N), 200)
        share = drawn_plane(systems, utility)["systems"]["a"]["on_front"]
        on += share >= 1 - 0.0043
        off += share <= 0.025
    assert on <= 0.045 * 600 and off <= 0.025 * 600


# From files.


def write_utility(folder, corpus, metric="wer_of_mine", better="lower", **values):
    """Means of all utterances {system: value} with their replicates."""
    rows = [
        UtilityMean(corpus, "-", system, "own", metric, value, "-", "-", 9, 0, 40, better)
        for system, value in values.items()
    ]
    folder.mkdir(exist_ok=True)
    write_table(folder / f"{corpus}.tsv", UtilityMean._fields, rows)
    replicates = {f"{metric}/{row.anonymiser}": row.value + noise(1.0) for row in rows}
    write_npz(folder / f"{corpus}.bootstrap.npz", replicates, compressed=True)


def test_corpora_are_averaged_with_their_weights(tmp_path):
    write_utility(tmp_path, "x", b2=10.0, b3=20.0)
    write_utility(tmp_path, "y", b2=40.0)
    [measure] = read_measures({"x": 3.0, "y": 1.0}, tmp_path)
    assert len(measure.by_corpus) == 2 and measure.by_corpus[0].keys() == measure.systems.keys()
    assert {system: one.value for system, one in measure.systems.items()} == {"b2": 17.5}


def test_draws_of_an_anonymiser_are_one_release_and_spread_as_far_as_they_differ(tmp_path):
    write_utility(tmp_path, "x", b2=10.0, b2_draw2=20.0)
    [measure] = read_measures({"x": 1.0}, tmp_path)
    assert measure.by_corpus == ()
    release = measure.systems["b2"]
    assert release.value == 15 and release.replicates.std() > 10


def test_what_has_no_direction_is_no_measure_to_choose_by(tmp_path):
    write_utility(tmp_path, "x", better="-", b2=10.0)
    assert read_measures({"x": 1.0}, tmp_path) == []


def test_words_come_before_ones_own_measures_and_pitch_last(tmp_path):
    rows, replicates = [], {}
    for metric in ("pitch_correlation", "own"):
        rows.append(UtilityMean("x", "-", "b2", "m", metric, 1.0, "-", "-", 9, 0, 40, "higher"))
        replicates[f"{metric}/b2"] = 1 + noise(0.1)
    write_table(tmp_path / "x.tsv", UtilityMean._fields, rows)
    write_npz(tmp_path / "x.bootstrap.npz", replicates, compressed=True)
    metrics = [measure.metric for measure in read_measures({"x": 1.0}, tmp_path)]
    assert metrics == ["own", "pitch_correlation"]


def whole(run, **values):
    """The set of a verdict on a run, with utility {system: value}."""
    write_utility(run.folder / "utility", "c", **values)
    lists = [["c", "all", 1.0]]
    options = {"lists": lists, "attacks": list(run.attacks.values()), "partly": [], "untaught": {}}
    plan = {"thresholds": verdicts.THRESHOLDS, "controls": run.controls, "sets": {"c": options}}
    return verdict(plan | {"utility": ["c"]}, run.folder, run.folder / "utility")


def test_a_whole_verdict_has_its_utility(tmp_path):
    run = Run(tmp_path).attack(protected(b2=0.5, b3=0.1, noise=0.0))
    run.controls = ["noise"]
    content = whole(run, original=5.0, b2=20.0, b3=60.0, noise=100.0)
    assert verdict_schema.faults(content) == []
    utility = content["sets"]["c"]["utility"]
    assert utility["says"][0] == "On the front of evidence and wer_of_mine: b3 and b2."
    assert "b3 instead of b2: " in utility["says"][1]
    assert list(utility["measures"]["wer_of_mine"]["systems"]) == ["original", "b2", "b3", "noise"]


def test_a_system_of_which_nothing_can_be_said_does_not_compete(tmp_path):
    systems = protected(b2=0.3)
    systems["original"]["oo"] = systems["original"]["oo"]._replace(
        values=systems["original"]["oo"].values * 0
    )
    run = Run(tmp_path).attack(systems)
    content = whole(run, original=5.0, b2=20.0)
    utility = content["sets"]["c"]["utility"]
    assert utility["says"] == []
    assert utility["measures"]["wer_of_mine"]["front"] == []


def test_without_measures_there_is_no_plane(tmp_path):
    run = Run(tmp_path).attack(protected(b2=0.3))
    assert run.set()["utility"] == {"says": [], "measures": {}, "sweeps": {}}
