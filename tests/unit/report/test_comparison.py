"""The comparison: rows worked out by hand, the best protection first, nothing left out; answers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiceprivacy.catalogue import COLUMNS
from voiceprivacy.inout.files import BadInput
from voiceprivacy.report.answer import evaluated, rank_answers, ready_made_note, what_was_run
from voiceprivacy.report.comparison import (
    ATTACKS,
    OF_MATRICES,
    compare,
    folded_limits,
    shown_columns,
    strongest_attacks,
    weighted_mean,
    write_comparison,
)
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.sections import PartOfCorpus
from voiceprivacy.vocabulary import GIVEN, attacker_name


def one(systems, *wanted):
    """The only system of this anonymiser and condition."""
    [system] = [one for one in systems if (one.anonymiser, one.condition) == wanted]
    return system


def changed(metrics, value, **where):
    return [
        one._replace(value=value) if one._asdict() == one._asdict() | where else one
        for one in metrics
    ]


NEEDED = [column for column in COLUMNS if not column.optional]


@pytest.mark.parametrize("column", NEEDED, ids=lambda column: column.name)
def test_a_missing_number_is_named_and_never_left_out(metrics, column):
    condition = [name for name in column.conditions if name in ATTACKS][-1]
    anonymiser = "original" if condition == "oo" else "b2"
    where = {"trials": "m", "anonymiser": anonymiser, "metric": column.name, "condition": condition}
    left = [one for one in metrics if one._asdict() != one._asdict() | where]
    assert len(left) == len(metrics) - 1
    words = f"^{column.name} of demo/m/b2/xvector/cosine under .. is missing"
    with pytest.raises(BadInput, match=words):
        compare(left)


def test_a_run_without_the_original_and_a_number_that_is_none_are_refused(metrics):
    with pytest.raises(BadInput, match="original/xvector/cosine under oo is missing"):
        compare([metric for metric in metrics if metric.anonymiser != "original"])
    where = {"metric": "dece_bit", "anonymiser": "b2", "trials": "f", "condition": "op"}
    with pytest.raises(BadInput, match="dece_bit of demo/f/b2/xvector/cosine under op is 'x', not"):
        compare(changed(metrics, "x", **where))


@given(order=st.randoms())
def test_the_order_of_the_metrics_does_not_matter(metrics_of_two_attackers, order):
    shuffled = list(metrics_of_two_attackers)
    order.shuffle(shuffled)
    assert compare(shuffled) == compare(metrics_of_two_attackers)


def test_the_strongest_attack_is_the_lowest_mean_eer_of_all_attackers(metrics_of_two_attackers):
    of_b2r = {"backend": "plda", "anonymiser": "b2r", "condition": "op", "metric": "eer_percent"}
    systems = compare(changed(metrics_of_two_attackers, "5.0", **of_b2r))
    best = strongest_attacks(systems)["demo", "b2r"]
    assert (best.backend, best.condition) == ("plda", "op")
    assert best.mean.numbers["eer_percent"].value == 5.0


def test_whoever_errs_more_than_half_of_the_time_turns_round(metrics):
    """Negated scores of a good attacker have an EER of 98 %, and stand where 2 % stands."""
    metrics = changed(metrics, "98.0", anonymiser="b2r", condition="pp", metric="eer_percent")
    systems = compare(metrics)
    assert strongest_attacks(systems)["demo", "b2r"].condition == "pp"
    assert [system.anonymiser for system in systems] == ["original", "b2", "b2", "b2r", "b2r"]


def test_a_run_that_nobody_attacked_says_nothing_of_privacy(metrics):
    rank = metrics[0]._replace(metric="disclosure_bit")
    pitch = metrics[0]._replace(metric="pitch_correlation")
    assert what_was_run([], [pitch]) == "No attack was run, so there is no privacy result."
    assert what_was_run([], [pitch, rank]).startswith("Sampled galleries only")


@pytest.mark.parametrize(
    ("controls", "words"),
    [
        (set(), "2 anonymisers (b2, b2r) on 1 corpus (demo), attacked by 1 attacker (xvector + "),
        ({"b2", "not_there"}, "1 anonymiser (b2r) and 1 control (b2) on 1 corpus"),
        ({"b2", "b2r"}, "2 controls (b2, b2r) on"),
    ],
)
def test_what_was_run_is_counted_and_controls_are_no_anonymisers(systems, controls, words):
    assert what_was_run(systems, [], controls).startswith(words)


def test_of_speech_that_was_there_already_the_page_says_what_the_attacker_may_hold(systems):
    config = {"anonymisers": {"b2": {"audio": "there"}, "b2r": {"command": "x"}, "other": {}}}
    told = ready_made_note(systems, {"config": config})
    assert told.startswith("Speech of b2 was protected before this run.")
    without = [system for system in systems if system != one(systems, "b2", "pp")]
    assert ready_made_note(without, {"config": config}) == "", "nobody enrols with it"
    assert ready_made_note(systems, {}) == ""


def test_recordings_that_were_left_out_before_the_run_are_counted():
    part = PartOfCorpus("demo", "trial", 1, 1, 0, 2, 0.01)
    record = {"config": {"corpora": {"demo": {"left_out": 3}}}}
    assert "2 recordings (3 more left out)," in evaluated([part], record)["demo"].speech


def test_a_release_is_named_by_what_was_made_and_by_what_lay_there_already():
    config = {"anonymisers": {"b2": {"function": "x.py:y"}, "team": {"audio": "/wavs"}}}
    made = {"audio/demo/trial/b2/wav/0/a.flac": "1", "audio/demo/trial/original/wav/0/a.flac": "2"}
    sources = {f"results/sources/anonymisers/{name}.sha256": name for name in ("b2", "team")}
    part = PartOfCorpus("demo", "trial", 1, 1, 0, 2, 0.01)

    def release(outputs, sha256):
        record = {"config": config, "outputs": outputs, "sha256": sha256}
        words = evaluated([part], record)["demo"].speech.rstrip(".").split("release ")
        return words[1:]

    names = [
        release(made, sources),
        release({}, sources),
        release(made, {}),
        release(made, sources | {"results/sources/anonymisers/team.sha256": "edited"}),
        release(made | {"audio/demo/trial/b2/wav/0/a.flac": "3"}, sources),
    ]
    assert len(set(map(tuple, names))) == 5 and all(len(name) == 1 for name in names)
    assert release(made, sources | {"results/sources/anonymisers/b2.sha256": "edited"}) == names[0]
    assert release({}, {}) == []


def test_the_table_has_a_line_per_list_and_one_for_the_mean(tmp_path, systems):
    write_comparison(tmp_path / "comparison.tsv", systems)
    lines = (tmp_path / "comparison.tsv").read_text().splitlines()
    header, *rows = [line.split("\t") for line in lines]
    assert len(rows) == 5 * 3
    row = dict(zip(header, rows[5], strict=True))
    attack = {"corpus": "demo", "extractor": "xvector", "backend": "cosine", "anonymiser": "b2r"}
    attack |= {"condition": "op", "attack": "ignorant", "trials": "mean of f, m"}
    values = {"eer_percent": "25.5", "cllr_bit": "1.25", "cllr_min_bit": "0.5", "dece_bit": "0.25"}
    values |= {"worst_case_log10": "2.0", "deid_percent": "50.0", "mean_disclosure_bit": "1.5"}
    values |= {"model_mean_disclosure_bit": "1.25", "identification_rate_percent": "40.0"}
    shown = {name: cell for name, cell in row.items() if cell != "-"}
    assert shown == attack | values
    columns = {column.name for column in COLUMNS}
    limits = {f"{name}_{limit}" for name in columns for limit in ("ci_low", "ci_high")}
    assert row.keys() == columns | limits | attack.keys() | {"tag"}


def test_lists_without_a_gallery_have_no_ranks_for_any_system_or_for_all(metrics):
    of_ranks = {"mean_disclosure_bit", "model_mean_disclosure_bit", "identification_rate_percent"}
    unranked = [one for one in metrics if one.metric not in of_ranks]
    for system in compare(unranked):
        assert {system.mean.numbers[name].value for name in of_ranks} == {None}
    some = [one for one in metrics if one in unranked or one.anonymiser == "original"]
    with pytest.raises(BadInput, match=r"mean_disclosure_bit of .* is missing"):
        compare(some)


def test_scores_of_others_are_shown_without_the_columns_that_they_do_not_have(metrics):
    systems = compare([metric._replace(extractor="team7", backend=GIVEN) for metric in metrics])
    shown = {column.name for column in shown_columns(systems)}
    assert {"eer_percent", "dece_bit"} <= shown and not shown & OF_MATRICES


def test_a_weighted_mean_keeps_what_is_undefined_or_infinite():
    assert weighted_mean([1.0, 3.0], [3, 1]) == 1.5
    assert weighted_mean([1.0, None], [1, 1]) is None
    assert weighted_mean([math.inf, 1.0], [1, 1]) == math.inf
    assert weighted_mean([math.inf, -math.inf], [1, 1]) == "undefined"
    assert weighted_mean(["undefined", 1.0], [1, 1]) == "undefined"


@pytest.mark.parametrize(
    ("limits", "folded"),
    [
        (None, None),
        ((10.0, 30.0), (10.0, 30.0)),
        ((40.0, 55.0), (40.0, 50.0)),
        ((45.0, 70.0), (30.0, 50.0)),
        ((80.0, 95.0), (5.0, 20.0)),
    ],
)
def test_an_interval_is_folded_at_its_ends(limits, folded):
    assert folded_limits(limits) == folded


@pytest.mark.parametrize(
    ("attacker", "words"),
    [
        (("ecapa", "cosine"), "ecapa + cosine"),
        (("resemblyzer", "semi_on_b2r"), "resemblyzer + semi-informed (b2r)"),
        (("semi_on_b2", "cosine"), "semi-informed (b2) + cosine"),
        (("tuned_on_b2", "plda_on_b2"), "tuned (b2) + plda (b2)"),
        (("semi", "semi"), "semi + semi"),
    ],
)
def test_attackers_of_protected_speech_are_named_in_words(attacker, words):
    assert attacker_name(*attacker) == words


def disclosed(anonymiser, condition, bit, *limits, trials="mixed_t1_d1"):
    key = ("ranks", trials, anonymiser, "ecapa", "cosine", condition, "disclosure_bit")
    return Number(*key, str(bit), *map(str, limits or ("-", "-")))


RUN = [
    disclosed("original", "oo", 4.0, 3.9, 4.1),
    disclosed("b2", "op", 0.5, 0.2, 0.9),
    disclosed("b2", "pp", 3.5, 3.0, 3.95),
    disclosed("b2r", "pp", 1.5, 1.0, 2.0),
    disclosed("b2r", "pp", 2.25, 2.0, 2.5, trials="mixed_t4_d4"),
]


def test_the_gallery_that_discloses_most_counts_and_the_least_comes_first():
    [answer] = rank_answers(RUN).values()
    numbers = "b2r 2.25 [2.00, 2.50], b2 3.50 [3.00, 3.95], original 4.00 [3.90, 4.10]. Where"
    assert f"the least first: {numbers} limits overlap" in answer
    assert rank_answers([]) == {}
