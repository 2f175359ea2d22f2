"""How often a first guess among 20 persons is right, counted from held-out LLRs; a limit for each.

A recording is compared with the enrolment of its person and of others. The attacker guesses the
largest LLR. Each count is over all ways to draw the others, so no draw is a matter of luck. Of
equal scores any one may be guessed. A recording that was compared with fewer than 19 others is
compared with all scores of the list.

Persons are in groups. For each, the attacker learns from trials without its persons, and judges its
recordings. All LLRs with one recording are of the same learner. Scores are taken as they are,
and less the mean of all other trials of the enrolment. These two forms treat the right enrolment
and the others alike, also where two persons have the same voice.

References
----------
Clopper and Pearson, The use of confidence or fiducial limits, Biometrika 1934
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaincinv, gammaln

from voiceprivacy.privacy import Counts, Flags, Floats
from voiceprivacy.privacy.verdict import learner
from voiceprivacy.privacy.verdict.evidence import MOST_FITTED, N_GROUPS, gain
from voiceprivacy.privacy.verdict.trials import (
    Trials,
    counted,
    group_means,
    group_sums,
    judged,
    means_of,
)

N_GUESSED = 20  # persons among whom the attacker guesses
LIMITED_FROM = 40  # persons; of fewer, no limit for each of them
CONFIDENCE = 0.95  # of such a limit, which is an upper one
SMALLEST_VARIANCE = 1e-12
NEARLY_EQUAL = 1e-9  # a share of equal scores so small changes nothing


class Right(NamedTuple):
    """How often the first guess is right, from one recording of each of S persons.

    ``shares`` (S,) are means over the recordings of a person, ``recordings`` (S,) their numbers.
    ``is_counted`` says that each recording was compared with enough others.
    """

    shares: Floats
    recordings: Counts
    is_counted: bool

    def percent(self, confidence: float = 0.95) -> list[float]:
        """The mean over persons in percent, and its two limits.

        Limits are those of a binomial count with the same standard error, which is a jackknife's,
        of no more recordings than there are. The lower one is at most that of S persons of whom
        each is always recognised.
        """
        share, n_persons = float(self.shares.mean()), len(self.shares)
        variance = self.shares.var(ddof=1) / n_persons
        n_alike = n_persons if variance < SMALLEST_VARIANCE else share * (1 - share) / variance
        n_alike = min(n_alike, float(self.recordings.sum()))
        tail = (1 - confidence) / 2
        low = share and betaincinv(n_alike * share, n_alike * (1 - share) + 1, tail)
        low = min(low, tail ** (1 / n_persons))
        is_certain = share >= 1
        high = 1 if is_certain else betaincinv(n_alike * share + 1, n_alike * (1 - share), 1 - tail)
        return [100 * share, 100 * float(low), 100 * float(high)]

    def highest_percent(self) -> float | None:
        """A 95 % limit that holds for all persons at once; None where they are too few.

        It is the largest one of the single limits. They need no correction for their number: where
        the person who is recognised most often lies below its own limit, all do.
        """
        if len(self.shares) < LIMITED_FROM or not self.is_counted:
            return None
        right = self.shares * self.recordings
        wrong = np.maximum(self.recordings - right, SMALLEST_VARIANCE)
        return 100 * float(betaincinv(right + 1, wrong, CONFIDENCE).max())


class Recognised(NamedTuple):
    """First guesses by held-out LLRs, and by the sum of scores, which need no learning."""

    right: Right
    right_by_score: Right

    def percent(self) -> list[float]:
        """Right first guesses in percent, and limits.

        The value is of LLRs, as the better of two would be too high. The upper limit is the larger
        one: who learns from few persons finds less than there is.
        """
        value, low, high = self.right.percent()
        return [value, low, max(high, self.right_by_score.percent()[2])]

    def highest_percent(self) -> float | None:
        """A 95 % limit for all persons at once, by whichever of the two recognises them more."""
        limits = [limit for one in self if (limit := one.highest_percent()) is not None]
        return max(limits) if len(limits) == len(self) else None


def highest_facts(recognised: Mapping[str, Recognised]) -> dict[str, Any] | None:
    """In how many recordings each person is recognised at most, on the list with the largest limit.

    None where a list has too few persons or trials.

    Parameters
    ----------
    recognised : of each list
    """
    limits = {
        name: limit
        for name, own in recognised.items()
        if (limit := own.highest_percent()) is not None
    }
    if not limits or len(limits) < len(recognised):
        return None
    worst = max(sorted(limits), key=limits.__getitem__)
    numbers = recognised[worst].right.recordings
    return {"percent": limits[worst], "persons": len(numbers), "recordings": int(numbers.min())}


def first_guesses_of(trials: Trials) -> Recognised:
    """Count first guesses from one recording.

    Parameters
    ----------
    trials : Trials
        As trials_of gives them

    Raises
    ------
    NotMeasured : few_persons, no_nontargets
    """
    trials = trials.only(judged(trials))
    usual = _usual(trials.enrolment, trials.trial_person, trials.target, trials.scores)
    forms = {"raw": trials.scores, "enrolment": trials.scores - usual}
    columns, candidates = learner.design(forms, 1)
    llrs = _held_out_llrs(trials, columns, candidates)
    by_score = right_of(trials, forms["enrolment"].sum(axis=1), is_centred=True)
    return Recognised(right_of(trials, llrs), by_score)


def _usual(group, person, target, scores):
    """Means (M, A) over other persons with a group, without the trial itself.

    Each person counts once. Who is tried with a nontarget counts too, by other trials.
    """
    kept = counted(scores) * ~target[:, None]
    n_groups = group.max() + 1
    _, pair = np.unique(group * (person.max() + 1) + person, return_inverse=True)
    sums = group_sums(pair, kept, pair.max() + 1)
    own = np.unique(pair, return_index=True)[1]
    total = group_sums(group[own], counted(means_of(sums)) * (sums[:, -1:] > 0), n_groups)[group]
    without = sums[pair] - kept
    # The mean of the person who is tried is replaced by that of its other trials.
    total -= counted(means_of(sums))[pair] * kept[:, -1:]
    total += counted(means_of(without)) * (kept[:, -1:] * (without[:, -1:] > 0.5))
    return means_of(total)


def _held_out_llrs(trials, columns, candidates):
    """LLRs (M,): each recording is judged by who learnt from other persons alone.

    The kind of regression is that with most evidence for other groups.
    """
    target = trials.target
    _, person = np.unique(trials[:2], return_inverse=True)
    n_persons = person.max() + 1
    weight = _weights(trials.pair)
    drawn = np.random.default_rng(0).permutation(len(target))
    fitted = np.concatenate(
        [drawn[target[drawn] == label][:MOST_FITTED] for label in (True, False)]
    )
    groups = person.reshape(2, -1) % min(N_GROUPS, n_persons)
    llrs, totals = np.zeros((len(target), len(candidates))), []
    bound = np.log(2 * n_persons)
    for group in range(groups.max() + 1):
        rows = np.flatnonzero(groups[1] == group)
        free = fitted[(groups[:, fitted] != group).all(axis=0)]
        llrs[rows] = columns[rows] @ _learnt(columns[free], target[free], weight[free], candidates)
        bounded = np.clip(llrs[rows], -bound, bound)
        gains = gain(np.where(target[rows, None], bounded, -bounded)) * weight[rows, None]
        totals.append([gains[target[rows] == label].mean(axis=0) for label in (True, False)])
    sums = np.sum(totals, axis=1)
    best = (sums.sum(axis=0) - sums).argmax(axis=1)
    return llrs[np.arange(len(target)), best[groups[1]]]


def _learnt(columns, target, weight, candidates):
    """Slopes (C, K), of classes that weigh alike."""
    sums = np.bincount(target, weight, 2)
    if not sums.all():
        return np.zeros((columns.shape[1], len(candidates)))
    return learner.fit(columns, target, weight * sums[1] / sums[target.astype(int)], candidates)


def right_of(trials: Trials, scores: Floats, *, is_centred: bool = False) -> Right:
    """Count right first guesses.

    Parameters
    ----------
    trials : Trials
        M judged ones; each person has a target
    scores : array (M,)
        Those with one recording are comparable
    is_centred : bool
        Whether scores of several recordings are compared less what is usual of a recording
    """
    target, recording = trials.target, trials.trial
    own = np.flatnonzero(target)
    n_persons = trials.enrolment_person.max() + 1
    # Each person counts once against a recording, and each pair of persons once in the list.
    weight = _weights(recording * n_persons + trials.enrolment_person)
    of_recording = _counts(recording, scores, target, weight)
    if is_centred:
        usual = _usual(recording, trials.enrolment_person, target, scores[:, None])
        scores = scores - usual[:, 0]
    of_list = _counts(np.zeros(len(target), int), scores, target, _weights(trials.pair))
    is_counted = of_recording[2] >= N_GUESSED - 1 - NEARLY_EQUAL
    shares = np.where(is_counted, _of_drawn(*of_recording), _of_list(*of_list))
    # Several enrolments of a person with the same recording are one recording.
    _, first = np.unique(recording[own], return_index=True)
    by_recording = group_means(recording[own], shares[:, None])[1]
    person = trials.trial_person[own][first]
    persons, by_person = group_means(person, by_recording)
    return Right(by_person[:, 0], np.bincount(person)[persons], bool(is_counted.all()))


def _weights(groups):
    """Weights (M,) that add up to 1 in each group."""
    _, number, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    return 1 / sizes[number]


def _counts(groups: Counts, scores: Floats, target: Flags, weights: Floats) -> Floats:
    """Weights of nontargets above each target, equal to it, and of all in its group, (3, T)."""
    _, rank = np.unique(scores, return_inverse=True)
    key = groups * (rank.max() + 1) + rank
    order = np.argsort(key[~target], kind="stable")
    keys, total = key[~target][order], np.r_[0, np.cumsum(weights[~target][order])]
    first = groups[target] * (rank.max() + 1)
    start, end = (total[np.searchsorted(keys, first + past)] for past in (0, rank.max() + 1))
    below, to_equal = (
        total[np.searchsorted(keys, key[target], side)] for side in ("left", "right")
    )
    return np.stack([end - to_equal, to_equal - below, end - start])


def _of_drawn(above, equal, others):
    """The chance that nobody of 19 who are drawn from the others is guessed instead.

    With a above and t equal, that is the mean over 0 to t who come first:
    [C(n - a + 1, 20) - C(n - a - t, 20)] / [(t + 1) C(n, 19)].
    """
    others = np.maximum(others, N_GUESSED - 1)
    left = others - above
    ways = _ways(left + 1) - _ways(left - equal)
    drawn = np.exp(gammaln(others + 1) - gammaln(N_GUESSED) - gammaln(others - N_GUESSED + 2))
    return np.clip(ways / ((equal + 1) * drawn), 0, 1)


def _ways(number):
    """How many ways there are to draw 20 of a number, which may be a fraction."""
    possible = number > N_GUESSED - 1
    number = np.where(possible, number, N_GUESSED)
    logarithm = gammaln(number + 1) - gammaln(N_GUESSED + 1) - gammaln(number - N_GUESSED + 1)
    return np.where(possible, np.exp(logarithm), 0)


def _of_list(above, equal, others):
    """The same with 19 who are drawn anew each time from the scores of the list."""
    above, equal = (part / np.maximum(others, SMALLEST_VARIANCE) for part in (above, equal))
    left = 1 - above
    is_single = equal < NEARLY_EQUAL
    width = np.where(is_single, 1, equal)
    mean = (left**N_GUESSED - np.maximum(left - width, 0) ** N_GUESSED) / (N_GUESSED * width)
    return np.where(is_single, np.maximum(left, 0) ** (N_GUESSED - 1), mean)
