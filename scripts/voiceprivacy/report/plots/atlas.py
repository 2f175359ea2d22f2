"""The disclosure atlas: bits by channel, and by sets of channels.

Sets are drawn as UpSet plots are: a column for each set, whose channels are dots below its bars
(Lex et al., UpSet: visualization of intersecting sets, 2014). The functions that are named like a
kind of figure read its files and draw it.
"""

import itertools
from collections.abc import Sequence

from matplotlib.figure import Figure

from voiceprivacy.report.atlas import (
    NAMES,
    bits,
    by_system,
    channels_of,
    disclosures,
    read_atlas,
    read_together,
    sets_shown,
)
from voiceprivacy.report.figures import FAINT, GRID, INK, draws_in
from voiceprivacy.report.figures import palette as colours_of
from voiceprivacy.report.plots import style

CONDITIONS = ("op", "pp")
NOT_MEASURED = "No channel was measured on this list."
BARS = 0.84  # of the distance between channels, which all bars of one take
BAR_INCHES, DOT_INCHES = 1.9, 0.19  # heights of a panel of bars, and of a row of dots


def atlas(*, curves: str, palette: Sequence[str] = ()) -> Figure:
    """Bars of every channel, a panel for each condition."""
    points = read_atlas(curves)
    if not points:
        return style.say_nothing(style.figure(5, 1)[0], NOT_MEASURED)
    shown, channels = _conditions(points), channels_of(points)
    figure, axes = style.figure(7, 0.9 + 2 * len(shown), len(shown), 1, squeeze=False)
    for ax, condition in zip(axes[:, 0], shown, strict=True):
        _draw_bars(ax, by_system(points), channels, palette, condition)
        ax.set_xticks(range(len(channels)), [NAMES[channel] for channel in channels])
    style.one_legend(figure, columns=4)
    return figure


def _conditions(points):
    """Those that have a panel each, beside unprotected speech (oo)."""
    known = {point.condition for point in points}
    return [name for name in CONDITIONS if name in known] or ["oo"]


def channels(*, curves: str, palette: Sequence[str] = ()) -> Figure:
    """Bars of sets of channels above dots that say what is in each; a panel for each condition."""
    points = read_together(curves)
    if not points:
        return style.say_nothing(style.figure(5, 1)[0], NOT_MEASURED)
    sets, shown = sets_shown(points), _conditions(points)
    of_dots = DOT_INCHES * max(len(members) for members in [*sets, ()])
    figure, axes = style.figure(
        *(7, 0.7 + len(shown) * BAR_INCHES + of_dots),
        rows=len(shown) + 1,
        sharex=True,
        height_ratios=[*([BAR_INCHES] * len(shown)), max(of_dots, DOT_INCHES)],
    )
    for ax, condition in zip(axes, shown, strict=False):
        _draw_bars(ax, disclosures(points), sets, palette, condition)
    _plot_dots(axes[-1], sets)
    style.one_legend(figure, columns=4)
    return figure


def _plot_dots(ax, sets):
    """Draw which channels (rows, the first on top) are in each set (columns)."""
    channels = max(sets, key=len, default=())
    for column, members in enumerate(sets):
        ax.plot([column] * len(channels), range(len(channels)), "o", color=GRID, markersize=4)
        rows = [channels.index(member) for member in members]
        ax.plot([column] * len(rows), rows, "o-", color=INK, markersize=4, linewidth=1)
    ax.set_yticks(range(len(channels)), [NAMES[channel] for channel in channels])
    ax.set_ylim(max(1, len(channels)) - 0.5, -0.5)
    ax.set_xticks([])
    ax.tick_params(left=False)
    ax.spines[:].set_visible(False)


def _draw_bars(ax, systems, columns, palette, condition):
    """Bars of all systems beside each other in each column, with their limits, and log2 N."""
    colours = colours_of([*palette, *(anonymiser for anonymiser, _ in systems)])
    every = itertools.chain.from_iterable(points.values() for points in systems.values())
    most = max(point.most_bit for point in every)
    systems = {
        system: points for system, points in systems.items() if system[1] in (condition, "oo")
    }
    width, draws = BARS / max(1, len(systems)), draws_in(colours)
    for index, ((anonymiser, condition), of_system) in enumerate(systems.items()):
        shift = (index - (len(systems) - 1) / 2) * width
        draw = draws[anonymiser]
        label = draw.words
        for column, point in of_system.items():
            if column not in columns:
                continue
            x, shown = columns.index(column) + shift, bits(point)
            words = [f"{draw.words} {condition.upper()}", _name(column), _words(point)]
            said = style.tooltip(draw.system, "\n".join(words))
            ax.bar(x, point.value, width, color=colours[anonymiser], label=label, **said)
            label = "_further"  # one entry of the legend for all bars
            if shown.limits:
                ax.plot([x, x], shown.limits, color=INK, linewidth=0.7, **said)
    ax.axhline(most, color=FAINT, linestyle=":", linewidth=1)
    ax.set(ylabel=f"disclosure, {condition.upper()} [bit]", ylim=(0, 1.06 * most))


def _name(column):
    """A channel, or a set of them, in words."""
    return " + ".join(map(NAMES.get, [column] if isinstance(column, str) else column))


def _words(point):
    return f"{bits(point).text('{:.2f}'.format)} of {point.most_bit:.2f} bit"
