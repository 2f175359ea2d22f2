"""Privacy against utility."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from voiceprivacy.report.figures import FAINT
from voiceprivacy.report.plane import (
    COMPETES,
    CONTROL,
    EVIDENCE_AXIS,
    EVIDENCE_RANGE,
    THRESHOLDS,
    UNPROTECTED,
    Plane,
    read_planes,
)
from voiceprivacy.report.plots import drawing

MARKERS = {CONTROL: "x", UNPROTECTED: "s"}
MOST_PANELS = 3
WIDTH_INCHES, HEIGHT_INCHES = 4.6, 3.5


def plane(*, verdict: str, metrics: str, corpus: str, palette: Sequence[str] = ()) -> Figure:
    """A panel for each of the preferred measures of a corpus, one below the other."""
    planes = read_planes(verdict, metrics, corpus)[:MOST_PANELS]
    n_panels = max(1, len(planes))
    figure, axes = drawing.figure(WIDTH_INCHES, HEIGHT_INCHES * n_panels, n_panels, squeeze=False)
    if not planes:
        return drawing.say_nothing(figure, "no system has evidence and utility")
    for ax, one in zip(axes[:, 0], planes, strict=True):
        draw_plane(ax, one, palette)
    drawing.one_legend(figure, columns=3, side="upper center")  # seen before the points
    return figure


def draw_plane(ax: Axes, plane: Plane, palette: Sequence[str] = ()) -> None:
    """One measure: a point for every system."""
    names = [*palette, *plane.points]
    for threshold in THRESHOLDS:
        ax.axhline(threshold.percent, color=FAINT, linestyle=":", linewidth=0.8, zorder=0)
        beside: drawing.Look = {"color": FAINT, "fontsize": 7, "ha": "right"}
        beside["va"] = "top" if threshold.is_below else "bottom"
        at_edge = ax.get_yaxis_transform()
        ax.text(1, threshold.percent, threshold.words, transform=at_edge, **beside)
    for system, point in plane.points.items():
        look = drawing.mark(system, names, _words(plane, point))
        limits = {name: look[name] for name in ("color", "gid")}
        drawing.plot_limits(ax, point.utility, point.evidence, **limits)
        if point.role != COMPETES:
            look |= {"marker": MARKERS[point.role], "fillstyle": "none"}
        at = (point.utility.value, point.evidence.value)
        ax.plot(*at, label=system, clip_on=False, **look)
    ax.set(xlabel=plane.axis, ylabel=EVIDENCE_AXIS)
    ax.set(xlim=plane.utility_range, ylim=EVIDENCE_RANGE)


def _words(plane, point):
    """What is said where one points at a system."""
    lines = [
        point.system,
        f"{plane.row.title} {plane.utility_text(point.system)}",
        f"evidence {point.evidence.text('{:.0f}'.format)} %",
    ]
    return "\n".join(lines if point.role == COMPETES else [*lines, point.role])
