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
  distribution (the expanded percentile interval), with one degree of freedom less than there are speakers. Three or
  four speakers need quantiles further out than replicates reach; there the replicates' extremes are held against t
  standard deviations, and the wider of the two is taken. Two speakers have no interval: simulated ones that could be
  told apart although they were alike were 4 to 20 % instead of 5 %, a single speaker cannot be drawn anew.
* Where errors are rare, resampling cannot draw those that happened not to happen. Upwards, replicates of an EER are
  therefore spread at least as far as those of independent trials would be: trials of one speaker resemble each other
  and cannot say more. (Kaldi's EER rounds up to whole targets: it needs no more.) Cllr is a mean of few large costs
  then, whose error grows with it: its upper limit is at least the one on a logarithmic scale.

References
----------
Snijders and Borgatti, Non-parametric standard errors and tests for network statistics, Connections 22, 1999 (vertices).
Efron and Tibshirani, An introduction to the bootstrap, 1993, chapter 13 (percentile intervals).
Hesterberg, What teachers should know about the bootstrap, The American Statistician 69, 2015 (expanded percentile).
Chamandy et al., Estimating uncertainty for massive data streams, 2012 (Poisson draws).
"""

from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri, stdtr, stdtrit

from voiceprivacy.catalogue import METRICS, OF_CALIBRATION
from voiceprivacy.inout import seeds
from voiceprivacy.privacy.matrices import ranks
from voiceprivacy.privacy.scores.trials import speaker_weights, weigh

# By how much, and on which scale, intervals are moved back that replicates of speakers show to be biased.
#
# Conventions
# -----------
# * Metrics that see the best of all calibrations or the fullest of all histograms are biased: the fewer speakers, the
#   more they fit to noise, and each replicate, which is worth half as many speakers (the mean squared number of draws is
#   2), does so once more. Where the bias falls with 1 / sqrt(S), as in oracle calibration, replicates add 0.41 of it once
#   more (sqrt(2) - 1), where it falls with 1 / S all of it. The percentile interval holds both, so it is moved back by
#   1 + 1 / 0.41 or by 2 times what the replicates add; rounded to where simulated intervals hold the truth, by 3 times
#   for calibrations and 2.5 times for histograms.
# * The stronger the attack, the fewer errors are left and the smaller
#   the part of the bias that replicates show: 0.46 to 0.50 of it for d' up to 2, 0.3 for d' = 4. On the scale of the 2/3
#   power of what is left of privacy, on which numbers of rare errors are symmetric (Anscombe), it is 0.36, so that there
#   intervals are moved back on that scale.
#
# References
# ----------
# Efron and Tibshirani, An introduction to the bootstrap, 1993, chapter 10 (bias).
# Anscombe, contribution to the discussion of Hotelling, JRSS B 15, 1953 (2/3 power).


class Correction(NamedTuple):
    """How many times the bias that replicates show an interval is moved back, and the range that it is held in.

    ``no_privacy`` is the end of the range where no errors are left; with it, intervals are moved back on the scale of
    the 2/3 power of the distance from there. ``skewed``: the upper limit is at least the one on a logarithmic scale.
    """

    times: float
    low: float
    high: float
    no_privacy: float | None = None
    skewed: bool = False


RARE_ERRORS = 2 / 3
CORRECTIONS = {
    metric.name: Correction(
        metric.times,
        metric.low,
        metric.high,
        no_privacy=metric.no_privacy if metric.scale == "rare errors" else None,
        skewed=metric.scale == "logarithmic",
    )
    for metric in METRICS.values()
}
NONE = Correction(0, -np.inf, np.inf)


def moved(numbers, value, replicates, correction):
    """Numbers (n,) without the bias that replicates of a value show, held in the range of a Correction.

    They stay where they are where half of the replicates are infinite.
    """
    median = np.median(replicates)
    if not np.isfinite(value) or not np.isfinite(median):
        found = numbers
    elif correction.no_privacy is None:
        found = numbers - correction.times * (median - value)
    else:
        sign = 1 if correction.no_privacy == correction.low else -1
        left, of_value, of_median = (
            np.maximum(sign * (of - correction.no_privacy), 0) ** RARE_ERRORS
            for of in (numbers, value, median)
        )
        left = np.maximum(left - correction.times * (of_median - of_value), 0)
        found = correction.no_privacy + sign * left ** (1 / RARE_ERRORS)
    return np.clip(found, correction.low, correction.high)


LEVEL = 0.95
FEWEST_SPEAKERS = 3
OF_RARE_ERRORS = ("eer_rocch_percent", "eer_speechbrain_percent")


class Interval(NamedTuple):
    """A 95 % interval of a number (``value``); every limit is "undefined" without replicates or three speakers.

    ``ci_low`` and ``ci_high`` are the interval to report: percentiles, moved back and held in a range as CORRECTIONS
    say for the metric, which widen that of a Cllr. ``corrected`` is the percentile interval moved back by
    OF_CALIBRATION, whatever the metric.
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
    draws = [
        seeds.generator(seed, "bootstrap", str(speaker)).poisson(1.0, n_replicates)
        for speaker in speakers
    ]
    return np.stack(draws, axis=1)


def resample_scores(trials, measure, *, n_replicates, seed):
    """Replicates of score-based metrics; those of OF_RARE_ERRORS are spread as at_least_of_trials says.

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
    found = _columns(found)
    rates = [name for name in OF_RARE_ERRORS if name in found]
    if rates:
        values = measure(weigh(trials, np.ones(len(trials.scores), dtype=np.int64)))
        n_targets = np.count_nonzero(trials.target)
        counts = {"n_targets": n_targets, "n_nontargets": len(trials.target) - n_targets}
        found |= {
            name: at_least_of_trials(
                found[name], values[name], most=CORRECTIONS[name].high, **counts
            )
            for name in rates
        }
    return found


def at_least_of_trials(replicates, value, *, n_targets, n_nontargets, most=100):
    """Replicates (B,) of an equal error rate e in percent, spread upwards at least as far as of independent trials.

    From the median on, quantiles of the replicates are at least as far above it as those of Beta(n e + 1,
    n (1 - e) + 1) are above its own: what n trials say about e by Laplace's rule. Where the two error rates meet, an
    error of either moves e by half (if their slopes are alike): n = 4 / (1 / T + 1 / N) for T targets and N nontargets.
    No replicate is raised above ``most``.
    """
    n_trials = 4 / (1 / n_targets + 1 / n_nontargets)
    of_trials = (n_trials * value / 100 + 1, n_trials * (1 - value / 100) + 1)
    ordered = np.argsort(replicates, kind="stable")[: np.count_nonzero(~np.isnan(replicates))]
    median = np.median(replicates[ordered]) if len(ordered) else np.nan
    share = np.arange(1, len(ordered) + 1) / (len(ordered) + 1)
    ordered, share = ordered[share > 0.5], share[share > 0.5]
    above = 100 * (betaincinv(*of_trials, share) - betaincinv(*of_trials, 0.5))
    spread = replicates.copy()
    spread[ordered] = np.maximum(replicates[ordered], np.minimum(median + above, most))
    return spread


def leave_one_out(trials, measure):
    """Score-based metrics without each of the S speakers in turn: {metric: array (S,)}, NaN where undefined."""
    names = measure(weigh(trials, np.ones(len(trials.scores), dtype=np.int64)))
    undefined = dict.fromkeys(names, np.nan)
    found = []
    for speaker in range(
        len(trials.speakers)
    ):  # one sample at a time: each is as large as the list of trials
        weights = np.ones(len(trials.speakers), dtype=np.int64)
        weights[speaker] = 0
        sample = weigh(trials, speaker_weights(trials, weights))
        found.append(measure(sample) if sample else undefined)
    return _columns(found)


def resample_runs(train, test, measure, *, n_replicates, seed):
    """Replicates of metrics of two runs: SpeakerTrials twice, ``measure`` a function of two Samples.

    A speaker is drawn as often in one run as in the other. {metric: array (B,)}.
    """
    options = {"n_replicates": n_replicates, "seed": seed}
    drawn = [(of, multiplicities(of.speakers, **options)) for of in (train, test)]
    found = []
    for replicate in range(n_replicates):
        samples = [weigh(of, speaker_weights(of, weights[replicate])) for of, weights in drawn]
        found.append(measure(*samples) if all(samples) else {})
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


def interval(value, replicates, *, n_speakers, correction=NONE):
    """Percentile and bias-corrected interval (Interval) of a number from its replicates (B,)."""
    replicates = np.sort(replicates[~np.isnan(replicates)])
    if not len(replicates) or isinstance(value, str) or n_speakers < FEWEST_SPEAKERS:
        return Interval(value, *["undefined"] * 6, n_speakers, len(replicates))
    half_width = _half_width(n_speakers)
    percentile = _limits(value, replicates, half_width)
    reported = moved(percentile, value, replicates, correction)
    if correction.skewed and _place(
        len(replicates), half_width
    ):  # three or four speakers are allowed for already
        reported[1] = max(reported[1], _logarithmic_high(value, replicates, half_width))
    corrected = moved(percentile, value, replicates, correction._replace(times=OF_CALIBRATION))
    limits = [float(limit) for of in (reported, percentile, corrected) for limit in of]
    return Interval(value, *limits, n_speakers, len(replicates))


def moved_back(value, replicates, correction):
    """Replicates (B,) without the bias that they show, on a plain scale, held in a Correction's range; NaN stay."""
    defined = replicates[~np.isnan(replicates)]
    correction = correction._replace(no_privacy=None)
    return moved(replicates, value, defined, correction) if len(defined) else replicates


def p_value(value, replicates, *, n_speakers):
    """Two-sided p-value of a difference: the smallest significance at which its interval leaves zero out.

    Where zero lies outside of all replicates, they are taken for normal, so that more comparisons than replicates allow
    can be corrected for. Replicates without any spread are worth the sign flips of S speakers: 2^(1 - S).
    """
    distance = abs(ndtri(share_below(0, replicates)))
    if np.all(replicates > 0) or np.all(replicates < 0):
        spread = replicates.std()
        if not spread:
            return 0.5 ** (n_speakers - 1)
        in_spreads = abs(value) / spread
        distance = (
            max(distance, in_spreads)
            if _place(len(replicates), _half_width(n_speakers))
            else in_spreads
        )
    return float(2 * stdtr(n_speakers - 1, -distance))


def share_below(value, replicates):
    """Share of replicates below a value, equal ones counted half, and half of one more replicate on either side."""
    below = np.count_nonzero(replicates < value) + np.count_nonzero(replicates == value) / 2
    return (below + 0.5) / (len(replicates) + 1)


def intervals(values, replicates, *, n_speakers):
    """{metric: Interval as a dict} of those metrics of {metric: value} that have replicates {metric: array (B,)}."""
    return {
        name: interval(
            values[name], of, n_speakers=n_speakers, correction=CORRECTIONS.get(name, NONE)
        )._asdict()
        for name, of in replicates.items()
    }


def _half_width(n_speakers):
    """Of the interval, in standard deviations."""
    return stdtrit(n_speakers - 1, (1 + LEVEL) / 2)


def _logarithmic_high(value, replicates, half_width):
    """Upper limit on a logarithmic scale; the value itself where it has none."""
    spread = replicates.std() if np.isfinite(replicates).all() else 0.0
    return value * np.exp(half_width * spread / value) if 0 < value < np.inf else value


def _limits(value, ordered, half_width):
    """Both limits (2,): order statistics, which may be infinite, or if none is so far out, t standard deviations."""
    place = _place(len(ordered), half_width)
    if place:
        return ordered[[place - 1, len(ordered) - place]]
    spread = half_width * ordered.std() if np.isfinite(ordered).all() else 0.0
    return np.array([min(ordered[0], value - spread), max(ordered[-1], value + spread)])


def _place(n_replicates, half_width):
    """Which of the ordered replicates leaves as many outside as the normal distribution does; 0 for none."""
    return int(np.floor(ndtr(-half_width) * (n_replicates + 1) + 1e-9))


def _columns(found):
    """{metric: array (B,)} of a list of {metric: value}, empty where a replicate is undefined."""
    names = next((of for of in found if of), {})
    return {name: np.array([of.get(name, np.nan) for of in found], dtype=float) for name in names}
