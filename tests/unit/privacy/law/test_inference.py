"""What speech tells of people: closed forms, a plain classifier, invariances, false alarms."""

import numpy as np
import pytest
from scipy.special import ndtr

from voiceprivacy.privacy.law import inference
from voiceprivacy.privacy.law.inference import Voices

FAR = 1000.0  # a coordinate so large that embeddings of length one are linear in the others


def names(n):
    return np.array([f"s{number}" for number in range(n)])


def gaussian_voices(sizes, *, separation, n_dimensions=8, n_utterances=6, between=1.0, seed=0):
    """Classes (S,), and voices whose classes differ in the mean of a coordinate each."""
    draw = np.random.default_rng(seed)
    classes = np.repeat(np.arange(len(sizes)), sizes)
    means = np.zeros((len(sizes), n_dimensions))
    means[:, : len(sizes)] = np.eye(len(sizes)) * separation / np.sqrt(2)
    own = means[classes] + between * draw.normal(size=(len(classes), n_dimensions))
    speaker = np.repeat(np.arange(len(classes)), n_utterances)
    values = own[speaker] + draw.normal(size=(len(speaker), n_dimensions))
    return classes, Voices(values, speaker)


def linear(voices):
    """The same voices with a large coordinate, so that their length changes nothing else."""
    far = np.full((len(voices.speaker), 1), FAR)
    return voices._replace(embeddings=np.hstack([voices.embeddings, far]))


def recognised(classes, train, test=None, n_replicates=0, seed=0):
    return inference.recognise(
        train, test or train, classes, names(len(classes)), n_replicates=n_replicates, seed=seed
    )


@pytest.mark.parametrize("separation", [1, 2, 4])
def test_gaussian_classes_are_told_as_often_as_the_closed_form_says(separation):
    """The best of all attackers is right with Phi(d / 2), d in deviations of an utterance."""
    classes, voices = gaussian_voices([250, 250], separation=separation, n_dimensions=3)
    expected = ndtr(separation / 2 / np.sqrt(2))
    # The error of 500 speakers is 0.015.
    assert recognised(classes, linear(voices)).recall.value == pytest.approx(expected, abs=0.035)


@pytest.mark.parametrize("sizes", [[8, 8], [5, 5], [5, 9, 7]])
def test_what_is_far_apart_is_told_always_and_constant_embeddings_tell_nothing(sizes):
    classes, voices = gaussian_voices(sizes, separation=60)
    all_right = recognised(classes, voices, n_replicates=100)
    assert all_right.recall.value == 1 > all_right.band
    assert all_right.recall.low < 0.95  # five speakers cannot say that all are told right
    constant = voices._replace(embeddings=np.ones_like(voices.embeddings))
    nothing = recognised(classes, constant)
    assert nothing.recall.value == pytest.approx(1 / len(sizes))
    assert nothing.band == nothing.recall.value


def plain_scores(values, speaker, classes, tried, shrinkage):
    """Linear discriminants with the shrunk covariance within classes, one step after the other."""
    n_speakers, n_classes = len(classes), classes.max() + 1
    means = np.stack([values[speaker == number].mean(axis=0) for number in range(n_speakers)])
    centres = np.stack([means[classes == number].mean(axis=0) for number in range(n_classes)])
    within, total = 0, 0
    for number in range(n_speakers):
        own = values[speaker == number]
        around = own - centres[classes[number]]
        within = within + around.T @ around / len(own) / n_speakers
        around = own - means.mean(axis=0)
        total = total + around.T @ around / len(own) / n_speakers
    scale = np.trace(total) / len(total)
    inverse = np.linalg.inv((1 - shrinkage) * within + shrinkage * scale * np.eye(len(total)))
    residual = means - centres[classes]
    noise = np.einsum("ij,jk,ik->", residual, inverse, residual) / (n_speakers - n_classes)
    scores = []
    for number, centre in enumerate(centres):
        apart = tried - centre
        distance = np.einsum("ij,jk,ik->i", apart, inverse, apart)
        scores.append(-(distance - noise / np.sum(classes == number)) / 2)
    return np.stack(scores, axis=1)


@pytest.mark.parametrize("sizes", [[5, 5], [6, 9], [5, 8, 6]])
def test_the_quick_classifier_is_the_plain_one(sizes):
    """The spread between classes, taken off afterwards, leaves the covariance within classes."""
    classes, voices = gaussian_voices(sizes, separation=3, n_dimensions=12)
    tried = np.random.default_rng(1).normal(size=(20, 12))
    speakers = np.arange(len(classes))
    _, _, shrinkage = inference._covariance(voices, speakers)
    assert 0 < shrinkage < 1
    quick = inference._discriminants(voices, speakers, classes[None], tried)[0]
    plain = plain_scores(voices.embeddings, voices.speaker, classes, tried, shrinkage)
    # Scores of one utterance are the same up to what is the same for all classes.
    np.testing.assert_allclose(
        quick - quick[:, :1], plain - plain[:, :1], rtol=1e-6, atol=1e-8 * np.abs(plain).max()
    )


def test_shrinkage_is_that_of_ledoit_and_wolf():
    """Of speakers with an utterance each, by the formulas of the paper (their section 3.3)."""
    values = np.random.default_rng(0).normal(size=(15, 6)) * np.arange(1, 7)
    _, shrunk, shrinkage = inference._covariance(Voices(values, np.arange(15)), np.arange(15))
    centred = values - values.mean(axis=0)
    sample = centred.T @ centred / 15
    scale = np.trace(sample) / 6
    apart = np.sum((sample - scale * np.eye(6)) ** 2)
    error = sum(np.sum((np.outer(row, row) - sample) ** 2) for row in centred) / 15**2
    assert shrinkage == pytest.approx(min(error, apart) / apart)
    np.testing.assert_allclose(
        shrunk, (1 - shrinkage) * sample + shrinkage * scale * np.eye(6), rtol=1e-12
    )


def test_nothing_is_learned_from_who_is_tried():
    classes, voices = gaussian_voices([6, 6], separation=2)
    fold = inference.folds_of(classes, names(12), seed=0)
    shares = inference.recognised_shares(voices, voices, classes[None], fold)[0]
    for speaker in range(12):
        own = (voices.speaker == speaker)[:, None]
        other = voices._replace(embeddings=np.where(own, -50.0, voices.embeddings))
        now = inference.recognised_shares(other, voices, classes[None], fold)[0]
        same_fold = fold == fold[speaker]
        np.testing.assert_array_equal(now[same_fold], shares[same_fold])


def test_neither_order_nor_rotation_nor_scale_changes_anything():
    classes, voices = gaussian_voices([7, 9], separation=2)
    before = recognised(classes, voices, n_replicates=50)
    order = np.random.default_rng(0).permutation(16)
    place_of = np.argsort(order)
    turned, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(8, 8)))
    moved = Voices(7 * voices.embeddings @ turned, place_of[voices.speaker])
    after = inference.recognise(
        moved, moved, classes[order], names(16)[order], n_replicates=50, seed=0
    )
    np.testing.assert_allclose(after.shares, before.shares[order])
    assert after.recall == pytest.approx(before.recall)
    assert after.band == pytest.approx(before.band)


def test_a_speaker_counts_once_however_much_is_said():
    classes, voices = gaussian_voices([6, 6], separation=2)
    rows = np.concatenate(
        [np.arange(len(voices.speaker)), *[np.flatnonzero(voices.speaker == 3)] * 9]
    )
    longer = Voices(voices.embeddings[rows], voices.speaker[rows])
    assert recognised(classes, longer).recall.value == pytest.approx(
        recognised(classes, voices).recall.value
    )


@pytest.mark.parametrize(
    ("sizes", "n_folds"), [([5, 5], 10), ([15, 6], 20), ([12, 8, 30], 20), ([120, 5], 32)]
)
def test_folds_leave_speakers_of_every_class(sizes, n_folds):
    """Whoever is of which class: permuted classes must leave some, too."""
    classes = np.repeat(np.arange(len(sizes)), sizes)
    fold = inference.folds_of(classes, names(len(classes)), seed=0)
    assert fold.max() + 1 == n_folds
    assert np.ptp(np.bincount(fold)) <= 1
    assert np.bincount(fold).max() < min(sizes)


def test_permuted_classes_are_as_large():
    classes = np.repeat([0, 1, 2], [5, 9, 7])
    labels = inference.permuted_classes(classes, names(21), seed=0)
    np.testing.assert_array_equal(labels[0], classes)
    assert len(np.unique(labels, axis=0)) == 200
    for permuted in labels:
        np.testing.assert_array_equal(np.bincount(permuted), [5, 9, 7])


def test_protection_that_moves_all_voices_is_seen_through_only_by_who_learns_it():
    """Trained on original speech, he takes every voice for the nearer class."""
    classes, voices = gaussian_voices([10, 10], separation=12, between=0.3)
    shift = np.zeros(8)
    shift[:2] = (40, -40)
    original = linear(voices)
    protected = linear(voices._replace(embeddings=voices.embeddings + shift))
    assert recognised(classes, original, original).recall.value == 1
    assert recognised(classes, original, protected).recall.value == 0.5
    assert recognised(classes, protected, protected).recall.value == 1


def test_the_gain_is_what_guessing_misses():
    assert inference.gain_over_guessing(0.5, 2) == 0
    assert inference.gain_over_guessing(1.0, 7) == pytest.approx(1)
    assert inference.gain_over_guessing(0.6, 3) == pytest.approx(0.4)


@pytest.mark.parametrize("sizes", [[6, 6], [14, 6]])
def test_where_nothing_is_to_be_told_one_in_twenty_is_above_the_band(sizes):
    alarms, values = [], []
    for seed in range(150):
        classes, voices = gaussian_voices(sizes, separation=0, n_utterances=3, seed=seed)
        told = recognised(classes, voices, seed=seed)
        alarms.append(told.recall.value > told.band)
        values.append(told.recall.value)
    assert np.mean(alarms) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 150)
    assert np.mean(values) == pytest.approx(0.5, abs=0.05)  # unequal classes too


@pytest.mark.parametrize("separation", [1, 3, 6])
def test_intervals_hold_the_truth(separation):
    """The truth is the mean over many lists."""
    values, limits = [], []
    for seed in range(100):
        classes, voices = gaussian_voices([9, 9], separation=separation, n_utterances=4, seed=seed)
        told = recognised(classes, voices, n_replicates=200, seed=seed)
        values.append(told.recall.value)
        limits.append((told.recall.low, told.recall.high))
    low, high = np.transpose(limits)
    assert (low <= np.array(values)).all()
    assert (high >= np.array(values)).all()
    truth = np.mean(values)
    assert np.mean((low <= truth) & (truth <= high)) >= 0.92
