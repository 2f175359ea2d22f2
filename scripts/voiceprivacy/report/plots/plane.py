"""Privacy against utility, as a picture for papers.

The function that is named like a kind of figure reads its files and draws it for papers.
"""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from voiceprivacy.report.figures import palette as colours_of
from voiceprivacy.report.plane import (
    COMPETES,
    CONTROL,
    EVIDENCE_AXIS,
    EVIDENCE_RANGE,
    THRESHOLDS,
    Plane,
    read_planes,
)
from voiceprivacy.report.plots import style

MARKERS = {COMPETES: "o", CONTROL: "x"}
THIN = 0.3  # points: limits of many systems would hide them
MOST_PANELS = 3  # beside each other


def plane(*, verdict: str, metrics: str, corpus: str, palette: Sequence[str] = ()) -> Figure:
    """A panel for each of the preferred measures of a corpus."""
    planes = read_planes(verdict, metrics, corpus)[:MOST_PANELS]
    n_panels = max(1, len(planes))
    figure, axes = style.figure(3.4 * n_panels, 3.2, 1, n_panels, sharey=True, squeeze=False)
    for ax, one in zip(axes[0], planes, strict=False):
        draw_plane(ax, one, palette)
    if planes:
        axes[0][0].set(ylabel=upwards(EVIDENCE_AXIS.replace(", ", "\n")))
    else:
        axes[0][0].set_axis_off()
        axes[0][0].text(0.5, 0.5, "no system has evidence and utility", ha="center")
    return figure


def draw_plane(ax: Axes, plane: Plane, palette: Sequence[str] = ()) -> None:
    """One measure: a named point for every system."""
    names = [*palette, *plane.points]
    colours, markers = colours_of(names), style.markers(names)
    for threshold in THRESHOLDS:
        _line_across(ax, threshold)
    names_at = plane.names_at()
    for system, point in plane.points.items():
        x, y = point.utility.value, point.evidence.value
        colour = colours.get(system, "black")
        ax.plot(
            x,
            y,
            marker=markers[system] if point.role == COMPETES else MARKERS.get(point.role, "s"),
            linestyle="",
            color=colour,
            markerfacecolor="none" if point.role != COMPETES else colour,
            clip_on=False,
        )
        _limits(ax, point, colour, THIN if plane.is_crowded else 0.8)
        _name(ax, system, (x, y), names_at[system][0])
    ax.set(xlabel=upwards(plane.axis), xlim=plane.utility_range, ylim=EVIDENCE_RANGE)


def _line_across(ax, threshold):
    """A faint line, and its words at its right end."""
    ax.axhline(threshold.percent, color="0.75", linestyle=":", linewidth=0.8, zorder=0)
    ax.text(
        1,
        threshold.percent,
        threshold.words,
        transform=ax.get_yaxis_transform(),
        color="0.45",
        fontsize=7,
        ha="right",
        va="top" if threshold.is_below else "bottom",
    )


def _limits(ax, point, colour, width):
    """A cross of the intervals, below all marks."""
    x, y = point.utility.value, point.evidence.value
    if point.utility.limits:
        ax.plot(point.utility.limits, [y, y], color=colour, linewidth=width, zorder=1)
    if point.evidence.limits:
        ax.plot([x, x], point.evidence.limits, color=colour, linewidth=width, zorder=1)


def _name(ax, system, mark, middle):
    """The name of a system, and a line that leads to it."""
    ax.plot(*zip(mark, middle, strict=True), color="0.5", linewidth=0.5, zorder=1.5)
    ground = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}  # where the line ends
    ax.text(*middle, system, fontsize=8, ha="center", va="center", bbox=ground, zorder=1.8)


def upwards(text: str) -> str:
    """Words of an axis with arrows that every font has."""
    return text.replace("↑", r"$\uparrow$").replace("→", r"$\rightarrow$")
