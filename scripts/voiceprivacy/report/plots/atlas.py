"""The disclosure atlas as pictures for papers: bits by channel, all systems side by side.

The functions that are named like a kind of figure read its files and draw it for papers.
"""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from voiceprivacy.report.atlas import NAMES, bits, by_system, channels_of, read_atlas
from voiceprivacy.report.figures import palette as colours_of
from voiceprivacy.report.plots import style
from voiceprivacy.vocabulary import AtlasPoint

CONDITIONS = ("op", "pp")
BARS = 0.84  # of the distance between channels, which all bars of one take


def atlas(*, curves: str, palette: Sequence[str] = ()) -> Figure:
    """Bars of every channel, a panel for each condition."""
    points = read_atlas(curves)
    names = [*palette, *(point.anonymiser for point in points)]
    shown = [name for name in CONDITIONS if name in {point.condition for point in points}]
    figure, axes = style.figure(7, 0.9 + 2 * len(shown or ["oo"]), len(shown or ["oo"]), 1)
    panels = axes if len(shown) > 1 else [axes]
    for ax, condition in zip(panels, shown or ["oo"], strict=True):
        plot_atlas(ax, points, condition=condition, colours=colours_of(names))
    handles, labels = panels[0].get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside upper center", ncols=4)
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
    width = BARS / max(1, len(systems))
    for index, ((anonymiser, _), of_system) in enumerate(systems.items()):
        shift = (index - (len(systems) - 1) / 2) * width
        at = [channels.index(channel) + shift for channel in of_system]
        values = [point.value for point in of_system.values()]
        ax.bar(at, values, width, color=colours[anonymiser], label=anonymiser)
        for x, point in zip(at, of_system.values(), strict=True):
            if limits := bits(point).limits:
                ax.plot([x, x], limits, color="0.2", linewidth=0.7)
    most = max((point.most_bit for point in points), default=1.0)
    ax.axhline(most, color="0.6", linestyle=":", linewidth=1)
    ax.set_xticks(range(len(channels)), [NAMES[channel] for channel in channels])
    ax.set(ylabel=f"disclosure, {condition.upper()} [bit]", ylim=(0, 1.06 * most))
