"""Evidence by hand, where there is none, where it is hidden, and what must not change it."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm
from support.heldout_lists import complete, only, rows_of, trials_from

from voiceprivacy.privacy.verdict import evidence as heldout
from voiceprivacy.privacy.verdict import learner
from voiceprivacy.privacy.verdict.evidence import (
    DISTANCES,
    ROOTS,
    Evidence,
    all_recordings,
    gain,
    gaussian_error,
    jackknife_error,
    leaves_less,
    linkage,
    one_recording,
)
from voiceprivacy.privacy.verdict.persons import first_guesses
from voiceprivacy.privacy.verdict.trials import forms_of, judged, trials_of


@pytest.fixture
def few_groups(monkeypatch):
    """The fewest groups of persons of which two can judge and two others choose: it is quick."""
    monkeypatch.setattr(heldout, "MOST_GROUPS", 4)
    monkeypatch.setattr(heldout, "N_GROUPS", 4)


@pytest.mark.parametrize("llr", [-6.0, -0.02, -0.005, 0.0, 0.009, 0.011, 0.5, 8.0, 100.0])
def test_the_gain_is_the_integral_of_the_cost_over_priors(llr):
    """At prior p a target costs -log posterior, and LLRs of zero cost -log p; all p are alike."""

    def saved(prior):
        posterior = 1 / (1 + (1 - prior) / prior * np.exp(-llr))
        return prior * (np.log(posterior) - np.log(prior))

    assert gain(np.array([llr]))[0] == pytest.approx(quad(saved, 0, 1)[0], abs=1e-9)


def test_the_table_of_gaussian_evidence():
    noise = np.linspace(-9, 9, 3601)
    for distance, percent in zip(np.arange(17) / 2, heldout.GAUSSIAN_PERCENT, strict=True):
        gains = gain(distance * (noise + distance / 2)) * norm.pdf(noise)
        assert 400 * np.trapezoid(gains, noise) == pytest.approx(percent, abs=1e-4)


MANY = 10**9  # targets: then the jackknife's error is the larger one


def evidence_of(values, in_sample=None, kinds=(learner.ONE_SCORE,), chosen=(1,), n_targets=MANY):
    """An Evidence of a complete matrix of values (S, S) in percent."""
    values = np.asarray(values, dtype=float)
    n_persons = len(values)
    in_sample = [values] if in_sample is None else in_sample
    return Evidence(
        persons=tuple(f"p{number}" for number in range(n_persons)),
        pairs=np.arange(n_persons**2),
        held_out=values.ravel(),
        in_sample=np.stack([np.ravel(each) for each in in_sample], axis=1).astype(float),
        llrs=values.ravel(),
        centred=values.reshape(-1, 1),
        candidates=[learner.Candidate([1], 1.0, kind) for kind in kinds],
        n_targets=n_targets,
        chosen=np.array(chosen),
        recordings=1,
    )


def test_every_person_and_every_pair_counts_once():
    values = np.full((4, 4), 1.0)
    np.fill_diagonal(values, [10, 20, 30, 40])
    assert evidence_of(values).percent == 26


def test_the_jackknife_leaves_out_rows_columns_and_diagonal():
    values = np.random.default_rng(0).normal(size=(6, 6))
    estimates = evidence_of(values).estimates(values.ravel())[:, 0]
    for person in range(6):
        rest = np.delete(np.delete(values, person, 0), person, 1)
        others = rest[~np.eye(5, dtype=bool)]
        assert estimates[1 + person] == pytest.approx(np.diag(rest).mean() + others.mean())
    without = estimates[1:]
    expected = np.sqrt(5 / 6 * np.square(without - without.mean()).sum())
    assert jackknife_error(estimates) == pytest.approx(expected)


def test_limits_of_a_t_distribution():
    values = np.random.default_rng(1).normal(size=(11, 11)) + 30
    evidence = evidence_of(values)
    expected = evidence.percent - 2.2281 * evidence.standard_error
    assert evidence.low() == pytest.approx(expected, abs=1e-4)
    assert evidence.p_above(evidence.percent) == pytest.approx(0.5)
    assert evidence.p_above(evidence.low()) == pytest.approx(0.025)


def test_the_error_is_at_least_that_of_gaussian_scores():
    """Of lucky persons all have as much evidence; the jackknife sees no difference."""
    lucky = evidence_of(np.full((10, 10), 15.25), n_targets=10)
    assert jackknife_error(lucky.estimates(lucky.held_out))[0] == pytest.approx(0, abs=1e-9)
    assert lucky.standard_error == pytest.approx(gaussian_error(30.5, 10))
    assert lucky.low() < 10 < lucky.percent
    assert lucky.p_above(lucky.low()) == pytest.approx(0.025)


@pytest.mark.parametrize("distance", [0.7, 1.5, 3.0])
def test_the_error_of_gaussian_scores_is_that_of_the_distance(distance):
    """Distances of 20 targets in units of a deviation pooled with equal weight, simulated."""
    draw = np.random.default_rng(0).normal(size=(20_000, 20))
    variance = (draw.var(axis=1, ddof=1) + 1) / 2
    drawn = (draw.mean(axis=1) + distance) / np.sqrt(variance)
    percent, *others = np.interp([distance, *drawn], DISTANCES, ROOTS) ** 2
    assert gaussian_error(percent, 20) == pytest.approx(np.std(others), rel=0.15)


def test_the_error_of_gaussian_scores_two_deviations_apart_and_of_none():
    slope = 2 * ROOTS[4] * (ROOTS[5] - ROOTS[3])
    assert gaussian_error(ROOTS[4] ** 2, 20) == pytest.approx(slope * np.sqrt(1.5 / 20))
    assert gaussian_error(-3.0, 10) == gaussian_error(0.0, 10) == 0


def test_single_scores_count_for_the_upper_limit_and_fusions_only_if_chosen():
    low, high = np.zeros((5, 5)), np.full((5, 5), 20.0)
    kinds = (learner.ONE_SCORE, learner.FUSION)
    assert evidence_of(low, [low, high], kinds, (5, 1)).high() < 1
    assert evidence_of(low, [low, high], kinds, (1, 5)).high() == pytest.approx(40, abs=1)
    kinds = (learner.ONE_SCORE, learner.IN_BINS)
    assert evidence_of(low, [low, high], kinds, (5, 1)).high() == pytest.approx(40, abs=1)


def test_the_upper_limit_is_higher_where_few_persons_have_the_evidence():
    even, few = np.zeros((10, 10)), np.zeros((10, 10))
    np.fill_diagonal(few, [60, *[0] * 9])
    error = evidence_of(few).standard_error
    # As much evidence and as large an error, without skewness.
    spread = np.sqrt(9 * 10) * error / np.sqrt(10)
    np.fill_diagonal(even, [6 + spread * sign for sign in [1, -1] * 5])
    assert evidence_of(even).percent == evidence_of(few).percent == 6
    assert evidence_of(even).standard_error == pytest.approx(error)
    assert evidence_of(few).high() > evidence_of(even).high() + 5
    # The error is 6, too; the t-quantile of 9 degrees of freedom is Johnson's.
    johnson = 2.262157 + 80 / 81 * (1 + 2 * 2.262157**2) / 6
    assert evidence_of(few).high() == pytest.approx(6 * (1 + johnson / 2) ** 2)
    assert evidence_of(10 * few).high() == 100


@pytest.mark.parametrize(("n_persons", "n_groups"), [(5, 5), (7, 6), (8, 4)])
def test_held_out_evidence_is_what_its_definition_says(monkeypatch, n_persons, n_groups):
    """Five persons: where two are judged, the other three are in no nontarget to learn from.

    Of more, one target is unknown: nobody else is tried with its recording.
    """
    for name, number in (("FEW_PERSONS", 7), ("MOST_GROUPS", 6), ("N_GROUPS", 4)):
        monkeypatch.setattr(heldout, name, number)
    columns = complete(n_persons, 2, seed=14, distance=1)
    enrolled, tried, recordings, _ = columns
    others = (recordings != 3) if n_persons > 5 else (np.minimum(enrolled, tried) < 2)
    alike = (enrolled == tried) | others
    kept = alike & (np.random.default_rng(0).random(len(tried)) < 0.95)
    trials = trials_from(*only(kept, columns))
    evidence = one_recording(trials)
    pairs, held_out, in_sample, chosen, centred = held_out_by_definition(trials, n_groups)
    assert list(zip(*divmod(evidence.pairs, n_persons), strict=True)) == pairs
    assert np.column_stack([evidence.held_out, evidence.llrs]) == pytest.approx(held_out)
    assert evidence.in_sample == pytest.approx(in_sample)
    assert evidence.chosen.tolist() == chosen
    assert evidence.centred[:, 0] == pytest.approx(centred)
    assert evidence.n_targets == trials.target.sum()


def held_out_by_definition(trials, n_groups):
    """Pairs, their held-out gains and LLRs, gains in sample, how often each candidate is used, and
    how far out pairs lie.

    All persons have targets, and there is one attack.
    """
    forms = forms_of(trials, judged(trials))
    columns, candidates = learner.design(forms, 10)
    unknown, columns = np.isnan(columns), np.nan_to_num(columns)
    is_known = np.array([~unknown[:, each.columns].any(axis=1) for each in candidates]).T
    rows = list(zip(trials.enrolment_person, trials.trial_person, strict=True))
    of_pair = {pair: [n for n, row in enumerate(rows) if row == pair] for pair in sorted({*rows})}
    limit = np.log(2 * len(trials.persons))
    drawn = np.random.default_rng(0).permutation(len(rows))
    guessed_by = {  # as many of each pair as there are targets of who is tried
        pair: sorted(own, key=lambda number: drawn[number])[: len(of_pair[pair[1], pair[1]])]
        for pair, own in of_pair.items()
    }

    def learn_and_judge(known, pairs):
        """{pair: gains of all candidates, and their LLRs}."""
        known = [number for number in known if not unknown[number].any()]
        learnt = [rows[number] for number in known]
        label = np.array([row[0] == row[1] for row in learnt])
        weights = np.array([1 / len(of_pair[row]) for row in learnt])
        slopes = np.zeros((columns.shape[1], len(candidates)))
        if 0 < label.sum() < len(label):
            n_targets = len({row[0] for row in learnt if row[0] == row[1]})
            for each in (label, ~label):
                weights[each] *= n_targets / weights[each].sum()
            slopes = learner.fit(columns[known], label.astype(int), weights, candidates)
        judged_pairs = {}
        for pair in pairs:
            llrs, guessing = (
                np.clip(columns[numbers] @ slopes, -limit, limit) * is_known[numbers]
                for numbers in (of_pair[pair], guessed_by[pair])
            )
            gains = 200 * gain(llrs if pair[0] == pair[1] else -llrs)
            judged_pairs[pair] = np.array([gains.mean(axis=0), guessing.mean(axis=0)])
        return judged_pairs

    groups = {pair: {person % n_groups for person in pair} for pair in of_pair}
    blocks = {}
    for block in itertools.combinations(range(n_groups), 2):
        known = [number for number, row in enumerate(rows) if not groups[row] & {*block}]
        tried = [pair for pair in of_pair if groups[pair] <= {*block}]
        blocks[block] = learn_and_judge(known, tried)
    chosen, values = [0] * len(candidates), {pair: [] for pair in of_pair}
    for block, judged_pairs in blocks.items():
        apart = [own for other, own in blocks.items() if not {*other} & {*block}]
        gains = {True: [], False: []}  # of targets and of nontargets
        for own in apart:
            for pair, value in own.items():
                gains[pair[0] == pair[1]].append(value[0])
        evidence = sum(np.mean(each, axis=0) for each in gains.values() if each)
        best = np.argmax(evidence)
        chosen[best] += 1
        for pair, value in judged_pairs.items():
            values[pair].append(value[:, best])
    everything = learn_and_judge(range(len(rows)), of_pair)
    in_sample = np.stack([value[0] for value in everything.values()])
    held_out = np.stack([np.mean(each, axis=0) for each in values.values()])
    most_centred = np.nan_to_num([*forms.values()][-1])
    centred = [abs(most_centred[numbers].mean()) for numbers in guessed_by.values()]
    return list(of_pair), held_out, in_sample, chosen, centred


def test_perfect_separation_is_bounded_by_the_number_of_persons(few_groups):
    evidence = one_recording(trials_from(*complete(12, 2, seed=0, distance=100)))
    assert evidence.percent == pytest.approx(400 * gain(np.log([24.0]))[0], abs=2)
    assert evidence.high() <= 100
    assert evidence.p_above(10) < 1e-6


def test_scores_without_evidence_have_none(few_groups):
    evidence = one_recording(trials_from(*complete(40, 4, seed=1)))
    assert evidence.low() < 0 < evidence.high() < 5
    assert evidence.percent < 1


def test_gaussian_scores_have_the_evidence_of_the_table(few_groups):
    evidence = one_recording(trials_from(*complete(60, 4, seed=2, distance=1.5)))
    assert evidence.percent == pytest.approx(30.5, abs=3)
    assert evidence.low() < 30.5 < evidence.high()


def test_offsets_of_enrolments_hide_nothing(few_groups):
    """One person, who was tried with two others only, has no means to take off."""
    enrolled, tried, recordings, scores = complete(12, 4, seed=3, distance=5)
    scores = scores + 1000 * np.random.default_rng(4).normal(size=12)[enrolled][:, None]
    for is_tried in (True, (enrolled > 0) | (tried < 3)):
        columns = only(is_tried & (tried >= 0), (enrolled, tried, recordings, scores))
        assert one_recording(trials_from(*columns)).low() > 50


def test_spread_and_direction_are_found(few_groups):
    enrolled, tried, recordings, scores = complete(12, 4, seed=5)
    wider = scores * np.where(enrolled == tried, 20, 1)[:, None]
    assert one_recording(trials_from(enrolled, tried, recordings, wider)).low() > 10
    lower = scores - 4 * (enrolled == tried)[:, None]
    assert one_recording(trials_from(enrolled, tried, recordings, lower)).low() > 50
    wider += 30 * np.random.default_rng(6).normal(size=12)[enrolled][:, None]
    assert all_recordings(trials_from(enrolled, tried, recordings, wider)).low() > 30


def test_the_sum_of_two_useless_attackers_is_found(few_groups):
    enrolled, tried, recordings, scores = complete(12, 3, seed=6, distance=5)
    hidden = 20 * np.random.default_rng(7).normal(size=len(scores))
    two = np.column_stack([hidden, scores[:, 0] - hidden])
    alone = one_recording(trials_from(enrolled, tried, recordings, two[:, :1]))
    both = one_recording(trials_from(enrolled, tried, recordings, two))
    assert alone.percent < 5
    assert min(both.low(), both.high()) > 60


def test_of_many_trials_the_same_ones_are_learnt_from(few_groups, monkeypatch):
    trials = trials_from(*complete(6, 4, seed=6, distance=1))
    everything = one_recording(trials).high()
    monkeypatch.setattr(heldout, "MOST_FITTED", 20)
    assert one_recording(trials).high() == one_recording(trials).high() != everything


def test_a_pair_that_is_linked_in_both_directions_counts_once(few_groups):
    """Offsets of recordings, which are on either side, hide nothing."""
    one, other = np.triu_indices(24, 1)
    ids = [(str(first), str(second)) for first, second in zip(one, other, strict=True)]
    draw = np.random.default_rng(0)
    offsets = 20 * draw.normal(size=24)
    scores = (
        draw.normal(size=len(one)) + 9 * (one // 3 == other // 3) + offsets[one] + offsets[other]
    )
    speaker_of = {str(number): f"p{number // 3}" for number in range(24)}
    both_ways = ids + [pair[::-1] for pair in ids]
    evidence = linkage(trials_of(both_ways, np.tile(scores[:, None], (2, 1)), speaker_of))
    assert evidence.n_targets == 24
    assert evidence.low() > 50


def test_more_recordings_have_more_evidence(few_groups):
    trials = trials_from(*complete(16, 8, seed=8, distance=1.5))
    pooled = all_recordings(trials)
    assert pooled.recordings == 8
    assert pooled.low() > one_recording(trials).high()


def test_all_pairs_pool_the_same_number_of_recordings(few_groups):
    """Of 20 persons with ten recordings three have three alone: too many to leave out."""
    columns = complete(20, 10, seed=9)
    _, tried, recordings, _ = columns
    for n_short, pooled, n_persons in ((3, 3, 20), (2, 10, 18)):
        kept = (tried >= n_short) | (recordings % 10 < 3)
        evidence = all_recordings(trials_from(*only(kept, columns)))
        assert (evidence.recordings, evidence.n_persons) == (pooled, n_persons)


def one_trial_for_each_target_file(seed):
    """Targets have recordings of their own, which nobody else is tried with."""
    enrolled, tried, recordings, scores = complete(24, 5, seed=seed)
    scores = scores + 2 * np.random.default_rng(seed).normal(size=24 * 5)[recordings][:, None]
    kept = (enrolled == tried) == (recordings % 5 == 0)
    return only(kept, (enrolled, tried, recordings, scores))


def one_trial_in_ten_without_cohort(seed):
    """One recording of each person is tried against that person alone."""
    columns = complete(24, 10, seed=seed)
    return only((columns[0] == columns[1]) | (columns[2] % 10 > 0), columns)


def impostors_from_a_noisier_room(seed):
    """Twelve more persons are tried but never enrolled; their scores are lower."""
    enrolled, tried, recordings, scores = complete(36, 4, seed=seed)
    scores = scores - 3 * (tried >= 24)[:, None]
    return only(enrolled < 24, (enrolled, tried, recordings, scores))


def unequal_trials_with_offsets(seed):
    """Persons have two to twelve recordings, pairs have some of them, scores have offsets."""
    draw = np.random.default_rng(seed)
    enrolled, tried, recordings, scores = complete(24, 12, seed=seed)
    offsets = 2 * draw.normal(size=24)[enrolled] + draw.normal(size=288)[recordings]
    number = draw.integers(2, 13, 24)
    some = draw.random(len(enrolled)) < 0.4
    kept = (recordings % 12 < number[tried]) & ((enrolled == tried) | some)
    return only(kept, (enrolled, tried, recordings, scores + offsets[:, None]))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "shape",
    [
        one_trial_for_each_target_file,
        one_trial_in_ten_without_cohort,
        impostors_from_a_noisier_room,
        unequal_trials_with_offsets,
    ],
)
def test_no_shape_of_a_list_is_evidence(shape, seed):
    trials = trials_from(*shape(seed))
    assert one_recording(trials).low() < 10
    assert all_recordings(trials).low() < 10


def test_useless_attackers_change_no_upper_limit_of_another_s_single_scores(few_groups):
    """Of its raw scores: whom a mean leaves out depends on the order of persons."""
    enrolled, tried, recordings, scores = complete(8, 3, seed=1, distance=0.8)
    useless = np.random.default_rng(50).normal(size=(len(scores), 2))
    limits = []
    for first, columns in ((0, [scores]), (3, [useless[:, :1], scores, useless[:, 1:]])):
        trials = trials_from(enrolled, tried, recordings, np.hstack(columns))
        evidence = one_recording(trials)
        raw = evidence.in_sample[:, first : first + 3]
        kinds = [candidate.kind for candidate in evidence.candidates[first : first + 3]]
        assert kinds == [*learner.SINGLE]
        limits.append(evidence_of(np.zeros((8, 8)), raw.T, kinds, (1, 1, 1)).high())
    assert limits[1] == pytest.approx(limits[0])


@pytest.mark.parametrize(
    ("measure", "scale", "shift", "digits"),
    [
        *[(one_recording, -1.0, 0.0, 9), (one_recording, 1e-3, -3.1, 1)],
        *[(all_recordings, -7.3, 100.0, 1), (all_recordings, 1e4, 0.0, 9)],
    ],
)
def test_names_rows_units_signs_and_repetitions_change_nothing(
    few_groups, measure, scale, shift, digits
):
    def outputs(trials):
        evidence = measure(trials)
        guesses = first_guesses(trials, evidence)
        numbers = [evidence.percent, evidence.standard_error, evidence.low(), evidence.high()]
        numbers += [evidence.p_above(10), evidence.recordings, *evidence.chosen]
        return [*numbers, len(guesses.right), guesses.p_value, *guesses.p_values.values()]

    enrolled, tried, recordings, scores = complete(5, 2, seed=1, n_attacks=2, distance=1)
    scores = np.round(scores, digits)
    expected = outputs(trials_from(enrolled, tried, recordings, scores))

    draw = np.random.default_rng(0)
    persons, files = draw.permutation(5), draw.permutation(10)
    order = draw.permutation(np.tile(np.arange(len(tried)), 2))
    columns = persons[enrolled], persons[tried], files[recordings]
    ids, scores, speaker_of = rows_of(*columns, scores * [scale, 1] + [shift, 0])
    changed = trials_of(np.array(ids)[order], scores[order], speaker_of)
    assert outputs(changed) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_an_order_holds_the_largest_evidence_of_the_safer_against_it(few_groups):
    """That of one person: without this one another candidate has more."""
    in_sample = [np.diag([3.0] * 4), np.diag([40.0, 0, 0, 0])]
    safer = evidence_of(np.zeros((4, 4)), in_sample, (learner.ONE_SCORE,) * 2, (1, 0))
    assert leaves_less(safer, evidence_of(np.diag([50.0] * 4)))[0] == 40
    # The same system leaves as much at most.
    evidence = one_recording(trials_from(*complete(8, 2, seed=10, distance=2)))
    difference, error = leaves_less(evidence, evidence)
    assert difference < 0 < error


def test_an_order_is_paired_by_names():
    """As values of pairs say it: those of persons whom both systems have."""
    draw = np.random.default_rng(13)
    little, much = draw.normal(size=(6, 6)), 40 + draw.normal(size=(6, 6))
    safer, worse = evidence_of(little), evidence_of(much)
    difference, error = leaves_less(safer, worse)
    expected = evidence_of(much - little)
    assert difference == pytest.approx(expected.percent)
    assert error == pytest.approx(jackknife_error(expected.estimates(expected.held_out))[0])
    order = draw.permutation(6)
    renumbered = evidence_of(little[np.ix_(order, order)])
    renumbered = replace(renumbered, persons=tuple(f"p{number}" for number in order))
    assert leaves_less(renumbered, worse) == pytest.approx((difference, error))
    fewer = evidence_of((much - little)[:4, :4])
    assert leaves_less(safer, evidence_of(much[:4, :4]))[0] == pytest.approx(fewer.percent)


def test_limits_hold_the_truth_in_small_lists():
    """25 lists of 12 persons: each limit may miss once or twice by chance, not four times."""
    missed = np.zeros(2)
    for seed in range(25):
        evidence = one_recording(trials_from(*complete(12, 2, seed=seed, distance=1)))
        missed += [evidence.low() > 15.1418, evidence.high() < 15.1418]
    assert missed.max() < 4


def test_attacks_that_find_nothing_alone_and_everything_together_are_found():
    """Two scores agree in sign for targets, and do not for nontargets."""
    enrolled, tried, recordings, scores = complete(24, 4, seed=3, n_attacks=2)
    agrees = np.where(enrolled == tried, 1, -1) * np.sign(scores[:, 0])
    scores[:, 1] = np.abs(scores[:, 1]) * agrees
    alone = [
        one_recording(trials_from(enrolled, tried, recordings, scores[:, [column]]))
        for column in (0, 1)
    ]
    together = one_recording(trials_from(enrolled, tried, recordings, scores))
    assert max(one.low() for one in alone) < 2 and together.low() > 10
