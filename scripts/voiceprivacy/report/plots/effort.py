"""Disclosure against the attacker's effort, as pictures for papers.

The functions that are named like a kind of figure read its files and draw it for papers.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from voiceprivacy.report.effort import EFFORTS, best_so_far, drawn_at, interval, read_efforts
from voiceprivacy.report.figures import palette as colours_of
from voiceprivacy.report.plots import style


def ladder(*, curves: str, palette: Sequence[str] = ()) -> Figure:
    """A curve for every anonymiser over each kind of effort, a panel for each kind."""
    efforts = read_efforts(curves)
    names = [*palette, *efforts]
    colours, markers = colours_of(names), style.markers(names)
    figure, axes = style.figure(9, 3.4, 1, len(EFFORTS), sharey=True)
    every = list(chain.from_iterable(efforts.values()))
    for ax, (effort, axis) in zip(axes, EFFORTS.items(), strict=True):
        at = drawn_at(every, effort)
        for anonymiser, points in efforts.items():
            curve = best_so_far(points, effort)
            x, most = [at[point] for point, _ in curve], [value for _, value in curve]
            look: dict[str, Any] = {"color": colours[anonymiser], "marker": markers[anonymiser]}
            ax.step(x, most, where="post", label=anonymiser, markevery=[], **look)
            for point in points:
                ax.plot(at[point], point.evidence_percent, **look)
                if limits := interval(point):
                    ax.plot([at[point]] * 2, limits, color=colours[anonymiser], linewidth=0.6)
        ax.set(xscale="log", xlabel=axis)
        ax.xaxis.set_minor_formatter(NullFormatter())  # within one decade they would overlap
    axes[0].set(ylabel="evidence left [%]", ylim=(0, None))
    handles, labels = axes[0].get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside upper center", ncols=4)
    return figure
