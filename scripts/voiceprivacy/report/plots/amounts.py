"""The headline numbers over the amount of speech that each attack has, as pictures for papers.

The functions that are named like a kind of figure read its files and draw it for papers.
"""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from voiceprivacy.report.amounts import (
    GUESSING,
    SIDES,
    System,
    amounts_of,
    column,
    over,
    read_amounts,
    shown_point,
    ticks_of,
)
from voiceprivacy.report.curves import beside_each_other
from voiceprivacy.report.plots import style
from voiceprivacy.vocabulary import AMOUNT_NUMBERS, AmountPoint


def speech_per_attack(*, curves: str, palette: Sequence[str] = ()) -> Figure:
    """Every headline number (rows) over both sides of the trials (columns)."""
    points = read_amounts(curves)
    labels = dict.fromkeys(f"{point.anonymiser}/{point.condition}" for point in points)
    looks = style.looks(labels, palette)
    known = {point.metric for point in points}
    # Short lists lack some numbers; a picture needs one panel at least.
    shown = [metric for metric in AMOUNT_NUMBERS if metric in known] or [AMOUNT_NUMBERS[0]]
    size = (len(shown), len(SIDES))
    figure, axes = style.figure(7, 1 + 2 * len(shown), *size, sharey="row", squeeze=False)
    for row, metric in zip(axes, shown, strict=True):
        for ax, side in zip(row, SIDES, strict=True):
            plot_amounts(ax, over(side, points, metric), side=side, metric=metric, looks=looks)
        row[0].set(ylabel=f"{column(metric).title} [{column(metric).unit}]")
    handles, names = axes[0, 0].get_legend_handles_labels()
    if handles:
        figure.legend(handles, names, loc="outside upper center", ncols=3)
    return figure


def plot_amounts(
    ax: Axes,
    curves: Mapping[System, Sequence[AmountPoint]],
    *,
    side: str,
    metric: str,
    looks: Mapping[str, dict],
) -> None:
    """Draw a number over the amount of speech on one side, with intervals, and guessing.

    Parameters
    ----------
    ax : matplotlib axes
    curves : {(anonymiser, condition): points}
    side : enrolment or trial
    metric : one of AMOUNT_NUMBERS
    looks : {ANONYMISER/CONDITION: {color, linestyle, marker}}
    """
    amounts = amounts_of(side, curves)
    shifts = beside_each_other(len(curves))
    for (system, points), shift in zip(curves.items(), shifts, strict=True):
        look = looks["/".join(system)]
        x = [amounts.index(getattr(point, side)) + shift for point in points]
        numbers = [shown_point(point) for point in points]
        values = [number.value for number in numbers]
        ax.plot(x, values, label="/".join(system), markersize=style.MARKER_POINTS, **look)
        for at, number in zip(x, numbers, strict=True):
            if number.limits:
                ax.plot([at, at], number.limits, color=look["color"], linewidth=0.6)
    guessing = [GUESSING[metric]] * len(amounts)
    ax.plot(range(len(amounts)), guessing, "--", color="0.6", label="guessing")
    ax.set_xticks(range(len(amounts)), ticks_of(side, curves, "\n"))
    ax.set(xlabel=SIDES[side])
