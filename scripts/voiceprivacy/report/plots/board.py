"""Numbers of all systems beside each other, for the page: under every attack, and against utility.

They are drawn from numbers that the page has, and not from files.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from matplotlib.axes import Axes

from voiceprivacy.catalogue.metric import Metric
from voiceprivacy.catalogue.shown import BY_DEFINITION, Shown
from voiceprivacy.report.comparison import System
from voiceprivacy.report.figures import FAINT, GRID
from voiceprivacy.report.inline import inlined
from voiceprivacy.report.leaderboard import Board, Standing
from voiceprivacy.report.plots import style
from voiceprivacy.report.uncertainty import NULL
from voiceprivacy.vocabulary import in_words

Charts = dict[str, list[tuple[str, str]]]  # {set or corpus: [(title, SVG for the page)]}
Colours = Mapping[str, str]  # {anonymiser: colour}
AgainstUtility = dict[str, tuple[System, Shown]]  # {anonymiser: (strongest attack, utility)}

GUESSING_PERCENT = 50  # equal error rate
CHARTED = ("eer_percent", "dece_bit")  # columns of the leaderboard that have a chart below it
REFERENCES = {"eer_percent": GUESSING_PERCENT}
GAP, EDGE = 0.6, 0.8  # in rows: between anonymisers, above the first row and below the last
WIDTH_INCHES, ROW_INCHES, ROOM_INCHES = 5.6, 0.3, 0.7


def charts(boards: Iterable[Board], *, columns: Sequence[Metric], colours: Colours) -> Charts:
    """The charts below the leaderboard."""
    charted = [column for column in columns if column.name in CHARTED]
    drawn: Charts = {}
    for board in boards:
        # Rows of one anonymiser stand together, anonymisers as in the comparison.
        systems = [standing.system for standing in board.standings]
        ranking = {system.anonymiser: rank for rank, system in enumerate(systems)}
        drawn[board.name] = []
        for column in charted:
            shown = [one for one in board.standings if _is_drawable(one.values[column.name])]
            shown.sort(key=lambda one: (ranking[one.system.anonymiser], one.system.condition))
            if shown:  # a metric can be undefined for all
                height = ROOM_INCHES + ROW_INCHES * (_rows(shown)[-1] + EDGE)
                figure, ax = style.figure(WIDTH_INCHES, height)
                plot_dots(ax, shown, column=column, colours=colours)
                drawn[board.name].append((column.title, inlined(style.svg_of(figure))))
    return drawn


def plot_dots(ax: Axes, standings: Sequence[Standing], *, column: Metric, colours: Colours) -> None:
    """Draw a row for every system; for D_ECE also how much zero evidence gives.

    ``standings`` have a number in this column, the systems of an anonymiser one after the other.
    """
    rows, markers = _rows(standings), style.markers(colours)
    for row, standing in zip(rows, standings, strict=True):
        name, number = standing.system.anonymiser, standing.shown(column.name)
        said = style.told(name, _words(standing, column))
        look = {"color": colours[name], "marker": markers[name], "linestyle": "", **said}
        if column.name == "dece_bit" and standing.values[NULL] is not None:
            ax.barh(row, standing.values[NULL], 0.5, color=GRID, zorder=0, **said)
        if number.definition is not None and number.definition_text(column.text):
            ax.plot(number.definition, row, **look, fillstyle="none")
        if number.limits:
            ax.plot(number.limits, [row, row], color=colours[name], linewidth=1.2, **said)
        ax.plot(number.value, row, **look)
        above: style.Look = {"xytext": (0, 5), "textcoords": "offset points", "ha": "center"}
        text = column.text(number.value)
        ax.annotate(text, (number.value, row), fontsize=7, **above, **style.told(name))
    if column.name in REFERENCES:
        ax.axvline(REFERENCES[column.name], color=FAINT, linestyle=":", linewidth=1)
    ax.set_yticks(rows, _row_names(standings))
    direction = f", {column.arrow} more privacy" if column.arrow else ""
    # The metric's arrow is that of a table; here more lies to the right.
    direction = direction.replace("↑", "→").replace("↓", "←")
    ax.set(xlabel=f"{column.title} [{column.unit}]{direction}", ylim=(rows[-1] + EDGE, -EDGE))
    ax.set_xlim(min(0, ax.get_xlim()[0]), None)


def _rows(standings):
    """Where the row of each system stands: one below the other, with a gap between anonymisers."""
    rows: list[float] = []
    before = None
    for standing in standings:
        step = 1.0 if standing.system.anonymiser == before else 1.0 + GAP
        rows.append(rows[-1] + step if rows else 0.0)
        before = standing.system.anonymiser
    return rows


def _words(standing, column):
    """What is said where one points at a row."""
    system, number = standing.system, standing.shown(column.name)
    limits = ""
    if number.limits:
        low, high = map(column.text, number.limits)
        limits = f", 95 % interval {low} to {high}"
    lines = [
        f"{system.anonymiser}, {system.attack} ({system.condition.upper()})",
        system.attacker,
        f"{column.title} {column.text(number.value)} {column.unit}{limits}",
        number.definition_text(column.text, f"{BY_DEFINITION} {{}} {column.unit}"),
    ]
    if system.draws:
        values = [draw.shown(standing.label, column.name).value for draw in system.draws]
        lines.append(f"draws of it: {', '.join(map(column.text, values))} {column.unit}")
    return "\n".join(filter(None, lines))


def _row_names(standings):
    """Anonymiser, condition and perhaps the attacker of each row."""
    systems = [standing.system for standing in standings]
    # As much of the attacker as tells several apart.
    parts = ("extractor", "backend")
    several = [part for part in parts if len({getattr(one, part) for one in systems}) > 1]
    return [
        " ".join(
            [
                one.anonymiser,
                one.condition.upper(),
                *(in_words(getattr(one, part)) for part in several),
            ]
        )
        for one in systems
    ]


def _is_drawable(value):
    """Whether a value of the comparison is a number that a chart can show."""
    return isinstance(value, float | int) and math.isfinite(value)
