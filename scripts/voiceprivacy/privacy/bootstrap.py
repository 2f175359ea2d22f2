"""Intervals by resampling speakers: what would the numbers be with other speakers of the same kind?

Trials of one speaker resemble each other, so trials cannot be resampled as if they were independent. Every speaker is
drawn a number of times, on the enrolment and on the trial side at once (the vertex bootstrap).

Conventions
-----------
* A speaker's numbers of draws depend on the seed and on the speaker's name only: the same draw serves all conditions,
  anonymisers, attackers and lists in which the speaker occurs, so that differences are of the same speakers.
* They are Poisson draws with mean 1. With a fixed sum they would be the multinomial draws of the usual bootstrap, which
  would tie a speaker's draws to who else is in the list; the free sum also makes up for the factor (S - 1) / S by which
  the usual bootstrap underestimates variances.
* A replicate in which a class is left without trials is undefined: NaN, left out of the intervals.
* Few speakers make the quantiles of the replicates too narrow: they are those of Student's t instead of the normal
  distribution (the expanded percentile interval), with one degree of freedom less than there are speakers.
* Metrics that see the best of all calibrations are biased: the fewer speakers, the more they fit to noise, and each
  replicate, which has fewer different speakers still, does so once more. The median of the replicates minus the value
  estimates that bias; the bias-corrected interval is the percentile interval moved back by twice of it.

References
----------
Snijders and Borgatti, Non-parametric standard errors and tests for network statistics, Connections 22, 1999 (vertices).
Efron and Tibshirani, An introduction to the bootstrap, 1993, chapters 10 (bias) and 13 (percentile intervals).
Hesterberg, What teachers should know about the bootstrap, The American Statistician 69, 2015 (expanded percentile).
Chamandy et al., Estimating uncertainty for massive data streams, 2012 (Poisson draws).
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from voiceprivacy import seeds
from voiceprivacy.privacy import ranks
from voiceprivacy.privacy.ece import NO_PRIVACY_BIT
from voiceprivacy.privacy.trials import speaker_weights, weigh

LEVEL = 0.95
UNBOUNDED = (-np.inf, np.inf)
# Metrics that are biased with few speakers, and the range that their corrected interval is held in.
BIASED = {
    "eer_rocch_percent": (0, 50),
    "cllr_min_bit": (0, 1),
    "cllr_cal_bit": (0, np.inf),
    "min_dcf": (0, 1),
    "linkability": (0, 1),
    "dece_bit": (0, NO_PRIVACY_BIT),
    "ddcf": (0, 1),
    "deid_percent": (-np.inf, 100),
    "gvd_db": UNBOUNDED,
    "ddiag": (0, 1),
    "mean_disclosure_bit": (0, np.inf),
    "max_disclosure_bit": (0, np.inf),
    "std_disclosure_bit": (0, np.inf),
}


class Interval(NamedTuple):
    """A 95 % interval of a number (``value``); every limit is "undefined" where there is no replicate.

    ``ci_low`` and ``ci_high`` are the interval to report: the corrected one of a metric in BIASED, else the percentile
    interval.
    """

    value: float
    ci_low: float
    ci_high: float
    percentile_low: float
    percentile_high: float
    corrected_low: float
    corrected_high: float
    n_speakers: int
    n_replicates: int


def multiplicities(speakers, *, n_replicates, seed):
    """How often each speaker (S names) is drawn in each replicate: integers (B, S)."""
    draws = [seeds.generator(seed, "bootstrap", str(speaker)).poisson(1.0, n_replicates) for speaker in speakers]
    return np.stack(draws, axis=1)


def resample_scores(trials, measure, *, n_replicates, seed):
    """Replicates of score-based metrics.

    Parameters
    ----------
    trials : SpeakerTrials
    measure : function of a Sample that gives {metric: value}, such as zebra.of_sample
    n_replicates, seed : int

    Returns
    -------
    {metric: array (B,)}
    """
    found = []
    for weights in multiplicities(trials.speakers, n_replicates=n_replicates, seed=seed):
        sample = weigh(trials, speaker_weights(trials, weights))
        found.append(measure(sample) if sample else {})
    return _columns(found)


def resample_ranks(of, row_speakers, *, n_replicates, seed, ties="shared"):
    """Replicates of rank statistics: the test speakers are drawn, the gallery of templates stays.

    ``of`` are Ranks, ``row_speakers`` (R,) the speaker of each test utterance. {metric: array (B,)}.
    """
    speakers, position = np.unique(row_speakers, return_inverse=True)
    found = []
    for weights in multiplicities(speakers, n_replicates=n_replicates, seed=seed):
        rows = np.repeat(np.arange(len(position)), weights[position])
        drawn = ranks.Ranks(of.best[rows], of.worst[rows], of.n_templates)
        found.append(ranks.disclosure(ranks.histogram(drawn, ties=ties)) if len(rows) else {})
    return _columns(found)


def resample_similarities(*, n_replicates, seed, **conditions):
    """Replicates of DeID, G_VD and D_diag: speakers are drawn from the matrices, the calibration stays.

    Parameters
    ----------
    oo, op, pp : Similarities of the same speakers

    Returns
    -------
    {condition: {metric: array (B,)}}, DeID under op and G_VD under pp; two copies of a speaker do not form a pair
    """
    weights = multiplicities(conditions["oo"].speakers, n_replicates=n_replicates, seed=seed).astype(float)
    signed = {name: _diagonal_minus_rest(of.values, weights) for name, of in conditions.items()}
    found = {name: {"ddiag": np.abs(of), "ddiag_signed": of} for name, of in signed.items()}
    ratio = {
        name: np.abs(of) / np.where(signed["oo"] == 0, np.nan, np.abs(signed["oo"])) for name, of in signed.items()
    }
    with np.errstate(divide="ignore"):  # no diagonal left: -inf is the right answer
        found["pp"]["gvd_db"] = 10 * np.log10(ratio["pp"])
    found["op"]["deid_percent"] = 100 * (1 - ratio["op"])
    return found


def interval(value, replicates, *, n_speakers, bounds=None):
    """Percentile and bias-corrected interval (Interval) of a number from its replicates (B,).

    With ``bounds`` (lowest and highest possible value) the corrected one is reported, held within them.
    """
    replicates = np.sort(replicates[~np.isnan(replicates)])
    if not len(replicates) or isinstance(value, str):
        return Interval(value, *["undefined"] * 6, n_speakers, len(replicates))
    half = stdtrit(max(n_speakers - 1, 1), (1 + LEVEL) / 2)
    percentile = _limits(replicates, ndtr(-half))
    corrected = [
        float(limit) for limit in np.clip(percentile - _shift(value, replicates), *(bounds or (-np.inf, np.inf)))
    ]
    percentile = [float(limit) for limit in percentile]
    return Interval(value, *(corrected if bounds else percentile), *percentile, *corrected, n_speakers, len(replicates))


def p_value(value, replicates, *, n_speakers, bounds=None):
    """Two-sided p-value of a difference: the smallest significance at which its interval leaves zero out.

    At most 1, and above 0 for any number of replicates.
    """
    moved = replicates - (_shift(value, replicates) if bounds else 0)
    return float(2 * stdtr(max(n_speakers - 1, 1), -abs(ndtri(share_below(0, moved)))))


def share_below(value, replicates):
    """Share of replicates below a value, equal ones counted half, and half of one more replicate on either side."""
    below = np.count_nonzero(replicates < value) + np.count_nonzero(replicates == value) / 2
    return (below + 0.5) / (len(replicates) + 1)


def intervals(values, replicates, *, n_speakers):
    """{metric: Interval as a dict} of those metrics of {metric: value} that have replicates {metric: array (B,)}."""
    return {
        name: interval(values[name], of, n_speakers=n_speakers, bounds=BIASED.get(name))._asdict()
        for name, of in replicates.items()
    }


def _shift(value, replicates):
    """Twice the bias that the replicates show; none where half of them are infinite."""
    bias = np.median(replicates) - value if np.isfinite(value) else np.inf
    return 2 * bias if np.isfinite(bias) else 0.0


def _limits(ordered, tail):
    """Both limits (2,) that leave at most a share ``tail`` outside: order statistics, which may be infinite."""
    place = max(int(np.floor(tail * (len(ordered) + 1) + 1e-9)), 1)
    return ordered[[place - 1, len(ordered) - place]]


def _columns(found):
    """{metric: array (B,)} of a list of {metric: value}, empty where a replicate is undefined."""
    names = next((of for of in found if of), {})
    return {name: np.array([of.get(name, np.nan) for of in found], dtype=float) for name in names}


def _diagonal_minus_rest(values, weights):
    """Weighted mean of the diagonal minus that of the rest, for every row of weights (B,); NaN where undefined."""
    there = ~np.ma.getmaskarray(values)
    cells = np.where(there, np.ma.getdata(values), 0.0)
    rest = there & ~np.eye(len(cells), dtype=bool)
    return _ratio(weights @ cells.diagonal(), weights @ there.diagonal()) - _ratio(
        _over_pairs(cells * rest, weights), _over_pairs(rest, weights)
    )


def _over_pairs(cells, weights):
    """Sum of w_i w_j c_ij over all pairs, for every row of weights (B,)."""
    return ((weights @ cells) * weights).sum(axis=1)


def _ratio(numerator, denominator):
    return np.divide(numerator, denominator, out=np.full(len(numerator), np.nan), where=denominator > 0)
