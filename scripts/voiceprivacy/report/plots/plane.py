"""Privacy against utility."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from voiceprivacy.report.figures import FAINT, INK, draws_in
from voiceprivacy.report.figures import palette as colours_of
from voiceprivacy.report.plane import (
    COMPETES,
    CONTROL,
    EVIDENCE_AXIS,
    EVIDENCE_RANGE,
    FEW_POINTS,
    THRESHOLDS,
    Plane,
    read_planes,
)
from voiceprivacy.report.plots import style

MARKERS = {COMPETES: "o", CONTROL: "x"}
THIN = 0.3  # points: limits of many systems would hide them
MOST_PANELS = 3
WIDTH_INCHES, HEIGHT_INCHES, OF_A_NAME = 4.6, 3.5, 0.1


def plane(*, verdict: str, metrics: str, corpus: str, palette: Sequence[str] = ()) -> Figure:
    """A panel for each of the preferred measures of a corpus, one below the other."""
    planes = read_planes(verdict, metrics, corpus)[:MOST_PANELS]
    n_panels = max(1, len(planes))
    n_names = max((len(one.points) for one in planes), default=0)
    height = HEIGHT_INCHES + OF_A_NAME * max(0, n_names - FEW_POINTS)
    figure, axes = style.figure(WIDTH_INCHES, height * n_panels, n_panels, 1, squeeze=False)
    if not planes:
        return style.say_nothing(figure, "no system has evidence and utility")
    for ax, one in zip(axes[:, 0], planes, strict=True):
        draw_plane(ax, one, palette)
    return figure


def draw_plane(ax: Axes, plane: Plane, palette: Sequence[str] = ()) -> None:
    """One measure: a named point for every system."""
    names = [*palette, *plane.points]
    colours, markers, draws = colours_of(names), style.markers(names), draws_in(names)
    for threshold in THRESHOLDS:
        _line_across(ax, threshold)
    names_at = plane.names_at()
    for system, point in plane.points.items():
        said = style.told(draws[system].system, _words(plane, point))
        x, y = point.utility.value, point.evidence.value
        colour = colours.get(system, INK)
        ax.plot(
            x,
            y,
            marker=markers[system] if point.role == COMPETES else MARKERS.get(point.role, "s"),
            linestyle="",
            color=colour,
            fillstyle="full" if point.role == COMPETES else "none",
            clip_on=False,
            **said,
        )
        width = THIN if plane.is_crowded else 0.9
        style.plot_limits(ax, point.utility, point.evidence, color=colour, linewidth=width, **said)
        _name(ax, system, (x, y), names_at[system], said)
    ax.set(xlabel=plane.axis, ylabel=EVIDENCE_AXIS)
    ax.set(xlim=plane.utility_range, ylim=EVIDENCE_RANGE)


def _words(plane, point):
    """What is said where one points at a system."""
    lines = [
        point.system,
        f"{plane.title} {plane.utility_text(point.system)}",
        f"evidence {point.evidence.text('{:.0f}'.format)} %",
    ]
    return "\n".join(lines if point.role == COMPETES else [*lines, point.role])


def _line_across(ax, threshold):
    """A faint line, and its words at its right end."""
    ax.axhline(threshold.percent, color=FAINT, linestyle=":", linewidth=0.8, zorder=0)
    ax.text(
        1,
        threshold.percent,
        threshold.words,
        transform=ax.get_yaxis_transform(),
        color=FAINT,
        fontsize=7,
        ha="right",
        va="top" if threshold.is_below else "bottom",
    )


def _name(ax, system, mark, name_at, said):
    """The name of a system, and a line that leads to it."""
    middle, edge = name_at
    line = {"color": FAINT, "linewidth": 0.5, "zorder": 1.5}
    ax.plot(*zip(mark, edge, strict=True), **line, **said)
    ax.text(*middle, system, fontsize=8, ha="center", va="center", zorder=1.8, **said)
