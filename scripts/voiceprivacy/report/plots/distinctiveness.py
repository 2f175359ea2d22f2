"""The picture of what protection costs: de-identification against the gain of voice distinctiveness."""

import math

from voiceprivacy.report.plots import style

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "h", "p")


def picture(*, points, title=""):
    """Make the figure of plot_points with its two legends; ``style.save`` writes it."""
    figure, ax = style.figure(7, 4.4)
    colours, markers = plot_points(ax, points=points)
    figure.legend(handles=_key(ax, colours, "o"), title="anonymiser", loc="outside right upper", alignment="left")
    figure.legend(handles=_key(ax, markers, None), title="set", loc="outside right lower", alignment="left")
    figure.suptitle(title)
    return figure


def plot_points(ax, *, points):
    """Draw every anonymiser on every set (Figure 3 of Noe et al., Interspeech 2020).

    Parameters
    ----------
    ax : matplotlib axes
    points : {(anonymiser, set): (deid_percent, gvd_db)}
        A gain of -inf dB (no distinct voices at all) is drawn as an arrow at the lower edge.

    Returns
    -------
    {anonymiser: colour}, {set: marker}
    """
    anonymisers, sets = (list(dict.fromkeys(name[side] for name in points)) for side in (0, 1))
    colours = {name: style.colour(index) for index, name in enumerate(anonymisers)}
    markers = {name: MARKERS[index % len(MARKERS)] for index, name in enumerate(sets)}
    finite = [gain for _, gain in points.values() if math.isfinite(gain)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    margin = 0.08 * (high - low) or 1.0
    for (anonymiser, of), (deid, gain) in points.items():
        lost = gain == -math.inf
        height, marker = (low - margin, r"$\downarrow$") if lost else (gain, markers[of])
        look = {"marker": marker, "color": colours[anonymiser], "markersize": 9 if lost else 6, "alpha": 0.85}
        ax.plot(deid, height, linestyle="", **look)
    ax.axhline(0, color="black", linestyle=":", linewidth=0.8)
    ax.axvline(100, color="black", linestyle=":", linewidth=0.8)
    left = min([0.0, *(deid for deid, _ in points.values())])
    ax.set(xlim=(left - 3, 103), ylim=(low - 1.8 * margin, high + margin))
    ax.set(xlabel="de-identification, DeID [%]", ylabel="gain of voice distinctiveness, $G_{VD}$ [dB]")
    return colours, markers


def _key(ax, looks, marker):
    handles = []
    for name, look in looks.items():
        style_of = {"color": look, "marker": marker} if marker else {"color": "black", "marker": look}
        handles += ax.plot([], [], linestyle="", label=name, **style_of)
    return handles
