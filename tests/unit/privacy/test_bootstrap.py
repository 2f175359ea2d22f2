"""Resampled speakers: weights by hand, draws that depend on names only, coverage of intervals."""

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.memory import peak_of
from support.speakers import arranged, noisy, rows_of, scored, speaker_weights, weigh

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.scored_trials import ScoredTrials
from voiceprivacy.privacy.scores import calibration, samples, score_files, verification, zebra
from voiceprivacy.privacy.uncertainty import bootstrap, null
from voiceprivacy.privacy.uncertainty.corrections import CORRECTIONS

DRAWS = {"n_replicates": 200, "seed": 0}
resample_scores = functools.partial(bootstrap.resample_scores, corrections=CORRECTIONS)


def test_a_nontarget_of_two_speakers_weighs_the_product_and_a_target_its_speakers_draws():
    listed = score_files.arrange(
        *scored(lambda enrolled, tried, _: 10 * enrolled + tried, n_speakers=3, n_utterances=1)
    )
    weights = speaker_weights(listed, np.array([2, 3, 0]))
    # Two copies of a speaker never form a nontarget: 2 targets, not 4.
    drawn = {0: 2, 1: 6, 10: 6, 11: 3}
    expected = dict.fromkeys([2, 12, 20, 21, 22], 0) | drawn
    assert dict(zip(listed.scores.tolist(), weights.tolist(), strict=True)) == expected


@given(seed=st.integers(0, 50), n_speakers=st.integers(2, 5))
def test_a_weighted_sample_is_the_sample_with_copies(seed, n_speakers):
    pairs_of, speaker_of = noisy(1, seed=seed, n_speakers=n_speakers, n_utterances=2)
    pairs_of = pairs_of._replace(scores=pairs_of.scores.round(1))  # ties
    weights = np.random.default_rng(seed).poisson(1, n_speakers)
    weight_of = {name: weights[int(speaker[1:])] for name, speaker in speaker_of.items()}
    copies = {"target": [], "nontarget": []}
    for trial, score in rows_of(pairs_of):
        times = weight_of[trial.trial] if trial.label == "nontarget" else 1
        copies[trial.label] += [score] * (weight_of[trial.enrolment] * times)
    listed = score_files.arrange(pairs_of, speaker_of)
    drawn = weigh(listed, speaker_weights(listed, weights))
    if not copies["target"] or not copies["nontarget"]:
        assert drawn is None
        return
    scores = {label: np.array(values) for label, values in copies.items()}
    expected = verification.assess(**scores)
    expected |= {"dece_bit": zebra.dece_bit(**scores), "ddcf": zebra.ddcf(**scores)}
    bins = verification.Bins(4, (-3.0, 4.0))
    expected["linkability_vpc"] = verification.linkability_vpc(**scores, bins=bins)
    without = verification.sample_metrics(drawn)
    actual = verification.sample_metrics(drawn, bins=bins) | zebra.sample_metrics(drawn)
    assert "linkability_vpc" in actual.keys() - without.keys()
    for name, value in actual.items():
        assert value == pytest.approx(expected[name], abs=1e-12), name


@given(seed=st.integers(0, 500), n_speakers=st.integers(2, 6), most=st.sampled_from([1, 3, 20]))
def test_trials_that_are_counted_together_change_no_digit(seed, n_speakers, most):
    """Runs of nontargets between two targets, ties of both classes, and draws beyond one byte."""
    draw = np.random.default_rng(seed)
    pairs_of, speaker_of = noisy(draw.choice([0, 1, 9]), seed=seed, n_speakers=n_speakers)
    pairs_of = pairs_of._replace(scores=pairs_of.scores.round(seed % 3))
    listed = score_files.arrange(pairs_of, speaker_of)
    weights = draw.integers(0, most + 1, n_speakers)
    together = samples.draw(samples.by_class(listed), weights)
    apart = weigh(listed, speaker_weights(listed, weights))
    if apart is None:
        assert together is None
        return
    assert len(together.ties.scores) <= len(apart.ties.scores)
    for one, other in zip(together.counted().values(), apart.counted().values(), strict=True):
        np.testing.assert_array_equal(one, other)
    measure = verification.resampled_metrics(**pairs_of.classes)
    assert measure(together) == measure(apart)
    assert zebra.sample_metrics(together) == zebra.sample_metrics(apart)
    copies = with_copies(listed, weights)
    for name in ("eer_percent", "eer_speechbrain_percent"):
        assert measure(together)[name] == getattr(verification, name)(**copies)


def with_copies(listed, weights):
    """Scores of each class, a speaker's as often as ``weights`` say."""
    each = speaker_weights(listed, weights)
    return {
        label: np.repeat(listed.scores[mask], each[mask])
        for label, mask in (("target", listed.target), ("nontarget", ~listed.target))
    }


def test_both_runs_draw_the_same_speakers():
    """A run against itself: C_ECE of every replicate is that of the replicate's own calibration."""
    one = arranged(1)
    draws = {"n_replicates": 10, "seed": 0}
    replicates = bootstrap.resample_runs(one, one, zebra.runs_metrics, **draws)["cece_linear_bit"]
    drawn = bootstrap.multiplicities(one.speakers, **draws)
    for weights, value in zip(drawn, replicates, strict=True):
        copies = with_copies(one, weights)
        if all(map(len, copies.values())):
            metrics, _ = zebra.assess_calibration(train=copies, test=copies)
            assert value == pytest.approx(metrics["cece_linear_bit"])
        else:
            assert np.isnan(value)


def test_infinite_scores_that_are_not_drawn_do_no_harm():
    listed = score_files.arrange(
        *scored(lambda enrolled, tried, _: np.inf if enrolled == tried == 0 else tried - enrolled)
    )
    drawn = weigh(listed, speaker_weights(listed, np.array([0, 1, 1, 1, 1, 1])))
    assert np.isfinite(verification.sample_metrics(drawn)["cllr_bit"])


def test_a_speakers_draws_depend_on_the_seed_and_the_name_only():
    few = bootstrap.multiplicities(["a", "b"], n_replicates=50, seed=3)
    many = bootstrap.multiplicities(["z", "b", "c", "a"], n_replicates=80, seed=3)
    np.testing.assert_array_equal(few, many[:50, [3, 1]])
    assert (few != bootstrap.multiplicities(["a", "b"], n_replicates=50, seed=4)).any()


def test_a_replicate_without_a_class_is_undefined_and_left_out():
    two = arranged(1, n_speakers=2)
    replicates = resample_scores(two, zebra.sample_metrics, **DRAWS)["dece_bit"]
    drawn = bootstrap.multiplicities(two.speakers, **DRAWS)
    np.testing.assert_array_equal(np.isnan(replicates), (drawn == 0).any(axis=1))
    limits = bootstrap.interval(0.1, replicates, n_speakers=2)
    assert limits.n_replicates == np.count_nonzero((drawn > 0).all(axis=1))


def test_the_order_of_trials_and_speakers_does_not_matter():
    in_order, speaker_of = noisy(1)
    shuffled = ScoredTrials.of(rows_of(in_order)[::-1])
    measure = functools.partial(verification.sample_metrics, bins=verification.Bins(5, (-3.0, 4.0)))
    both = (score_files.arrange(pairs_of, speaker_of) for pairs_of in (in_order, shuffled))
    one, other = (resample_scores(listed, measure, **DRAWS) for listed in both)
    for name, values in one.items():
        np.testing.assert_allclose(values, other[name], atol=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model1": "s0", "utterance1-0": "s0"}, "'model0 utterance1-0' .* nontarget, .* 's0'"),
        ({"model1": "s5"}, "'model1 utterance1-0' .* target, .* 's5' and 's1'"),
        ({"model1": None}, "'model1' has no speaker"),
    ],
)
def test_labels_that_contradict_the_speakers_are_refused(change, message):
    pairs_of, speaker_of = noisy(1, n_utterances=1)
    speaker_of = {name: speaker for name, speaker in (speaker_of | change).items() if speaker}
    with pytest.raises(BadInput, match=message):
        score_files.arrange(pairs_of, speaker_of)


def test_numbers_without_a_speaker_are_those_of_the_other_speakers_trials():
    pairs_of, speaker_of = noisy(1, n_speakers=4)
    listed = score_files.arrange(pairs_of, speaker_of)
    left_out = bootstrap.leave_one_out(listed, zebra.sample_metrics)["dece_bit"]
    for index in range(4):
        others = ScoredTrials.of(
            (trial, score)
            for trial, score in rows_of(pairs_of)
            if f"s{index}" not in (speaker_of[trial.enrolment], speaker_of[trial.trial])
        )
        assert left_out[index] == pytest.approx(zebra.dece_bit(**others.classes))
    of_two = bootstrap.leave_one_out(arranged(1, n_speakers=2), zebra.sample_metrics)
    assert of_two.keys() == {"dece_bit", "ddcf"}
    assert np.isnan(list(of_two.values())).tolist() == [[True, True]] * 2


def test_weights_of_two_speakers_are_multiplied_beyond_a_byte():
    pairs_of, speaker_of = noisy(1, n_speakers=2)
    trials = samples.by_class(score_files.arrange(pairs_of, speaker_of))
    assert {*samples.draw(trials, np.array([20, 20])).nontarget_weights} == {400}


@given(seed=st.integers(0, 50), n_speakers=st.integers(2, 5), digits=st.integers(0, 2))
def test_a_sample_without_a_speaker_is_the_one_that_weighs_this_speaker_0(seed, n_speakers, digits):
    pairs_of, speaker_of = noisy(1, seed=seed, n_speakers=n_speakers, n_utterances=2)
    rounded = pairs_of._replace(scores=pairs_of.scores.round(digits))
    sorted_trials = samples.by_class(score_files.arrange(rounded, speaker_of))
    for position, sample in enumerate(samples.without_each(sorted_trials, n_speakers)):
        weights = np.ones(n_speakers, dtype=np.int64)
        weights[position] = 0
        expected = samples.draw(sorted_trials, weights)
        assert (sample is None) == (expected is None)
        if sample and expected:
            np.testing.assert_equal(sample[1:], expected[1:])
            assert sample.nontarget_weights.tolist() == expected.nontarget_weights.tolist()
            blocks = calibration.pav_blocks(expected.ties, laplace=True)
            assert zebra.strongest_of_ties_log10(sample.ties) == zebra.strongest_log10(blocks)
            assert verification.sample_metrics(sample) == verification.sample_metrics(expected)


@given(
    counts=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=9)
    .map(np.array)
    .filter(lambda counts: counts.any(axis=1).all() and counts.any(axis=0).all())
)
def test_the_outer_blocks_are_those_of_all(counts):
    targets, nontargets = counts.T
    ties = calibration.Ties(np.arange(len(counts)).astype(float), targets, nontargets)
    blocks = calibration.pav_blocks(ties, laplace=True)
    assert zebra.strongest_of_ties_log10(ties) == zebra.strongest_log10(blocks)


def test_leaving_a_speaker_out_does_not_add_up_all_trials_again(monkeypatch):
    """Of 10,000 speakers and 210,000 trials that took most of three minutes."""
    added_up = []
    sums = samples.sums_between
    monkeypatch.setattr(
        samples, "sums_between", lambda *parts: added_up.append(parts) or sums(*parts)
    )
    bootstrap.leave_one_out(arranged(1, n_speakers=30), zebra.sample_metrics)
    null.leave_one_out_log10(arranged(1, n_speakers=30))
    assert len(added_up) == 2  # targets and nontargets of the whole list


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    """EER of 12 speakers with effects of their own: 40 of 40 sets would be 13 % likely."""
    held = []
    for seed in range(40):
        draw = np.random.default_rng(seed)
        effects = draw.normal(size=(3, 12)) * np.array([[0.6], [0.5], [0.5]])

        def score(enrolled, tried, _, draw=draw, effects=effects):
            if enrolled == tried:
                return 2 + effects[0][enrolled] + 0.8 * draw.normal()
            return effects[1][enrolled] + effects[2][tried] + np.sqrt(0.5) * draw.normal()

        pairs_of, speaker_of = scored(score, n_speakers=12, n_utterances=4)
        listed, draws = (
            score_files.arrange(pairs_of, speaker_of),
            {"n_replicates": 100, "seed": seed},
        )
        replicates = resample_scores(listed, verification.sample_metrics, **draws)
        value = verification.eer_percent(**pairs_of.classes)
        interval = bootstrap.interval(value, replicates["eer_percent"], n_speakers=12)
        # The closed form is Phi(-d' / 2).
        held.append(interval.ci_low <= 15.8655 <= interval.ci_high)
    assert sum(held) >= 34


@pytest.mark.parametrize("resample", [resample_scores, bootstrap.leave_one_out])
def test_memory_does_not_grow_with_the_number_of_samples(resample):
    """A sample is as large as the list: a thousand of them are gigabytes."""
    few, many = (memory_of(resample, n_samples) for n_samples in (20, 60))
    assert many < 1.5 * few


def memory_of(resample, n_samples):
    """Peak memory in bytes, with the same number of trials whatever the number of speakers."""
    draw = np.random.default_rng(0)
    speaker, other = draw.integers(0, n_samples, (2, 20_000))
    names, scores = np.arange(n_samples).astype(str), np.sort(draw.normal(size=20_000))
    listed = samples.SpeakerTrials(names, scores, speaker == other, speaker, other)
    draws = {"n_replicates": n_samples, "seed": 0}
    options = draws if resample is resample_scores else {}
    return peak_of(lambda: resample(listed, zebra.sample_metrics, **options))[1]
