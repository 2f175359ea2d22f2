"""Which of two anonymisers protects better on the same trials, and can they be told apart at all?

Conventions
-----------
* Replicates (B,) of two systems belong together: replicate b drew the same speakers for both (see bootstrap).
* A speaker's draws depend on his name only, so replicate b of several lists is one draw of all their speakers: a mean
  of replicates over lists is a replicate of the mean, whether lists share speakers or not. Lists without a speaker in
  common are independent in it; what is fitted to the speakers (see jackknife) is linear in the same draws.
* A difference is that of A minus that of B; a p-value is two-sided. What biases a metric biases both alike and cancels,
  so intervals of differences are percentiles for all metrics.

References
----------
Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979.
"""

import itertools
import math
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

from voiceprivacy.catalogue import MORE_IS_BETTER
from voiceprivacy.inout.arrays import read_npz
from voiceprivacy.inout.files import BadInput, read_json
from voiceprivacy.privacy.uncertainty.bootstrap import CORRECTIONS, NONE, interval, p_value
from voiceprivacy.vocabulary import UNDEFINED

ALIKE = "cannot be told apart"
INTERVALS, REPLICATES = ".intervals.json", ".bootstrap.npz"
UNKNOWN = dict.fromkeys(("difference", "ci_low", "ci_high", "share_a_better"), UNDEFINED)
UNTESTED = {"p_value": 1.0, "verdict": ALIKE}


class Pair(NamedTuple):
    """Comparison of two systems by one metric.

    ``share_a_better`` is the share of replicates in which A beats B (ties count half); ``p_holm`` is corrected for all
    pairs of anonymisers that were compared by this metric under this condition; ``verdict`` follows the interval.
    """

    condition: str
    metric: str
    anonymiser_a: str
    anonymiser_b: str
    value_a: float
    value_b: float
    difference: float
    ci_low: float
    ci_high: float
    share_a_better: float
    p_value: float
    p_holm: float
    verdict: str


class SystemInterval(NamedTuple):
    """The mean of one system over the lists, with its interval."""

    condition: str
    metric: str
    anonymiser: str
    value: float
    ci_low: float
    ci_high: float


def parse_weights(texts):
    """Weights of lists {(corpus, trials): weight} from texts such as ``libri/f=0.25``.

    Raises
    ------
    BadInput : another text, a weight that is not a positive number, a list twice
    """
    weights = {}
    for text in texts:
        found = re.fullmatch(r"([^/=]+)/([^/=]+)=([0-9.eE+-]+)", text)
        try:
            weight = float(found[3]) if found else 0
        except ValueError:
            weight = 0
        if not 0 < weight < math.inf or found.group(1, 2) in weights:
            raise BadInput(
                f"--weights {text}: expected CORPUS/TRIALS=WEIGHT with a weight above 0, each list once"
            )
        weights[found.group(1, 2)] = weight
    return weights


def read_systems(paths, *, folder, weights=None):
    """Read the numbers of systems under one attacker, each the mean over the lists that are given.

    Parameters
    ----------
    paths : intervals.json files below ``folder`` (FAMILY/CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND), with the
        bootstrap.npz of the same name beside each
    weights : {(corpus, trials): weight}; without them lists weigh the same

    Returns
    -------
    {(condition, metric): {anonymiser: (value, replicates (B,), number of speakers)}} : oo of the original only; a
        system has the metrics that it has on all lists

    Raises
    ------
    BadInput : a file in another place, systems on other lists or with other numbers of replicates, lists without weight
    """
    found, tried = {}, {}
    for path in map(Path, paths):
        family, place, (anonymiser, _, _) = parts_of(path, folder)
        tried.setdefault(family, {}).setdefault(anonymiser, set()).add(place)
        replicates = read_npz(replicates_of(path), [])
        for condition, intervals in read_json(path).items():
            for name, of in intervals.items():
                drawn = (
                    f"{condition}/{name}" in replicates
                )  # not the headline of ranks, which is one of two others
                if drawn and (condition != "oo" or anonymiser == "original"):
                    systems = found.setdefault((condition, name), {}).setdefault(anonymiser, {})
                    systems[place] = (
                        of["value"],
                        replicates[f"{condition}/{name}"],
                        of["n_speakers"],
                    )
    lists = _lists(tried, weights, folder)
    _require_as_many_replicates(found, folder)
    complete = {
        key: {
            who: average([of[place] for place in lists], list(lists.values()))
            for who, of in systems.items()
            if of.keys() == lists.keys()
        }
        for key, systems in found.items()
    }
    return {key: systems for key, systems in complete.items() if systems}


def compare_all(found):
    """Compare all pairs of systems under every condition by every metric of which more or less is better.

    Parameters
    ----------
    found : {(condition, metric): systems}, as read_systems returns it

    Returns
    -------
    list of Pair, list of SystemInterval
    """
    pairs, systems = [], []
    for (condition, metric), of in sorted(found.items()):
        for anonymiser, (value, replicates, n_speakers) in of.items():
            limits = interval(
                value, replicates, n_speakers=n_speakers, correction=CORRECTIONS.get(metric, NONE)
            )
            systems.append(
                SystemInterval(condition, metric, anonymiser, value, limits.ci_low, limits.ci_high)
            )
        if metric in MORE_IS_BETTER:
            pairs += compare(of, condition=condition, metric=metric)
    return pairs, systems


def compare(systems, *, condition, metric):
    """Compare all pairs of systems under one condition by one metric.

    Parameters
    ----------
    systems : {anonymiser: (value, replicates (B,), number of speakers)}
    condition, metric : str

    Returns
    -------
    list of Pair, in the order of the systems
    """
    pairs = [
        Pair(condition, metric, *names, **difference(metric, *map(systems.get, names)), p_holm=1.0)
        for names in itertools.combinations(systems, 2)
    ]
    return [
        pair._replace(p_holm=p)
        for pair, p in zip(pairs, holm([pair.p_value for pair in pairs]), strict=True)
    ]


def describe(pair):
    """A comparison in one line."""
    limits = (
        ""
        if pair.ci_low == UNDEFINED
        else f" {pair.difference:.3g} [{pair.ci_low:.3g}, {pair.ci_high:.3g}]:"
    )
    return f"{pair.condition} {pair.metric}: A = {pair.anonymiser_a}, B = {pair.anonymiser_b}:{limits} {pair.verdict}"


def holm(p_values):
    """Holm's correction of p-values (m,) for having been looked at together."""
    corrected, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(np.argsort(p_values, kind="stable")):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = float(highest)
    return corrected


def average(systems, weights=None):
    """Mean over lists of [(value, replicates (B,), number of speakers), ...], with the fewest speakers of any list.

    ``weights`` (one for each list) need not add up to 1; without them lists weigh the same.
    """
    values, replicates, n_speakers = zip(*systems, strict=True)
    if any(isinstance(value, str) for value in values):
        return UNDEFINED, np.full(len(replicates[0]), np.nan), min(n_speakers)
    with np.errstate(invalid="ignore"):  # inf - inf
        value, of_draws = (np.average(of, axis=0, weights=weights) for of in (values, replicates))
    return UNDEFINED if np.isnan(value) else float(value), of_draws, min(n_speakers)


def difference(metric, a, b):
    """A - B of two systems (value, replicates (B,), number of speakers): {field of Pair from value_a on}, no p_holm."""
    (value_a, of_a, speakers_a), (value_b, of_b, speakers_b) = a, b
    values = {"value_a": value_a, "value_b": value_b}
    if (
        isinstance(value_a, str)
        or isinstance(value_b, str)
        or math.isinf(value_a)
        or math.isinf(value_b)
    ):
        return values | UNKNOWN | UNTESTED
    with np.errstate(invalid="ignore"):  # inf - inf: undefined, left out
        differences = of_a - of_b
    differences = differences[~np.isnan(differences)]
    n_speakers = min(speakers_a, speakers_b)
    found = interval(value_a - value_b, differences, n_speakers=n_speakers)
    if found.ci_low == UNDEFINED:
        return values | UNKNOWN | {"difference": found.value} | UNTESTED
    lower = (np.count_nonzero(differences < 0) + np.count_nonzero(differences == 0) / 2) / len(
        differences
    )
    return {
        **values,
        "difference": found.value,
        "ci_low": found.ci_low,
        "ci_high": found.ci_high,
        "share_a_better": 1 - lower if MORE_IS_BETTER[metric] else lower,
        "p_value": p_value(found.value, differences, n_speakers=n_speakers),
        "verdict": _verdict(found, MORE_IS_BETTER[metric]),
    }


def parts_of(path, folder):
    """Family, (corpus, trial list) and (anonymiser, extractor, backend) of a file of intervals below ``folder``.

    Raises
    ------
    BadInput : a file in another place
    """
    try:
        family, corpus, trials, anonymiser, extractor, file = path.relative_to(folder).parts
    except ValueError:
        raise BadInput(
            f"{path}: expected FAMILY/CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND{INTERVALS} below {folder}"
        ) from None
    return family, (corpus, trials), (anonymiser, extractor, file.removesuffix(INTERVALS))


def replicates_of(path):
    """The file of replicates beside a file of intervals."""
    return path.with_name(path.name.replace(INTERVALS, REPLICATES))


def _lists(tried, weights, folder):
    """{(corpus, trials): weight} of {family: {anonymiser: places}}, in which systems must not differ."""
    for family, of in tried.items():
        if len({frozenset(places) for places in of.values()}) > 1:
            raise BadInput(f"{folder}: {family}: systems differ in their lists")
    lists = {place for of in tried.values() for places in of.values() for place in places}
    if weights and weights.keys() != lists:
        names = sorted("/".join(place) for place in weights.keys() ^ lists)
        raise BadInput(
            f"{folder}: with a weight but no intervals, or without weight: {', '.join(names)}"
        )
    return weights or dict.fromkeys(sorted(lists), 1)


def _require_as_many_replicates(found, folder):
    for (condition, name), systems in found.items():
        if (
            len({replicates.shape for of in systems.values() for _, replicates, _ in of.values()})
            > 1
        ):
            raise BadInput(
                f"{folder}: {name} under {condition}: systems differ in their numbers of replicates"
            )


def _verdict(found, more_is_better):
    if found.ci_low <= 0 <= found.ci_high:
        return ALIKE
    return "A is better" if (found.ci_low > 0) == more_is_better else "B is better"
