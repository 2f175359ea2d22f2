"""Several releases of the same recordings: what is joined, and how evidence grows."""

import numpy as np
import pytest
from support.heldout_lists import complete, rows_of

from voiceprivacy.privacy.verdict.evidence import one_recording
from voiceprivacy.privacy.verdict.score_table import Scored, ScoreTable, joined
from voiceprivacy.privacy.verdict.trials import trials_of
from voiceprivacy.privacy.verdict.verdict import Known, Thresholds, verdict_of

PLAIN = Known(learnt={}, leaks={})
OF_DISTANCE_1 = 15.1418  # percent: the evidence of scores whose targets are one deviation higher


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
    by_system = {}
    for number in range(n_versions):
        made_up = complete(n_persons, 2, seed=[seed, number], distance=distance)
        ids, scores, speaker_of = rows_of(*made_up)
        by_system[f"v{number}"] = {("a", "op"): dict(zip(ids, scores[:, 0].tolist(), strict=True))}
    made = ScoreTable(speaker_of)
    made.scores["all"] = by_system
    return made


def released(made, n_versions, known=PLAIN):
    versions = {f"v{number}": "v" for number in range(n_versions)}
    return verdict_of(made, known=known._replace(releases={"v": versions}))["releases"]["v"]


def test_evidence_grows_with_the_root_of_the_number_of_releases():
    grown = released(table(24, 11, seed=0, distance=0.5), 11)
    assert [len(one["systems"]) for one in grown] == [1, 2, 5, 10, 11]
    percents = [one["evidence_percent"][0] for one in grown]
    assert percents == sorted(percents) and percents[-1] > 5 * percents[0]
    four = released(table(24, 4, seed=1, distance=0.5), 4)[-1]["evidence_percent"]
    assert four[1] < OF_DISTANCE_1 < four[2], "four draws of half the distance"


def test_a_list_that_lacks_a_version_is_not_measured():
    made = table(8, 2, seed=0, distance=1.0)
    made.scores["other"] = {"v0": made.scores["all"]["v0"]}
    one, two = released(made, 2)
    assert one["evidence_percent"] is not None and not one["within_low"]
    assert two["evidence_percent"] is not None and not two["within_low"]


def test_what_was_not_measured_is_neither_within_low_nor_above():
    """No linkage was tried: without evidence in what was tried, nothing is known."""
    safe, telling = (table(24, 1, seed=0, distance=distance) for distance in (0.0, 3.0))
    everything = Thresholds(low_percent=100.0, low_all_recordings_percent=100.0)
    known = PLAIN._replace(releases={"v": {"v0": "v"}})
    (one,) = verdict_of(safe, known=known, thresholds=everything)["releases"]["v"]
    assert one["within_low"] is None
    (one,) = verdict_of(telling, known=known)["releases"]["v"]
    assert one["within_low"] is False
    strict = everything._replace(low_percent=0.1)
    (one,) = verdict_of(safe, known=known, thresholds=strict)["releases"]["v"]
    assert one["within_low"] is False


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
