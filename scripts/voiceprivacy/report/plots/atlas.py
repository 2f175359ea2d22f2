"""The disclosure atlas: bits by channel, and by sets of channels.

Sets are drawn as UpSet plots are: a column for each set, whose channels are dots below its bars
(Lex et al., UpSet: visualization of intersecting sets, 2014). The functions that are named like a
kind of figure read its files and draw it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
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
from voiceprivacy.vocabulary import AtlasPoint, ChannelsPoint

CONDITIONS = ("op", "pp")
NOT_MEASURED = "No channel was measured on this list."
BARS = 0.84  # of the distance between channels, which all bars of one take
BAR_INCHES, DOT_INCHES = 1.9, 0.19  # heights of a panel of bars, and of a row of dots


def atlas(*, curves: str, palette: Sequence[str] = ()) -> Figure:
    """Bars of every channel, a panel for each condition."""
    points = read_atlas(curves)
    names = [*palette, *(point.anonymiser for point in points)]
    shown = [name for name in CONDITIONS if name in {point.condition for point in points}]
    figure, axes = style.figure(7, 0.9 + 2 * len(shown or ["oo"]), len(shown or ["oo"]), 1)
    panels = axes if len(shown) > 1 else [axes]
    for ax, condition in zip(panels, shown or ["oo"], strict=True):
        plot_atlas(ax, points, condition=condition, colours=colours_of(names))
    if not points:
        return style.say_nothing(figure, NOT_MEASURED)
    style.legend_below(figure, columns=4)
    return figure


def plot_atlas(
    ax: Axes, points: Sequence[AtlasPoint], *, condition: str, colours: Mapping[str, str]
) -> None:
    """Draw bars of all systems beside each other, channel by channel, and log2 N.

    Parameters
    ----------
    ax : matplotlib axes
    points : of all systems
    condition : that is drawn beside unprotected speech (oo)
    colours : {anonymiser: colour}
    """
    channels = channels_of(points)
    systems = {
        system: of_system
        for system, of_system in by_system(points).items()
        if system[1] in (condition, "oo")
    }
    _draw_bars(ax, systems, channels, colours)
    _set_bits(ax, points, condition)
    ax.set_xticks(range(len(channels)), [NAMES[channel] for channel in channels])


def channels(*, curves: str, palette: Sequence[str] = ()) -> Figure:
    """Bars of sets of channels above dots that say what is in each; a panel for each condition."""
    points = read_together(curves)
    names = [*palette, *(point.anonymiser for point in points)]
    sets = sets_shown(points)
    known = {point.condition for point in points}
    shown = [name for name in CONDITIONS if name in known] or ["oo"]
    if not points:
        return style.say_nothing(style.figure(5, 1)[0], NOT_MEASURED)
    of_dots = DOT_INCHES * max(len(members) for members in [*sets, ()])
    figure, axes = style.figure(
        *(7, 0.7 + len(shown) * BAR_INCHES + of_dots),
        rows=len(shown) + 1,
        sharex=True,
        height_ratios=[*([BAR_INCHES] * len(shown)), max(of_dots, DOT_INCHES)],
    )
    for ax, condition in zip(axes, shown, strict=False):
        plot_sets(ax, points, condition=condition, colours=colours_of(names))
    plot_dots(axes[-1], sets)
    style.legend_below(figure, columns=4)
    return figure


def plot_sets(
    ax: Axes, points: Sequence[ChannelsPoint], *, condition: str, colours: Mapping[str, str]
) -> None:
    """Draw bars of all systems beside each other, set by set, and log2 N; see plot_atlas."""
    sets = sets_shown(points)
    systems = {
        system: {members: point for members, point in by_set.items() if members in sets}
        for system, by_set in disclosures(points).items()
        if system[1] in (condition, "oo")
    }
    _draw_bars(ax, systems, sets, colours)
    _set_bits(ax, points, condition)


def plot_dots(ax: Axes, sets: Sequence[tuple[str, ...]]) -> None:
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


def _draw_bars(
    ax: Axes,
    systems: Mapping[tuple[str, str], Mapping[Any, AtlasPoint | ChannelsPoint]],
    columns: Sequence[Any],
    colours: Mapping[str, str],
) -> None:
    """Bars of all systems beside each other in each column, with their limits."""
    width, draws = BARS / max(1, len(systems)), draws_in(colours)
    for index, ((anonymiser, condition), of_system) in enumerate(systems.items()):
        shift = (index - (len(systems) - 1) / 2) * width
        draw = draws[anonymiser]
        label = draw.words
        for column, point in of_system.items():
            x, shown = columns.index(column) + shift, bits(point)
            words = [f"{draw.words} {condition.upper()}", _name(column), _words(point)]
            said = style.told(draw.system, "\n".join(words))
            ax.bar(x, point.value, width, color=colours[anonymiser], label=label, **said)
            label = "_further"  # one entry of the legend for all bars
            if shown.limits:
                ax.plot([x, x], shown.limits, color=INK, linewidth=0.7, **said)


def _name(column: Any) -> str:
    """A channel, or a set of them, in words."""
    return (
        NAMES[column]
        if isinstance(column, str)
        else " + ".join(NAMES[channel] for channel in column)
    )


def _words(point: AtlasPoint | ChannelsPoint) -> str:
    return f"{bits(point).text('{:.2f}'.format)} of {point.most_bit:.2f} bit"


def _set_bits(ax: Axes, points: Sequence[AtlasPoint | ChannelsPoint], condition: str) -> None:
    """The axis of bits, and the most that there is."""
    most = max((point.most_bit for point in points), default=1.0)
    ax.axhline(most, color=FAINT, linestyle=":", linewidth=1)
    ax.set(ylabel=f"disclosure, {condition.upper()} [bit]", ylim=(0, 1.06 * most))
