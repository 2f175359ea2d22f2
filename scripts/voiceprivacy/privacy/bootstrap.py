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
* Metrics that see the best of all calibrations or the fullest of all histograms are biased: the fewer speakers, the
  more they fit to noise, and each replicate, which is worth half as many speakers (the mean squared number of draws is
  2), does so once more. Where the bias falls with 1 / sqrt(S), as in oracle calibration, replicates add 0.41 of it once
  more (sqrt(2) - 1), where it falls with 1 / S all of it. The percentile interval holds both, so it is moved back by
  1 + 1 / 0.41 or by 2 times what the replicates add; rounded to where simulated intervals hold the truth, by 3 times
  for calibrations and 2.5 times for histograms.

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


class Correction(NamedTuple):
    """How many times the bias that replicates show an interval is moved back, and the range that it is held in."""

    times: float
    low: float
    high: float


OF_CALIBRATION, OF_HISTOGRAM = 3.0, 2.5
CORRECTIONS = {
    "eer_rocch_percent": Correction(OF_CALIBRATION, 0, 50),
    "cllr_min_bit": Correction(OF_CALIBRATION, 0, 1),
    "cllr_cal_bit": Correction(OF_CALIBRATION, 0, np.inf),
    "min_dcf": Correction(OF_CALIBRATION, 0, 1),
    "linkability": Correction(OF_CALIBRATION, 0, 1),
    "dece_bit": Correction(OF_CALIBRATION, 0, NO_PRIVACY_BIT),
    "ddcf": Correction(OF_CALIBRATION, 0, 1),
    "mean_disclosure_bit": Correction(OF_HISTOGRAM, 0, np.inf),
    **dict.fromkeys(("deid_percent", "dece_op_oo_percent", "cllr_min_op_oo_percent"), Correction(0, -np.inf, 100)),
    "ddiag": Correction(0, 0, 1),
    "ddiag_signed": Correction(0, -1, 1),
    "ddiag_log_bit": Correction(0, 0, np.inf),
}
NONE = Correction(0, -np.inf, np.inf)


class Interval(NamedTuple):
    """A 95 % interval of a number (``value``); every limit is "undefined" where there is no replicate.

    ``ci_low`` and ``ci_high`` are the interval to report: percentiles, moved back and held in a range as CORRECTIONS
    say for the metric. ``corrected`` is the percentile interval moved back by OF_CALIBRATION, whatever the metric.
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


def leave_one_out(trials, measure):
    """Score-based metrics without each of the S speakers in turn: {metric: array (S,)}, NaN where undefined."""
    everyone_but = 1 - np.eye(len(trials.speakers), dtype=np.int64)
    samples = [weigh(trials, speaker_weights(trials, weights)) for weights in everyone_but]
    return _columns([measure(sample) if sample else {} for sample in samples])


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


def interval(value, replicates, *, n_speakers, correction=NONE):
    """Percentile and bias-corrected interval (Interval) of a number from its replicates (B,)."""
    replicates = np.sort(replicates[~np.isnan(replicates)])
    if not len(replicates) or isinstance(value, str):
        return Interval(value, *["undefined"] * 6, n_speakers, len(replicates))
    percentile = _limits(replicates, ndtr(-_half_width(n_speakers)))
    bias = _bias(value, replicates)
    reported = np.clip(percentile - correction.times * bias, correction.low, correction.high)
    corrected = np.clip(percentile - OF_CALIBRATION * bias, correction.low, correction.high)
    limits = [float(limit) for of in (reported, percentile, corrected) for limit in of]
    return Interval(value, *limits, n_speakers, len(replicates))


def p_value(value, replicates, *, n_speakers):
    """Two-sided p-value of a difference: the smallest significance at which its interval leaves zero out.

    Where zero lies outside of all replicates, they are taken for normal, so that more comparisons than replicates allow
    can be corrected for.
    """
    distance = abs(ndtri(share_below(0, replicates)))
    if np.all(replicates > 0) or np.all(replicates < 0):
        spread = replicates.std()
        distance = max(distance, abs(value) / spread if spread else np.inf)
    return float(2 * stdtr(max(n_speakers - 1, 1), -distance))


def share_below(value, replicates):
    """Share of replicates below a value, equal ones counted half, and half of one more replicate on either side."""
    below = np.count_nonzero(replicates < value) + np.count_nonzero(replicates == value) / 2
    return (below + 0.5) / (len(replicates) + 1)


def intervals(values, replicates, *, n_speakers):
    """{metric: Interval as a dict} of those metrics of {metric: value} that have replicates {metric: array (B,)}."""
    return {
        name: interval(values[name], of, n_speakers=n_speakers, correction=CORRECTIONS.get(name, NONE))._asdict()
        for name, of in replicates.items()
    }


def _half_width(n_speakers):
    """Of the interval, in standard deviations."""
    return stdtrit(max(n_speakers - 1, 1), (1 + LEVEL) / 2)


def _bias(value, replicates):
    """What replicates add to the bias of the value; 0 where half of them are infinite."""
    bias = np.median(replicates) - value if np.isfinite(value) else np.inf
    return bias if np.isfinite(bias) else 0.0


def _limits(ordered, tail):
    """Both limits (2,) that leave at most a share ``tail`` outside: order statistics, which may be infinite."""
    place = max(int(np.floor(tail * (len(ordered) + 1) + 1e-9)), 1)
    return ordered[[place - 1, len(ordered) - place]]


def _columns(found):
    """{metric: array (B,)} of a list of {metric: value}, empty where a replicate is undefined."""
    names = next((of for of in found if of), {})
    return {name: np.array([of.get(name, np.nan) for of in found], dtype=float) for name in names}
