"""Inference, the third criterion of data-protection law: what speech tells of a person.

The attacker knows the class (woman or man, say) of other speakers and learns from their speech.
Then come single utterances of speakers who were never heard. No network is trained: the attacker
takes the embeddings that extractors give anyway, and regularised linear discriminant analysis.

Conventions
-----------
* Speakers are numbered, S of them; classes are numbers 0 to K - 1. Embeddings are normalised in
  length, as for cosine.
* Speakers are divided into folds, whatever their class. Nothing is learned from those of the fold
  that is tried, not even the shrinkage of the covariance.
* All speakers count the same, however much they say, and so do all classes: the number is the
  unweighted average recall, of which guessing reaches 1 / K.
* Equal scores of several classes are shared between them.

The classifier
--------------
The covariance of utterances is drawn towards a multiple of the identity, by Ledoit and Wolf's
closed form. That is made for independent observations, which here are speakers: the covariance of
one is a mean over the utterances. It is taken around the mean of all speakers, and the spread
between the class means is taken off afterwards (Woodbury). This gives exactly the discriminant with
the shrunk covariance within classes. But the costly part does not depend on who is of which class,
so permuted classes cost next to nothing.

The estimated mean of few speakers lies too far from everybody. That distance is taken off, else the
class with more speakers would win.

Chance
------
Classes are permuted among the speakers, and all that follows is done anew. The folds know of no
classes. So the permuted averages and the true one have the same distribution where nothing is to be
told.

Intervals
---------
Speakers are drawn anew within their classes. Two further ones are drawn with each class: one who is
always recognised and one who never is, with weights from Gamma(1/4). So the interval is no point
where all are recognised. Weights from Gamma(1/2) would give Jeffreys' interval where each speaker
is recognised always or never; in simulations it held the truth less often.

Speakers are tried on each other: whether i is recognised depends on j, and the other way round.
Where little is to be told, each pair of speakers counts twice, and the variance is twice that of
independent speakers. Where all is told, it is theirs. So draws are spread by the root of 2 - gain
around their mean (docs/internals/uncertainty.md has the simulations).

References
----------
Article 29 data protection working party, Opinion 05/2014 on anonymisation techniques (WP216).
Ledoit and Wolf, A well-conditioned estimator for large-dimensional covariance matrices, Journal of
Multivariate Analysis 88, 2004.
Brown, Cai and DasGupta, Interval estimation for a binomial proportion, Statistical Science 16, 2001
(Jeffreys).
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import ndtr, stdtrit

from voiceprivacy import seeds
from voiceprivacy.privacy import Counts, Floats, Names
from voiceprivacy.privacy.uncertainty.bootstrap import multiplicities
from voiceprivacy.vocabulary import FEWEST_REPLICATES

FEWEST_OF_A_CLASS = 5  # speakers
FEWEST_FOLDS = 20  # or as many as speakers
LEAST_SHRINKAGE = 1e-4  # else more dimensions than utterances leave a singular covariance
NO_SPREAD = 1e-12  # of embeddings of length one, by which nobody can be told apart
LEVEL = 0.95
FALSE_ALARMS = 0.05
PERMUTATIONS = 199
DIGITS = 12
PSEUDO_SPEAKERS = 0.25  # of each kind, with each class


class Voices(NamedTuple):
    """Embeddings (N, D) of utterances, and the number of the speaker of each (N,)."""

    embeddings: Floats
    speaker: Counts


class Estimate(NamedTuple):
    """A number with its limits."""

    value: float
    low: float
    high: float


class Recognised(NamedTuple):
    """How well the classes of unheard speakers are told, as shares from 0 to 1.

    ``recall`` is the unweighted average recall and ``replicates`` (B,) its draws. ``band`` is what
    guessing stays below in 95 % of cases. ``shares`` (S,) are those of each speaker's utterances.
    """

    recall: Estimate
    band: float
    replicates: Floats
    shares: Floats


def recognise(
    train: Voices,
    test: Voices,
    classes: Counts,
    speakers: Names,
    *,
    n_replicates: int,
    seed: int,
    named: str = "",
) -> Recognised:
    """Learn the classes (S,) from other speakers' utterances and recognise them in ``test``.

    Parameters
    ----------
    train, test : Voices
        Of the same S speakers, each of whom has utterances in both.
    classes : array (S,)
        At least two speakers of every class.
    speakers : array (S,)
        Names, on which folds, permutations and draws depend.
    n_replicates : int
        0 gives limits of NaN.
    named : str
        What is tried: the further speakers of its intervals are draws of its own.
    """
    fold = folds_of(classes, speakers, seed=seed)
    labels = permuted_classes(classes, speakers, seed=seed)
    shares = recognised_shares(train, test, labels, fold)
    averages = average_recall(shares, labels)
    gain = gain_over_guessing(averages[0], classes.max() + 1)
    replicates = spread(
        recall_replicates(
            shares[0], classes, speakers, n_replicates=n_replicates, seed=seed, named=named
        ),
        factor=np.sqrt(2 - np.clip(gain, 0, 1)),
    )
    n_degrees = len(classes) - (classes.max() + 1)
    recall = estimate(averages[0], replicates, n_degrees=n_degrees)
    return Recognised(recall, band_of(averages[1:]), replicates, shares[0])


def gain_over_guessing(recall: Any, n_classes: int) -> Any:
    """Share of what guessing misses that is recognised: 0 is guessing, 1 everything.

    ``recall`` is a number or an array.
    """
    return (recall - 1 / n_classes) / (1 - 1 / n_classes)


def folds_of(classes: Counts, speakers: Names, *, seed: int) -> Counts:
    """The fold (S,) of each speaker, whatever the class: one for each of up to 20 speakers.

    Of more speakers, folds are smaller than the smallest class, so that no class is left out.
    """
    n_speakers = len(speakers)
    largest_fold = np.bincount(classes).min() - 1
    n_folds = min(n_speakers, max(FEWEST_FOLDS, int(np.ceil(n_speakers / largest_fold))))
    order = sorted(range(n_speakers), key=lambda position: _draw(seed, speakers[position]))
    fold = np.empty(n_speakers, dtype=int)
    fold[order] = np.arange(n_speakers) % n_folds
    return fold


def permuted_classes(classes: Counts, speakers: Names, *, seed: int) -> Counts:
    """The true classes and then PERMUTATIONS of them among the speakers, (1 + B, S)."""
    draw = seeds.generator(seed, "inference", *sorted(map(str, speakers)))
    by_name = np.argsort(speakers, kind="stable")  # their order changes nothing
    labels = np.empty((1 + PERMUTATIONS, len(classes)), dtype=int)
    labels[0] = classes
    for permuted in labels[1:]:
        permuted[by_name] = classes[by_name][draw.permutation(len(classes))]
    return labels


def band_of(averages: Floats) -> float:
    """What 95 % of the averages of permuted classes (B,) stay below."""
    # With the attack itself there are B + 1 numbers, of which at most 5 % may lie above.
    position = int(np.ceil((1 - FALSE_ALARMS) * (len(averages) + 1))) - 1
    return float(np.sort(averages)[position])


def average_recall(shares: Floats, labels: Counts) -> Floats:
    """Mean over classes of the mean share (B, S) of their speakers, (B,).

    It is rounded, so that sums in another order are no other number: averages are compared.
    """
    recalls: list[Floats] = []
    for of_class in range(labels.max() + 1):
        member = labels == of_class
        recalls.append((shares * member).sum(axis=1) / member.sum(axis=1))
    return np.round(np.stack(recalls).mean(axis=0), DIGITS)


def recall_replicates(
    shares: Floats,
    classes: Counts,
    speakers: Names,
    *,
    n_replicates: int,
    seed: int,
    named: str = "",
) -> Floats:
    """Draws (B,) of an average recall from the shares (S,) of the speakers."""
    drawn = multiplicities(speakers, n_replicates=n_replicates, seed=seed)
    recalls: list[Floats] = []
    for of_class in range(classes.max() + 1):
        member = classes == of_class
        draw = seeds.generator(seed, "recognised always and never", named, str(of_class))
        always, never = draw.gamma(PSEUDO_SPEAKERS, size=(2, n_replicates))
        weights = drawn[:, member]
        recalls.append((weights @ shares[member] + always) / (weights.sum(axis=1) + always + never))
    return np.stack(recalls).mean(axis=0)


def spread(replicates: Floats, *, factor: float) -> Floats:
    """Draws (B,) of a share, moved apart around their mean; they stay between 0 and 1."""
    if not len(replicates):
        return replicates
    mean = replicates.mean()
    return np.clip(mean + factor * (replicates - mean), 0, 1)


def estimate(value: float, replicates: Floats, *, n_degrees: int) -> Estimate:
    """A number with percentile limits, with quantiles of Student's t; it lies within them."""
    usable = replicates[~np.isnan(replicates)]
    if len(usable) < FEWEST_REPLICATES:
        return Estimate(float(value), np.nan, np.nan)
    outside = ndtr(-stdtrit(n_degrees, (1 + LEVEL) / 2))
    low, high = np.quantile(usable, (outside, 1 - outside))
    # Where all or none are recognised, every draw is less extreme than the number.
    return Estimate(float(value), float(min(low, value)), float(max(high, value)))


# The classifier.


def recognised_shares(train: Voices, test: Voices, labels: Counts, fold: Counts) -> Floats:
    """Share of each speaker's utterances whose class is told, (B, S), for ``labels`` (B, S)."""
    told = recognised_utterances(train, test, labels, fold)
    shares = np.zeros(labels.shape)
    for own in np.unique(test.speaker):
        shares[:, own] = told[:, test.speaker == own].mean(axis=1)
    return shares


def recognised_utterances(train: Voices, test: Voices, labels: Counts, fold: Counts) -> Floats:
    """Whether the class of each of N utterances is told, (B, N): 1, 0, or shared between equals.

    Classes are told by discriminants that were made of the speakers in other folds.
    """
    train = train._replace(embeddings=_of_length_one(train.embeddings))
    test = test._replace(embeddings=_of_length_one(test.embeddings))
    told = np.zeros((len(labels), len(test.speaker)))
    for number in range(fold.max() + 1):
        others = np.flatnonzero(fold != number)
        tried = np.isin(test.speaker, np.flatnonzero(fold == number))
        scores = _discriminants(train, others, labels[:, others], test.embeddings[tried])
        told[:, tried] = _told(scores, labels[:, test.speaker[tried]])
    return told


def _discriminants(train, speakers, labels, tried):
    """Scores (B, N, K) of utterances ``tried`` (N, D), learned from ``speakers`` (S,)."""
    means, covariance, shrinkage = _covariance(train, speakers)
    n_classes, n_speakers = labels.max() + 1, len(speakers)
    if np.trace(covariance) < NO_SPREAD:
        return np.zeros((len(labels), len(tried), n_classes))
    centre = means.mean(axis=0)
    solved = cho_solve(cho_factor(covariance), (means - centre).T)
    products = (means - centre) @ solved  # (S, S), in the metric of the shrunk covariance
    heard = (tried - centre) @ solved  # (N, S)
    member = labels[..., None] == np.arange(n_classes)
    counts = member.sum(axis=1)  # (B, K)
    root = np.sqrt(counts / n_speakers)[:, None]
    # Columns are class means, as sums over speakers, times the root of the share of the class.
    scaled = member / counts[:, None] * root
    of_speakers = products @ scaled
    between = scaled.transpose(0, 2, 1) @ of_speakers
    kept = 1 - shrinkage
    # Woodbury: the inverse without the spread between classes, from the one that has it.
    inverse = np.linalg.inv(np.eye(n_classes) - kept * between)
    lengths = np.diagonal(between @ inverse, axis1=1, axis2=2)[:, None] / root**2
    scores = (heard @ scaled) @ inverse / root - lengths / 2
    own = np.take_along_axis(between / root.transpose(0, 2, 1), labels[..., None], axis=1)
    residual = of_speakers - own
    spread = np.trace(products) - n_speakers * np.trace(between, axis1=1, axis2=2)
    spread = spread + kept * ((residual @ inverse) * residual).sum(axis=(1, 2))
    noise = spread / max(1, n_speakers - n_classes)
    return scores + noise[:, None, None] / (2 * counts[:, None])


def _covariance(voices, speakers):
    """Means of the speakers (S, D), shrunk covariance of their utterances, and the shrinkage."""
    of_speaker = [voices.embeddings[voices.speaker == speaker] for speaker in speakers]
    means = np.stack([utterances.mean(axis=0) for utterances in of_speaker])
    centre = means.mean(axis=0)
    n_speakers, n_dimensions = means.shape
    covariance = np.zeros((n_dimensions, n_dimensions))
    squares = 0.0  # summed Frobenius norms of the speakers' covariances
    for utterances in of_speaker:
        around = (utterances - centre) / np.sqrt(len(utterances))
        covariance += around.T @ around / n_speakers
        few = len(around) < n_dimensions
        squares += np.square(around @ around.T if few else around.T @ around).sum()
    scale = np.trace(covariance) / n_dimensions
    apart = np.square(covariance).sum() - n_dimensions * scale**2
    error = (squares / n_speakers - np.square(covariance).sum()) / n_speakers
    shrinkage = float(np.clip(error / apart, LEAST_SHRINKAGE, 1)) if apart > 0 else 1.0
    shrunk = (1 - shrinkage) * covariance + shrinkage * scale * np.eye(n_dimensions)
    return means, shrunk, shrinkage


def _told(scores, labels):
    """Whether the class (B, N) has the highest score of K; shared between equal ones."""
    best = scores == scores.max(axis=2, keepdims=True)
    own = np.take_along_axis(best, labels[..., None], axis=2)[..., 0]
    return own / best.sum(axis=2)


def _of_length_one(embeddings):
    embeddings = np.asarray(embeddings, dtype=float)
    length = np.linalg.norm(embeddings, axis=1, keepdims=True)
    return embeddings / np.where(length > 0, length, 1)


def _draw(seed, speaker):
    return seeds.derive(seed, "folds of inference", str(speaker)), str(speaker)
