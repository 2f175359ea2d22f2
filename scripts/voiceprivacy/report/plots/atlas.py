"""The disclosure atlas: bits by channel."""

import itertools
from collections.abc import Sequence

from matplotlib.figure import Figure

from voiceprivacy.inout.typed_tables import limits_of, read_typed
from voiceprivacy.report.atlas import NAMES, by_system, channels_of
from voiceprivacy.report.figures import FAINT, INK, draws_in
from voiceprivacy.report.figures import palette as colours_of
from voiceprivacy.report.plots import drawing
from voiceprivacy.report.rows import AtlasPoint
from voiceprivacy.report.uncertainty import Shown

CONDITIONS = ("op", "pp")
NOT_MEASURED = "No channel was measured on this list."
BARS = 0.84  # of the distance between channels, which all bars of one take


def atlas(*, curves: str, palette: Sequence[str] = ()) -> Figure:
    """Bars of every channel, a panel for each condition."""
    points = read_typed(AtlasPoint, curves)
    if not points:
        return drawing.say_nothing(drawing.figure(5, 1)[0], NOT_MEASURED)
    known, channels = {point.condition for point in points}, channels_of(points)
    shown = [name for name in CONDITIONS if name in known] or ["oo"]
    figure, axes = drawing.figure(7, 0.5 + 2 * len(shown), len(shown), 1, squeeze=False)
    for ax, condition in zip(axes[:, 0], shown, strict=True):
        _draw_bars(ax, by_system(points), channels, palette, condition)
        ax.set_xticks(range(len(channels)), [NAMES[channel] for channel in channels])
    drawing.one_legend(figure)
    return figure


def _draw_bars(ax, systems, channels, palette, condition):
    """Bars of all systems beside each other for each channel, with their limits, and log2 N."""
    colours = colours_of([*palette, *(anonymiser for anonymiser, _ in systems)])
    every = itertools.chain.from_iterable(points.values() for points in systems.values())
    most = max(point.most_bit for point in every)
    systems = {
        system: points for system, points in systems.items() if system[1] in (condition, "oo")
    }
    width, draws = BARS / len(systems), draws_in(colours)
    for index, ((anonymiser, attacked), of_system) in enumerate(systems.items()):
        shift = (index - (len(systems) - 1) / 2) * width
        draw = draws[anonymiser]
        label = draw.words
        for channel, point in of_system.items():
            x = channels.index(channel) + shift
            shown = Shown(point.value, limits_of(point.ci_low, point.ci_high))
            value = f"{shown.text('{:.2f}'.format)} of {point.most_bit:.2f} bit"
            words = [f"{draw.words} {attacked.upper()}", NAMES[channel], value]
            said = drawing.tooltip(draw.system, "\n".join(words))
            ax.bar(x, point.value, width, color=colours[anonymiser], label=label, **said)
            label = "_further"  # one entry of the legend for all bars
            if shown.limits:
                ax.plot([x, x], shown.limits, color=INK, linewidth=0.7, **said)
    ax.axhline(most, color=FAINT, linestyle=":", linewidth=1)
    ax.set(ylabel=f"disclosure, {condition.upper()} [bit]", ylim=(0, 1.06 * most))
