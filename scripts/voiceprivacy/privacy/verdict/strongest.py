"""The strongest of many attacks: what the worst of them reaches, and how sure that is.

Whoever tries eight attacks and reports the best has chosen the luckiest of them. Resampling that
maximum repeats its bias: of eight equal attacks the percentile interval of the maximum holds the
truth in 4 % of the cases. So limits are made from those of the single attacks.

Conventions
-----------
* A candidate is an attack with a reading. Its number is such that more of it is worse for privacy;
  an equal error rate enters as 100 minus it.
* Upper limit: the largest of the single upper limits. Where the true maximum is, its own limit
  holds, and the maximum of all is no smaller.
* Lower limit: max over candidates k of (value_k - c s_k). Here s_k is the standard deviation of
  k's replicates, and c the 97.5 % quantile of the largest standardised deviation over joint
  replicates: all candidates at once are above their own bound. Where replicates are skewed, that is
  too near: a bound is at least as far down as the single limit, widened by how much further the
  largest of all deviations downwards reaches than k's own. It is at least the smallest of the
  single limits, which lies above the truth only if all of them do.
* Only candidates whose single upper limit reaches the largest single lower limit count in both: the
  others cannot be the strongest.
* The number shown is the same with the median for the quantile.
* Few speakers: c is taken from Student's t where the quantile is that of a normal distribution.
* A number in percent of another one is tested as a difference: "below L %" is "number minus L % of
  the other is below zero", draw by draw. A ratio's replicates are skewed, a difference's are not.

References
----------
Westfall and Young, Resampling-based multiple testing, 1993 (the largest standardised deviation).
Chernozhukov, Lee and Rosen, Intersection bounds, Econometrica 81, 2013 (bounds of a maximum).
Holm, A simple sequentially rejective multiple test procedure, 1979.
Fieller, Some problems in interval estimation, JRSS B 16, 1954 (ratios tested as differences).
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri, stdtr, stdtrit

from voiceprivacy.privacy import Floats
from voiceprivacy.privacy.uncertainty.bootstrap import (
    CORRECTIONS,
    FEWEST_SPEAKERS,
    Correction,
    interval,
    moved,
)
from voiceprivacy.vocabulary import TRAINED_ON

ONE_SIDED = 0.025  # error of every test and of either limit


class AttackName(NamedTuple):
    """An attack, and the direction in which it reads scores."""

    extractor: str
    backend: str
    condition: str
    reading: str

    def kind(self) -> "AttackName":
        """The attack without the anonymiser that it was trained on."""
        return self._replace(
            extractor=self.extractor.partition(TRAINED_ON)[0],
            backend=self.backend.partition(TRAINED_ON)[0],
        )


class Candidate(NamedTuple):
    """The number of one attack and reading; more of it is worse for privacy.

    ``replicates`` (B,) and ``value`` are free of the bias of calibration; ``defined`` is the value
    by the metric's own definition. ``low`` and ``high`` are the single limits. Replicates are not
    held in the metric's range, because tests are made of their spread. ``whole`` (B,) is how much
    100 percent is in every replicate, in proportion to its value; 1 where that does not differ.
    """

    value: float
    defined: float
    low: float
    high: float
    replicates: Floats
    n_speakers: int
    whole: Floats | float = 1.0


Attacks = Mapping[AttackName, Candidate]


class Strongest(NamedTuple):
    """What the strongest of several candidates reaches, and which it is."""

    value: float
    low: float
    high: float
    attack: AttackName
    defined: float


def candidate(
    value: float,
    replicates: Floats,
    *,
    metric: str,
    n_speakers: int,
    n_trials: int | None = None,
    is_better_when_more: bool = False,
) -> Candidate | None:
    """A Candidate of a number and its replicates (B,); None where it is undefined.

    Parameters
    ----------
    metric : str
        Its correction is that of the catalogue; rates in percent have none.
    n_speakers : int
    n_trials : int, optional
        Of a rate in percent: its upper limit is at least that of as many independent trials
        (Clopper and Pearson), because none of few is not none at all.
    is_better_when_more : bool
        Of a rate in percent: it enters as 100 minus it.
    """
    drawn = replicates[~np.isnan(replicates)]
    if not np.isfinite(value) or len(drawn) < 2 or n_speakers < FEWEST_SPEAKERS:
        return None
    correction = CORRECTIONS.get(metric, Correction(0, 0.0, 100.0))
    limits = interval(value, replicates, n_speakers=n_speakers, correction=correction)
    low, high = float(limits.ci_low), float(limits.ci_high)
    # Replicates hold the bias once more than the value: their interval is moved back once more.
    once_less = correction._replace(times=max(0, correction.times - 1))
    corrected = float(moved(np.array([value]), value, drawn, once_less)[0])
    unbiased = replicates
    if correction.times:
        unbiased = _moved_back(replicates, value, float(np.median(drawn)), correction)
    # An undefined replicate is one without evidence for or against: it stays at the middle.
    unbiased = np.where(np.isnan(unbiased), np.nanmedian(unbiased), unbiased)
    if correction.times:
        # What is moved back is spread further than percentiles know: 8 % of the lower limits of
        # strong attacks on 12 speakers were above the truth.
        arm = _student(ndtri(1 - ONE_SIDED), n_speakers) * unbiased.std()
        low = max(correction.low, min(low, corrected - arm))
    if n_trials:
        low = min(low, _at_least_percent(value, n_trials))
        high = max(high, _at_most_percent(value, n_trials))
    corrected = min(max(corrected, low), high)
    if is_better_when_more:
        low, high = 100 - high, 100 - low
        corrected, value, unbiased = 100 - corrected, 100 - value, 100 - unbiased
    return Candidate(corrected, float(value), low, high, unbiased, n_speakers)


def strongest(candidates: Attacks) -> Strongest | None:
    """The strongest of {attack: Candidate}; None of none.

    Of attacks with equal numbers it names the first.
    """
    if not candidates:
        return None
    attacks = list(candidates)
    single = list(candidates.values())
    values = np.array([each.value for each in single])
    lows = np.array([each.low for each in single])
    highs = np.array([each.high for each in single])
    n_speakers = min(each.n_speakers for each in single)
    spreads, deviations = _standardised(single)
    # Readings that find nothing have rare outliers, which would widen the limits of all others.
    reaching = highs >= lows.max()
    if reaching.sum() > 1:
        arms, floor = (values - lows)[reaching], lows.min()
        arms = _lower_arms(arms, spreads[reaching], deviations[reaching], n_speakers)
        lows = np.maximum(values[reaching] - arms, floor)
    low, high = float(lows.max()), float(highs.max())
    middle = np.median(deviations[reaching].max(axis=0)) if reaching.sum() > 1 else 0.0
    value = float(np.max((values - middle * spreads)[reaching]))
    first = int(np.argmax(np.where(reaching, values, -np.inf)))
    return Strongest(
        min(max(value, low), high), low, high, attacks[first], candidates[attacks[first]].defined
    )


def plausible(candidates: Attacks) -> list[AttackName]:
    """Those attacks that may be the strongest: their upper limit reaches the largest lower one."""
    best = strongest(candidates)
    return [attack for attack, each in candidates.items() if best and each.high >= best.low]


def p_below(candidates: Attacks, limit: float) -> float:
    """One-sided p-value of "no attack reaches the limit"; 1 without candidates.

    An attacker takes the best of them, so every one must be shown to stay below.
    """
    if not candidates:
        return 1.0
    return max(
        _p_negative(each.value - limit, (each.replicates - limit) * each.whole, each.n_speakers)
        for each in candidates.values()
    )


def p_above(candidates: Attacks, limit: float) -> float:
    """One-sided p-value of "some attack is above the limit", corrected for their number; 1 without
    candidates."""
    if not candidates:
        return 1.0
    p_values = [
        _p_negative(limit - each.value, (limit - each.replicates) * each.whole, each.n_speakers)
        for each in candidates.values()
    ]
    return min(1.0, len(p_values) * min(p_values))


def p_less(weaker: Attacks, stronger: Attacks) -> float:
    """One-sided p-value of "the strongest of ``weaker`` finds less than that of ``stronger``".

    Some attack of ``stronger`` must find more than every one of ``weaker``. Which one is chosen
    among those that may be the strongest, and corrected for the choice (Bonferroni).
    """
    rivals = plausible(stronger)
    if not weaker or not rivals:
        return 1.0
    p_values = []
    for rival in rivals:
        other = stronger[rival]
        p_values.append(
            max(
                _p_negative(
                    each.value - other.value,
                    (each.replicates - other.replicates) * each.whole,
                    min(each.n_speakers, other.n_speakers),
                )
                for each in weaker.values()
            )
        )
    return min(1.0, len(rivals) * min(p_values))


def _moved_back(replicates, value, median, correction):
    """Replicates (B,) of a calibrated number without the bias that they show.

    They are moved on the scale of the cube root of what is hidden, the distance from the end of the
    range. Differences of strong attacks, which lie close to it, spread by 9 to 20 % more than their
    replicates on a plain scale, and by 0 to 3 % more than those on this one. The other end is no
    bound: most replicates of little evidence lie below it, and would have no spread.
    """
    end = correction.no_privacy
    hidden = np.cbrt(np.maximum(end - replicates, 0))
    bias = np.cbrt(end - median) - np.cbrt(end - value)
    return end - np.maximum(hidden - correction.times * bias, 0) ** 3


def folded_interval(low: float, high: float) -> tuple[float, float]:
    """Interval of an equal error rate in percent, folded at 50: whoever errs more turns round.

    The limits are folded, not the replicates: folded replicates average 44 at chance.
    """
    if low <= 50 <= high:
        return min(low, 100 - high), 50.0
    ends = (min(low, 100 - low), min(high, 100 - high))
    return min(ends), max(ends)


def _standardised(candidates):
    """Standard deviations (K,) of the replicates, and these in deviations from their mean (K, B).

    Replicates without any spread deviate by nothing.
    """
    replicates = np.stack([each.replicates for each in candidates])
    spreads = replicates.std(axis=1)
    deviations = replicates - replicates.mean(axis=1, keepdims=True)
    return spreads, deviations / np.where(spreads > 0, spreads, 1)[:, None]


def _lower_arms(arms, spreads, deviations, n_speakers):
    """How far the lower limits of K candidates lie below them (K,), all of them at once.

    At least as far as their single ones (``arms``) times what the largest of all deviations
    downwards has more than their own. Replicates of rates are skewed: the single limits know how.
    """
    upwards = _student(np.quantile(deviations.max(axis=0), 1 - ONE_SIDED), n_speakers)
    downwards = _student(np.quantile(-deviations.min(axis=0), 1 - ONE_SIDED), n_speakers)
    own = _student(np.quantile(-deviations, 1 - ONE_SIDED, axis=1), n_speakers)
    wider = downwards / np.where(own > 0, own, downwards) if downwards > 0 else 1.0
    return np.maximum(upwards * spreads, arms * wider)


def _student(quantile, n_speakers):
    """The quantile of Student's t that leaves as much outside as one of the normal distribution."""
    return -stdtrit(n_speakers - 1, ndtr(-quantile))  # of the small tail, which has more digits


def _p_negative(value, replicates, n_speakers):
    """One-sided p-value of a number below zero, by Student's t.

    Replicates without any spread are worth the sign flips of S speakers: 2^(1 - S).
    """
    spread = replicates.std()
    if not spread:
        return 0.5 ** (n_speakers - 1) if value < 0 else 1.0
    return float(stdtr(n_speakers - 1, value / spread))


def _at_most_percent(value, n_trials):
    share = value / 100
    return 100 * float(
        betaincinv(share * n_trials + 1, max(n_trials * (1 - share), 1e-9), 1 - ONE_SIDED)
    )


def _at_least_percent(value, n_trials):
    hits = n_trials * value / 100
    if hits <= 0:
        return 0.0
    return 100 * float(betaincinv(hits, n_trials - hits + 1, ONE_SIDED))
