"""What channels of speech disclose together: the rank of the true speaker by their fused scores.

Conventions
-----------
* A channel is a matrix of scores: test utterances (R rows) against templates (N columns). All
  channels of a call have the same rows and columns.
* Only the order within a row counts, so each row is centred. A channel is divided by the standard
  deviation of its nontarget scores.
* The fused score is a weighted sum. Weights maximise the likelihood of the true template among all
  templates of a row (conditional logit), with a normal prior that keeps them finite where training
  speakers are always found.
* A speaker is fused by weights that were learnt without the speaker's utterances and template:
  speakers are in at most ten folds, by the order of their names.
* Disclosure in bits is of the histogram of ranks, less the bias of the ranks that occur, where
  there are five utterances a rank, else of the beta-binomial model; for all sets in the same way.
* Intervals are value +- t standard errors of the jackknife over speakers, each left out with
  utterances and template, because the gallery is a draw as well; the weights stay. A disclosure
  lies in 0 ... log2 N, and so do its limits. A gain can be negative: a channel that tells nothing
  adds the noise of its weight.

References
----------
Backstrom et al., Privacy disclosure of similarity rank in speech and language processing, 2025.
McFadden, Conditional logit analysis of qualitative choice behavior, 1974.
"""

import itertools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp, stdtrit

from voiceprivacy.inout.arrays import ScoreMatrix, restricted
from voiceprivacy.inout.files import BadInput
from voiceprivacy.privacy import Counts, Floats, Names
from voiceprivacy.privacy.matrices import ranks
from voiceprivacy.vocabulary import TOGETHER

FOLDS = 10
PRIOR_SD = 3.0  # of a weight; scores have unit spread
ALL_SETS_UP_TO = 5  # channels; of more: each alone, those before it, all but it
LEVEL = 0.95
FEWEST_SPEAKERS = 3


class Estimate(NamedTuple):
    """A number of bits with its limits (95 %)."""

    bit: float
    low: float
    high: float


class Gain(NamedTuple):
    """What a channel adds to others, in bits."""

    channel: str
    given: str
    gain: Estimate


class Fusion(NamedTuple):
    """What channels disclose alone and together.

    Attributes
    ----------
    n_templates, n_utterances, n_speakers : int
    sets : {channels joined by +: Estimate}
    in_order : list of Gain
        Of each channel, given those named before it; of the first, given none.
    given_others : list of Gain
        Of each channel, given all others.
    gap : Estimate
        The sum of all channels alone, less what they disclose together. Where 0 lies within, they
        may add up. Channels that tell the same make it positive.
    weights : {channel: mean weight over folds} of all channels together
    """

    n_templates: int
    n_utterances: int
    n_speakers: int
    sets: dict[str, Estimate]
    in_order: list[Gain]
    given_others: list[Gain]
    gap: Estimate
    weights: dict[str, float]


def fuse(matrices: Mapping[str, ScoreMatrix]) -> Fusion:
    """Measure what channels disclose, alone and together.

    Parameters
    ----------
    matrices : {channel: ScoreMatrix}
        In the order in which channels are added.

    Raises
    ------
    ranks.TooFewSpeakers : fewer than three
    BadInput : rows or columns differ; see ranks.true_ranks
    """
    channels = list(matrices)
    first = matrices[channels[0]]
    _refuse_differences(matrices)
    true = ranks.true_columns(first)
    speakers = np.unique(first.row_speakers)
    if len(speakers) < FEWEST_SPEAKERS:
        raise ranks.TooFewSpeakers(
            f"{len(speakers)} speakers are tested: without one of them nothing can be learnt"
        )
    scores = np.stack(
        [_scaled(matrix.scores.astype(np.float64), true) for matrix in matrices.values()]
    )
    disclosed: dict[str, Floats] = {}
    weights: Floats = np.zeros(len(channels))
    for members in _sets(len(channels)):
        fused, learnt = _cross_fused(scores[list(members)], first, true)
        name = TOGETHER.join(channels[index] for index in members)
        disclosed[name] = _disclosures(first._replace(scores=fused), speakers)
        if len(members) == len(channels):
            weights = learnt
    most = float(np.log2(len(first.columns)))
    everything = TOGETHER.join(channels)
    apart = np.sum([disclosed[channel] for channel in channels], axis=0)
    return Fusion(
        n_templates=len(first.columns),
        n_utterances=len(first.rows),
        n_speakers=len(speakers),
        sets={name: estimate(bits, low=0.0, high=most) for name, bits in disclosed.items()},
        in_order=_in_order(channels, disclosed, most),
        given_others=_given_others(channels, disclosed),
        gap=estimate(apart - disclosed[everything]),
        weights=dict(zip(channels, map(float, weights), strict=True)),
    )


def estimate(bits: Floats, *, low: float = -np.inf, high: float = np.inf) -> Estimate:
    """A number with its jackknife limits.

    Parameters
    ----------
    bits : array (1 + S,)
        The number of all speakers, then without each of them.
    low, high : float
        The range that limits are held in.
    """
    value, without_each = bits[0], bits[1:]
    n_speakers = len(without_each)
    # Efron and Tibshirani, An introduction to the bootstrap, 1993, Eq. 11.5
    spread = without_each - without_each.mean()
    error = np.sqrt((n_speakers - 1) / n_speakers * np.sum(spread**2))
    half = stdtrit(n_speakers - 1, (1 + LEVEL) / 2) * error
    limits = np.clip([value - half, value + half], low, high)
    return Estimate(float(value), float(limits[0]), float(limits[1]))


def learn_weights(scores: Floats, true: Counts) -> Floats:
    """Weights (C,) of channels that make the true template the likeliest of its row.

    Parameters
    ----------
    scores : array (C, R, N)
    true : array (R,), the column of the true template of each row
    """
    rows = np.arange(len(true))

    def loss(weights: Floats) -> tuple[float, Floats]:
        fused = np.tensordot(weights, scores, axes=1)
        log_p = fused - logsumexp(fused, axis=1, keepdims=True)
        slope = np.exp(log_p)
        slope[rows, true] -= 1
        value = -log_p[rows, true].sum() + 0.5 * np.sum((weights / PRIOR_SD) ** 2)
        return value, np.tensordot(scores, slope, axes=([1, 2], [0, 1])) + weights / PRIOR_SD**2

    return minimize(loss, np.zeros(len(scores)), jac=True, method="L-BFGS-B").x


def _cross_fused(scores: Floats, matrix: ScoreMatrix, true: Counts) -> tuple[Floats, Floats]:
    """Fused scores (R, N), each speaker's by weights of others, and the mean weights (C,)."""
    if len(scores) == 1:
        return scores[0], np.ones(1)
    speakers = np.unique(matrix.row_speakers)
    fold_of = {speaker: number % FOLDS for number, speaker in enumerate(speakers)}
    fold_of_row = np.array([fold_of[speaker] for speaker in matrix.row_speakers])
    fold_of_column = np.array([fold_of.get(speaker, FOLDS) for speaker in matrix.column_speakers])
    fused = np.empty(scores.shape[1:])
    learnt: list[Floats] = []
    for fold in range(min(FOLDS, len(speakers))):
        rows, columns = fold_of_row != fold, fold_of_column != fold
        position = np.cumsum(columns) - 1
        weights = learn_weights(scores[:, rows][:, :, columns], position[true[rows]])
        fused[~rows] = np.tensordot(weights, scores[:, ~rows], axes=1)
        learnt.append(weights)
    return fused, np.mean(learnt, axis=0)


def _scaled(scores: Floats, true: Counts) -> Floats:
    """Scores (R, N) with centred rows, in standard deviations of the nontarget scores."""
    centred = scores - scores.mean(axis=1, keepdims=True)
    is_nontarget = np.ones(scores.shape, dtype=bool)
    is_nontarget[np.arange(len(true)), true] = False
    spread = centred[is_nontarget].std()
    return centred / spread if spread > 0 else centred


def _disclosures(matrix: ScoreMatrix, speakers: Names) -> Floats:
    """Bits of all speakers, then without each of them: array (1 + S,)."""
    is_histogram = len(matrix.rows) >= ranks.OBSERVATIONS_PER_RANK * len(matrix.columns)

    def bits(some: ScoreMatrix) -> float:
        p = ranks.histogram(ranks.true_ranks(some))
        if is_histogram:
            bias = ranks.histogram_bias_bit(int(np.count_nonzero(p)), len(some.rows))
            return float(ranks.disclosure(p)["mean_disclosure_bit"]) - bias
        return float(ranks.model_metrics(p)["model_mean_disclosure_bit"])

    return np.array([bits(matrix), *(bits(_without(matrix, speaker)) for speaker in speakers)])


def _without(matrix: ScoreMatrix, speaker: str) -> ScoreMatrix:
    """A matrix without the utterances and without the template of a speaker."""
    rows, columns = matrix.row_speakers != speaker, matrix.column_speakers != speaker
    return restricted(matrix, rows, columns)


def _sets(n_channels: int) -> list[tuple[int, ...]]:
    """The sets of channels that are measured, small ones first."""
    members = range(n_channels)
    if n_channels <= ALL_SETS_UP_TO:
        sizes = range(1, n_channels + 1)
        sets = (itertools.combinations(members, size) for size in sizes)
        return list(itertools.chain.from_iterable(sets))
    first = [tuple(range(n)) for n in range(1, n_channels + 1)]
    without = [tuple(other for other in members if other != one) for one in members]
    chosen = dict.fromkeys([*((one,) for one in members), *first, *without])
    return sorted(chosen, key=lambda names: (len(names), names))


def _in_order(channels: list[str], disclosed: Mapping[str, Floats], most: float) -> list[Gain]:
    """What each channel adds to those before it."""
    gains = [Gain(channels[0], "", estimate(disclosed[channels[0]], low=0.0, high=most))]
    for n_before in range(1, len(channels)):
        before, after = (TOGETHER.join(channels[:n]) for n in (n_before, n_before + 1))
        added = disclosed[after] - disclosed[before]
        gains.append(Gain(channels[n_before], before, estimate(added)))
    return gains


def _given_others(channels: list[str], disclosed: Mapping[str, Floats]) -> list[Gain]:
    """What each channel adds to all others; none of a single channel."""
    gains: list[Gain] = []
    everything = TOGETHER.join(channels)
    for channel in channels if len(channels) > 1 else ():
        others = TOGETHER.join(other for other in channels if other != channel)
        gains.append(Gain(channel, others, estimate(disclosed[everything] - disclosed[others])))
    return gains


def _refuse_differences(matrices: Mapping[str, ScoreMatrix]) -> None:
    """Refuse channels that do not compare the same utterances with the same templates."""
    (name, first), *others = matrices.items()
    for other, matrix in others:
        for axis in ("rows", "columns", "row_speakers", "column_speakers"):
            if not np.array_equal(getattr(first, axis), getattr(matrix, axis)):
                raise BadInput(f"{name} and {other} differ in their {axis.replace('_', ' ')}")
