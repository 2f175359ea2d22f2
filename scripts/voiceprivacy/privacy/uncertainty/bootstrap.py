"""Intervals by resampling speakers: where do the numbers of all speakers of the same kind lie?

Trials of one speaker resemble each other, so trials cannot be resampled as if they were
independent. Every speaker is drawn a number of times, on the enrolment and on the trial side at
once (the vertex bootstrap).

Conventions
-----------
* A speaker's numbers of draws depend on the seed and on the speaker's name only: the same draw
  serves all conditions, anonymisers, attackers and lists in which the speaker occurs, so that
  differences are of the same speakers.
* They are Poisson draws with mean 1. With a fixed sum they would be the multinomial draws of the
  usual bootstrap, which would tie a speaker's draws to who else is in the list. The free sum also
  makes up for the factor (S - 1) / S by which the usual bootstrap underestimates variances.
* A replicate in which a class is left without trials is undefined: NaN, left out of the intervals.

What is fitted to the speakers
------------------------------
Numbers that must be fitted anew for every draw take long: calibrated matrices, models of ranks,
ratios. They are taken without each speaker once (the jackknife). Replicates are linear in what that
changes, with the same draws, so that intervals, differences and means over lists are made of them
as of all others.

Few speakers
------------
Few speakers make the quantiles of the replicates too narrow. They are those of Student's t instead
of the normal distribution (the expanded percentile interval), with one degree of freedom less than
there are speakers. Three or four speakers need quantiles further out than 1000 replicates reach:
there their extremes are held against t standard deviations, and the wider of the two is taken.
Two speakers have no interval: in simulations, 4 to 20 % of equal pairs differed significantly, and
not 5 %. A single speaker cannot be drawn anew.

Rare errors
-----------
Where errors are rare, resampling cannot draw those that happened not to happen. Upwards, replicates
of an EER are therefore spread at least as far as those of independent trials would be: trials of
one speaker resemble each other and cannot say more. (Kaldi's EER rounds up to whole targets: it
needs no more.) Cllr is a mean of few large costs then, whose error grows with it: its upper limit
is at least the one on a logarithmic scale.

Bias
----
Metrics that see the best of all calibrations or the fullest of all histograms are biased: the fewer
speakers, the more they fit to noise. Each replicate, which is worth half as many speakers (the mean
squared number of draws is 2), does so once more. Where the bias falls with 1 / sqrt(S), as in
oracle calibration, replicates add 0.41 of it once more (sqrt(2) - 1); where it falls with 1 / S,
all of it. The percentile interval holds both, so it is moved back by 1 + 1 / 0.41 or by 2 times
what the replicates add. This is rounded to where simulated intervals hold the truth: 3 times for
calibrations and 2.5 times for histograms.

The stronger the attack, the fewer errors are left and the smaller the part of the bias that
replicates show: 0.46 to 0.50 of it for d' up to 2, 0.3 for d' = 4. On the scale of the 2/3 power of
what is left of privacy, on which numbers of rare errors are symmetric (Anscombe), it is 0.36. There
intervals are moved
back on that scale.

References
----------
Snijders and Borgatti, Non-parametric standard errors and tests for network statistics, Connections
22, 1999 (vertices).
Efron and Tibshirani, An introduction to the bootstrap, 1993, chapters 10 (bias), 11 (jackknife), 13
(percentile intervals) and 20 (linear replicates).
Hesterberg, What teachers should know about the bootstrap, The American Statistician 69, 2015
(expanded percentile).
Chamandy et al., Estimating uncertainty for massive data streams, 2012 (Poisson draws).
Anscombe, contribution to the discussion of Hotelling, JRSS B 15, 1953 (2/3 power).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri, stdtr, stdtrit

from voiceprivacy import seeds
from voiceprivacy.privacy import Counts, Floats, Metrics, Number
from voiceprivacy.privacy.scores.samples import (
    Sample,
    SpeakerTrials,
    by_class,
    draw,
    whole_sample,
    without_each,
)
from voiceprivacy.vocabulary import FEWEST_REPLICATES, FEWEST_SPEAKERS, OF_CALIBRATION

Replicates = dict[str, Floats]  # {metric: array (B,)}, NaN where undefined

LEVEL = 0.95
RARE_ERRORS = 2 / 3  # power of what is left of privacy
OF_RARE_ERRORS = ("eer_rocch_percent", "eer_speechbrain_percent")  # whose replicates are spread


class Correction(NamedTuple):
    """By how much an interval is moved back, and the range that it is held in.

    ``times``: how many times the bias that replicates show. ``no_privacy`` is the end of the range
    where no errors are left; with it, intervals are moved back on the scale of the 2/3 power of the
    distance from there. ``skewed``: the upper limit is at least the one on a logarithmic scale.
    """

    times: float
    low: float
    high: float
    no_privacy: float | None = None
    skewed: bool = False


NONE = Correction(0, -np.inf, np.inf)
Corrections = Mapping[str, Correction]  # {metric: Correction}, NONE for the others


class Interval(NamedTuple):
    """A 95 % interval of a number (``value``).

    ``ci_low`` and ``ci_high`` are the interval to report: percentiles, moved back and held in a
    range as the metric's Correction says, which widen that of a Cllr. ``corrected`` is the
    percentile interval moved back by OF_CALIBRATION, whatever the metric. ``unbiased`` is the value
    moved back like its interval, in which it lies. Limits and ``unbiased`` are None with less than
    two replicates or three speakers.
    """

    value: Number
    ci_low: float | None
    ci_high: float | None
    percentile_low: float | None
    percentile_high: float | None
    corrected_low: float | None
    corrected_high: float | None
    n_speakers: int
    n_replicates: int
    unbiased: float | None


def multiplicities(speakers: Iterable[str], *, n_replicates: int, seed: int) -> Counts:
    """How often each speaker (S names) is drawn in each replicate: integers (B, S)."""
    draws = [
        seeds.generator(seed, "bootstrap", str(speaker)).poisson(1.0, n_replicates)
        for speaker in speakers
    ]
    return np.stack(draws, axis=1)


def resample_scores(
    trials: SpeakerTrials,
    measure: Callable[[Sample], Metrics],
    *,
    n_replicates: int,
    seed: int,
    corrections: Corrections,
) -> Replicates:
    """Replicates of metrics of scores; those of OF_RARE_ERRORS are spread (see at_least_of_trials).

    Parameters
    ----------
    trials : SpeakerTrials
    measure : function of a Sample, such as zebra.sample_metrics
    n_replicates, seed : int
    corrections : of the metrics; none is spread beyond its range

    Returns
    -------
    {metric: array (B,)} : NaN where undefined
    """
    drawn, sorted_trials = [], by_class(trials)
    for weights in multiplicities(trials.speakers, n_replicates=n_replicates, seed=seed):
        sample = draw(sorted_trials, weights)
        # A class without trials leaves no number: NaN in ``by_metric``.
        drawn.append(measure(sample) if sample else {})
    replicates = by_metric(drawn)
    spread = [name for name in OF_RARE_ERRORS if name in replicates]
    if spread:
        values: dict[str, Any] = measure(whole_sample(sorted_trials))
        n_targets = int(np.count_nonzero(trials.target))
        for name in spread:
            replicates[name] = at_least_of_trials(
                replicates[name],
                values[name],
                n_targets=n_targets,
                n_nontargets=len(trials.target) - n_targets,
                most=corrections[name].high,
            )
    return replicates


def at_least_of_trials(
    replicates: Floats, value: float, *, n_targets: int, n_nontargets: int, most: float = 100
) -> Floats:
    """Spread replicates of an equal error rate upwards at least as far as of independent trials.

    From the median on, quantiles of the replicates are at least as far above it as those of
    Beta(n e + 1, n (1 - e) + 1) are above its own: what n trials say about e by Laplace's rule.
    Where the two error rates meet, an error of either moves e by half (if their slopes are alike):
    n = 4 / (1 / T + 1 / N) for T targets and N nontargets.

    Parameters
    ----------
    replicates : array (B,)
        In percent; NaN stay.
    value : float
        The rate e of all trials, in percent.
    n_targets, n_nontargets : int
    most : float
        No replicate is raised above it.

    Returns
    -------
    array (B,)
    """
    n_trials = 4 / (1 / n_targets + 1 / n_nontargets)
    beta = (n_trials * value / 100 + 1, n_trials * (1 - value / 100) + 1)
    # NaN are sorted to the end.
    ordered = np.argsort(replicates, kind="stable")[: np.count_nonzero(~np.isnan(replicates))]
    median = np.median(replicates[ordered]) if len(ordered) else np.nan
    share = np.arange(1, len(ordered) + 1) / (len(ordered) + 1)
    ordered, share = ordered[share > 0.5], share[share > 0.5]
    above = 100 * (betaincinv(*beta, share) - betaincinv(*beta, 0.5))
    spread = replicates.copy()
    spread[ordered] = np.maximum(replicates[ordered], np.minimum(median + above, most))
    return spread


def leave_one_out(trials: SpeakerTrials, measure: Callable[[Sample], Metrics]) -> Replicates:
    """Metrics of scores without each of the S speakers: {metric: array (S,)}, NaN where
    undefined."""
    # All metrics have a column, even if only one sample has them.
    sorted_trials = by_class(trials)
    undefined: Metrics = dict.fromkeys(measure(whole_sample(sorted_trials)), np.nan)
    left_out = []
    # One sample at a time: each is as large as the list of trials.
    for sample in without_each(sorted_trials, len(trials.speakers)):
        left_out.append(measure(sample) if sample else undefined)
    return by_metric(left_out)


def resample_runs(
    train: SpeakerTrials,
    test: SpeakerTrials,
    measure: Callable[[Sample, Sample], Metrics],
    *,
    n_replicates: int,
    seed: int,
) -> Replicates:
    """Replicates of metrics of two runs: {metric: array (B,)}, NaN where undefined.

    A speaker is drawn as often in one run as in the other.
    """
    options = {"n_replicates": n_replicates, "seed": seed}
    draws_of_train = multiplicities(train.speakers, **options)
    draws_of_test = multiplicities(test.speakers, **options)
    drawn: list[Metrics] = []
    # Calibrations of one run are read at the scores of the other: no score is counted with others.
    sorted_train, sorted_test = (by_class(run, every_score=True) for run in (train, test))
    for train_weights, test_weights in zip(draws_of_train, draws_of_test, strict=True):
        train_sample = draw(sorted_train, train_weights)
        test_sample = draw(sorted_test, test_weights)
        if train_sample and test_sample:
            drawn.append(measure(train_sample, test_sample))
        else:
            drawn.append({})
    return by_metric(drawn)


def linear_replicates(value: float, left_out: Floats, drawn: Counts) -> Floats:
    """Replicates of a number, array (B,); NaN if a number is. Their variance is the jackknife's.

    How the number changes without speaker i says how much it depends on i, whose influence is
    (S - 1) (mean of the S numbers - number without i).

    Parameters
    ----------
    value : float
        The number of all S speakers.
    left_out : array (S,)
        The number without each speaker.
    drawn : array (B, S)
        How often each speaker is drawn.
    """
    n_speakers = len(left_out)
    if n_speakers < 2:
        return np.full(len(drawn), np.nan)
    # Poisson draws have the variance 1: divided by sqrt(S (S - 1)), the sum has the jackknife's.
    influence = (n_speakers - 1) * (left_out.mean() - left_out)
    return value + (drawn - 1) @ influence / np.sqrt(n_speakers * (n_speakers - 1))


def by_metric(drawn: Sequence[Metrics]) -> Replicates:
    """{metric: array (B,)} of a list of {metric: value}, empty where a replicate is undefined.

    What is a word in a list of this size, such as undefined, is not resampled.
    """
    first = next((metrics for metrics in drawn if metrics), {})
    return {
        name: np.array([metrics.get(name, np.nan) for metrics in drawn], dtype=float)
        for name, value in first.items()
        if not isinstance(value, str)
    }


def intervals(
    values: Mapping[str, Number],
    replicates: Mapping[str, Floats],
    *,
    n_speakers: int,
    corrections: Corrections,
) -> dict[str, dict[str, Any]]:
    """Intervals, as in files: {metric: {field of Interval: value}}.

    Of those metrics of {metric: value} that have replicates {metric: array (B,)}.
    """
    limits = {}
    for name, drawn in replicates.items():
        correction = corrections.get(name, NONE)
        limits[name] = interval(
            values[name], drawn, n_speakers=n_speakers, correction=correction
        )._asdict()
    return limits


def interval(
    value: Number, replicates: Floats, *, n_speakers: int, correction: Correction = NONE
) -> Interval:
    """Percentile and bias-corrected interval of a number from its replicates (B,)."""
    ordered = np.sort(replicates[~np.isnan(replicates)])
    n_replicates = len(ordered)
    too_few = n_replicates < FEWEST_REPLICATES or n_speakers < FEWEST_SPEAKERS
    if too_few or isinstance(value, str):
        return Interval(
            value, *(None, None, None, None, None, None), n_speakers, n_replicates, None
        )
    half_width = _half_width(n_speakers)
    percentile = _limits(value, ordered, half_width)
    reported = moved(percentile, value, ordered, correction)
    # Without a rank among the replicates, limits allow for skewness already.
    if correction.skewed and _rank(n_replicates, half_width):
        reported[1] = max(reported[1], _logarithmic_high(value, ordered, half_width))
    corrected = moved(percentile, value, ordered, correction._replace(times=OF_CALIBRATION))
    return Interval(
        value,
        *(float(reported[0]), float(reported[1])),
        *(float(percentile[0]), float(percentile[1])),
        *(float(corrected[0]), float(corrected[1])),
        n_speakers,
        n_replicates,
        _unbiased(value, ordered, correction, reported),
    )


def _unbiased(value, replicates, correction, limits):
    """A value without its bias, within the limits of its interval."""
    # Replicates hold the bias once more than the value does: their interval is moved once more.
    once_less = correction._replace(times=max(0, correction.times - 1))
    unbiased = moved(np.array([value]), value, replicates, once_less)[0]
    return float(np.clip(unbiased, *limits))


def moved(numbers: Floats, value: float, replicates: Floats, correction: Correction) -> Floats:
    """Numbers (n,) without the bias that replicates of a value show, held in a Correction's range.

    They stay where they are where half of the replicates (B,) are infinite.
    """
    median = np.median(replicates)
    if not np.isfinite(value) or not np.isfinite(median):
        unbiased = numbers
    elif correction.no_privacy is None:
        unbiased = numbers - correction.times * (median - value)
    else:
        # Rare errors: replicates are moved on the scale on which these are symmetric.
        end = correction.no_privacy
        sign = 1 if end == correction.low else -1
        bias = _power_of_distance(median, end, sign) - _power_of_distance(value, end, sign)
        powers = _power_of_distance(numbers, end, sign) - correction.times * bias
        unbiased = end + sign * np.maximum(powers, 0) ** (1 / RARE_ERRORS)
    return np.clip(unbiased, correction.low, correction.high)


def moved_back(value: float, replicates: Floats, correction: Correction) -> Floats:
    """Replicates (B,) without the bias that they show, on a plain scale, held in a range; NaN
    stay."""
    defined = replicates[~np.isnan(replicates)]
    plain = correction._replace(no_privacy=None)
    return moved(replicates, value, defined, plain) if len(defined) else replicates


def p_value(value: float, replicates: Floats, *, n_speakers: int) -> float:
    """Two-sided p-value of a difference: the smallest significance at which its interval leaves 0
    out.

    Where zero lies outside of all replicates (B,), they are taken for normal, so that more
    comparisons than replicates allow can be corrected for. Replicates without any spread are worth
    the sign flips of S speakers: 2^(1 - S).
    """
    distance = abs(ndtri(share_below(0, replicates)))
    if np.all(replicates > 0) or np.all(replicates < 0):
        spread = replicates.std()
        if not spread:
            return 0.5 ** (n_speakers - 1)
        in_spreads = abs(value) / spread
        reached = _rank(len(replicates), _half_width(n_speakers))
        distance = max(distance, in_spreads) if reached else in_spreads
    return float(2 * stdtr(n_speakers - 1, -distance))


def finite(value: Number) -> float:
    """A number to be averaged: NaN where it is undefined or infinite."""
    return np.nan if isinstance(value, str) or not np.isfinite(value) else value


def share_below(value: float, replicates: Floats) -> float:
    """Share of replicates (B,) below a value, with half of one more replicate on either side.

    Equal replicates count half.
    """
    below = np.count_nonzero(replicates < value) + np.count_nonzero(replicates == value) / 2
    return (below + 0.5) / (len(replicates) + 1)


def _power_of_distance(numbers, end, sign):
    """The 2/3 power of what is left of privacy: the distance from the end of the range."""
    return np.maximum(sign * (numbers - end), 0) ** RARE_ERRORS


def _half_width(n_speakers):
    """Half the width of an interval, in standard deviations."""
    return stdtrit(n_speakers - 1, (1 + LEVEL) / 2)


def _logarithmic_high(value, replicates, half_width):
    """Upper limit on a logarithmic scale; the value itself where it has none."""
    spread = replicates.std() if np.isfinite(replicates).all() else 0.0
    return value * np.exp(half_width * spread / value) if 0 < value < np.inf else value


def _limits(value: float, ordered: Floats, half_width: float) -> Floats:
    """Both limits (2,): order statistics, which may be infinite.

    If none is so far out, t standard deviations, or the replicates' extremes if they lie further
    out.
    """
    rank = _rank(len(ordered), half_width)
    if rank:
        return ordered[[rank - 1, len(ordered) - rank]]
    spread = half_width * ordered.std() if np.isfinite(ordered).all() else 0.0
    return np.array([min(ordered[0], value - spread), max(ordered[-1], value + spread)])


def _rank(n_replicates, half_width):
    """Rank of the replicate that leaves as many outside as the normal distribution does.

    0 for none.
    """
    return int(np.floor(ndtr(-half_width) * (n_replicates + 1) + 1e-9))  # not 24.999... for 25
