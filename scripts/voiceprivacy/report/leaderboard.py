"""The leaderboard as the page shows it: rows of text with the numbers to sort by, and its charts."""

import itertools
import math
from typing import NamedTuple

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from voiceprivacy.catalogue import COLUMNS
from voiceprivacy.report.charts.attacks import dots, drawable
from voiceprivacy.report.comparison import OF_MATRICES
from voiceprivacy.report.standings import boards
from voiceprivacy.report.uncertainty import (
    NONE,
    SHORT,
    SHORT_EXPLAINED,
    marked_interval,
    shown_columns,
    within_zero_evidence,
)
from voiceprivacy.vocabulary import ORIGINAL, UNDEFINED

# In which order speakers stand in a similarity matrix.

ORDERS = ("gender", "similarity")


def arrange(speakers, matrices, order):
    """Sort speakers and matrices.

    Parameters
    ----------
    speakers : list of S str, by gender and name
    matrices : {oo, op, pp: masked array (S, S)}
    order : "gender" (leaves them as they are) or "similarity"
        Speakers who sound alike in OO beside each other: the leaves of a hierarchical clustering with the smallest
        differences between neighbours.

    Returns
    -------
    list of S speakers, {condition: masked array (S, S)}
    """
    if order == "gender" or len(speakers) < 3:
        return speakers, matrices
    places = _alike_beside_each_other(matrices["oo"])
    return [speakers[place] for place in places], {
        name: of[np.ix_(places, places)] for name, of in matrices.items()
    }


def _alike_beside_each_other(similarities):
    values = similarities.filled(0.5)  # undefined: no evidence
    distances = 1 - (values + values.T) / 2
    np.fill_diagonal(distances, 0)
    return leaves_list(linkage(squareform(distances), "average", optimal_ordering=True))


CHARTED = ("eer_percent", "dece_bit")


class Cell(NamedTuple):
    """A number as shown; ``order`` is what it is sorted by, empty for what has no order."""

    text: str
    tag: str
    interval: str
    zero_evidence: bool
    order: str


class Row(NamedTuple):
    """A system on one set; ``lists`` has the numbers of the set's lists where it is a mean: [(list, text), ...]."""

    set: str
    anonymiser: str
    condition: str
    attack: str
    attacker: str
    strongest: bool
    colour: str
    cells: list


class Leaderboard(NamedTuple):
    """Sets [(name, explanation)], columns, attacks that can be chosen, rows, and charts {set: [(title, chart)]}.

    ``note`` says what the mark of some intervals means; empty where none has it.
    """

    sets: list
    columns: list
    attacks: list
    rows: list
    charts: dict
    note: str


def leaderboard(systems, *, colours, averages=None, comparisons=NONE):
    """Arrange systems for the page.

    Parameters
    ----------
    systems : list of System
    colours : {anonymiser: colour}
    averages : of the config: {name: {corpus: {list: weight}}}
    comparisons : Comparisons, which have the intervals of averages
    """
    columns, sets = shown_columns(systems), boards(systems, averages, comparisons)
    rows = [
        _row(board.name, standing, columns, colours)
        for board in sets
        for standing in sorted(
            map(_with_similarity, board.standings, itertools.repeat(board)), key=_protection
        )
    ]
    attacks = list(
        dict.fromkeys(system.attack for system in systems if system.anonymiser != ORIGINAL)
    )
    charts = {board.name: _charts(board, columns, colours) for board in sets}
    note = (
        SHORT_EXPLAINED if any(SHORT in cell.interval for row in rows for cell in row.cells) else ""
    )
    return Leaderboard(
        [(board.name, board.explanation) for board in sets], columns, attacks, rows, charts, note
    )


def _with_similarity(standing, board):
    """A standing with DeID and G_VD, which are of an anonymiser and an attacker, whichever condition the row is of."""
    of = (standing.system.anonymiser, standing.system.attacker)
    values, intervals = dict(standing.values), dict(standing.intervals)
    for other in board.standings:
        if (other.system.anonymiser, other.system.attacker) == of:
            for metric in OF_MATRICES:
                if values[metric] is None and other.values[metric] is not None:
                    values[metric], intervals[metric] = (
                        other.values[metric],
                        other.intervals.get(metric),
                    )
    return standing._replace(values=values, intervals=intervals)


def _protection(standing):
    """Best protected first; unprotected speech last."""
    return (
        standing.system.anonymiser == ORIGINAL,
        -standing.values["eer_percent"],
        standing.system[:5],
    )


def _row(name, standing, columns, colours):
    system = standing.system
    of = (system.anonymiser, system.condition, system.attack, system.attacker)
    cells = [_cell(standing, column) for column in columns]
    return Row(name, *of, standing.strongest, colours[system.anonymiser], cells)


def _cell(standing, column):
    value = standing.values[column.name]
    interval = marked_interval(column, standing.values, standing.intervals.get(column.name))
    zero = column.name == "dece_bit" and bool(within_zero_evidence(standing.values))
    tag = standing.values["tag"] if column.tagged else ""
    return Cell(column.text(value), tag or "", interval, zero, _order(value))


def _order(value):
    if value is None or value == UNDEFINED:
        return ""
    return (
        repr(float(value)) if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")
    )


def _charts(board, columns, colours):
    charts = []
    ranking = {standing.system.anonymiser: place for place, standing in enumerate(board.standings)}
    for column in (column for column in COLUMNS if column.name in CHARTED and column in columns):
        shown = [of for of in board.standings if drawable(of.values[column.name])]
        shown.sort(key=lambda of: (ranking[of.system.anonymiser], of.system.condition))
        if shown:  # a metric can be undefined for all
            charts.append((column.title, dots(shown, column=column, colours=colours)))
    return charts
