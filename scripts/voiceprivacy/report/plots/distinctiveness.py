"""The picture of what protection costs: de-identification against the gain of voice distinctiveness."""

import math

from voiceprivacy.report.colours import palette
from voiceprivacy.report.plots import style

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "h", "p")


def picture(*, points, limits=None, title="", anonymisers=()):
    """Make the figure of plot_points with its two legends; ``style.save`` writes it."""
    figure, ax = style.figure(7, 4.4)
    colours, markers = plot_points(ax, points=points, limits=limits, anonymisers=anonymisers)
    figure.legend(
        handles=_key(ax, colours, "o"),
        title="anonymiser",
        loc="outside right upper",
        alignment="left",
    )
    figure.legend(
        handles=_key(ax, markers, None), title="set", loc="outside right lower", alignment="left"
    )
    figure.suptitle(title)
    return figure


def plot_points(ax, *, points, limits=None, anonymisers=()):
    """Draw every anonymiser on every set (Figure 3 of Noe et al., Interspeech 2020).

    Parameters
    ----------
    ax : matplotlib axes
    points : {(anonymiser, set): (deid_percent, gvd_db)}
        A gain of -inf dB (no distinct voices at all) is drawn as an arrow at the lower edge.
    limits : {(anonymiser, set): ((low, high) of DeID, (low, high) of G_VD)}
        Intervals, None where there is none; drawn as thin lines.
    anonymisers : all of the run in the order of its config, which gives the colours

    Returns
    -------
    {anonymiser: colour}, {set: marker}
    """
    shown, sets = (list(dict.fromkeys(name[side] for name in points)) for side in (0, 1))
    colours = {name: palette([*anonymisers, *shown])[name] for name in shown}
    markers = {name: MARKERS[index % len(MARKERS)] for index, name in enumerate(sets)}
    limits = limits or {}
    ends = [end for _, of_gain in limits.values() for end in of_gain or ()]
    finite = [
        gain for gain in (*(gain for _, gain in points.values()), *ends) if math.isfinite(gain)
    ]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    margin = 0.08 * (high - low) or 1.0
    for (anonymiser, of), (deid, gain) in points.items():
        lost = gain == -math.inf
        height, marker = (low - margin, r"$\downarrow$") if lost else (gain, markers[of])
        look = {
            "marker": marker,
            "color": colours[anonymiser],
            "markersize": 9 if lost else 6,
            "alpha": 0.85,
        }
        ax.plot(deid, height, linestyle="", **look)
        _plot_interval(
            ax, (deid, height), limits.get((anonymiser, of), (None, None)), colours[anonymiser]
        )
    ax.axhline(0, color="black", linestyle=":", linewidth=0.8)
    ax.axvline(100, color="black", linestyle=":", linewidth=0.8)
    left = min(
        0.0,
        *(deid for deid, _ in points.values()),
        *(end for of, _ in limits.values() for end in of or ()),
    )
    ax.set(xlim=(left - 3, 103), ylim=(low - 1.8 * margin, high + margin))
    ax.set(
        xlabel="de-identification, DeID [%]", ylabel="gain of voice distinctiveness, $G_{VD}$ [dB]"
    )
    return colours, markers


def _plot_interval(ax, point, limits, colour):
    """Thin lines through a point, along either axis."""
    look = {"color": colour, "linewidth": 0.8, "alpha": 0.6, "zorder": 1}
    of_deid, of_gain = limits
    if of_deid:
        ax.plot(of_deid, [point[1]] * 2, **look)
    if of_gain and math.isfinite(of_gain[0]):
        ax.plot([point[0]] * 2, of_gain, **look)


def _key(ax, looks, marker):
    handles = []
    for name, look in looks.items():
        style_of = (
            {"color": look, "marker": marker} if marker else {"color": "black", "marker": look}
        )
        handles += ax.plot([], [], linestyle="", label=name, **style_of)
    return handles
