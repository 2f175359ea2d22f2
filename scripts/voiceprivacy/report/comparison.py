"""All anonymisers beside each other under every attack.

Conventions
-----------
* A system is one anonymiser under one attack of one attacker (extractor and back-end) on one
  corpus.
* The mean over trial lists has equal weights; where one list is undefined, so is the mean.
* A list without a gallery of speakers (all pairs of utterances) has no ranks for any system; then
  they are left out.
* The strongest attack on an anonymiser is the one with the lowest mean EER, over all attackers. Who
  errs more than half of the time turns round: EERs are folded at 50 % for that.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from voiceprivacy.catalogue import COLUMNS
from voiceprivacy.catalogue.metric import Metric
from voiceprivacy.catalogue.shown import BY_DEFINITION, Shown, shown
from voiceprivacy.inout.files import BadInput, FilePath
from voiceprivacy.inout.rows import Limits
from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.typeset import latex, tabulars, write_text
from voiceprivacy.report.uncertainty import (
    NONE,
    SHORT_EXPLAINED,
    Comparisons,
    MeanKey,
    has_few_errors,
    marked_interval,
    metric_limits,
)
from voiceprivacy.vocabulary import (
    ABSENT,
    DAGGER,
    FUSED,
    GIVEN,
    ORIGINAL,
    PROTECTED_CONDITIONS,
    TRAINED_ON,
    UNDEFINED,
    NumberKey,
    attacker_name,
)

OF_MATRICES = {column.name for column in COLUMNS if column.family == "similarity"}
OF_RANKS = {column.name for column in COLUMNS if column.family == "ranks"}

ATTACKS = {
    "oo": "no protection",
    "op": "ignorant",
    "pp": "lazy-informed",
}
INFORMED = {
    "oo": "no protection",
    "op": "informed, OP",
    "pp": "semi-informed",
}
FOREIGN = {
    "oo": "no protection",
    "op": "given, OP",
    "pp": "given, PP",
}
EXPLAINED = {  # attacks in words, and what they are
    ATTACKS["oo"]: "Original enrolment against original trial (OO): how well the attacker does when"
    " nothing is protected.",
    ATTACKS["op"]: "Original enrolment against protected trial (OP): the attacker does not know"
    " that the speech is protected.",
    ATTACKS["pp"]: "Protected enrolment against protected trial (PP): attackers anonymise their"
    " own enrolment with the same anonymiser, but were trained on original speech.",
    INFORMED["op"]: "Original enrolment against protected trial (OP) by an attacker trained on"
    " speech protected by this anonymiser.",
    INFORMED["pp"]: "Protected enrolment against protected trial (PP) by an attacker trained"
    " on speech protected by this anonymiser, drawn per utterance: the attack by which the"
    " challenges rank.",
    FOREIGN["op"]: "Original enrolment against protected trial (OP), with scores that others made.",
    FOREIGN["pp"]: "Protected enrolment against protected trial (PP), with scores that others"
    " made.",
}

Lines = Mapping[NumberKey, Number]
Values = Mapping[str, Any]  # {metric: number, undefined, or None where it does not exist}


class SystemKey(NamedTuple):
    """Which anonymiser is attacked, by whom, on which corpus and how."""

    corpus: str
    extractor: str
    backend: str
    anonymiser: str
    condition: str

    def number(self, trials: str, metric: str) -> NumberKey:
        """The key of one of its numbers."""
        attacked = (self.corpus, trials, self.anonymiser, self.extractor, self.backend)
        return NumberKey(*attacked, self.condition, metric)

    def mean(self, metric: str) -> MeanKey:
        """The key of the interval of one of its means over lists."""
        attacker = (self.corpus, self.extractor, self.backend)
        return MeanKey(*attacker, self.condition, metric, self.anonymiser)


class System(NamedTuple):
    """One row of the comparison.

    Attributes
    ----------
    lists : {list: {metric: value}}; among the values are ``tag`` (text or None) and ``few_errors``,
        whether a list has too few for good intervals
    mean : the same of the mean over the lists, where the tag is that of a single list
    intervals : {list, or the mean's label: {metric: (low, high), or None}}
    unbiased : the same of values without their bias; those that are not known are left out
    draws : of a release that several draws are known of, each as a System (see releases.py)
    """

    corpus: str
    extractor: str
    backend: str
    anonymiser: str
    condition: str
    lists: dict[str, Values]
    mean: Values
    intervals: dict[str, dict[str, Limits | None]]
    unbiased: Mapping[str, Mapping[str, float]] = {}
    draws: tuple["System", ...] = ()

    @property
    def key(self) -> SystemKey:
        """Which system it is."""
        return SystemKey(*self[:5])

    def shown(self, label: str, metric: str) -> Shown:
        """One of its numbers on a list, or the mean over them, as it is shown."""
        value = self.lists.get(label, self.mean)[metric]
        limits = self.intervals[label].get(metric)
        return shown(value, limits, self.unbiased.get(label, {}).get(metric))

    @property
    def attack(self) -> str:
        """Which attack it is, in words."""
        if self.backend == GIVEN:
            return FOREIGN[self.condition]
        return (INFORMED if self.informed else ATTACKS)[self.condition]

    @property
    def informed(self) -> bool:
        """Whether the attacker was trained on protected speech: his name says so."""
        return TRAINED_ON in self.extractor or TRAINED_ON in self.backend

    @property
    def attacker(self) -> str:
        """Who attacks, in words."""
        return attacker_name(self.extractor, self.backend)

    @property
    def mean_label(self) -> str:
        """What the mean is of."""
        return f"mean of {', '.join(self.lists)}" if len(self.lists) > 1 else next(iter(self.lists))


def compare(numbers: Sequence[Number], comparisons: Comparisons = NONE) -> list[System]:
    """Arrange the numbers of a run by system, corpus and attacker.

    `original` comes first, then whoever is found least. The intervals of means over lists come from
    ``comparisons``.

    Raises
    ------
    BadInput : a number that belongs into the comparison is missing
    """
    lines = {line.key: line for line in numbers}
    systems = []
    for key, lists in _tried(numbers).items():
        first_eer = key.number(min(lists), "eer_percent")
        if key.backend == GIVEN and first_eer not in lines:  # others need not attack everybody
            continue
        on_lists, intervals, unbiased = {}, {}, {}
        for trials in sorted(lists):
            on_lists[trials] = _values(lines, key, trials)
            keys = {column.name: key.number(trials, column.name) for column in COLUMNS}
            own = {name: lines[number] for name, number in keys.items() if number in lines}
            intervals[trials] = {name: metric_limits(line) for name, line in own.items()}
            unbiased[trials] = {
                name: line.unbiased for name, line in own.items() if line.unbiased is not None
            }
        weights = [1] * len(lists)
        mean = mean_of_lists(list(on_lists.values()), weights)
        system = System(*key, on_lists, mean, intervals, unbiased)
        if len(lists) > 1:
            intervals[system.mean_label] = mean_limits(key, comparisons)
            unbiased[system.mean_label] = mean_of_unbiased(list(unbiased.values()), weights)
        systems.append(system)
    return in_order(systems)


def mean_limits(key: SystemKey, comparisons: Comparisons) -> dict[str, Limits | None]:
    """The intervals of a system's means over lists."""
    return {column.name: comparisons.get(key.mean(column.name)) for column in COLUMNS}


def _tried(numbers: Iterable[Number]) -> dict[SystemKey, set[str]]:
    """The systems of a run and the lists of their corpus and attacker."""
    # Sampled galleries have ranks only: they are no trial lists.
    with_trials = {(line.corpus, line.trials) for line in numbers if line.metric == "eer_percent"}
    lists: dict[tuple[str, str, str], set[str]] = {}
    anonymisers: dict[tuple[str, str, str], set[str]] = {}
    for line in numbers:
        if line.condition in ATTACKS and (line.corpus, line.trials) in with_trials:
            attacker = (line.corpus, line.extractor, line.backend)
            lists.setdefault(attacker, set()).add(line.trials)
            # Unprotected speech is in every comparison; where it was not tried, that is an error.
            anonymisers.setdefault(attacker, {ORIGINAL}).add(line.anonymiser)
    systems = {}
    for attacker, names in anonymisers.items():
        for anonymiser in names:
            for condition in ("oo",) if anonymiser == ORIGINAL else PROTECTED_CONDITIONS:
                systems[SystemKey(*attacker, anonymiser, condition)] = lists[attacker]
    return systems


def folded(eer_percent: float) -> float:
    """An equal error rate that is never above 50 %: whoever errs more often turns round."""
    return min(eer_percent, 100 - eer_percent)


def folded_limits(limits: Limits | None) -> Limits | None:
    """The interval of an equal error rate, folded at 50 %; None stays."""
    if limits is None:
        return None
    low, high = limits
    if low <= 50 <= high:
        return min(low, 100 - high), 50.0
    return min(folded(low), folded(high)), max(folded(low), folded(high))


def strongest_attacks(systems: Iterable[System]) -> dict[tuple[str, str], System]:
    """The strongest attack on each anonymiser: {(corpus, anonymiser): System}, in their order."""
    strongest: dict[tuple[str, str], System] = {}
    for system in systems:
        attacked = (system.corpus, system.anonymiser)
        first = strongest.get(attacked)
        if first is None or _folded_mean(system) < _folded_mean(first):
            strongest[attacked] = system
    return strongest


def _folded_mean(system):
    return folded(system.mean["eer_percent"])


def shown_columns(systems: Iterable[System]) -> list[Metric]:
    """The columns of the comparison in which systems have numbers; given scores have no ranks."""
    known = set()
    for system in systems:
        for values in system.lists.values():
            known |= {name for name, value in values.items() if value is not None}
    return [column for column in COLUMNS if column.name in known]


def write_comparison(path: FilePath, systems: Iterable[System]) -> None:
    """Write one line per system and list, and one for the mean, in full precision.

    Draws of an anonymiser have lines of their own, as in metrics.tsv.
    """
    names = [column.name for column in COLUMNS]
    limits = []
    for name in names:
        limits += [f"{name}_ci_low", f"{name}_ci_high"]
    rows: list[list[Any]] = []
    draws = itertools.chain.from_iterable(system.draws or (system,) for system in systems)
    for draw in in_order(list(draws)):
        rows += _rows(draw)
    write_table(path, [*SystemKey._fields, "attack", "trials", *names, "tag", *limits], rows)


def about_draws(systems: Iterable[System]) -> list[str]:
    """A sentence on each anonymiser whose rows are made from several draws."""
    n_draws = {system.anonymiser: len(system.draws) for system in systems if system.draws}
    return [
        f"{anonymiser}: one release. Numbers are means of {count} draws; limits hold for another."
        for anonymiser, count in n_draws.items()
    ]


def expanded(system: System) -> list[tuple[str, Values]]:
    """The values of a system by list, the mean last where there are several lists."""
    mean = [(system.mean_label, system.mean)] if len(system.lists) > 1 else []
    return [*system.lists.items(), *mean]


def weighted_mean(values: Sequence[Any], weights: Sequence[float]) -> Any:
    """Weighted mean of one metric over lists.

    None (it does not exist on a list) and undefined stay so, and infinity wins.
    """
    if None in values:
        return None
    if UNDEFINED in values or {math.inf, -math.inf} <= set(values):
        return UNDEFINED
    if not all(map(math.isfinite, values)):  # all of one sign, or it would be undefined
        return sum(values)
    # math.fsum: the mean does not depend on the order of the lists, not even in its last digit.
    products = [weight * value for weight, value in zip(weights, values, strict=True)]
    return math.fsum(products) / math.fsum(weights)


def mean_of_lists(lists: Sequence[Values], weights: Sequence[float]) -> dict[str, Any]:
    """Weighted mean of the values of a system on some lists; tags are of single lists only."""
    mean: dict[str, Any] = {}
    for column in COLUMNS:
        on_lists = [values[column.name] for values in lists]
        mean[column.name] = weighted_mean(on_lists, weights)
    mean["tag"] = lists[0]["tag"] if len(lists) == 1 else None
    mean["few_errors"] = any(values["few_errors"] for values in lists)
    return mean


def _rows(system: System) -> Iterator[list[Any]]:
    for trials, values in expanded(system):
        numbers = [values[column.name] for column in COLUMNS]
        numbers = [ABSENT if value is None else value for value in numbers]
        limits: list[Any] = []
        for column in COLUMNS:
            limits += system.intervals[trials].get(column.name) or (ABSENT, ABSENT)
        yield [*system.key, system.attack, trials, *numbers, values["tag"] or ABSENT, *limits]


def in_order(systems: Sequence[System]) -> list[System]:
    """By corpus and attacker; unprotected speech first, then whoever is found least."""
    # Sorted first: of equally strong attacks the same one counts, whatever the order of the files.
    strongest = strongest_attacks(sorted(systems, key=lambda system: system.key))

    def order(system: System) -> tuple[Any, ...]:
        errors = _folded_mean(strongest[system.corpus, system.anonymiser])
        return (
            system.corpus,
            system.extractor,
            system.backend,
            system.anonymiser != ORIGINAL,
            -errors,
            system.anonymiser,
            system.condition,
        )

    return sorted(systems, key=order)


def mean_of_unbiased(
    lists: Sequence[Mapping[str, float]], weights: Sequence[float]
) -> dict[str, float]:
    """Weighted mean of the unbiased values of a system, of those that all lists know."""
    return {
        name: weighted_mean([values[name] for values in lists], weights)
        for name in lists[0]
        if all(name in values for values in lists)
    }


def _values(lines: Lines, key: SystemKey, trials: str) -> Values:
    values: dict[str, Any] = {}
    for column in COLUMNS:
        exists = _exists(lines, key, trials, column)
        values[column.name] = _number(lines, key.number(trials, column.name)) if exists else None
    values["tag"] = _text(lines, key.number(trials, "tag"))
    n_target = _number(lines, key.number(trials, "n_target"))
    values["few_errors"] = has_few_errors(values["eer_percent"], n_target)
    return values


def _exists(lines: Lines, key: SystemKey, trials: str, column: Metric) -> bool:
    """Whether a system must have a number in a column."""
    if key.condition not in column.conditions:
        return False
    if column.optional:  # a run without intervals has no band of zero evidence
        return key.number(trials, column.name) in lines
    if column.name in OF_RANKS:
        # All or none: a list has ranks for every system if it has them for unprotected speech.
        original = key._replace(anonymiser=ORIGINAL, condition="oo")
        return any(original.number(trials, name) in lines for name in OF_RANKS)
    has_matrices = key.backend != GIVEN and key.extractor != FUSED
    return has_matrices or column.name not in OF_MATRICES


def _number(lines: Lines, key: NumberKey) -> Any:
    text = _text(lines, key)
    if text == UNDEFINED and key.metric != "eer_percent":  # systems are ranked by their EER
        return text
    try:
        return float(text)
    except ValueError:
        raise BadInput(f"{_words(key)} is '{text}', not a number") from None


def _text(lines: Lines, key: NumberKey) -> str:
    if key not in lines:
        raise BadInput(f"{_words(key)} is missing from the metrics; make its metrics file again")
    return lines[key].value


def _words(key: NumberKey) -> str:
    system = "/".join((key.corpus, key.trials, key.anonymiser, key.extractor, key.backend))
    return f"{key.metric} of {system} under {key.condition}"


# The table of papers.


def write_latex(path: FilePath, systems: Sequence[System]) -> None:
    """Write the comparison as it is shown: a row per system and list, one for the mean, rounded.

    Systems are grouped by corpus and attacker. A comment above the table says what the mark of too
    short intervals means, where one has it.
    """
    columns = shown_columns(systems)
    titles = ["Anonymiser", "Attack", "List", *(column.title for column in columns)]
    units = ["", "", "", *(f"{column.unit} {column.arrow}".strip() for column in columns)]
    heads = [list(map(latex, titles)), list(map(latex, units))]
    lines: list[str] = []
    groups = itertools.groupby(systems, key=lambda system: (system.corpus, system.attacker))
    for attacked, group in groups:
        blocks: list[list[list[str]]] = []
        for system in group:
            blocks += _system_blocks(system, columns)
        title = rf"\textit{{{latex(', '.join(attacked))}}}"
        lines += tabulars(heads=heads, blocks=blocks, n_names=3, title=title)
    if any(latex(DAGGER) in line for line in lines):
        lines.insert(0, f"% {latex(SHORT_EXPLAINED)}")
    lines[:0] = [f"% {latex(sentence)}" for sentence in about_draws(systems)]
    write_text(path, "\n".join([*lines, ""]))


def _system_blocks(system: System, columns: Sequence[Metric]) -> Iterator[list[list[str]]]:
    """The rows of every list of a system: numbers, and on lines of their own what is below them."""
    for trials, values in expanded(system):
        cells, intervals, definitions = [], [], []
        for column in columns:
            number = system.shown(trials, column.name)
            cell = column.text(number.value)
            cells.append(f"{cell} ({values['tag']})" if column.tagged and values["tag"] else cell)
            intervals.append(marked_interval(column, values, number.limits))
            definitions.append(number.definition_text(column.text))
        rows = [[system.anonymiser, system.attack, trials, *cells]]
        if any(intervals):
            rows.append(["", "", "95 %", *intervals])
        if any(definitions):
            rows.append(["", "", BY_DEFINITION, *definitions])
        yield [list(map(latex, row)) for row in rows]
