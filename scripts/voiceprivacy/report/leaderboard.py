"""The tables of the page: the leaderboard on every set, and what two runs of an anonymiser tell."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from voiceprivacy.catalogue import METRICS, Metric
from voiceprivacy.report.charts.systems import dots, drawable
from voiceprivacy.report.comparison import OF_MATRICES, System, SystemKey
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.standings import Averages, Board, Standing, boards
from voiceprivacy.report.uncertainty import (
    NONE,
    SHORT,
    SHORT_EXPLAINED,
    Comparisons,
    marked_interval,
    metric_limits,
    shown_columns,
    within_zero_evidence,
)
from voiceprivacy.report.words import short
from voiceprivacy.vocabulary import DASH, MINUS, ORIGINAL, UNDEFINED

CHARTED = ("eer_percent", "dece_bit")
SESSIONS = [  # (condition, metric) of each column of the table of two runs
    ("p0p1", METRICS["eer_percent"]),
    ("p0p1", METRICS["cllr_min_bit"]),
    ("p0p1", METRICS["linkability"]),
    ("p0p1", METRICS["dece_bit"]),
    ("p0p1", METRICS["worst_case_log10"]),
    ("p0p1", METRICS["tag"]),
    ("op", METRICS["cece_linear_bit"]),
    ("op", METRICS["cece_isotonic_bit"]),
]
TITLES = [metric.label for _, metric in SESSIONS]


class Cell(NamedTuple):
    """A number as shown; ``order`` is what it is sorted by, empty for what has no order."""

    text: str
    tag: str
    interval: str
    zero_evidence: bool
    order: str


class Row(NamedTuple):
    """A system on one set, as shown."""

    set: str
    anonymiser: str
    condition: str
    attack: str
    attacker: str
    strongest: bool
    colour: str
    cells: list[Cell]


class Leaderboard(NamedTuple):
    """The leaderboard of the page.

    Attributes
    ----------
    sets : [(name, explanation)]
    attacks : those that can be chosen
    charts : {set: [(title, chart)]}
    note : what the mark of some intervals means; empty where none has it
    """

    sets: list[tuple[str, str]]
    columns: list[Metric]
    attacks: list[str]
    rows: list[Row]
    charts: dict[str, list[tuple[str, dict]]]
    note: str


class Sessions(NamedTuple):
    """One anonymiser with two runs under one attacker; ``cells`` are numbers as text by TITLES."""

    corpus: str
    trials: str
    attacker: str
    anonymiser: str
    cells: list[str]


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
    columns = shown_columns(systems)
    sets = boards(systems, averages, comparisons)
    rows = []
    for board in sets:
        standings = [_with_similarity(standing, board) for standing in board.standings]
        for standing in sorted(standings, key=_protection):
            rows.append(_row(board.name, standing, columns, colours))
    protected = [system for system in systems if system.anonymiser != ORIGINAL]
    cells = itertools.chain.from_iterable(row.cells for row in rows)
    marked = any(SHORT in cell.interval for cell in cells)
    return Leaderboard(
        sets=[(board.name, board.explanation) for board in sets],
        columns=columns,
        attacks=list(dict.fromkeys(system.attack for system in protected)),
        rows=rows,
        charts={board.name: _charts(board, columns, colours) for board in sets},
        note=SHORT_EXPLAINED if marked else "",
    )


def sessions(numbers: Iterable[Number]) -> list[Sessions]:
    """The anonymisers that have two runs, sorted."""
    of_anonymisers: dict[tuple[str, ...], dict[tuple[str, str], Number]] = {}
    for number in numbers:
        attacker = f"{number.extractor} + {number.backend}"
        attacked = (number.corpus, number.trials, attacker, number.anonymiser)
        of_anonymisers.setdefault(attacked, {})[number.condition, number.metric] = number
    rows = []
    for (corpus, trials, attacker, anonymiser), known in sorted(of_anonymisers.items()):
        if ("p0p1", "eer_percent") in known:
            cells = [
                _session_text(known.get((condition, metric.name)), metric)
                for condition, metric in SESSIONS
            ]
            rows.append(Sessions(corpus, trials, attacker, anonymiser, cells))
    return rows


def _with_similarity(standing: Standing, board: Board) -> Standing:
    """A standing with DeID and G_VD in every row of its anonymiser and attacker.

    They compare conditions, and exist under one of them only.
    """
    attacked = (standing.system.anonymiser, standing.system.attacker)
    values, intervals = dict(standing.values), dict(standing.intervals)
    for other in board.standings:
        if (other.system.anonymiser, other.system.attacker) != attacked:
            continue
        for metric in OF_MATRICES:
            if values[metric] is None and other.values[metric] is not None:
                values[metric] = other.values[metric]
                intervals[metric] = other.intervals.get(metric)
    return standing._replace(values=values, intervals=intervals)


def _protection(standing: Standing) -> tuple[bool, float, SystemKey]:
    """Best protected first; unprotected speech last."""
    unprotected = standing.system.anonymiser == ORIGINAL
    return unprotected, -standing.values["eer_percent"], standing.system.key


def _row(
    name: str, standing: Standing, columns: Sequence[Metric], colours: Mapping[str, str]
) -> Row:
    system = standing.system
    return Row(
        set=name,
        anonymiser=system.anonymiser,
        condition=system.condition,
        attack=system.attack,
        attacker=system.attacker,
        strongest=standing.strongest,
        colour=colours[system.anonymiser],
        cells=[_cell(standing, column) for column in columns],
    )


def _cell(standing: Standing, column: Metric) -> Cell:
    value = standing.values[column.name]
    return Cell(
        text=column.text(value),
        tag=(standing.values["tag"] or "") if column.tagged else "",
        interval=marked_interval(column, standing.values, standing.intervals.get(column.name)),
        zero_evidence=column.name == "dece_bit" and bool(within_zero_evidence(standing.values)),
        order=_order(value),
    )


def _order(value: Any) -> str:
    """What JavaScript sorts a cell by."""
    if value is None or value == UNDEFINED:
        return ""
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value))


def _charts(
    board: Board, columns: Sequence[Metric], colours: Mapping[str, str]
) -> list[tuple[str, dict]]:
    charts = []
    ranking = {standing.system.anonymiser: rank for rank, standing in enumerate(board.standings)}
    for column in columns:
        if column.name not in CHARTED:
            continue
        shown = [standing for standing in board.standings if drawable(standing.values[column.name])]
        shown.sort(
            key=lambda standing: (
                ranking[standing.system.anonymiser],
                standing.system.condition,
            )
        )
        if shown:  # a metric can be undefined for all
            charts.append((column.title, dots(shown, column=column, colours=colours)))
    return charts


def _session_text(number: Number | None, metric: Metric) -> str:
    """A number of the table of two runs, with its interval."""
    if number is None:
        return DASH
    if metric.title == "tag" or number.value == UNDEFINED:
        return number.value

    def rounded(value: float) -> str:
        # Small disclosures show their order of magnitude.
        return short(value) if metric.digits == 3 else f"{value:.{metric.digits}f}"

    text = rounded(float(number.value))
    limits = metric_limits(number)
    if limits:
        text += f" [{', '.join(map(rounded, limits))}]"
    return text.replace("-", MINUS)
