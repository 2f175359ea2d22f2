"""Numbers of all systems beside each other, for the page: under every attack, and against utility.

They are drawn from numbers that the page has, and not from files.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from voiceprivacy.catalogue import EER
from voiceprivacy.catalogue.metric import Metric
from voiceprivacy.catalogue.shown import BY_DEFINITION
from voiceprivacy.report.comparison import System, folded_number, strongest_attacks
from voiceprivacy.report.figures import FAINT, GRID, draws_in
from voiceprivacy.report.inline import inlined
from voiceprivacy.report.leaderboard import Board, Standing
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.plots import style
from voiceprivacy.report.releases import released_numbers
from voiceprivacy.report.sections import titled
from voiceprivacy.report.uncertainty import NULL, shown_number
from voiceprivacy.vocabulary import ABSENT, in_words

Charts = dict[str, list[tuple[str, str]]]  # {set or corpus: [(title, SVG for the page)]}
AgainstUtility = dict[str, tuple[System, Number]]  # {anonymiser: (strongest attack, utility)}

GUESSING_PERCENT = 50  # equal error rate
CHARTED = ("eer_percent", "dece_bit")  # columns of the leaderboard that have a chart below it
REFERENCES = {"eer_percent": GUESSING_PERCENT}
GAP, EDGE = 0.6, 0.8  # in rows: between anonymisers, above the first row and below the last
WIDTH_INCHES, ROW_INCHES, ROOM_INCHES = 5.6, 0.3, 0.7


def charts(
    boards: Iterable[Board], *, columns: Sequence[Metric], colours: Mapping[str, str]
) -> Charts:
    """The charts below the leaderboard."""
    return {board.name: _of_board(board, columns, colours) for board in boards}


def _of_board(board, columns, colours):
    # Rows of one anonymiser stand together, anonymisers as in the comparison.
    ranking = {standing.system.anonymiser: rank for rank, standing in enumerate(board.standings)}
    drawn = []
    for column in columns:
        if column.name not in CHARTED:
            continue
        shown = [one for one in board.standings if _is_drawable(one.values[column.name])]
        shown.sort(key=lambda one: (ranking[one.system.anonymiser], one.system.condition))
        if shown:  # a metric can be undefined for all
            height = ROOM_INCHES + ROW_INCHES * (_rows(shown)[-1] + EDGE)
            figure, ax = style.figure(WIDTH_INCHES, height)
            plot_dots(ax, shown, column=column, colours=colours)
            drawn.append((column.title, inlined(style.svg_of(figure))))
    return drawn


def plot_dots(
    ax: Axes, standings: Sequence[Standing], *, column: Metric, colours: Mapping[str, str]
) -> None:
    """Draw a row for every system; for D_ECE also how much zero evidence gives.

    Parameters
    ----------
    ax : matplotlib axes
    standings : with a number in this column, the systems of an anonymiser one after the other
    column : of the comparison
    colours : {anonymiser: colour}
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
        at = (number.value, row)
        above: dict[str, Any] = {
            "xytext": (0, 5),
            "textcoords": "offset points",
            "ha": "center",
            "fontsize": 7,
        }
        ax.annotate(column.text(number.value), at, **above, **style.told(name))
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
    """Anonymiser and condition of each row, and as much of the attacker as tells several apart."""
    systems = [standing.system for standing in standings]
    several_extractors = len({system.extractor for system in systems}) > 1
    several_backends = len({system.backend for system in systems}) > 1
    names = []
    for system in systems:
        words = [system.anonymiser, system.condition.upper()]
        if several_extractors:
            words.append(in_words(system.extractor))
        if several_backends:
            words.append(in_words(system.backend))
        names.append(" ".join(words))
    return names


def scatters(
    systems: Sequence[System], metrics: Sequence[Number], colours: Mapping[str, str]
) -> Charts:
    """EER under the strongest attack against every measure of utility, a chart each.

    The EER is folded: above 50 % an attacker reads scores the other way round.

    Parameters
    ----------
    systems : of the run
    metrics : of the run; those of utility over whole corpora are taken
    colours : {anonymiser: colour}
    """
    strongest = strongest_attacks(systems)
    # What is measured of a whole corpus without an attacker is utility (see sections).
    whole = [
        metric
        for metric in metrics
        if (metric.trials, metric.extractor, metric.condition) == (ABSENT,) * 3
    ]
    measured: dict[str, dict[str, AgainstUtility]] = {}  # by corpus and measure
    releases, _ = released_numbers(whole, {})
    for metric in releases:
        system = strongest.get((metric.corpus, metric.anonymiser))
        if not (system and _is_number(metric.value)):
            continue
        if _is_drawable(system.mean["eer_percent"]):
            measures = measured.setdefault(metric.corpus, {})
            measures.setdefault(metric.metric, {})[metric.anonymiser] = (system, metric)
    drawn: Charts = {corpus: [] for corpus in measured}
    for corpus, measures in measured.items():
        for name, anonymisers in measures.items():
            figure, ax = style.figure(WIDTH_INCHES, 3.6)
            plot_scatter(ax, titled(name), anonymisers, colours=colours)
            style.legend_below(figure)
            drawn[corpus].append((titled(name), inlined(style.svg_of(figure))))
    return drawn


def plot_scatter(
    ax: Axes, title: str, anonymisers: AgainstUtility, *, colours: Mapping[str, str]
) -> None:
    """Draw a named point with its limits for each anonymiser."""
    markers, draws = style.markers(colours), draws_in(colours)
    for name in filter(anonymisers.__contains__, colours):
        system, metric = anonymisers[name]
        utility = shown_number(metric, {})  # it is no mean of few scores, and is not corrected
        eer = folded_number(system.shown(system.mean_label, "eer_percent"))
        lines = [
            name,
            f"{title} {utility.text('{:.3g}'.format)}",
            f"EER {eer.text(EER.text)} %, {system.attack}, {system.attacker}",
        ]
        said = style.told(draws[name].system, "\n".join(lines))
        style.plot_limits(ax, utility, eer, color=colours[name], **said)
        look = {"color": colours[name], "marker": markers[name], "linestyle": "", **said}
        ax.plot(utility.value, eer.value, label=name, **look)
    ax.axhline(GUESSING_PERCENT, color=FAINT, linestyle=":", linewidth=1)
    ax.set(xlabel=title, ylabel=f"{EER.label}, folded at 50,\n{EER.arrow} more privacy")
    ax.set_ylim(0, None)


def _is_drawable(value):
    """Whether a value of the comparison is a number that a chart can show."""
    return isinstance(value, float | int) and math.isfinite(value)


def _is_number(text):
    try:
        return _is_drawable(float(text))
    except ValueError:
        return False
