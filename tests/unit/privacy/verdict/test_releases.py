"""Several releases of the same recordings: what is joined, and how evidence grows."""

import numpy as np
import pytest
from support.heldout_lists import evidence_at_once, judge_at_once, score_table

from voiceprivacy.privacy.verdict import verdict as judging
from voiceprivacy.privacy.verdict.evidence import one_recording
from voiceprivacy.privacy.verdict.score_table import Scored, ScoreTable, joined
from voiceprivacy.privacy.verdict.trials import trials_of
from voiceprivacy.privacy.verdict.verdict import Known, Thresholds, verdict_of

PLAIN = Known(learnt={}, leaks={})
OF_DISTANCE_1 = 15.1418  # percent: the evidence of scores whose targets are one deviation higher


at_once = pytest.fixture(judge_at_once)


def scored(values, *attacks):
    """Scores of trials that are numbers: {number: (score of an attack, ...)}."""
    trials = [("e", str(number)) for number in values]
    return Scored(trials, np.array([*values.values()], dtype=float), [*attacks])


def test_draws_are_averaged_and_other_anonymisers_are_further_columns():
    op, pp = ("x", "op"), ("x", "pp")
    first = scored({1: (1, 2), 2: (3, 4), 3: (5, 6)}, op, pp)
    second = scored({3: (7,), 2: (9,)}, op)
    other = scored({2: (0,), 3: (8,), 4: (1,)}, op)
    together = joined([("b2r", first), ("b2r", second), ("stt", other)])
    assert together.trials == [("e", "2"), ("e", "3")], "what every version has"
    assert together.attacks == [op, pp, op]
    np.testing.assert_array_equal(together.scores, [[6, 4, 0], [6, 6, 8]])


def table(n_persons, n_versions, *, seed, distance):
    """Scores of versions whose noise is independent."""
    versions = {f"v{number} a op": distance for number in range(n_versions)}
    return score_table(versions, n_persons, 2, seed=seed)


def released(made, n_versions, known=PLAIN):
    versions = {f"v{number}": "v" for number in range(n_versions)}
    return verdict_of(made, known=known._replace(releases={"v": versions}))["releases"]["v"]


def test_versions_of_one_anonymiser_are_worth_their_mean_on_the_worst_list(at_once):
    made = table(8, 3, seed=0, distance=1.0)
    made.scores["worse"] = table(8, 3, seed=1, distance=3.0).scores["all"]
    shown = released(made, 3)
    assert [one["systems"] for one in shown] == [["v0"], ["v0", "v1"], ["v0", "v1", "v2"]]
    for one in shown:
        columns = [made.scores["worse"][version]["a", "op"] for version in one["systems"]]
        means = [[np.mean([column[pair] for column in columns])] for pair in columns[0]]
        evidence = evidence_at_once(trials_of([*columns[0]], np.array(means), made.speaker_of))
        assert one["evidence_percent"] == pytest.approx(
            [evidence.percent, evidence.low(), evidence.high()]
        )


def test_the_first_1_2_5_10_and_all_are_released_together(monkeypatch):
    monkeypatch.setattr(judging, "_released", lambda scores, versions, thresholds: [*versions])
    for n_versions, numbers in ((1, [1]), (2, [1, 2]), (11, [1, 2, 5, 10, 11])):
        names = [f"v{number}" for number in range(n_versions)]
        assert released(ScoreTable({}), n_versions) == [names[:number] for number in numbers]


def test_a_list_that_lacks_a_version_is_not_measured(at_once):
    made = table(8, 2, seed=0, distance=1.0)
    made.scores["other"] = {"v0": made.scores["all"]["v0"]}
    one, two = released(made, 2)
    assert one["evidence_percent"] is not None and not one["within_low"]
    assert two["evidence_percent"] is not None and not two["within_low"]


@pytest.mark.parametrize(
    ("distance", "low_percent", "is_linked", "within_low"),
    [
        (0, 100, True, True),
        (0, 100, False, None),
        (0, 0.1, False, False),
        (9, 50, True, False),
        (9, 100, True, False),  # persons are re-identified
    ],
)
def test_what_was_not_measured_is_neither_within_low_nor_above(
    at_once, distance, low_percent, is_linked, within_low
):
    """Where no linkage was tried, nothing is known without evidence in what was tried."""
    attacks = {"v0 a op": distance} | ({"v0 a rr": 0} if is_linked else {})
    thresholds = Thresholds(low_percent=low_percent, low_all_recordings_percent=100.0)
    known = PLAIN._replace(releases={"v": {"v0": "v"}})
    (one,) = verdict_of(score_table(attacks), known=known, thresholds=thresholds)["releases"]["v"]
    assert one["within_low"] is within_low


@pytest.mark.parametrize(
    ("n_lists", "least"), [(25, 0.84), pytest.param(200, 0.93, marks=pytest.mark.nightly)]
)
@pytest.mark.parametrize("n_versions", [2, 5])
def test_limits_hold_the_truth_of_several_releases(n_versions, n_lists, least):
    """Every version has so much less distance that together they have that of 1."""
    held = 0
    for seed in range(n_lists):
        made = table(12, n_versions, seed=seed, distance=n_versions**-0.5)
        together = joined([("v", made.scored("all", one)) for one in made.scores["all"]])
        evidence = one_recording(trials_of(*together[:2], made.speaker_of))
        held += evidence.low() <= OF_DISTANCE_1 <= evidence.high()
    assert held >= least * n_lists
