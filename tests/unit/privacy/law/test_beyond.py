"""Curves and more speakers than there are: marked, limited, and near what larger lists give."""

import itertools

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.stats import norm
from support.speakers import conversation_list, noisy

from voiceprivacy.inout.tables import Trial, read_rows
from voiceprivacy.privacy.law import beyond, criteria
from voiceprivacy.privacy.scores.trials import arrange, ids_of
from voiceprivacy.privacy.uncertainty.bootstrap import multiplicities
from voiceprivacy.vocabulary import LawPoint

KEY = ("label", "reading", "criterion", "n_speakers", "length")

# Linkability among 20, 220 and 2220 people of Common Voice: figure 1 of Vauquier et al., from the
# package voice-anonymization-legal-eval 2.1.0 (MIT licence).
PUBLISHED = [
    (0.8216, 0.6533, 0.4668),  # original, 1 utterance
    (0.1522, 0.0369, 0.0088),  # ignorant, 1 utterance
    (0.2358, 0.0732, 0.0206),  # semi-informed, 1 utterance
    (0.7711, 0.5425, 0.3275),  # informed, 1 utterance
    (0.9502, 0.9175, 0.8577),  # original, 3 utterances
    (0.2375, 0.0945, 0.0317),  # ignorant, 3 utterances
    (0.3572, 0.2017, 0.0948),  # semi-informed, 3 utterances
    (0.9451, 0.8733, 0.7455),  # informed, 3 utterances
    (0.9438, 0.9189, 0.8927),  # original, 30 utterances
    (0.2865, 0.1463, 0.0708),  # ignorant, 30 utterances
    (0.4886, 0.3553, 0.2377),  # semi-informed, 30 utterances
    (0.9588, 0.9357, 0.8993),  # informed, 30 utterances
]


def effects(seed, n_speakers, n_utterances, separation):
    """Scores (S, U, S) with effects of models, of pairs and of utterances."""
    draw = np.random.default_rng(seed)
    own = separation * np.eye(n_speakers)[:, None, :]
    pairs = draw.normal(0, 0.5, (n_speakers, 1, n_speakers))
    noise = draw.normal(size=(n_speakers, n_utterances, n_speakers))
    return own + pairs + draw.normal(0, 0.5, n_speakers) + noise


def extrapolated_linkability(*, n_speakers, **listed):
    (point,) = beyond.curve("linkability", **listed, sizes=[n_speakers], lengths=[1])
    return point.rate


def extrapolated_singling_out(*, n_speakers, **listed):
    (point,) = beyond.curve("singling_out", **listed, sizes=[n_speakers], lengths=[1])
    return point.rate


def drawn(listed, n_replicates=100):
    return multiplicities(listed["trials"].speakers, n_replicates=n_replicates, seed=0)


def mean_of_lists(measure, n, *, n_lists, n_speakers, n_utterances):
    return np.mean(
        [
            measure(
                **conversation_list(effects(seed, n_speakers, n_utterances, 3.0)), n_speakers=n
            ).value
            for seed in range(n_lists)
        ]
    )


@pytest.mark.parametrize(
    ("measure", "extrapolate"),
    [
        (criteria.linkability, extrapolated_linkability),
        (criteria.singling_out, extrapolated_singling_out),
    ],
)
def test_what_is_extrapolated_is_near_what_larger_lists_give(measure, extrapolate):
    sizes = {"n_speakers": 200, "n_utterances": 2}
    truth = mean_of_lists(measure, 80, n_lists=3, **sizes)
    sizes = {"n_speakers": 40, "n_utterances": 5}
    assert mean_of_lists(extrapolate, 80, n_lists=15, **sizes) == pytest.approx(truth, abs=0.06)


@pytest.mark.parametrize(
    ("extrapolate", "there"),
    [(extrapolated_linkability, 24), (extrapolated_singling_out, 12)],
)
def test_a_rate_beyond_says_so_and_goes_ten_times_as_far(extrapolate, there):
    listed = conversation_list(effects(0, 24, 20, 2.0))
    rate = extrapolate(**listed, n_speakers=10 * there, weights=drawn(listed))
    assert 0 < rate.value < 1 and rate.reason == f"extrapolated from {there} speakers"
    if extrapolate is extrapolated_singling_out:  # its limits would hold the truth too rarely
        assert not len(rate.replicates)
    else:
        assert np.median(rate.replicates) == pytest.approx(rate.value)
    further = extrapolate(**listed, n_speakers=10 * there + 1, weights=drawn(listed))
    assert np.isnan(further.value)
    assert further.reason.endswith(f"are more than ten times as many as the {there} there")


def test_beyond_needs_as_many_trials_for_a_threshold():
    listed = conversation_list(effects(0, 24, 4, 2.0))
    rate = extrapolated_singling_out(**listed, n_speakers=100)
    assert rate.reason == "528 trials of two speakers set a threshold, 1000 are needed"


def test_further_only_where_a_tenth_predicts_the_rest():
    """Where one other always comes first the rate falls along a line, which no law of six knows."""
    random = conversation_list(np.random.default_rng(1).normal(size=(40, 3, 40)))
    rate = extrapolated_linkability(**random, n_speakers=800, weights=drawn(random))
    assert rate.value == pytest.approx(1 / 800, abs=0.01)
    assert np.isnan(extrapolated_linkability(**random, n_speakers=800).value)
    too_far = extrapolated_linkability(**random, n_speakers=4001, weights=drawn(random))
    assert np.isnan(too_far.value)
    scores = np.zeros((60, 2, 60)) + np.eye(60)[:, None, :]
    scores[np.arange(60), :, np.arange(60) - 1] = 2
    line = conversation_list(scores)
    assert criteria.linkability(**line, n_speakers=30).value == pytest.approx(1 - 29 / 59)
    rate = extrapolated_linkability(**line, n_speakers=800, weights=drawn(line))
    assert np.isnan(rate.value)


def test_what_is_there_is_not_extrapolated():
    listed = conversation_list(effects(0, 24, 4, 2.0))
    rate = extrapolated_linkability(**listed, n_speakers=24)
    assert rate == criteria.linkability(**listed, n_speakers=24)._replace(
        replicates=rate.replicates
    )


@pytest.mark.parametrize("separation", [0, 100])
def test_extremes_stay_what_they_are(separation):
    scores = np.random.default_rng(0).normal(size=(30, 8, 30))
    listed = conversation_list(scores + separation * np.eye(30)[:, None, :])
    expected = {0: 1 / 90, 100: 1}[separation]
    linked = extrapolated_linkability(**listed, n_speakers=90).value
    assert linked == pytest.approx(expected, abs=0.02)
    isolated = extrapolated_singling_out(**listed, n_speakers=90).value
    assert isolated == pytest.approx({0: 0.37, 100: 1}[separation], abs=0.08)


def test_curves_hold_every_size_and_length_and_mark_what_is_beyond():
    listed = conversation_list(effects(0, 24, 9, 2.0))
    points = beyond.curve("linkability", **listed, sizes=(2, 24, 100, 1000), lengths=(1, 3, None))
    assert [(point.n_speakers, point.length) for point in points[:5]] == [
        *[(n, 1) for n in (2, 24, 100, 1000)],
        (2, 3),
    ]
    assert [point.extrapolated for point in points] == [False, False, True, False] * 3
    assert [np.isnan(point.rate.value) for point in points] == [False, False, False, True] * 3
    longer = [point.rate.value for point in points if point.n_speakers == 24]
    assert longer == sorted(longer)
    assert points[1].rate.value == criteria.linkability(**listed, n_speakers=24).value


def test_two_speakers_are_too_few_for_a_law():
    listed = conversation_list(effects(0, 2, 9, 2.0))
    rate = extrapolated_linkability(**listed, n_speakers=5)
    assert rate.reason == "2 speakers are too few to extrapolate from"


@pytest.mark.parametrize(("mean", "spread"), [(0, 1), (2, 0.5), (1, 2), (5, 2.5)])
def test_a_law_is_known_from_two_rates(mean, spread):
    """Rates of larger sets are then integrals over the law."""

    def expected(rate):
        return norm(mean, spread).expect(rate, lb=mean - 9 * spread, ub=mean + 9 * spread)

    two, twenty = expected(norm.cdf), expected(lambda x: norm.cdf(x) ** 19)
    law = beyond.fit_law(np.array([two]), np.array([twenty]), size=20)
    assert [law.mean[0], law.spread[0]] == pytest.approx([mean, spread], abs=1e-4)
    nobody = expected(lambda x: norm.cdf(x) ** 99)
    one = expected(lambda x: 99 * norm.sf(x) * norm.cdf(x) ** 98)
    assert beyond.nobody_expected(law, size=100)[0] == pytest.approx(nobody, abs=1e-6)
    assert beyond.one_expected(law, size=100)[0] == pytest.approx(one, abs=1e-6)


@pytest.mark.parametrize("share", [0, 0.04, 1])
@pytest.mark.parametrize("less", [0, 0.1])
def test_others_who_are_alike_pass_independently(share, less):
    """Rates that are lower than of independent others count as independent."""
    two, ten = np.array([1 - share]), np.array([(1 - share) ** 9 - less])
    law = beyond.fit_law(two, ten, size=10)
    nobody, one = (1 - share) ** 49, 49 * share * (1 - share) ** 48
    assert beyond.nobody_expected(law, size=50) == pytest.approx([nobody], abs=1e-4)
    assert beyond.one_expected(law, size=50) == pytest.approx([one], abs=1e-4)


def test_others_who_pass_always_or_never():
    law = beyond.fit_law(np.array([0.7]), np.array([0.7]), size=10)
    assert beyond.nobody_expected(law, size=1000)[0] == pytest.approx(0.7, abs=0.01)
    assert beyond.one_expected(law, size=1000)[0] == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("rates", PUBLISHED)
def test_the_law_on_published_curves(rates):
    """From 20 and 220 people it is 0 to 4 points too high among ten times as many."""
    twenty, more, most = np.array(rates[:3])[:, None]

    def misfit(parameters):
        law = beyond.Law(parameters[:1], np.exp(parameters[1:]))
        known = [(20, twenty), (220, more)]
        return [(beyond.nobody_expected(law, size=n) - rate)[0] for n, rate in known]

    solved = least_squares(misfit, [3.0, 0.5])
    assert solved.cost < 1e-12
    law = beyond.Law(solved.x[:1], np.exp(solved.x[1:]))
    error = (beyond.nobody_expected(law, size=2220) - most)[0]
    assert -0.005 < error < 0.045


def written(path, attacks, n_replicates=50):
    curves = {}
    for condition, (scored, trials) in attacks.items():
        ids = ids_of(scored, alike=condition == "rr")
        curves[condition] = beyond.curves_of(
            condition, trials, ids, n_replicates=n_replicates, seed=0
        )
    beyond.write_curves(path, curves)
    rows = [row for _, row in read_rows(path, ["label", *LawPoint._fields])]
    return {tuple(row[key] for key in KEY): row for row in rows}


def test_a_file_of_curves_holds_what_the_functions_give(tmp_path):
    scored, speaker_of = noisy(1.5, n_speakers=12, n_utterances=4)
    listed = arrange(scored, speaker_of)
    points = written(tmp_path / "law.tsv", {"oo": (scored, listed)})
    ids = ids_of(scored)
    searched = {"trials": listed, "enrolment_id": ids.enrolment, "trial_id": ids.trial}
    linked = points["oo", "ascending", "linkability", "10", "3"]
    expected = criteria.linkability(**searched, n_speakers=10, length=3).value
    assert float(linked["value"]) == pytest.approx(expected)
    assert linked["extrapolated"] == "no" and float(linked["guessing"]) == 0.1
    assert float(linked["ci_low"]) < float(linked["value"]) < float(linked["ci_high"])
    assert points["oo", "ascending", "linkability", "100", "1"]["extrapolated"] == "yes"
    assert points["oo", "ascending", "linkability", "10", "all"]["ci_low"] == "-"
    beyond_half = points["oo", "ascending", "singling_out", "10", "1"]
    assert beyond_half["extrapolated"] == "yes" and beyond_half["ci_low"] == "-"
    assert float(beyond_half["guessing"]) == pytest.approx(0.9**9)
    assert not any("undefined" in row.values() or "nan" in row.values() for row in points.values())


def test_another_reading_is_written_where_it_is_surely_stronger(tmp_path):
    for separation, readings in ((3.0, {"ascending"}), (-3.0, {"ascending", "descending"})):
        scored, speaker_of = noisy(separation, n_speakers=12)
        attacks = {"op": (scored, arrange(scored, speaker_of))}
        points = written(tmp_path / "law.tsv", attacks)
        assert {reading for _, reading, *_ in points} == readings
    turned = float(points["op", "descending", "linkability", "10", "1"]["value"])
    assert turned > 0.5 > float(points["op", "ascending", "linkability", "10", "1"]["value"])


def test_curves_without_replicates_have_no_limits_and_tiny_lists_no_points(tmp_path):
    scored, speaker_of = noisy(2.0, n_speakers=12)
    attacks = {"oo": (scored, arrange(scored, speaker_of))}
    points = written(tmp_path / "law.tsv", attacks, n_replicates=0)
    assert points and {row["ci_high"] for row in points.values()} == {"-"}
    scored, speaker_of = noisy(2.0, n_speakers=2, n_utterances=1)
    scored = {label: listed[:1] for label, listed in scored.items()}  # of two utterances
    attacks = {"oo": (scored, arrange(scored, speaker_of))}
    assert written(tmp_path / "law.tsv", attacks) == {}


def test_pairs_within_a_release_are_searched_from_either_side(tmp_path):
    """Own pairs are always closest: every utterance is linked."""
    names = [f"s{speaker}-{number}" for speaker in range(6) for number in range(3)]
    scored = {"target": [], "nontarget": []}
    for one, other in itertools.combinations(names, 2):
        label = "target" if one[:2] == other[:2] else "nontarget"
        scored[label].append((Trial(one, other, label), float(label == "target")))
    attacks = {"rr": (scored, arrange(scored, {name: name[:2] for name in names}))}
    points = written(tmp_path / "law.tsv", attacks)
    assert float(points["rr", "ascending", "linkability", "5", "1"]["value"]) == 1


def test_halves_of_less_than_six_speakers_set_no_threshold_for_more():
    listed = conversation_list(effects(0, 10, 40, 2.0))
    rate = extrapolated_singling_out(**listed, n_speakers=20)
    assert np.isnan(rate.value)
    assert rate.reason == "5 speakers in a half are too few for a threshold of others"
    listed = conversation_list(effects(0, 12, 40, 2.0))
    assert not np.isnan(extrapolated_singling_out(**listed, n_speakers=20).value)


def test_no_extrapolated_point_is_far_below_guessing():
    """Of lists without evidence: the threshold of few speakers passes too many others, or none."""
    points = []
    for seed in range(12):
        listed = conversation_list(effects(seed, 20, 20, 0.0))
        points += beyond.curve("singling_out", **listed, sizes=[20, 100], lengths=[1])
    rates = np.array([point.rate.value for point in points])
    assert np.nanmin(rates) > 1 / np.e - 0.06
    left_out = [point.rate.reason for point in points if np.isnan(point.rate.value)]
    assert left_out and all("guessing isolates 37 %" in reason for reason in left_out)
    assert all(point.extrapolated for point in points if not np.isnan(point.rate.value))
