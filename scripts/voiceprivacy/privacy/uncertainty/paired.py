"""Which of two anonymisers has the better numbers on the same trials, or can none be told apart?

Under one attacker (``read_systems``, ``compare_all``), or each under the strongest attack on it and
with unprotected speech, too (``read_attacks``, ``compare_strongest``).

Conventions
-----------
* Replicates (B,) of two systems belong together: replicate b drew the same speakers for both,
  under different attackers, too (see bootstrap).
* A speaker's draws depend on the name only, so replicate b of several lists is one draw of all
  their speakers. A mean of replicates over lists is a replicate of the mean, whether lists share
  speakers or not. Lists without a speaker in common are independent in it. What is fitted to the
  speakers (see bootstrap.linear_replicates) is linear in the same draws.
* A difference is that of A minus that of B; a p-value is two-sided. What biases a metric biases
  both alike and cancels, so intervals of differences are percentiles for all metrics.
* An attacker who errs more than half of the time turns round, as on the page: equal error rates
  above 50 % are compared as 100 % less them. Which way is not chosen anew in a replicate.
* An attack is one attacker (extractor and back-end) under one condition on one anonymiser, or on
  unprotected speech. The strongest has the lowest equal error rate; of equal ones it is the first
  by extractor, back-end and condition. Replicates do not choose it anew: an interval is that of the
  attack that was chosen.
* Who differs from unprotected speech is another question than who differs from another anonymiser.
  So p-values of the pairs with unprotected speech are corrected together, and those of the pairs of
  anonymisers together.
"""

import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from voiceprivacy.catalogue import MORE_IS_BETTER
from voiceprivacy.errors import BadInput
from voiceprivacy.privacy.rows import Pair, StrongestPair, SystemInterval, UtilityPair
from voiceprivacy.privacy.uncertainty.bootstrap import NONE, Interval, finite, interval, p_value
from voiceprivacy.privacy.uncertainty.corrections import CORRECTIONS
from voiceprivacy.privacy.uncertainty.interval_files import (
    Estimate,
    Key,
    parts_of,
    read_estimates,
)
from voiceprivacy.privacy.uncertainty.multiple import holm
from voiceprivacy.vocabulary import ALIKE, ORIGINAL, PROTECTED_CONDITIONS, UNDEFINED, TrialList

Row = TypeVar("Row", Pair, UtilityPair, StrongestPair)
METRIC = "eer_percent"  # by which attacks are strong
UNKNOWN = {"difference": UNDEFINED, "ci_low": None, "ci_high": None, "share_a_better": UNDEFINED}
UNTESTED = {"p_value": 1.0, "verdict": ALIKE}


class Attack(NamedTuple):
    """Who is attacked by whom, and how."""

    anonymiser: str
    extractor: str
    backend: str
    condition: str


Weights = Mapping[tuple[str, str], float]  # {TrialList: weight}
Systems = dict[str, Estimate]  # {anonymiser: its mean over the lists}


def parse_weights(texts: Iterable[str]) -> dict[tuple[str, str], float]:
    """Weights of lists {TrialList: weight} from texts such as ``libri/f=0.25``.

    Raises
    ------
    BadInput : another text, a weight that is not a positive number, a list twice
    """
    weights: dict[tuple[str, str], float] = {}
    for text in texts:
        match = re.fullmatch(r"([^/=]+)/([^/=]+)=([0-9.eE+-]+)", text)
        try:
            weight = float(match[3]) if match else 0.0
        except ValueError:
            weight = 0.0
        trial_list = TrialList(match[1], match[2]) if match else None
        if trial_list is None or not 0 < weight < math.inf or trial_list in weights:
            raise BadInput(
                f"--weights {text}: expected CORPUS/TRIALS=WEIGHT with a weight above 0,"
                " each list once"
            )
        weights[trial_list] = weight
    return weights


def read_systems(
    paths: Iterable[Path], *, folder: Path, weights: Weights | None = None
) -> dict[Key, Systems]:
    """Read the numbers of systems under one attacker, each the mean over the lists that are given.

    Parameters
    ----------
    paths : intervals.json files
        Below ``folder`` (FAMILY/CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND), with the bootstrap.npz
        of the same name beside each.
    folder : path
    weights : {(corpus, trials): weight}
        Without them lists weigh the same.

    Returns
    -------
    {Key: {anonymiser: Estimate}}
        oo of the original only. A system has the metrics that it has on all lists.

    Raises
    ------
    BadInput : a file in another place, systems on other lists or with other numbers of replicates,
    lists
        without weight
    """
    estimates: dict[Key, dict[str, dict[TrialList, Estimate]]] = {}
    tried: dict[str, dict[str, set[TrialList]]] = {}
    for path in map(Path, paths):
        family, trial_list, system = parts_of(path, folder)
        tried.setdefault(family, {}).setdefault(system.anonymiser, set()).add(trial_list)
        for key, estimate in read_estimates(path).items():
            if key.condition != "oo" or system.anonymiser == ORIGINAL:
                on_lists = estimates.setdefault(key, {}).setdefault(system.anonymiser, {})
                on_lists[trial_list] = estimate
    weights = _weights(tried, weights, folder)
    _require_as_many_replicates(estimates, folder)
    # A mean over fewer lists would be another number: such metrics are left out.
    complete = {}
    for key, systems in estimates.items():
        means = {
            anonymiser: average_over(on_lists, weights)
            for anonymiser, on_lists in systems.items()
            if on_lists.keys() == weights.keys()
        }
        if means:
            complete[key] = means
    return complete


def read_attacks(
    paths: Iterable[Path], *, folder: Path, weights: Weights | None = None
) -> dict[Attack, Estimate]:
    """Read the equal error rates of all attacks, each the mean over the lists that are given.

    Parameters
    ----------
    paths, folder, weights : as in read_systems, of several attackers

    Returns
    -------
    {Attack: Estimate} : attacks with an EER on all lists

    Raises
    ------
    BadInput : a file in another place, attacks with other numbers of replicates, a weight of a list
        without attack
    """
    estimates: dict[Attack, dict[TrialList, Estimate]] = {}
    lists, shapes = set(), set()  # shapes of replicates
    for path in map(Path, paths):
        _, trial_list, system = parts_of(path, folder)
        conditions = ("oo",) if system.anonymiser == ORIGINAL else PROTECTED_CONDITIONS
        for (condition, _), rate in read_estimates(path, metric=METRIC).items():
            if condition in conditions:
                estimates.setdefault(Attack(*system, condition), {})[trial_list] = rate
                lists.add(trial_list)
                shapes.add(rate.replicates.shape)
    if len(shapes) > 1:
        raise BadInput(f"{folder}: attacks differ in their numbers of replicates")
    weights = weights or dict.fromkeys(sorted(lists), 1)
    unknown = sorted("/".join(trial_list) for trial_list in weights.keys() - lists)
    if unknown:
        raise BadInput(f"{folder}: with a weight but no intervals: {', '.join(unknown)}")
    return {
        attack: average_over(on_lists, weights)
        for attack, on_lists in estimates.items()
        if on_lists.keys() == weights.keys()
    }


def compare_all(
    numbers: Mapping[Key, Systems],
) -> tuple[list[Pair], list[SystemInterval]]:
    """Compare all pairs of systems under every condition by every metric that has a direction.

    ``numbers`` are those of ``read_systems``. A metric has a direction if more or less of it is
    better.
    """
    pairs: list[Pair] = []
    systems: list[SystemInterval] = []
    for (condition, metric), estimates in sorted(numbers.items()):
        correction = CORRECTIONS.get(metric, NONE)
        for anonymiser, (value, replicates, n_speakers) in estimates.items():
            limits = interval(value, replicates, n_speakers=n_speakers, correction=correction)
            systems.append(
                SystemInterval(condition, metric, anonymiser, value, limits.ci_low, limits.ci_high)
            )
        if metric in MORE_IS_BETTER:  # who is better is not known of the others
            pairs += compare(estimates, condition=condition, metric=metric)
    return pairs, systems


def compare(systems: Mapping[str, Estimate], *, condition: str, metric: str) -> list[Pair]:
    """Compare all pairs of systems under one condition by one metric, in the order of the
    systems."""
    if metric == METRIC:
        systems = {name: turned_round(rate) for name, rate in systems.items()}
    protected = [system for system in systems if system != ORIGINAL]  # under rr it is there, too
    pairs = itertools.combinations(protected, 2)
    return _compared(partial(Pair, condition, metric), systems, pairs, MORE_IS_BETTER[metric])


def compare_utility(
    systems: Mapping[str, Estimate], *, trials: str, metric: str, more_is_better: bool | None
) -> list[UtilityPair]:
    """Compare every anonymiser with unprotected speech, then every two, by a measure of utility.

    The one and the others are corrected apart, as for the strongest attacks.
    """
    protected = [system for system in systems if system != ORIGINAL]
    families = [list(itertools.combinations(protected, 2))]
    if ORIGINAL in systems:
        families.insert(0, [(system, ORIGINAL) for system in protected])
    row = partial(UtilityPair, trials, metric)
    compared = [_compared(row, systems, pairs, more_is_better) for pairs in families]
    return list(itertools.chain.from_iterable(compared))


def strongest_attacks(attacks: Mapping[Attack, Estimate]) -> dict[str, Attack]:
    """The strongest attack on each anonymiser: {anonymiser: Attack}."""
    rates = {attack: rate for attack, (rate, _, _) in attacks.items()}
    strongest: dict[str, Attack] = {}
    for attack in sorted(attacks):
        best = strongest.setdefault(attack.anonymiser, attack)
        if rates[attack] < rates[best]:  # type: ignore[operator]  # an EER is never undefined
            strongest[attack.anonymiser] = attack
    return strongest


def compare_strongest(attacks: Mapping[Attack, Estimate]) -> list[StrongestPair]:
    """Compare every anonymiser with unprotected speech, then every two, under the strongest
    attacks.

    ``attacks`` are those of ``read_attacks``.
    """
    attacks = {attack: turned_round(rate) for attack, rate in attacks.items()}
    strongest = strongest_attacks(attacks)
    original = strongest.pop(ORIGINAL, None)
    protected = list(strongest.values())
    with_original = [(attack, original) for attack in protected] if original else []
    with_each_other = list(itertools.combinations(protected, 2))
    return [
        *_compared(_strongest_pair, attacks, with_original, MORE_IS_BETTER[METRIC]),
        *_compared(_strongest_pair, attacks, with_each_other, MORE_IS_BETTER[METRIC]),
    ]


def describe(pair: Pair | StrongestPair) -> str:
    """A comparison in one line."""
    # Either system of a StrongestPair has a condition of its own.
    number = f"{pair.condition} {pair.metric}" if isinstance(pair, Pair) else pair.metric
    limits = ""
    if pair.ci_low is not None:
        limits = f" {pair.difference:.3g} [{pair.ci_low:.3g}, {pair.ci_high:.3g}]:"
    return f"{number}: A = {pair.anonymiser_a}, B = {pair.anonymiser_b}:{limits} {pair.verdict}"


def average(systems: Iterable[Estimate], weights: Sequence[float] | None = None) -> Estimate:
    """Mean over lists, with the fewest speakers of any list.

    Parameters
    ----------
    systems : Estimate of each list
    weights : number of each list
        They need not add up to 1; without them lists weigh the same.
    """
    values, replicates, n_speakers = zip(*systems, strict=True)
    fewest = min(n_speakers)
    if any(isinstance(value, str) for value in values):
        return Estimate(UNDEFINED, np.full(len(replicates[0]), np.nan), fewest)
    with np.errstate(invalid="ignore"):  # inf - inf
        mean = np.average(values, weights=weights)
        mean_replicates = np.average(replicates, axis=0, weights=weights)
    return Estimate(UNDEFINED if np.isnan(mean) else float(mean), mean_replicates, fewest)


def average_over(on_lists: Mapping[Any, Estimate], weights: Weights) -> Estimate:
    """Mean of {TrialList: Estimate} over the lists that have a weight."""
    return average([on_lists[trial_list] for trial_list in weights], list(weights.values()))


def turned_round(rate: Estimate) -> Estimate:
    """An equal error rate of 50 % or less: that of an attacker who may reverse all decisions."""
    value, replicates, n_speakers = rate
    if value <= 50:  # type: ignore[operator]  # an EER is never undefined
        return rate
    return Estimate(100 - value, 100 - replicates, n_speakers)  # type: ignore[operator]


def difference(a: Estimate, b: Estimate, *, more_is_better: bool | None) -> dict[str, Any]:
    """A - B of two systems: {field of Pair from value_a on, without p_holm}.

    ``more_is_better`` is None where nobody knows.
    """
    (value_a, replicates_a, speakers_a), (value_b, replicates_b, speakers_b) = a, b
    values = {"value_a": value_a, "value_b": value_b}
    value = finite(value_a) - finite(value_b)
    if math.isnan(value):
        return values | UNKNOWN | UNTESTED
    with np.errstate(invalid="ignore"):  # inf - inf: undefined, left out
        differences = replicates_a - replicates_b
    differences = differences[~np.isnan(differences)]
    n_speakers = min(speakers_a, speakers_b)
    limits = interval(value, differences, n_speakers=n_speakers)
    # Too few speakers: the difference is told, nothing is said of it.
    if limits.ci_low is None:
        return values | UNKNOWN | {"difference": limits.value} | UNTESTED
    return {
        **values,
        "difference": limits.value,
        "ci_low": limits.ci_low,
        "ci_high": limits.ci_high,
        "share_a_better": _share_better(differences, more_is_better),
        "p_value": p_value(value, differences, n_speakers=n_speakers),
        "verdict": _verdict(limits, more_is_better),
    }


def _weights(
    tried: Mapping[str, Mapping[str, set[TrialList]]], weights: Weights | None, folder: Path
) -> Weights:
    """Weights of the lists of {family: {anonymiser: lists}}, in which systems must not differ."""
    lists: set[tuple[str, str]] = set()
    for family, systems in tried.items():
        if len({frozenset(own) for own in systems.values()}) > 1:
            raise BadInput(f"{folder}: {family}: systems differ in their lists")
        lists = lists.union(*systems.values())
    if weights and weights.keys() != lists:
        names = sorted("/".join(trial_list) for trial_list in weights.keys() ^ lists)
        raise BadInput(
            f"{folder}: with a weight but no intervals, or without weight: {', '.join(names)}"
        )
    return weights or dict.fromkeys(sorted(lists), 1)


def _require_as_many_replicates(
    numbers: Mapping[Key, Mapping[str, Mapping[TrialList, Estimate]]], folder: Path
) -> None:
    for (condition, metric), systems in numbers.items():
        shapes = set()
        for on_lists in systems.values():
            shapes |= {estimate.replicates.shape for estimate in on_lists.values()}
        if len(shapes) > 1:
            raise BadInput(
                f"{folder}: {metric} under {condition}:"
                " systems differ in their numbers of replicates"
            )


def _compared(
    row: Callable[..., Row],
    estimates: Mapping[Any, Estimate],
    pairs: Iterable[tuple[Any, Any]],
    more_is_better: bool | None,
) -> list[Row]:
    """Rows of pairs that are corrected together."""
    pairs = list(pairs)
    compared = [
        difference(estimates[a], estimates[b], more_is_better=more_is_better) for a, b in pairs
    ]
    corrected = holm([numbers["p_value"] for numbers in compared]).tolist()
    return [
        row(a, b, **numbers, p_holm=p)
        for (a, b), numbers, p in zip(pairs, compared, corrected, strict=True)
    ]


def _strongest_pair(a: Attack, b: Attack, **numbers: Any) -> StrongestPair:
    return StrongestPair(METRIC, *a, *b, **numbers)


def _share_better(differences, more_is_better):
    """Share of differences (B,) in which A is better; ties count half."""
    if more_is_better is None:
        return UNDEFINED
    n_lower = np.count_nonzero(differences < 0) + np.count_nonzero(differences == 0) / 2
    lower = n_lower / len(differences)
    return 1 - lower if more_is_better else lower


def _verdict(limits: Interval, more_is_better: bool | None) -> str:
    low, high = limits.ci_low, limits.ci_high
    assert low is not None and high is not None
    if low <= 0 <= high:
        return ALIKE
    if more_is_better is None:
        return "A is higher" if low > 0 else "B is higher"
    return "A is better" if (low > 0) == more_is_better else "B is better"
