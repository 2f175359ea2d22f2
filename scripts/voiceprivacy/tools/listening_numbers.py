"""What the answers of a listening test say: utility, or an attack by listeners, with intervals.

Conventions
-----------
* The error of a listener is the mean of two shares: of one person who was taken for two (missed),
  and of two who were taken for one (false alarm). It is 50 % for whoever guesses, whatever he says
  more often.
* All listeners together attack as one: the score of a pair is the mean over listeners of how far
  his rating lies above his own mean.
* Intervals draw speakers anew, with the same draws as those of privacy, and listeners too. Answers
  of one listener resemble each other, and so do those about one speaker. The chance of single
  answers is in either draw. So of the variance over listeners only what exceeds that of drawing
  single answers is added.

References
----------
Cameron, Gelbach and Miller, Robust inference with multiway clustering, Journal of Business and
Economic Statistics 29(2), 2011 (variances of two kinds of clusters, less that of both).
"""

import itertools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from voiceprivacy.inout import seeds
from voiceprivacy.inout.files import whole_folder_or_absent
from voiceprivacy.inout.tables import Trial, write_scores, write_speakers, write_table
from voiceprivacy.privacy import Floats
from voiceprivacy.privacy.scores import verification
from voiceprivacy.privacy.uncertainty.bootstrap import (
    CORRECTIONS,
    FEWEST_SPEAKERS,
    LEVEL,
    Correction,
    at_least_of_trials,
    interval,
    multiplicities,
)
from voiceprivacy.tools.listening_answers import (
    ONE_PERSON,
    Key,
    Listener,
    read_key,
    read_listeners,
)
from voiceprivacy.tools.listening_test import CONTROL, PAIR, PAIRS, Item
from voiceprivacy.utility.measures import COLUMNS
from voiceprivacy.utility.summary import write_summary
from voiceprivacy.vocabulary import ABSENT, UNDEFINED, UtilityMean

MEASURE = "listeners"  # the name of the table of ratings
# Scores are of a corpus of their own: a verdict on a corpus counts who tried all of its lists.
HEARD, ALL = "_heard", "all"
PERCENT, NOT_HELD = Correction(0, 0, 100), Correction(0, -np.inf, np.inf)
EER = "eer_rocch_percent"
OF_ONE = ("error_percent", "missed_percent", "false_alarm_percent")
ATTACK = ["anonymiser", "condition", "metric", "value", "ci_low", "ci_high"]
ATTACK += ["n_listeners", "n_speakers", "n_pairs"]

Value: TypeAlias = float | str
Limits: TypeAlias = tuple[Value, Value]


class Draws(NamedTuple):
    """How often each listener {code: (B,)} and speaker {name: (B,)} is drawn, and the seed."""

    listeners: dict[str, NDArray]
    speakers: dict[str, NDArray]
    n: int
    seed: int


class Estimate(NamedTuple):
    """A number, its replicates (B,) with listeners, speakers or answers drawn, and its counts."""

    value: float
    of_listeners: Floats
    of_speakers: Floats
    of_answers: Floats
    n_listeners: int
    n_speakers: int
    n_items: int

    def mapped(self, mapping: Callable[..., Any], *others: "Estimate") -> "Estimate":
        """The estimate of a function of numbers: this one, and others on the same draws."""
        numbers = [one[:4] for one in (self, *others)]
        mapped = [mapping(*values) for values in zip(*numbers, strict=True)]
        return self._replace(**dict(zip(self._fields, mapped, strict=False)))

    def at_least_of(self, n_targets: int, n_nontargets: int) -> "Estimate":
        """An error rate in percent, spread as that of so many independent trials at least."""
        spread = at_least_of_trials(
            self.of_speakers, self.value, n_targets=n_targets, n_nontargets=n_nontargets
        )
        return self._replace(of_speakers=spread)

    def limits(self, correction: Correction) -> Limits:
        """The limits of its 95 % interval, ``-`` where there is none.

        That over speakers is moved outwards by what listeners add, as independent errors add up.
        """
        own = interval(
            self.value, self.of_speakers, n_speakers=self.n_speakers, correction=correction
        )
        middle, low, high = own.unbiased, own.ci_low, own.ci_high
        if isinstance(middle, str) or isinstance(low, str) or isinstance(high, str):
            return ABSENT, ABSENT
        if self.n_listeners < FEWEST_SPEAKERS:
            return ABSENT, ABSENT
        variance = max(0.0, _variance(self.of_listeners) - _variance(self.of_answers))
        further = stdtrit(self.n_listeners - 1, (1 + LEVEL) / 2) * np.sqrt(variance)
        lowest = middle - np.hypot(middle - low, further)
        highest = middle + np.hypot(high - middle, further)
        return max(float(lowest), correction.low), min(float(highest), correction.high)


def _variance(replicates):
    """Variance of replicates (B,), of which those that drew nothing are NaN."""
    drawn = replicates[~np.isnan(replicates)]
    return float(drawn.var()) if len(drawn) else 0.0


class Judged:
    """Answers of L listeners about I items of one kind, and how often each is drawn.

    ``ratings`` (L, I) has NaN where a listener did not hear an item. An item is what is heard,
    whatever its codes on several pages: a pair of recordings, or an utterance.
    """

    def __init__(self, items: Sequence[Item], listeners: Sequence[Listener], draws: Draws) -> None:
        answered = set().union(*(listener.ratings for listener in listeners))
        judged = {(item.enrolment, item.trial): item for item in items if item.code in answered}
        self.items = list(judged.values())
        position = {pair: k for k, pair in enumerate(judged)}
        self.ratings = np.full((len(listeners), len(self.items)), np.nan)
        self.of_answers = np.ones((draws.n, *self.ratings.shape))
        for row, listener in enumerate(listeners):
            for item in items:
                if item.code in listener.ratings:
                    names = ("answer", listener.code, item.enrolment, item.trial)
                    drawn = seeds.generator(draws.seed, *names).poisson(1.0, draws.n)
                    column = position[item.enrolment, item.trial]
                    self.ratings[row, column] = listener.ratings[item.code]
                    self.of_answers[:, row, column] = drawn
        self.heard = ~np.isnan(self.ratings)
        self.target = np.array([item.label == "target" for item in self.items])
        self.classes = (self.target, ~self.target)
        self.of_listeners = np.stack([draws.listeners[one.code] for one in listeners], axis=1)
        self.of_items = np.stack([_weight(item, draws) for item in self.items], axis=1)

    def mean(self, values: NDArray, items: NDArray | None = None) -> Estimate:
        """Mean of values (L, I) over all answers, or those about some items, a mask (I,)."""
        counted = self.heard if items is None else self.heard & items
        n_answers = int(counted.sum())
        value = float(np.where(counted, values, 0.0).sum() / n_answers)
        # Linear in the draws: no replicate is without answers, however few pairs there are.
        change = np.where(counted, values - value, 0.0) / n_answers
        replicates = [
            value + (self.of_listeners - 1) @ change.sum(axis=1),
            value + (self.of_items - 1) @ change.sum(axis=0),
            value + ((self.of_answers - 1) * change).sum(axis=(1, 2)),
        ]
        return self._estimate(value, replicates, counted.any(axis=0))

    def together(self, centred: Floats) -> Estimate:
        """The equal error rate of the scores that all listeners give together."""
        everyone = np.ones((len(self.ratings), 1))
        once = np.ones(len(self.items), dtype=int)
        value = self._eer(centred, everyone, once)
        replicates = [
            [self._eer(centred, weights[:, None], once) for weights in self.of_listeners],
            [self._eer(centred, everyone, weights) for weights in self.of_items],
            [self._eer(centred, weights, once) for weights in self.of_answers],
        ]
        return self._estimate(value, list(map(np.array, replicates)), self.target)

    def scores(self, values: Floats, weights: NDArray | float = 1.0) -> Floats:
        """Mean of values (L, I) of each item (I,) over the listeners; NaN if nobody is drawn."""
        heard = self.heard * weights
        with np.errstate(invalid="ignore"):
            return np.where(self.heard, values * heard, 0.0).sum(axis=0) / heard.sum(axis=0)

    def _eer(self, centred, of_answers, of_items):
        scores = self.scores(centred, of_answers)
        times = np.where(np.isnan(scores), 0, np.maximum(of_items, 0))
        target = np.repeat(scores[self.target], times[self.target])
        nontarget = np.repeat(scores[~self.target], times[~self.target])
        if not len(target) or not len(nontarget):
            return np.nan
        return verification.eer_rocch_percent(target=target, nontarget=nontarget)

    def _estimate(self, value, replicates, items):
        """An estimate; the speakers of some items, a mask (I,), limit how sure it is."""
        speakers = {item.speaker for item, counts in zip(self.items, items, strict=True) if counts}
        return Estimate(value, *replicates, len(self.ratings), len(speakers), len(self.items))


def _weight(item, draws):
    """What an item weighs in each replicate (B,)."""
    weight = draws.speakers[item.speaker]
    if item.speaker == item.enrolled:
        return weight
    # What either speaker changes, added up. Where everybody is in few pairs, the product of both
    # draws would make the interval twice as wide.
    return weight + draws.speakers[item.enrolled] - 1


class Estimated(NamedTuple):
    """An estimate of a system under a condition, and how its interval is held in a range."""

    anonymiser: str
    condition: str
    metric: str
    estimate: Estimate
    correction: Correction = PERCENT


class Difference(NamedTuple):
    """How much lower or higher a number of one system is than that of another one."""

    condition: str
    anonymiser: str
    other: str
    metric: str
    difference: float
    ci_low: Value
    ci_high: Value


# What is written.


def write_answers(
    *, key: Path, answers: Sequence[Path], bootstrap: int, seed: int, output: Path
) -> list[list[list[str]]]:
    """Read answers, and write a folder of numbers, and of scores or measures.

    Parameters
    ----------
    key, answers : paths
    bootstrap, seed : int
        Replicates of intervals, and the seed of their draws.
    output : path
        Folder to write, whole or not at all.

    Returns
    -------
    list of tables for the terminal
    """
    test = read_key(key)
    everybody = read_listeners(test, answers)
    kept = [listener for listener in everybody if not listener.left_out]
    draws = _draw(test, kept, n=bootstrap, seed=seed)
    with whole_folder_or_absent(output) as folder:
        columns = ["listener", "page", "equipment", "controls", "wrong", "left_out"]
        rows = [
            (
                one.code,
                one.page,
                one.equipment,
                one.controls,
                one.wrong,
                "yes" if one.left_out else "no",
            )
            for one in everybody
        ]
        write_table(folder / "listeners.tsv", columns, rows)
        writing = write_attack if test.kind == PAIRS else write_utility
        estimated = writing(test, kept, draws, folder)
        differences = compared(estimated)
        write_table(folder / "differences.tsv", Difference._fields, differences)
    return [_about_listeners(test, everybody), _about_numbers(estimated), _about_pairs(differences)]


def _draw(key, listeners, *, n, seed):
    """Draw listeners and speakers ``n`` times; speakers as for the intervals of privacy."""
    speakers = {item.speaker for item in key.items.values()}
    speakers |= {item.enrolled for item in key.items.values()}
    codes = {listener.code: f"listener {listener.code}" for listener in listeners}
    of_listeners = multiplicities(codes.values(), n_replicates=n, seed=seed)
    of_speakers = multiplicities(sorted(speakers), n_replicates=n, seed=seed)
    return Draws(
        dict(zip(codes, of_listeners.T, strict=True)),
        dict(zip(sorted(speakers), of_speakers.T, strict=True)),
        n,
        seed,
    )


def _by_cell(key):
    """What is judged, without controls: {(system, condition): items}."""
    cells: dict[tuple[str, str], list[Item]] = {}
    for item in key.items.values():
        if item.role != CONTROL:
            cells.setdefault((item.system, item.condition), []).append(item)
    return cells


def write_attack(
    key: Key, listeners: Sequence[Listener], draws: Draws, folder: Path
) -> list[Estimated]:
    """Write numbers, scores and who speaks, of an attack by listeners."""
    means = []
    for listener in listeners:
        own = [rating for code, rating in listener.ratings.items() if _is_pair(key, code)]
        means.append([np.mean(own)])
    estimated: list[Estimated] = []
    speaker_of: dict[str, str] = {}
    for (system, condition), items in _by_cell(key).items():
        judged = Judged(items, listeners, draws)
        estimated += _of_pairs(judged, np.array(means), system, condition)
        trials = [Trial(item.enrolment, item.trial, item.label) for item in judged.items]
        path = folder / "scores" / f"{key.corpus}{HEARD}" / ALL / system / f"{condition}.tsv"
        write_scores(path, trials, judged.scores(judged.ratings - np.array(means)))
        speaker_of |= {item.trial: item.speaker for item in judged.items}
        speaker_of |= {item.enrolment: item.enrolled for item in judged.items}
    write_speakers(folder / "speakers.tsv", dict(sorted(speaker_of.items())))
    rows = []
    for system, condition, metric, estimate, correction in estimated:
        counts = (estimate.n_listeners, estimate.n_speakers, estimate.n_items)
        limits = estimate.limits(correction)
        rows.append((system, condition, metric, estimate.value, *limits, *counts))
    write_table(folder / "attack.tsv", ATTACK, rows)
    return estimated


def _is_pair(key, code):
    return key.items[code].role == PAIR


def _of_pairs(judged, means, system, condition):
    """The numbers of a cell."""
    says_one = judged.ratings > ONE_PERSON  # NaN is not, and is not counted
    missed = judged.mean(100.0 * ~says_one, judged.target)
    false_alarm = judged.mean(100.0 * says_one, ~judged.target)
    error = missed.mapped(lambda one, other: (one + other) / 2, false_alarm)
    n_one, n_two = (int(judged.heard[:, of_class].sum()) for of_class in judged.classes)
    # Where errors are rare, resampling cannot draw those that happened not to happen.
    spread = (
        error.at_least_of(n_one, n_two),
        missed.at_least_of(n_one // 2, n_one // 2),
        false_alarm.at_least_of(n_two // 2, n_two // 2),
    )
    for metric, estimate in zip(OF_ONE, spread, strict=True):
        yield Estimated(system, condition, metric, estimate)
    n_pairs = [int(of_class.sum()) for of_class in judged.classes]
    together = judged.together(judged.ratings - means).at_least_of(*n_pairs)
    yield Estimated(system, condition, EER, together, CORRECTIONS[EER])


def write_utility(
    key: Key, listeners: Sequence[Listener], draws: Draws, folder: Path
) -> list[Estimated]:
    """Write means of ratings in the shape of a run's utility, and each utterance's ratings."""
    metric = f"{key.kind}_points"
    estimated, numbers = [], []
    for (system, condition), items in _by_cell(key).items():
        judged = Judged(items, listeners, draws)
        estimate = judged.mean(judged.ratings)
        estimated.append(Estimated(system, condition, metric, estimate))
        scores = judged.scores(judged.ratings)
        rated = {item.trial: score for item, score in zip(judged.items, scores, strict=True)}
        rows = [(name, metric, rated.get(name, UNDEFINED)) for name in key.utterances]
        path = folder / "utility" / key.corpus / "trial" / system / f"{MEASURE}.tsv"
        write_table(path, COLUMNS, rows)
        number = UtilityMean(
            key.corpus,
            ABSENT,
            system,
            MEASURE,
            metric,
            estimate.value,
            *estimate.limits(PERCENT),
            n_utterances=len(rows),
            n_undefined=len(rows) - len(rated),
            n_speakers=estimate.n_speakers,
            better="higher",
        )
        numbers.append(number)
    write_summary(folder / "utility.tsv", sorted(numbers))
    return estimated


def compared(estimated: Iterable[Estimated]) -> list[Difference]:
    """Systems in pairs, by the errors of one listener or by ratings, on the same draws.

    Original pairs (oo) stand beside each condition of the systems.
    """
    headline = [one for one in estimated if one.metric not in (EER, *OF_ONE[1:])]
    conditions = {one.condition for one in headline if one.condition != "oo"}
    differences = []
    for condition in sorted(conditions):
        beside = [one for one in headline if one.condition in ("oo", condition)]
        for one, other in itertools.combinations(beside, 2):
            changed = one.estimate.mapped(np.subtract, other.estimate)
            fewer = min(one.estimate.n_speakers, other.estimate.n_speakers)
            changed = changed._replace(n_speakers=fewer)
            names = (condition, one.anonymiser, other.anonymiser, one.metric)
            differences.append(Difference(*names, changed.value, *changed.limits(NOT_HELD)))
    return differences


# Tables for the terminal.


def _about_listeners(key, everybody):
    left_out = [one for one in everybody if one.left_out]
    rows = [["listeners", str(len(everybody))]]
    most = key.rule["most_wrong"]
    rows.append([f"left out, more than {most} controls wrong", str(len(left_out))])
    for one in left_out:
        rows.append([f"  {one.code}", f"{one.wrong} of {one.controls} wrong"])
    return rows


def _about_numbers(estimated):
    rows = [["", "value", "95 % interval"]]
    for system, condition, metric, estimate, correction in estimated:
        name = " ".join([system, *([condition] if condition != ABSENT else []), metric])
        rows.append([name, f"{estimate.value:.1f}", _shown(estimate.limits(correction))])
    return rows


def _about_pairs(differences):
    rows = [["difference", "value", "95 % interval"]]
    for one in differences:
        condition = [one.condition] if one.condition != ABSENT else []
        name = " ".join([one.anonymiser, "-", one.other, *condition, one.metric])
        limits = _shown((one.ci_low, one.ci_high))
        rows.append([name, f"{one.difference:+.1f}", limits])
    return rows


def _shown(limits):
    if ABSENT in limits:
        return ABSENT
    return f"[{limits[0]:.1f}, {limits[1]:.1f}]"
