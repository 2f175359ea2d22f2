"""The leaderboard: every system on every set, as numbers and as the rows of the page's table.

It says what every attack found. Which system leaves less of the speaker is said by the verdict.

Conventions
-----------
* A set is a trial list, the mean over those of a corpus, or an average over lists of several
  corpora.
* Averages are weighted means. Their intervals come from the comparisons, like those of a corpus'
  mean.
* The strongest attack on an anonymiser can be another one on every set.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from voiceprivacy.catalogue.metric import Metric
from voiceprivacy.catalogue.shown import SHORT_EXPLAINED
from voiceprivacy.errors import BadInput
from voiceprivacy.report.comparison import (
    NO_ORDER,
    OF_MATRICES,
    OnList,
    System,
    SystemKey,
    mean_of,
    shown_columns,
    strongest_attacks,
)
from voiceprivacy.report.figures import draws_in
from voiceprivacy.report.releases import released
from voiceprivacy.report.uncertainty import (
    NONE,
    TOO_FEW,
    Comparisons,
    tells_nothing,
)
from voiceprivacy.vocabulary import (
    ACROSS_CORPORA,
    DAGGER,
    DASH,
    ORIGINAL,
    UNDEFINED,
    TrialList,
    all_averages,
    average_folder,
)

Averages = dict[str, dict[str, dict[str, float]]]  # of the config: {name: {corpus: {list: weight}}}


class Board(NamedTuple):
    """One set of the leaderboard, and what it is the mean of (empty: a list).

    ``label`` is what it is called among the sets of each of its systems.
    """

    name: str
    explanation: str
    label: str
    systems: list[System]


def boards(
    systems: Sequence[System],
    averages: Averages | None = None,
    comparisons: Comparisons = NONE,
) -> list[Board]:
    """Every set of a run: averages, then each corpus' mean and lists.

    Parameters
    ----------
    systems : in the order of the comparison
    comparisons : have the intervals of averages

    Raises
    ------
    BadInput : an average names a list that was not tried
    """
    sets = []
    for name, weights in _weights(systems, averages).items():
        on_average = _on_average(name, weights, systems, comparisons)
        sets.append(Board(name, _explanation(weights), name, on_average))
    for corpus in dict.fromkeys(system.corpus for system in systems):
        of_corpus = [system for system in systems if system.corpus == corpus]
        names: dict[str, tuple[str, str]] = {}  # others need not attack on every list
        for system in of_corpus:
            if len(system.lists) > 1:
                explanation = f"equal weights: {', '.join(system.lists)}"
                names[system.mean_label] = f"{corpus}: {system.mean_label}", explanation
        for system in of_corpus:
            names |= {trials: (f"{corpus} {trials}", "") for trials in system.lists}
        for label, (name, explanation) in names.items():
            tried = [system for system in of_corpus if label in system.sets]
            sets.append(Board(name, explanation, label, tried))
    return sets


def _weights(
    systems: Sequence[System], averages: Averages | None
) -> dict[str, dict[TrialList, float]]:
    """The weights of the lists of every average, which were all tried."""
    lists: dict[TrialList, None] = {}
    for system in systems:
        lists |= dict.fromkeys(TrialList(system.corpus, trials) for trials in system.lists)
    weighted = all_averages(averages or {}, lists)
    for name, weights in weighted.items():
        for corpus, trials in weights:
            if (corpus, trials) not in lists:
                raise BadInput(
                    f"config: report.averages.{name}: there is no trial list {corpus} {trials}"
                )
    return weighted


def _on_average(
    name: str,
    weights: Mapping[TrialList, float],
    systems: Sequence[System],
    comparisons: Comparisons,
) -> list[System]:
    """Those systems that were tried on all lists of an average, with their means."""
    # As if the average were a corpus with one list: then it is a System like any other.
    corpus = f"{ACROSS_CORPORA}/{average_folder(name)}"
    known: dict[SystemKey, dict[TrialList, OnList]] = {}
    draws = itertools.chain.from_iterable(system.draws or (system,) for system in systems)
    for system in draws:
        on_lists = known.setdefault(system.key._replace(corpus=corpus), {})
        for trials in system.lists:
            if (system.corpus, trials) in weights:
                on_lists[TrialList(system.corpus, trials)] = system.sets[trials]
    means = []
    for key, on_lists in known.items():
        if len(on_lists) == len(weights):  # a mean over other lists could not be compared
            shares = [weights[trials] for trials in on_lists]
            mean = mean_of(list(on_lists.values()), shares, key, comparisons)
            # Tags belong to lists: even an average of a single list has none.
            means.append(System(*key, {name: mean._replace(tag="")}))
    return released(means)


def _explanation(weights: Mapping[TrialList, float]) -> str:
    """What an average is of."""
    if len(set(weights.values())) == 1:
        names = [f"{corpus} {trials}" for corpus, trials in weights]
        return f"equal weights: {', '.join(names)}"
    lists = [f"{corpus} {trials} {share:g}" for (corpus, trials), share in weights.items()]
    return f"weights: {', '.join(lists)}"


# The table of the page.


class Cell(NamedTuple):
    """A number as shown; ``order`` is what it is sorted by, empty for what has no order.

    ``by_definition`` is the number where it is shown without its bias, ``note`` what a reader must
    know of the interval.
    """

    text: str
    tag: str
    interval: str
    note: str
    by_definition: str
    zero_evidence: bool
    order: str


class Row(NamedTuple):
    """A system, or one draw of it, on one set, as shown; a release is of ``n_draws``, else 0.

    Of few speakers there is no order: all rows are ``strongest``, so that all are seen.
    """

    set: str
    system: str
    anonymiser: str
    n_draws: int
    condition: str
    attack: str
    attacker: str
    strongest: bool
    is_ordered: bool
    colour: str
    cells: list[Cell]


class Leaderboard(NamedTuple):
    """The leaderboard of the page.

    Attributes
    ----------
    sets : [(name, explanation)], in the order in which they can be chosen
    attacks : those that can be chosen
    note : what the mark of some intervals means; empty where none has it
    order : why there is none; empty where there is one
    draws : rows of single draws, of systems that have several
    voices : rows with ``of_voices``, metrics that hold conditions against each other: of an
        anonymiser and an attacker, under no attack
    """

    sets: list[tuple[str, str]]
    columns: list[Metric]
    attacks: list[str]
    rows: list[Row]
    note: str
    order: str
    draws: list[Row]
    of_voices: list[Metric]
    voices: list[Row]


def leaderboard(
    systems: Sequence[System],
    *,
    colours: Mapping[str, str],
    averages: Averages | None = None,
    comparisons: Comparisons = NONE,
) -> Leaderboard:
    """Arrange systems for the page.

    Parameters
    ----------
    colours : {anonymiser: colour}
    comparisons : have the intervals of averages
    """
    every = shown_columns(systems)
    columns = [column for column in every if column.name not in OF_MATRICES]
    of_voices = [column for column in every if column.name in OF_MATRICES]
    sets = boards(systems, averages, comparisons)
    rows, draws, voices = [], [], []
    for board in sets:
        on_board = partial(_row, board, columns=columns, colours=colours)
        strongest = strongest_attacks(board.systems, board.label).values()
        few = any(system.has_few_speakers for system in board.systems)
        for system in sorted(board.systems, key=partial(_errors, label=board.label, few=few)):
            rows.append(on_board(system, strongest=few or system in strongest, is_ordered=not few))
        for system in board.systems:
            for draw in system.draws:
                draws.append(on_board(draw, strongest=system in strongest))
        voices += _of_voices(board, of_voices, colours)
    protected = [system for system in systems if system.anonymiser != ORIGINAL]
    cells = itertools.chain.from_iterable(row.cells for row in (*rows, *draws))
    marked = any(DAGGER in cell.interval for cell in cells)
    return Leaderboard(
        sets=[(board.name, board.explanation) for board in sets],
        columns=columns,
        attacks=list(dict.fromkeys(system.attack for system in protected)),
        rows=rows,
        note=SHORT_EXPLAINED if marked else "",
        order="" if all(row.is_ordered for row in rows) else NO_ORDER,
        draws=draws,
        of_voices=of_voices,
        voices=voices,
    )


def _of_voices(board: Board, columns: Sequence[Metric], colours: Mapping[str, str]) -> list[Row]:
    """A row for each anonymiser and attacker that has DeID or G_VD, with both of them.

    They stand under one condition of metrics.tsv each, and are of two: OO and OP, or OO and PP.
    """
    rows: dict[tuple[str, str], Row] = {}
    for system in board.systems:
        row = _row(board, system, columns=columns, colours=colours)
        if any(cell.text != DASH for cell in row.cells):
            first = rows.setdefault((row.anonymiser, row.attacker), row)
            cells = zip(first.cells, row.cells, strict=True)
            both = [one if other.text == DASH else other for one, other in cells]
            rows[row.anonymiser, row.attacker] = first._replace(cells=both)
    return [rows[attacked] for attacked in sorted(rows)]


def _errors(system: System, label: str, few: bool) -> tuple[bool, float, SystemKey]:
    """Most errors first, of few speakers by name; unprotected speech last."""
    errors = 0.0 if few else system.folded_eer(label)
    return system.anonymiser == ORIGINAL, -errors, system.key


def _row(
    board: Board,
    system: System,
    *,
    columns: Sequence[Metric],
    colours: Mapping[str, str],
    strongest: bool = False,
    is_ordered: bool = True,
) -> Row:
    draw = draws_in(colours)[system.anonymiser]
    is_draw = draw.n_draws > 1 and not system.draws
    return Row(
        set=board.name,
        system=draw.system,
        anonymiser=draw.words if is_draw else system.anonymiser,
        n_draws=len(system.draws),
        condition=system.condition,
        attack=system.attack,
        attacker=system.attacker,
        strongest=strongest,
        is_ordered=is_ordered,
        colour=colours[system.anonymiser],
        cells=[_cell(system.sets[board.label], column) for column in columns],
    )


def _cell(on_set: OnList, column: Metric) -> Cell:
    number = on_set.numbers[column.name].shown
    return Cell(
        text=column.text(number.value),
        tag=on_set.tag if column.tagged else "",
        interval=on_set.interval_text(column),
        note=TOO_FEW if tells_nothing(column, number.limits) else "",
        by_definition=number.definition_text(column.text),
        zero_evidence=column.name == "dece_bit" and bool(on_set.no_evidence),
        order=_order(number.value),
    )


def _order(value: Any) -> str:
    """What JavaScript sorts a cell by."""
    if value is None or value == UNDEFINED:
        return ""
    if math.isinf(value):  # which JavaScript spells in another way than Python
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value))
