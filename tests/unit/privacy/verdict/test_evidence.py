"""Numbers of an attack in four readings: closed forms, plain loops, planted truths, short lists."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri
from support.plain_rates import everybody_tried, plain_rates, trials_of, unordered_pairs

from voiceprivacy.privacy.scores import calibration
from voiceprivacy.privacy.scores.trials import speaker_weights
from voiceprivacy.privacy.uncertainty.bootstrap import at_least_of_trials, multiplicities
from voiceprivacy.privacy.uncertainty.null import null_dece_bits
from voiceprivacy.privacy.verdict import evidence
from voiceprivacy.privacy.verdict.evidence import DECE, EER, EXPOSED, RATES
from voiceprivacy.privacy.verdict.readings import READINGS, owners

TPR_1, TPR_01 = "tpr_at_fpr_0.01_percent", "tpr_at_fpr_0.001_percent"
ASCENDING, DESCENDING, NEAR, FAR = READINGS


def assessed(trials, *, n_replicates=0, n_permutations=0, seed=0, **options):
    return evidence.assess(
        trials, n_replicates=n_replicates, n_permutations=n_permutations, seed=seed, **options
    )


def values(trials, **options):
    """{(reading, rate): value}."""
    made = assessed(trials, **options).values
    return {
        (reading, rate): made[row, column]
        for row, reading in enumerate(READINGS)
        for column, rate in enumerate(RATES)
    }


def noisy(separation, *, n_speakers=20, n_utterances=8, seed=0, digits=3):
    draw = np.random.default_rng(seed)

    def score(enrolment, trial):
        noise = draw.normal(size=len(trial))
        return (separation * (enrolment == trial) + noise).round(digits)

    return everybody_tried(score, n_speakers=n_speakers, n_utterances=n_utterances)


def quantiles_of_two_gaussians(separation):
    """Exact quantiles: 900 targets around d', 8,100 nontargets around 0, of ten speakers."""

    def score(enrolment, trial):
        target = enrolment == trial
        scores = np.empty(len(trial))
        for label, mean in ((True, separation), (False, 0.0)):
            n = np.count_nonzero(target == label)
            share = np.random.default_rng(0).permutation(n) + 0.5
            scores[target == label] = mean + ndtri(share / n)
        return scores

    return everybody_tried(score, n_speakers=10, n_utterances=90)


def test_closed_forms_of_two_gaussians_of_equal_variance():
    separation = 1.5
    own = values(quantiles_of_two_gaussians(separation))
    assert own[ASCENDING, EER] == pytest.approx(100 * ndtr(-separation / 2), abs=0.02)
    assert own[ASCENDING, TPR_1] == pytest.approx(100 * ndtr(separation + ndtri(0.01)), abs=0.2)
    assert own[ASCENDING, DECE] == pytest.approx(dece_of_gaussians(separation), abs=2e-3)
    assert own[DESCENDING, EER] == pytest.approx(100 * ndtr(separation / 2), abs=0.02)
    assert own[DESCENDING, DECE] == pytest.approx(0, abs=1e-3)
    assert own[DESCENDING, TPR_1] < 0.1


def dece_of_gaussians(separation):
    x = np.linspace(-12, 12, 100_001)
    density = np.exp(-((x - separation / 2) ** 2) / 2) / np.sqrt(2 * np.pi)
    return np.trapezoid(calibration._gain(separation * x) * density, x) / np.log(2)


@pytest.mark.parametrize("digits", [0, 1, 3])
@pytest.mark.parametrize("separation", [-2, 0, 1])
def test_all_numbers_are_those_of_plain_loops(separation, digits):
    trials = noisy(separation, n_speakers=12, seed=digits, digits=digits)
    made = assessed(trials).values
    for row, reading in enumerate(READINGS):
        plain = plain_rates(trials, reading)
        known = ~np.isnan(made[row])
        assert known.tolist() == [True, True, False, True, True]  # 1,056 nontargets: no 0.1 %
        np.testing.assert_allclose(made[row][known], np.array(plain)[known], atol=1e-9)


@settings(max_examples=25)
@given(
    st.lists(st.sampled_from([-np.inf, -2, -1, 0, 1, 2, np.inf]), min_size=864, max_size=864),
    st.integers(0, 2**32 - 1),
)
def test_many_ties_gaps_and_infinities_change_nothing(scores, seed):
    """A third of 1,296 trials is missing; speakers have three to twelve target trials."""
    draw = np.random.default_rng(seed)
    enrolment, trial = np.divmod(draw.permutation(1296)[:864], 108)
    trials = trials_of(np.array(scores), enrolment, trial // 9, n_speakers=12)
    made = assessed(trials).values
    for row, reading in enumerate(READINGS):
        plain = np.array(plain_rates(trials, reading))
        known = ~np.isnan(made[row])
        np.testing.assert_allclose(made[row][known], plain[known], atol=1e-9)


def test_one_false_alarm_in_a_thousand_by_a_plain_loop():
    trials = noisy(2, n_speakers=37, digits=2)  # 10,656 nontargets
    made = assessed(trials)
    assert made.reasons == {}
    for row, reading in enumerate(READINGS):
        np.testing.assert_allclose(made.values[row], plain_rates(trials, reading), atol=1e-9)


def test_replicates_are_numbers_of_repeated_trials():
    trials = noisy(1, n_speakers=12, digits=1)
    made = assessed(trials, n_replicates=6, seed=3).replicates
    draws = multiplicities(trials.speakers, n_replicates=6, seed=3)
    for row, reading in enumerate(READINGS):
        plain = np.array([plain_rates(trials, reading, drawn=drawn) for drawn in draws]).T
        for rate in (DECE, TPR_1, EXPOSED):
            column = RATES.index(rate)
            np.testing.assert_allclose(made[row, column], plain[column], atol=1e-9)


def test_replicates_of_error_rates_are_spread_as_those_of_independent_trials():
    """In the lower reading; in the opposite one they are 100 minus these."""
    trials = noisy(1, n_speakers=12, digits=1)
    made = assessed(trials, n_replicates=40)
    draws = multiplicities(trials.speakers, n_replicates=40, seed=0)
    column = RATES.index(EER)
    plain = np.array([plain_rates(trials, ASCENDING, drawn=drawn)[column] for drawn in draws])
    spread = at_least_of_trials(plain, made.values[0, column], n_targets=96, n_nontargets=1056)
    np.testing.assert_allclose(made.replicates[0, column], spread)
    np.testing.assert_allclose(made.replicates[1, column], 100 - spread)


def test_a_replicate_without_any_trial_is_undefined():
    trials = noisy(1, n_speakers=3, n_utterances=200)
    draws = multiplicities(trials.speakers, n_replicates=60, seed=0)
    made = assessed(trials, n_replicates=60).replicates[:, RATES.index(DECE)]
    # With one speaker alone there are no nontargets.
    assert np.isnan(made).all(axis=0).tolist() == [np.count_nonzero(drawn) < 2 for drawn in draws]


def test_negated_scores_have_the_same_numbers_in_the_opposite_reading():
    trials = noisy(1, digits=1)
    negated = trials_of(-trials.scores, trials.enrolment, trials.trial, n_speakers=20)
    options = {"n_replicates": 15, "n_permutations": 15}
    plain, mirrored = assessed(trials, **options), assessed(negated, **options)
    assert plain.reasons == mirrored.reasons
    opposite = [READINGS.index(reading) for reading in (DESCENDING, ASCENDING, NEAR, FAR)]
    for one, other in zip(plain[:3], mirrored[:3], strict=True):
        np.testing.assert_array_equal(one, other[opposite])


def test_opposite_readings_have_error_rates_that_add_up_to_100():
    own = values(noisy(1, digits=1))
    assert own[ASCENDING, EER] + own[DESCENDING, EER] == pytest.approx(100)
    assert own[NEAR, EER] + own[FAR, EER] == pytest.approx(100)


def test_targets_in_both_tails_are_seen_from_far_only():
    def score(enrolment, trial):
        draw = np.random.default_rng(0)
        tail = np.where(draw.random(len(trial)) < 0.5, 4, -4)
        return draw.normal(size=len(trial)) + tail * (enrolment == trial)

    own = values(everybody_tried(score, n_speakers=20, n_utterances=8))
    assert own[FAR, EER] < 5 and own[NEAR, EER] > 95
    assert own[FAR, DECE] > 0.6 and own[NEAR, DECE] < 0.02
    assert 45 < own[ASCENDING, EER] < 55
    assert own[FAR, TPR_1] > 80 and own[FAR, EXPOSED] == 100


def test_constant_scores_say_nothing_and_do_not_spread():
    trials = everybody_tried(lambda one, _: np.zeros(len(one)), n_speakers=12, n_utterances=8)
    made = assessed(trials, n_replicates=5, n_permutations=5)
    for numbers in (made.values[..., None], made.replicates, made.null):
        assert (numbers[:, RATES.index(EER)] == 50).all()
        for rate in (DECE, TPR_1, EXPOSED):
            assert (numbers[:, RATES.index(rate)] == 0).all()


def test_one_speaker_in_five_who_is_always_found_is_exposed():
    def score(enrolment, trial):
        draw = np.random.default_rng(0)
        return draw.normal(size=len(trial)) + 20 * ((enrolment == trial) & (trial % 5 == 0))

    trials = everybody_tried(score, n_speakers=20, n_utterances=8)
    own = values(trials)
    assert own[ASCENDING, EXPOSED] == pytest.approx(20)
    assert own[ASCENDING, TPR_1] == pytest.approx(20, abs=3)
    assert own[DESCENDING, EXPOSED] == 0


# Permuted speakers.


def test_the_null_is_that_of_the_zero_evidence_band():
    trials = noisy(1, n_speakers=8, n_utterances=20)
    null = assessed(trials, n_permutations=30, seed=4).null[0, RATES.index(DECE)]
    np.testing.assert_allclose(null, null_dece_bits(trials, n_replicates=30, seed=4))


def test_permuted_owners_are_the_tried_speakers_and_nobody_keeps_his_own():
    trials = noisy(0, n_speakers=9, n_utterances=5)
    permuted = list(evidence.permuted_owners(trials, n_permutations=20, seed=0))
    assert len(permuted) == 20
    for owner in permuted:
        assert not (owner[trials.target] >= 0).any()
        assert (owner[owner >= 0] == trials.trial[owner >= 0]).all()
        assert np.bincount(owner[owner >= 0]).tolist() == [5] * 9


def test_few_speakers_have_every_permutation_once():
    trials = noisy(0, n_speakers=5, n_utterances=5)
    assert len(list(evidence.permuted_owners(trials, n_permutations=199, seed=0))) == 44


def linked(separation, *, n_speakers=12, n_utterances=6, seed=0):
    """Unordered pairs of utterances, with scores of independent noise."""
    draw = np.random.default_rng(seed)

    def score(one, other):
        is_own = one // n_utterances == other // n_utterances
        return draw.normal(size=len(one)) + separation * is_own

    return unordered_pairs(score, n_speakers=n_speakers, n_utterances=n_utterances)


@pytest.mark.parametrize("n_speakers", [4, 12])
def test_pairs_of_permuted_speakers_are_no_more_than_their_own_and_none_of_them(n_speakers):
    trials = linked(0, n_speakers=n_speakers)
    permuted = list(
        evidence.permuted_owners(trials, n_permutations=30, seed=1, within_release=True)
    )
    for owner in permuted:
        taken = owner >= 0
        assert not trials.target[taken].any()
        assert np.bincount(owner[taken], minlength=n_speakers).max() <= 15  # 6 * 5 / 2
        assert ((owner == trials.enrolment) | (owner == trials.trial))[taken].all()
        for speaker in range(n_speakers):
            own = owner == speaker
            partners = {*trials.enrolment[own], *trials.trial[own]} - {speaker}
            assert len(partners) == 1
    # Two who take each other share 36 pairs, which are less than 15 for one of them now and then.
    counts = [np.count_nonzero(owner >= 0) for owner in permuted]
    assert np.mean(counts) > 0.97 * 15 * n_speakers


def test_within_a_release_pairs_of_one_speaker_are_left_out_of_the_null():
    """Own pairs are far above all others: as nontargets they would make the others' noise look
    like evidence that is read downwards."""
    options = {"n_permutations": 19, "seed": 2}
    weak, strong = linked(0, n_speakers=16), linked(50, n_speakers=16)
    weak, strong = (
        assessed(trials, **options, within_release=True).null for trials in (weak, strong)
    )
    np.testing.assert_allclose(weak[:2, RATES.index(DECE)], strong[:2, RATES.index(DECE)])


def test_a_seed_gives_the_same_evidence():
    trials = linked(1)
    options = {"n_replicates": 3, "n_permutations": 3, "within_release": True}
    one, again, other = (assessed(trials, seed=seed, **options) for seed in (5, 5, 6))
    for first, second in zip(one[:3], again[:3], strict=True):
        np.testing.assert_array_equal(first, second)
    assert not np.array_equal(one.null, other.null, equal_nan=True)


# Lists that are too short.


def test_a_rate_needs_ten_nontargets_above_its_threshold():
    enough = noisy(0, n_speakers=8, n_utterances=18)  # 1,008 nontargets
    too_few = noisy(0, n_speakers=8, n_utterances=17)  # 952
    assert evidence.smallest_rate(enough, ASCENDING) == pytest.approx(10 / 1008)
    assert assessed(enough).reasons.keys() == {TPR_01}
    made = assessed(too_few)
    shown = "list too short: 952 nontarget trials show false alarm rates from 1.1 % on"
    assert made.reasons == dict.fromkeys((TPR_1, TPR_01, EXPOSED), shown)
    assert np.isnan(made.values[:, RATES.index(TPR_1)]).all()
    assert not np.isnan(made.values[:, RATES.index(EER)]).any()


def test_a_rate_needs_nontargets_of_five_pairs_of_speakers():
    """The 40 highest nontargets are of one pair, in either role, then come others."""

    def score(enrolment, trial):
        draw = np.random.default_rng(0)
        is_pair = (enrolment + trial == 1) & (enrolment != trial)
        return draw.normal(size=len(trial)) + 100 * is_pair

    trials = everybody_tried(score, n_speakers=12, n_utterances=20)  # 2,640 nontargets
    assert evidence.smallest_rate(trials, ASCENDING) > 43 / 2640
    assert evidence.smallest_rate(trials, DESCENDING) == pytest.approx(10 / 2640)
    undefined, reasons = evidence.short_lists(trials)
    assert undefined[:, RATES.index(TPR_1)].tolist() == [True, False, False, True]
    assert reasons.keys() == {TPR_01}  # the others are defined in some reading
    own = values(trials)
    assert np.isnan(own[ASCENDING, EXPOSED]) and not np.isnan(own[DESCENDING, EXPOSED])


def test_equal_nontargets_pass_in_no_order():
    trials = everybody_tried(lambda one, _: np.zeros(len(one)), n_speakers=12, n_utterances=8)
    assert evidence.smallest_rate(trials, ASCENDING) == 10 / 1056


def test_two_speakers_show_no_rate():
    trials = noisy(0, n_speakers=2, n_utterances=900)
    assert evidence.smallest_rate(trials, FAR) == np.inf
    assert assessed(trials).reasons[TPR_1] == ("list too short: 1800 nontarget trials show no rate")


def test_speakers_of_three_target_trials_cannot_be_exposed():
    trials = noisy(0, n_speakers=20, n_utterances=3)
    assert assessed(trials).reasons[EXPOSED] == "no speaker has 4 target trials"
    assert np.isnan(assessed(trials).values[:, RATES.index(EXPOSED)]).all()


# Single persons.


def exposing(n_exposed, *, n_speakers, strength=20.0, n_utterances=8):
    def score(enrolment, trial):
        draw = np.random.default_rng(1)
        return draw.normal(size=len(trial)) + strength * (
            (enrolment == trial) & (trial < n_exposed)
        )

    return everybody_tried(score, n_speakers=n_speakers, n_utterances=n_utterances)


def test_who_is_always_found_is_named():
    exposed = evidence.exposed_speakers(exposing(2, n_speakers=41), ASCENDING)
    assert [each.speaker for each in exposed[:2]] == ["s000", "s001"]
    assert [each.share for each in exposed[:2]] == [1.0, 1.0]
    # No other of 41 * 40 pairs is found as often; the first of 41 tests is corrected by 41.
    assert exposed[0].p_holm == pytest.approx(41 / 1641)


@pytest.mark.parametrize(("n_speakers", "is_named"), [(20, False), (21, True)])
def test_from_21_speakers_on_one_can_be_named_at_5_percent(n_speakers, is_named):
    exposed = evidence.exposed_speakers(exposing(1, n_speakers=n_speakers), ASCENDING)
    assert exposed[0].speaker == "s000"
    assert (exposed[0].p_holm <= 0.05) == is_named


def test_from_41_speakers_on_one_can_be_named_at_5_percent_within_a_release():
    for n_speakers in (40, 41):

        def score(one, other):
            draw = np.random.default_rng(1)
            return draw.normal(size=len(one)) + 20.0 * ((one < 4) & (other < 4))

        trials = unordered_pairs(score, n_speakers=n_speakers, n_utterances=4)
        exposed = evidence.exposed_speakers(trials, ASCENDING, within_release=True)
        assert exposed[0].speaker == "s000"
        assert (exposed[0].p_holm <= 0.05) == (n_speakers == 41)


def test_exposed_speakers_are_those_of_the_share():
    trials = exposing(7, n_speakers=20, strength=2.3)
    for reading in READINGS:
        share = 100 * len(evidence.exposed_speakers(trials, reading)) / 20
        assert share == pytest.approx(values(trials)[reading, EXPOSED])
    assert values(trials)[ASCENDING, EXPOSED] > 0


def test_scores_equal_to_the_threshold_do_not_expose():
    """A tenth of all nontargets and speaker 0 have the highest score, which is passed by none."""

    def score(enrolment, trial):
        is_own = (enrolment == trial) & (trial == 0)
        return 1.0 * (is_own | (np.arange(len(trial)) % 10 == 0))

    trials = everybody_tried(score, n_speakers=12, n_utterances=8)
    assert evidence.exposed_speakers(trials, ASCENDING) == []
    assert values(trials)[ASCENDING, EXPOSED] == 0


def test_p_values_rise_down_the_list():
    exposed = evidence.exposed_speakers(exposing(7, n_speakers=20, strength=2.6), ASCENDING)
    assert all(one.p_holm <= other.p_holm for one, other in pairwise(exposed))


def test_nobody_is_named_by_pairs_that_are_found_as_often():
    """Speaker 0 is found in all of his trials, and so are 14 pairs of others."""

    def score(enrolment, trial):
        draw = np.random.default_rng(0)
        follows = (trial - enrolment) % 41 == 1
        is_found = ((enrolment == trial) & (trial == 0)) | (follows & (trial < 14))
        return draw.normal(size=len(trial)) + 20 * is_found

    trials = everybody_tried(score, n_speakers=41, n_utterances=8)
    exposed = evidence.exposed_speakers(trials, ASCENDING)
    assert [each.speaker for each in exposed] == ["s000"]
    assert exposed[0].p_holm == pytest.approx(41 * 15 / 1641)


@pytest.mark.parametrize("kind", ["list", "release"])
def test_a_voice_that_is_like_everybodys_is_exposed_but_not_named(kind):
    """Speaker 0 is near to all, twice as near to himself: no sign of him but of his place."""
    effects = np.where(np.arange(90) == 0, 3.0, 0.0)
    draw = np.random.default_rng(0)
    size = {"n_speakers": 90, "n_utterances": 4}

    def score(one, other):
        return effects[one] + effects[other] + draw.normal(size=len(one)) / 2

    if kind == "list":
        trials = everybody_tried(score, **size)
    else:
        trials = unordered_pairs(lambda one, other: score(one // 4, other // 4), **size)
    exposed = evidence.exposed_speakers(trials, ASCENDING, within_release=kind == "release")
    assert exposed[0].speaker == "s000" and exposed[0].share == 1
    assert exposed[0].p_holm > 0.5


def test_lists_of_some_pairs_name_whom_full_lists_name():
    """Of 60 speakers and a third of all pairs; one has no trials with others at all."""
    full = exposing(2, n_speakers=60)
    follows = (full.trial - full.enrolment) % 60
    kept = (follows == 0) | ((follows % 3 == 1) & (full.enrolment != 5) & (full.trial != 5))
    some = trials_of(full.scores[kept], full.enrolment[kept], full.trial[kept], n_speakers=60)
    exposed = evidence.exposed_speakers(some, ASCENDING)
    assert [each.speaker for each in exposed[:2]] == ["s000", "s001"]
    assert exposed[0].p_holm == pytest.approx(60 / (1 + 59 * 58 / 3), rel=0.05)


def test_owners_are_the_speakers_of_target_trials():
    trials = noisy(0, n_speakers=3, n_utterances=2)
    owner = owners(trials)
    assert (owner[trials.target] == trials.trial[trials.target]).all()
    assert (owner[~trials.target] == -1).all()
    assert (
        speaker_weights(trials, np.array([1, 2, 3]))[trials.target] == 1 + owner[owner >= 0]
    ).all()
