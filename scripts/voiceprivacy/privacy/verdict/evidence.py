"""Evidence of who speaks, for an attacker who learns on other speakers.

Persons are in groups. For each two groups the attacker learns on all others and judges the trials
within the two. Blocks that share no group with these decide which candidate they use. Every person
counts once, and every ordered pair of persons once.

Evidence is the area between the default ECE and the ECE of held-out LLRs, which are not calibrated.
It is in percent of 1 / (2 ln 2) = 0.7213 bit: 0 is none, 100 re-identifies everybody.

The lower limit is that of held-out evidence. Its error is by a jackknife over persons, and at least
that of Gaussian scores (Cohen's distance): few persons who are lucky all have nearly as much
evidence as there can be, and differ too little.

The upper limit is that of in-sample evidence, since a learner who fails has little evidence on
others but learns much by heart. It lies on the root scale, as evidence grows like the square of the
distance between the classes. Its t-quantile is Johnson's, longer where few persons have most of the
evidence. With half or four fifths of 20 or 40 persons hidden and 5 or 10 % evidence, the limit for
one recording is below the truth in 4 to 7 % of 150 sets without that, and in 1 to 3 % with it.

References
----------
Nautsch et al., The Privacy ZEBRA, Interspeech 2020, https://doi.org/10.21437/Interspeech.2020-1815
Hedges and Olkin, Statistical methods for meta-analysis, 1985: the error of a distance
Johnson, Modified t tests and confidence intervals for asymmetrical populations, JASA 1978
"""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from voiceprivacy.privacy import Counts, Flags, Floats
from voiceprivacy.privacy.verdict import learner
from voiceprivacy.privacy.verdict.trials import (
    FEWER,
    NotMeasured,
    Trials,
    counted,
    forms_of,
    group_means,
    group_sums,
    judged,
    means_of,
    standardised,
)

N_BINS = 10
FEW_PERSONS, MOST_GROUPS, N_GROUPS = 20, 8, 6  # up to 20 persons 8 groups, with more persons 6
MOST_FITTED = 4000  # trials of each class that are learnt from
PERCENT = 200  # of a gain in nats, of which 0.5 is everything
SMALLEST_ERROR = 1e-9  # percent
# Evidence in percent of Gaussian classes with variance 1 and means 0, 0.5, 1 ... 8 apart.
GAUSSIAN_PERCENT = [
    *(0.0, 4.0649, 15.1418, 30.5000, 47.0517, 62.3327, 74.9072, 84.3161, 90.7903),
    *(94.9151, 97.3588, 98.7090, 99.4061, 99.7428, 99.8952, 99.9598, 99.9855),
]
DISTANCES = np.arange(len(GAUSSIAN_PERCENT)) / 2
ROOTS = np.sqrt(GAUSSIAN_PERCENT)  # nearly linear in the distance


@dataclass(frozen=True)
class Evidence:
    """Evidence of one list and system: P pairs of S persons, K candidates, A attacks."""

    persons: tuple[str, ...]  # (S,) who are judged
    pairs: Counts  # (P,) enrolled person * S + tried person, rising
    held_out: Floats  # (P,) percent; the mean of targets and that of nontargets add up
    in_sample: Floats  # (P, K) percent
    llrs: Floats  # (P,) held out, means over alike many trials; natural logarithms
    centred: Floats  # (P, A) how far out such means of the most centred scores lie
    candidates: list[learner.Candidate]
    n_targets: int  # trials
    chosen: Counts  # (K,) how many blocks use each candidate
    recordings: int  # that every pair pools

    @property
    def n_persons(self) -> int:
        """How many persons are judged."""
        return len(self.persons)

    @property
    def target(self) -> Flags:
        """Which pairs are of one person, array (P,)."""
        return np.equal(*divmod(self.pairs, self.n_persons))

    @property
    def percent(self) -> float:
        """Held-out evidence."""
        return float(self.estimates(self.held_out)[0, 0])

    @property
    def standard_error(self) -> float:
        """The standard error of held-out evidence, in percent: at least that of Gaussian scores."""
        jackknife = jackknife_error(self.estimates(self.held_out))[0]
        return float(max(jackknife, gaussian_error(self.percent, self.n_targets)))

    def estimates(self, values: Floats) -> Floats:
        """Evidence of all persons, and then without each of them.

        Parameters
        ----------
        values : array (P,) or (P, K)
            Of pairs, in percent

        Returns
        -------
        array (1 + S, 1) or (1 + S, K)
        """
        values = counted(values)
        sides = divmod(self.pairs, self.n_persons)
        means: Any = 0
        # The person of a target is on both sides.
        for chosen, share in ((self.target, 0.5), (~self.target, 1)):
            kept = values[chosen]
            # Group 0 is empty: all persons are kept.
            own = sum(group_sums(side[chosen] + 1, kept, self.n_persons + 1) for side in sides)
            means += means_of(kept.sum(axis=0) - share * own)
        return means

    def low(self, confidence: float = 0.95) -> float:
        """The lower limit of an interval with two limits, in percent."""
        return self.percent - self._quantile(confidence) * self.standard_error

    def high(self, confidence: float = 0.95) -> float:
        """The upper limit, in percent: the largest one of the candidates that count.

        Those are all of single scores and the one that is chosen most often; and held-out evidence.
        """
        counts = self.chosen == self.chosen.max()
        counts |= [candidate.kind in learner.SINGLE for candidate in self.candidates]
        estimates = self.estimates(np.column_stack([self.held_out, self.in_sample[:, counts]]))
        error = np.maximum(jackknife_error(estimates), SMALLEST_ERROR)
        influence = estimates[1:].mean(axis=0) - estimates[1:]
        skewness = (influence**3).sum(axis=0) / error**3
        quantile = self._quantile(confidence)
        quantile += np.maximum(skewness, 0) * (1 + 2 * quantile**2) / 6
        value = np.maximum(estimates[0], 0)
        limits = np.sqrt(value) + quantile * error / (2 * np.sqrt(np.maximum(value, error)))
        return float(min(np.max(limits**2), 100))

    def p_above(self, percent: float) -> float:
        """The one-sided p-value of the hypothesis that evidence is at most ``percent``."""
        error = max(self.standard_error, SMALLEST_ERROR)
        return float(stdtr(self.n_persons - 1, (percent - self.percent) / error))

    def _quantile(self, confidence):
        return stdtrit(self.n_persons - 1, (1 + confidence) / 2)


def one_recording(trials: Trials) -> Evidence:
    """Evidence of single trials.

    Raises
    ------
    NotMeasured : few_persons, no_nontargets, equal_scores
    """
    return _evidence(trials, 1, N_BINS)


def all_recordings(trials: Trials) -> Evidence:
    """Evidence of all recordings of a person: one trial for each pair of persons.

    Every pair pools the same number of recordings, the largest that nine in ten judged pairs of
    each class have; else a difference in numbers would be evidence. Which ones are left out is
    random. A pair has the means of each score and of its distance from what the enrolment and the
    recording make usual.

    Raises
    ------
    NotMeasured : few_persons, no_nontargets, equal_scores
    """
    trials = trials.only(_shuffled(trials.pair))
    distance = np.abs(forms_of(trials, judged(trials)).get("both", trials.scores))
    # What is unknown is left out: it would tell how the list was made.
    trials = trials._replace(scores=np.column_stack([trials.scores, distance]))
    trials = trials.only(~np.isnan(distance).any(axis=1))
    _, start, sizes = np.unique(trials.pair, return_index=True, return_counts=True)
    chosen, target = judged(trials)[start], trials.target[start]
    classes = [np.sort(sizes[chosen & label]) for label in (target, ~target)]
    pooled = min(ordered[len(ordered) // FEWER] for ordered in classes)
    position = np.arange(len(trials.pair)) - np.repeat(start, sizes)
    trials = trials.only((position < pooled) & np.repeat(sizes >= pooled, sizes))

    means = trials.scores.reshape(-1, pooled, trials.scores.shape[1]).mean(axis=1)
    first = trials.only(slice(None, None, pooled))
    sides = first[:2]
    scores = standardised(means, first.target)
    return _evidence(Trials(*sides, *sides, scores, trials.persons), pooled, 1)


def linkage(trials: Trials) -> Evidence:
    """Evidence of pairs of recordings, each of which is there in both directions.

    Raises
    ------
    NotMeasured : few_persons, no_nontargets, equal_scores
    """
    evidence = one_recording(trials)
    return replace(evidence, n_targets=evidence.n_targets // 2)


def leaves_less(safer: Evidence, worse: Evidence) -> tuple[float, float]:
    """By how much the safer of two systems leaves less evidence.

    That is held-out evidence of the worse less the largest in-sample evidence of the safer. A
    difference of held-out evidence would take for safer what is harder to learn.

    Parameters
    ----------
    safer, worse : Evidence
        Of the same list; pairs that one of them lacks are left out

    Returns
    -------
    difference, standard_error : float
        In percent; by a paired jackknife over persons
    """
    names = np.union1d(safer.persons, worse.persons)
    codes = []
    for evidence in (safer, worse):
        numbers = np.searchsorted(names, evidence.persons)
        enrolled, tried = divmod(evidence.pairs, evidence.n_persons)
        codes.append(numbers[enrolled] * len(names) + numbers[tried])
    pairs, of_safer, of_worse = np.intersect1d(codes[0], codes[1], return_indices=True)
    both = replace(worse, persons=tuple(names), pairs=pairs)
    in_sample = both.estimates(safer.in_sample[of_safer])
    held_out = both.estimates(worse.held_out[of_worse])
    difference = held_out - in_sample[:, [in_sample[0].argmax()]]
    return float(difference[0, 0]), float(jackknife_error(difference)[0])


def jackknife_error(estimates: Floats) -> Floats:
    """Standard errors (K,) of estimates of all persons and without each of them (1 + S, K)."""
    without = estimates[1:]
    return np.sqrt((len(without) - 1) * without.var(axis=0))


def gain(llrs: Floats) -> Floats:
    """What LLRs for the truth are worth: the area between default ECE and ECE, in nats.

    The means over targets, and over nontargets of LLRs times -1, add up to evidence: 0 for LLRs of
    zero, 0.5 for certainty. Eq. 6 of Nautsch et al. before its classes are added.
    """
    near = np.abs(llrs) < 1e-2
    inverse = 1 / np.expm1(np.where(near, 1, llrs))
    exact = 0.25 - 0.5 * inverse * (1 - llrs * inverse)
    return np.where(near, llrs / 6 - llrs**2 / 24 + llrs**3 / 360, exact)


def gaussian_error(percent: float, n_targets: int) -> float:
    """The standard error of evidence, if scores are Gaussian and targets independent.

    That of the distance between the classes has two parts: the mean of targets, and the pooled
    deviation, in which both classes have the same weight and nontargets are many.
    """
    root = max(percent, 0) ** 0.5
    distance = np.interp(root, ROOTS, DISTANCES)
    slope = 2 * root * np.interp(distance, DISTANCES, np.gradient(ROOTS, DISTANCES))
    return float(slope * np.sqrt((1 + distance**2 / 8) / n_targets))


def _shuffled(pair):
    """Trials pair by pair, drawn; they have an order of their own, so that files change nothing."""
    return np.lexsort([np.random.default_rng(0).permutation(len(pair)), pair])


def _evidence(trials, recordings, n_bins):
    chosen = judged(trials)
    if not trials.scores.any():
        raise NotMeasured("equal_scores")
    forms = {name: scores[chosen] for name, scores in forms_of(trials, chosen).items()}
    columns, candidates = learner.design(forms, n_bins)
    unknown, columns = np.isnan(columns), np.nan_to_num(columns)
    trials = trials.only(chosen)
    target = trials.target
    numbers, persons = np.unique(trials[:2], return_inverse=True)
    enrolled, tried = persons.reshape(2, -1)
    n_persons = len(numbers)
    pairs, first, pair, sizes = np.unique(enrolled * n_persons + tried, True, True, True)
    # Persons are guessed by no more trials of a pair than there are targets of who is tried: means
    # of fewer trials lie further out.
    most = np.minimum(sizes, np.bincount(tried[target])[pairs % n_persons])
    shares = np.zeros(len(pair))
    shares[_shuffled(pair)] = np.arange(len(pair)) - first[pair] < most[pair]
    shares *= (sizes / most)[pair]
    known = ~unknown.any(axis=1)
    bound = np.log(2 * n_persons)  # as certain as so many persons allow
    # Where there are more trials, a draw of them that does not depend on the file. What is unknown
    # is not learnt, as it would tell how the list was made.
    fitted = np.concatenate(
        [
            np.random.default_rng(0).permutation(np.flatnonzero(label & known))[:MOST_FITTED]
            for label in (target, ~target)
        ]
    )

    def learn_and_judge(fitted, rows):
        """Pairs of some rows (Q,), and means of gains and LLRs in them (Q, 2 K)."""
        label = target[fitted].astype(int)
        weights = 1 / sizes[pair[fitted]]
        sums = np.bincount(label, weights, 2)
        slopes = np.zeros((columns.shape[1], len(candidates)))
        if sums.all():
            weights *= len(np.unique(enrolled[fitted][label > 0])) / sums[label]
            slopes = learner.fit(columns[fitted], label, weights, candidates)
        llrs = np.clip(columns[rows] @ slopes, -bound, bound)
        llrs[unknown[rows] @ (slopes != 0)] = 0
        gains = PERCENT * gain(np.where(target[rows, None], llrs, -llrs))
        return group_means(pair[rows], np.hstack([gains, llrs * shares[rows, None]]))

    in_sample = learn_and_judge(fitted, np.arange(len(target)))[1][:, : len(candidates)]
    n_groups = min(n_persons, MOST_GROUPS if n_persons <= FEW_PERSONS else N_GROUPS)
    blocks = {}
    for block in combinations(range(n_groups), 2):
        one, other = (np.isin(side % n_groups, block) for side in (enrolled, tried))
        blocks[block] = learn_and_judge(fitted[~(one | other)[fitted]], np.flatnonzero(one & other))
    judged_pairs, chosen = _chosen(blocks, target[first])
    most_centred = np.nan_to_num([*forms.values()][-1]) * shares[:, None]
    return Evidence(
        persons=tuple(trials.persons[number] for number in numbers),
        pairs=pairs,
        held_out=judged_pairs[:, 0],
        in_sample=in_sample,
        llrs=judged_pairs[:, 1],
        centred=np.abs(group_means(pair, most_centred)[1]),
        candidates=candidates,
        n_targets=int(target.sum()),
        chosen=chosen,
        recordings=int(recordings),
    )


def _chosen(blocks, target):
    """Held-out values and LLRs of pairs, (P, 2), and how many blocks use each candidate (K,)."""
    totals = {}
    for block, (pairs, means) in blocks.items():
        classes = np.stack([target[pairs], ~target[pairs]])
        totals[block] = classes @ counted(np.hsplit(means, 2)[0])
    sums = np.zeros((len(target), 3))
    chosen = np.zeros(means.shape[1] // 2, int)
    for block, (pairs, means) in blocks.items():
        apart = sum(totals[each] for each in blocks if not {*each} & {*block})
        best = means_of(apart).sum(axis=0).argmax()
        chosen[best] += 1
        sums[pairs] += counted(means[:, best :: len(chosen)])
    return means_of(sums), chosen
