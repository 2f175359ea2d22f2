"""Trials in an order of their own, cohorts by hand, and what cannot be measured."""

import numpy as np
import pytest
from support.heldout_lists import complete, only, rows_of, trials_from

from voiceprivacy.privacy.verdict.evidence import one_recording
from voiceprivacy.privacy.verdict.trials import (
    NotMeasured,
    forms_of,
    group_sums,
    judged,
    standardised,
    trials_of,
)

FORMS = ("raw", "enrolment", "recording", "both")


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0, 1, 2, 3, 4, np.inf, -np.inf, np.nan], [-1, -0.5, 0, 0.5, 1, 2, -2, 0]),
        ([0, 1, 2, 3, 3.4e38], [-1, -0.5, 0, 0.5, 1e6]),
        ([0, 1, 2, 3, -1.7e308], [0.5, 0, -0.5, -1, 1e6]),
        *[([value] * 6, [0] * 6) for value in (0.1, np.inf, np.nan)],
    ],
)
def test_scores_are_told_in_quartile_ranges(scores, expected):
    """Infinite ones lie one beyond, and none further out than a million; equal ones are zero."""
    scores = np.array(scores, dtype=float)[:, None]
    assert standardised(scores, np.arange(len(scores)) > 3)[:, 0].tolist() == expected


@pytest.mark.parametrize("score", [3.4e38, 1e200, -1.7e308])
def test_one_score_far_out_hides_no_others(score):
    """Of the first attacker, whose scores have offsets, or of the second, who finds nothing."""
    enrolled, tried, recordings, scores = complete(16, 3, seed=0, n_attacks=2)
    scores[:, 0] += 5 * (enrolled == tried) + 30 * np.cos(enrolled)
    for column, smallest in ((0, 30), (1, 75)):
        far = scores.copy()
        far[17, column] = score
        assert one_recording(trials_from(enrolled, tried, recordings, far)).low() > smallest


def test_targets_are_above_nontargets_on_average():
    """Their scores are lower here, but above the median, as the mean of all is further above."""
    enrolled, tried, recordings, noise = complete(8, 3, seed=0)
    lower = np.exp(noise) - 0.2 * (enrolled == tried)[:, None]
    trials = trials_from(enrolled, tried, recordings, lower)
    assert trials.scores[trials.target].mean() > trials.scores[~trials.target].mean()


def test_group_sums_add_the_rows_of_each_group():
    sums = group_sums(np.array([2, 0, 2]), np.array([[1.0, 10], [2, 20], [3, 30]]), 4)
    assert sums.tolist() == [[2, 20], [0, 0], [4, 40], [0, 0]]


def test_a_trial_that_is_twice_in_a_list_counts_once():
    columns = complete(5, 2, seed=0)
    once = trials_from(*columns)
    double = trials_from(*(np.concatenate([column, column]) for column in columns))
    for one, other in zip(once, double, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("seed", range(4))
def test_forms_are_what_their_definition_says_on_incomplete_lists(seed):
    """Pairs and recordings are missing, two enrol twice, one is tried but never enrolled."""
    columns = complete(8, 2, seed=seed, n_attacks=2)
    enrolled, tried, *_ = columns
    pairs = np.random.default_rng(seed).permutation(64)[:8]
    files = np.random.default_rng(seed).random(len(enrolled)) < 0.05
    missing = np.isin(8 * enrolled + tried, pairs) | files
    kept = (enrolled < 7) & ((enrolled == tried) | ~missing)
    ids, values, speaker_of = rows_of(*only(kept, columns))
    speaker_of |= {"again_e0": "p0", "again_e1": "p1"}
    again = [(f"again_{name}", tried) for name, tried in ids if name in ("e0", "e1")]
    trials = trials_of(ids + again, np.vstack([values, values[: len(again)]]), speaker_of)
    chosen = judged(trials)
    forms = forms_of(trials, chosen)
    sizes, expected = forms_by_definition(trials)
    sizes["both"] = np.minimum(sizes["enrolment"], sizes["recording"])
    for name in FORMS[1:]:
        few = sizes[name] < 3
        share = max(few[chosen & label].mean() for label in (trials.target, ~trials.target))
        assert (name in forms) == (share <= 0.1)
        expected[name][few] = np.nan
    for name in forms:
        values = forms[name][chosen]
        assert values == pytest.approx(expected[name][chosen], abs=1e-9, nan_ok=True)


def forms_by_definition(trials):
    """Sizes of the cohorts of all trials, and all forms, trial by trial."""
    rows = [*zip(*trials[:5], strict=True)]
    sizes, forms = {"enrolment": [], "recording": []}, {name: [] for name in FORMS}
    by_pair = means_by(((row[0], row[1]), row[4]) for row in rows if row[0] != row[1])
    for own, other, enrolment, recording, score in rows:
        tried = [(row[1], row[4]) for row in rows if row[2] == enrolment and row[0] != row[1]]
        by = [(row[0], row[4]) for row in rows if row[3] == recording and row[0] != row[1]]
        centre = {}
        for name, spare, cohort in (("enrolment", other, tried), ("recording", own, by)):
            cohort = means_by(cohort)
            if own == other and cohort:  # the next person, the first one after the last
                spare = min(cohort, key=lambda person: (person < own, person))
            rest = [mean for person, mean in cohort.items() if person != spare]
            sizes[name].append(len(rest))
            centre[name] = np.mean(rest, axis=0) if rest else 0
            forms[name].append(score - centre[name])
            if name == "enrolment":
                left = [mean for pair, mean in by_pair.items() if not {own, spare} & {*pair}]
        forms["raw"].append(score)
        forms["both"].append(score - sum(centre.values()) + np.mean(left, axis=0))
    return (
        {name: np.array(size) for name, size in sizes.items()},
        {name: np.array(values) for name, values in forms.items()},
    )


def means_by(rows):
    """The mean of the scores of each key: {key: array (A,)}."""
    groups = {}
    for key, score in rows:
        groups.setdefault(key, []).append(score)
    return {key: np.mean(scores, axis=0) for key, scores in groups.items()}


def test_double_centring_removes_offsets_of_enrolments_and_recordings_exactly():
    enrolled, tried, recordings, _ = complete(6, 3, seed=2)
    draw = np.random.default_rng(3)
    offsets = 5 * draw.normal(size=6)[enrolled] + 5 * draw.normal(size=18)[recordings]
    target = enrolled == tried
    trials = trials_from(enrolled, tried, recordings, (offsets + target)[:, None])
    forms = forms_of(trials, judged(trials))
    assert np.ptp(forms["both"][~trials.target]) == pytest.approx(0, abs=1e-6)
    assert np.ptp(forms["both"][trials.target]) == pytest.approx(0, abs=1e-6)
    assert np.ptp(forms["raw"]) > 1


def test_a_form_with_small_cohorts_is_dropped():
    """Recordings of targets, or of some nontargets, are tried once and have no cohort."""
    columns = complete(8, 4, seed=4, distance=100)
    enrolled, tried, recordings, _ = columns
    of_targets = (enrolled == tried) == (recordings % 4 == 0)
    of_nontargets = (recordings % 4 < 2) | (enrolled == (tried + 1) % 8)
    for kept in (of_targets, of_nontargets):
        trials = trials_from(*only(kept, columns))
        assert [*forms_of(trials, judged(trials))] == ["raw", "enrolment"]
    columns = complete(10, 1, seed=4)  # one target in ten is no more than one in ten
    trials = trials_from(*only((columns[1] != 3) | (columns[0] == 3), columns))
    assert [*forms_of(trials, judged(trials))] == [*FORMS]


def test_few_persons_and_missing_classes_have_codes():
    own = complete(6, 2, seed=6)
    for columns, code in (
        (complete(3, 4, seed=5), "few_persons"),
        (only(own[0] == own[1], own), "no_nontargets"),
        ([*own[:3], np.ones_like(own[3])], "equal_scores"),
    ):
        with pytest.raises(NotMeasured, match=f"^{code}$"):
            one_recording(trials_from(*columns))
    assert one_recording(trials_from(*complete(4, 4, seed=5))).n_persons == 4


def test_persons_without_targets_are_cohort_only():
    columns = complete(8, 2, seed=7)
    trials = trials_from(*only((columns[0] != columns[1]) | (columns[0] < 5), columns))
    evidence = one_recording(trials)
    assert sorted(evidence.persons) == [f"p{number}" for number in range(5)]
    assert len(trials.persons) == 8
    assert len(evidence.pairs) == 25


def test_a_name_without_speaker_is_an_error():
    ids, scores, speaker_of = rows_of(*complete(4, 1, seed=8))
    del speaker_of["e0"]
    with pytest.raises(KeyError):
        trials_of(ids, scores, speaker_of)
