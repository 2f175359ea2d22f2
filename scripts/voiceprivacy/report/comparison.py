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
from voiceprivacy.catalogue.shown import (
    BY_DEFINITION,
    SHORT_EXPLAINED,
    Shown,
    has_few_errors,
    rests_on_errors,
    shown,
)
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.tables import number_in, write_table
from voiceprivacy.inout.typed_tables import Limits
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.typeset import NEEDED, SMALL, floats, latex, write_text
from voiceprivacy.report.uncertainty import (
    NONE,
    Comparisons,
    interval_text,
    metric_limits,
    within_zero_evidence,
)
from voiceprivacy.vocabulary import (
    ABSENT,
    DAGGER,
    GIVEN,
    MEAN,
    ORIGINAL,
    PROTECTED_CONDITIONS,
    TRAINED_ON,
    UNDEFINED,
    NumberKey,
    attacker_name,
)

FEWEST_ORDERED = 10  # speakers
NO_ORDER = (
    f"With fewer than {FEWEST_ORDERED} speakers, which system or attack comes first is chance: they"
    " are in the order of their names, and no attack is marked as the strongest."
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
    " own enrolment with the same anonymiser, but were trained on original speech or on that of"
    " other anonymisers.",
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


class Measured(NamedTuple):
    """A number of a system.

    ``value`` is that by definition: a number, undefined, or None where there is none. ``unbiased``
    is the number without its bias, where that is known.
    """

    value: Any
    limits: Limits | None = None
    unbiased: float | None = None

    @property
    def shown(self) -> Shown:
        """The number as it is shown."""
        return shown(*self)


class OnList(NamedTuple):
    """A system on a trial list, or on the mean over several.

    Attributes
    ----------
    numbers : {metric: Measured}, of all columns
    tag : ZEBRA's, of a single list; empty where there is none
    few_errors : whether a list has too few for good intervals
    no_evidence : whether D_ECE is no more than zero evidence gives; None where that is not known
    n_speakers : who are tried, on the list that has fewest; None where that is not known
    """

    numbers: dict[str, Measured]
    tag: str
    few_errors: bool
    no_evidence: bool | None
    n_speakers: int | None = None

    def mark(self, column: Metric) -> str:
        """The dagger where the interval of a number rests on too few errors; else nothing."""
        number = self.numbers[column.name]
        too_short = self.few_errors and rests_on_errors(column, number.value)
        return DAGGER if number.limits and too_short else ""

    def interval_text(self, column: Metric) -> str:
        """The interval of a number as people read it, marked where it rests on too few errors."""
        return interval_text(column, self.numbers[column.name].limits) + self.mark(column)


class System(NamedTuple):
    """One row of the comparison.

    Attributes
    ----------
    sets : {list: OnList}; where there are several, the last one is the mean over them
    draws : of a release that several draws are known of, each as a System (see releases.py)
    """

    corpus: str
    extractor: str
    backend: str
    anonymiser: str
    condition: str
    sets: dict[str, OnList]
    draws: tuple["System", ...] = ()

    @property
    def key(self) -> SystemKey:
        """Which system it is."""
        return SystemKey(*self[:5])

    @property
    def lists(self) -> list[str]:
        """The trial lists, without their mean."""
        return list(self.sets)[: max(1, len(self.sets) - 1)]

    @property
    def mean_label(self) -> str:
        """What the mean is of."""
        return list(self.sets)[-1]

    @property
    def mean(self) -> OnList:
        """The mean over the lists."""
        return self.sets[self.mean_label]

    def shown(self, label: str, metric: str) -> Shown:
        """One of its numbers on a list, or the mean over them, as it is shown."""
        return self.sets[label].numbers[metric].shown

    def folded_eer(self, label: str = "") -> float:
        """By which attacks are compared: on one of the sets, or the mean over the lists."""
        return folded(self.sets[label or self.mean_label].numbers["eer_percent"].value)

    @property
    def has_few_speakers(self) -> bool:
        """Whether so few speakers were tried that an order of systems or attacks is chance."""
        return self.mean.n_speakers is not None and self.mean.n_speakers < FEWEST_ORDERED

    @property
    def attack(self) -> str:
        """Which attack it is, in words."""
        if self.backend == GIVEN:
            return FOREIGN[self.condition]
        return (INFORMED if self.informed else ATTACKS)[self.condition]

    @property
    def informed(self) -> bool:
        """Whether the attacker was trained on protected speech, as the name says."""
        return TRAINED_ON in self.extractor or TRAINED_ON in self.backend

    @property
    def attacker(self) -> str:
        """Who attacks, in words."""
        return attacker_name(self.extractor, self.backend)


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
        if key.backend == GIVEN:  # others need not attack everybody, nor on every list
            lists = {one for one in lists if key.number(one, "eer_percent") in lines}
        sets = {trials: _on_list(lines, key, trials) for trials in sorted(lists)}
        if len(sets) > 1:
            mean = mean_of(list(sets.values()), [1] * len(sets), key, comparisons)
            sets[f"mean of {', '.join(sets)}"] = mean
        if sets:
            systems.append(System(*key, sets))
    return in_order(systems)


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


def strongest_attacks(systems: Iterable[System], label: str = "") -> dict[tuple[str, str], System]:
    """The strongest attack on each anonymiser: {(corpus, anonymiser): System}, in their order.

    ``label`` is the set on which they are compared, by default the mean over lists.
    """
    strongest: dict[tuple[str, str], System] = {}
    for system in systems:
        first = strongest.setdefault((system.corpus, system.anonymiser), system)
        if system.folded_eer(label) < first.folded_eer(label):
            strongest[system.corpus, system.anonymiser] = system
    return strongest


def shown_columns(systems: Iterable[System]) -> list[Metric]:
    """The columns of the comparison in which systems have numbers; given scores have no ranks."""
    known = set()
    for system in systems:
        for label in system.lists:
            numbers = system.sets[label].numbers.items()
            known |= {name for name, number in numbers if number.value is not None}
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


def mean_of(
    lists: Sequence[OnList],
    weights: Sequence[float],
    key: SystemKey,
    comparisons: Comparisons = NONE,
) -> OnList:
    """Weighted mean of a system over some lists; tags are of single lists only."""
    numbers = {}
    for column in COLUMNS:
        values, _, unbiased = zip(*(one.numbers[column.name] for one in lists), strict=True)
        numbers[column.name] = Measured(
            weighted_mean(values, weights),
            comparisons.get(key.number(MEAN, column.name)),
            weighted_mean(unbiased, weights),
        )
    return OnList(
        numbers,
        tag=lists[0].tag if len(lists) == 1 else "",
        few_errors=any(one.few_errors for one in lists),
        no_evidence=_no_evidence(numbers),
        n_speakers=min((one.n_speakers for one in lists if one.n_speakers), default=None),
    )


def _no_evidence(numbers: Mapping[str, Measured]) -> bool | None:
    return within_zero_evidence({name: number.value for name, number in numbers.items()})


def _rows(system: System) -> Iterator[list[Any]]:
    for trials, on_list in system.sets.items():
        values: list[Any] = []
        limits: list[Any] = []
        for number in on_list.numbers.values():
            values.append(ABSENT if number.value is None else number.value)
            limits += number.limits or (ABSENT, ABSENT)
        yield [*system.key, system.attack, trials, *values, on_list.tag or ABSENT, *limits]


def in_order(systems: Sequence[System]) -> list[System]:
    """By corpus and attacker; unprotected speech first, then whoever is found least.

    Of few speakers, by name.
    """
    few = {system.corpus for system in systems if system.has_few_speakers}
    # Sorted first: of equally strong attacks the same one counts, whatever the order of the files.
    strongest = strongest_attacks(sorted(systems, key=lambda system: system.key))

    def order(system: System) -> tuple[Any, ...]:
        errors = strongest[system.corpus, system.anonymiser].folded_eer()
        return (
            system.corpus,
            system.extractor,
            system.backend,
            system.anonymiser != ORIGINAL,
            0.0 if system.corpus in few else -errors,
            system.anonymiser,
            system.condition,
        )

    return sorted(systems, key=order)


def _on_list(lines: Lines, key: SystemKey, trials: str) -> OnList:
    numbers = {}
    for column in COLUMNS:
        number = key.number(trials, column.name)
        numbers[column.name] = Measured(None)
        if _exists(lines, key, trials, column):
            value, line = _number(lines, number), lines[number]
            numbers[column.name] = Measured(value, metric_limits(line), line.unbiased)
    n_target = _number(lines, key.number(trials, "n_target"))
    return OnList(
        numbers,
        tag=_text(lines, key.number(trials, "tag")),
        few_errors=has_few_errors(numbers["eer_percent"].value, n_target),
        no_evidence=_no_evidence(numbers),
        n_speakers=_n_speakers(lines, key, trials),
    )


def _n_speakers(lines: Lines, key: SystemKey, trials: str) -> int | None:
    number = lines[key.number(trials, "eer_percent")].n_speakers
    return None if number is None else int(number)


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
    return key.backend != GIVEN or column.name not in OF_MATRICES


def _number(lines: Lines, key: NumberKey) -> Any:
    text = _text(lines, key)
    if text == UNDEFINED and key.metric != "eer_percent":  # systems are ranked by their EER
        return text
    if math.isnan(value := number_in(text)):
        raise BadInput(f"{_words(key)} is '{text}', not a number")
    return value


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

    Systems are grouped by corpus and attacker. A note below a table says what the mark of too short
    intervals means, where one has it.
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
        caption = latex(f"Comparison: {', '.join(attacked)}.")
        cells = itertools.chain.from_iterable(itertools.chain.from_iterable(blocks))
        is_marked = any(latex(DAGGER) in cell for cell in cells)
        notes = [latex(SHORT_EXPLAINED)] if is_marked else []
        lines += floats(heads=heads, blocks=blocks, n_names=3, caption=caption, notes=notes)
    lines[:0] = [NEEDED, *(f"% {latex(sentence)}" for sentence in about_draws(systems))]
    write_text(path, "\n".join([*lines, ""]))


def _system_blocks(system: System, columns: Sequence[Metric]) -> Iterator[list[list[str]]]:
    """The rows of every list of a system: numbers, and on lines of their own what is below them."""
    for trials, on_list in system.sets.items():
        cells, intervals, definitions = [], [], []
        for column in columns:
            number = system.shown(trials, column.name)
            cell = column.text(number.value)
            cells.append(f"{cell} ({on_list.tag})" if column.tagged and on_list.tag else cell)
            intervals.append(on_list.interval_text(column))
            definitions.append(number.definition_text(column.text))
        rows = [[*map(latex, (system.anonymiser, system.attack, trials, *cells))]]
        for name, texts in (("95 %", intervals), (BY_DEFINITION, definitions)):
            if any(texts):
                below = [f"{SMALL}{latex(text)}}}" if text else "" for text in texts]
                rows.append(["", "", f"{SMALL}{latex(name)}}}", *below])
        yield rows
