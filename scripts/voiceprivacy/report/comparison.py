"""All anonymisers beside each other under every attack, and the answer in sentences.

Conventions
-----------
* A system is one anonymiser under one attack of one attacker (extractor and back-end) on one corpus.
* The mean over trial lists has equal weights; where one list is undefined, so is the mean.
* A list without a gallery of speakers (all pairs of utterances) has no ranks for any system; then they are left out.
* The strongest attack on an anonymiser is the one with the lowest mean EER, over all attackers.
"""

import math
from typing import NamedTuple

from voiceprivacy.catalogue import COLUMNS
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.uncertainty import NONE, has_few_errors, metric_limits
from voiceprivacy.report.words import ATTACKS, FOREIGN, INFORMED
from voiceprivacy.vocabulary import GIVEN, ORIGINAL, PROTECTED_CONDITIONS, TRAINED_ON, UNDEFINED

PLACE = ["corpus", "extractor", "backend", "anonymiser", "condition"]
OF_MATRICES = {column.name for column in COLUMNS if column.family == "similarity"}
OF_RANKS = {column.name for column in COLUMNS if column.family == "ranks"}


class System(NamedTuple):
    """One row of the comparison: {list: {metric: value}} and the mean over the lists; tags exist per list only.

    Among the values are ``tag`` (text or None) and ``few_errors``, whether a list has too few for good intervals.
    ``intervals``: {list, or the mean's label: {metric: (low, high), or None}}.
    """

    corpus: str
    extractor: str
    backend: str
    anonymiser: str
    condition: str
    lists: dict
    mean: dict
    intervals: dict

    @property
    def attack(self):
        """Which attack it is, in words."""
        if self.backend == GIVEN:
            return FOREIGN[self.condition]
        return (INFORMED if self.informed else ATTACKS)[self.condition]

    @property
    def informed(self):
        """Whether the attacker was trained on protected speech: his name says so."""
        return any(TRAINED_ON in name for name in (self.extractor, self.backend))

    @property
    def attacker(self):
        """Who attacks, in words."""
        return f"{self.extractor} + {self.backend}"

    @property
    def mean_label(self):
        """What the mean is of."""
        return f"mean of {', '.join(self.lists)}" if len(self.lists) > 1 else next(iter(self.lists))


def compare(metrics, comparisons=NONE):
    """Arrange a list of Number as a list of System by corpus and attacker: `original` first, then the best protection.

    The intervals of means over lists come from ``comparisons``.

    Raises
    ------
    BadInput : a number that belongs into the comparison is missing
    """
    found = {metric[:7]: metric.value for metric in metrics}
    groups = {}
    tried = {(metric.corpus, metric.trials) for metric in metrics if metric.metric == "eer_percent"}
    for metric in metrics:  # sampled galleries have ranks only
        if metric.condition in ATTACKS and (metric.corpus, metric.trials) in tried:
            lists, anonymisers = groups.setdefault(
                (metric.corpus, metric.extractor, metric.backend), (set(), set())
            )
            lists.add(metric.trials)
            anonymisers.add(metric.anonymiser)
    systems = []
    for (corpus, extractor, backend), (lists, anonymisers) in groups.items():
        for anonymiser in anonymisers | {ORIGINAL}:
            for condition in ("oo",) if anonymiser == ORIGINAL else PROTECTED_CONDITIONS:
                place = (corpus, extractor, backend, anonymiser, condition)
                if backend != GIVEN or (*_key(place, min(lists)), "eer_percent") in found:
                    systems.append(_system(found, place, sorted(lists)))
    limits = {metric[:7]: metric_limits(metric) for metric in metrics}
    return _in_order([_with_intervals(system, limits, comparisons) for system in systems])


def strongest_attacks(systems):
    """The strongest attack on each anonymiser of each corpus: {(corpus, anonymiser): System}, in the order given."""
    strongest = {}
    for system in systems:
        key = (system.corpus, system.anonymiser)
        if key not in strongest or system.mean["eer_percent"] < strongest[key].mean["eer_percent"]:
            strongest[key] = system
    return strongest


def write_comparison(path, systems):
    """Write one line per system and list, and one for the mean, in full precision."""
    limits = [f"{column.name}_{limit}" for column in COLUMNS for limit in ("ci_low", "ci_high")]
    columns = [*PLACE, "attack", "trials", *(column.name for column in COLUMNS), "tag", *limits]
    write_table(path, columns, [row for system in systems for row in _rows(system)])


def expanded(system):
    """The values of a system by list: [(list, values)], the mean last where there are several lists."""
    mean = [(system.mean_label, system.mean)] if len(system.lists) > 1 else []
    return [*system.lists.items(), *mean]


def _rows(system):
    for trials, values in expanded(system):
        numbers = [
            "-" if values[column.name] is None else values[column.name] for column in COLUMNS
        ]
        limits = [
            limit
            for column in COLUMNS
            for limit in system.intervals[trials][column.name] or ("-", "-")
        ]
        yield [*system[:5], system.attack, trials, *numbers, values["tag"] or "-", *limits]


def _in_order(systems):
    strongest = strongest_attacks(sorted(systems, key=lambda system: system[:5]))

    def order(system):
        protection = strongest[system.corpus, system.anonymiser].mean["eer_percent"]
        first = system.anonymiser != ORIGINAL
        return (
            system.corpus,
            system.extractor,
            system.backend,
            first,
            -protection,
            system.anonymiser,
            system.condition,
        )

    return sorted(systems, key=order)


def _system(found, place, lists):
    values = {trials: _values(found, place, trials) for trials in lists}
    mean = {column.name: _mean([of[column.name] for of in values.values()]) for column in COLUMNS}
    mean["tag"] = values[lists[0]]["tag"] if len(lists) == 1 else None
    mean["few_errors"] = any(of["few_errors"] for of in values.values())
    return System(*place, lists=values, mean=mean, intervals={})


def _with_intervals(system, limits, comparisons):
    corpus, extractor, backend, anonymiser, condition = system[:5]
    intervals = {}
    if len(system.lists) > 1:
        place = (corpus, extractor, backend, condition)
        intervals[system.mean_label] = {
            column.name: comparisons.limits.get((*place, column.name, anonymiser))
            for column in COLUMNS
        }
    for trials in system.lists:
        place = (corpus, trials, anonymiser, extractor, backend, condition)
        intervals[trials] = {column.name: limits.get((*place, column.name)) for column in COLUMNS}
    return system._replace(intervals=intervals)


def _values(found, place, trials):
    values = {}
    for column in COLUMNS:
        applies = place[-1] in column.conditions and (
            column.name not in OF_RANKS or _is_ranked(found, place, trials)
        )
        applies = applies and not (place[2] == GIVEN and column.name in OF_MATRICES)
        applies = applies and not (
            column.optional and (*_key(place, trials), column.name) not in found
        )
        values[column.name] = _number(found, place, trials, column.name) if applies else None
    values["tag"] = _text(found, place, trials, "tag")
    n_target = _number(found, place, trials, "n_target")
    values["few_errors"] = has_few_errors(values["eer_percent"], n_target)
    return values


def _is_ranked(found, place, trials):
    corpus, extractor, backend = place[:3]
    return any(
        (corpus, trials, ORIGINAL, extractor, backend, "oo", name) in found for name in OF_RANKS
    )


def _number(found, place, trials, metric):
    text = _text(found, place, trials, metric)
    try:
        return text if text == UNDEFINED and metric != "eer_percent" else float(text)
    except ValueError:
        raise BadInput(f"{_where(place, trials, metric)} is '{text}', not a number") from None


def _key(place, trials):
    corpus, extractor, backend, anonymiser, condition = place
    return corpus, trials, anonymiser, extractor, backend, condition


def _text(found, place, trials, metric):
    text = found.get((*_key(place, trials), metric))
    if text is None:
        raise BadInput(
            f"{_where(place, trials, metric)} is missing from the metrics; make its metrics file again"
        )
    return text


def _where(place, trials, metric):
    corpus, extractor, backend, anonymiser, condition = place
    return f"{metric} of {corpus}/{trials}/{anonymiser}/{extractor}/{backend} under {condition}"


def _mean(values):
    if None in values:
        return None
    if UNDEFINED in values or {math.inf, -math.inf} <= set(values):
        return UNDEFINED
    return math.fsum(values) / len(values) if all(map(math.isfinite, values)) else sum(values)
