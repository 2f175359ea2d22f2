"""Systems beside each other: what protection costs, and what features are made of.

The functions that are named like a kind of figure read its files and draw it for papers.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from voiceprivacy.inout.arrays import read_embeddings
from voiceprivacy.inout.files import BadInput
from voiceprivacy.report.colours import palette as palette_of
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.plots import style
from voiceprivacy.report.uncertainty import metric_limits

Interval = tuple[float, float] | None

COSTS = ("deid_percent", "gvd_db")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "h", "p")
NO_VOICES = r"$\downarrow$"  # the marker of a gain of -inf dB
MARKED_BINS = 8
F0_RATE_HZ, F0_SHORTEST_LAG = 8000, 17  # bins of histograms.f0_histogram


def distinctiveness(
    *, metrics: str, extractor: str, backend: str, palette: Sequence[str] = ()
) -> Figure:
    """De-identification against the gain of voice distinctiveness, from metrics.tsv."""
    values: dict[tuple[str, str], dict[str, float]] = {}
    limits: dict[tuple[str, str], dict[str, Interval]] = {}
    for metric in read_metrics(Path(metrics)):
        if (metric.extractor, metric.backend) == (extractor, backend) and metric.metric in COSTS:
            system = (metric.anonymiser, f"{metric.corpus} {metric.trials}")
            values.setdefault(system, {})[metric.metric] = float(metric.value)
            limits.setdefault(system, {})[metric.metric] = metric_limits(metric)
    if not values:
        raise BadInput(f"{metrics}: has no {COSTS[0]} of {extractor} + {backend}")
    deid, gain = COSTS
    return distinctiveness_picture(
        points={system: (numbers[deid], numbers[gain]) for system, numbers in values.items()},
        limits={system: (numbers[deid], numbers[gain]) for system, numbers in limits.items()},
        title=f"{extractor} + {backend}",
        anonymisers=palette,
    )


def features(
    *, embeddings: Sequence[str], systems: Sequence[str], feature: str, title: str = ""
) -> Figure:
    """The mean histogram of a feature over all speakers, from files of extract_*.py."""
    if len(systems) != len(embeddings):
        raise BadInput(f"{len(systems)} systems for {len(embeddings)} files: give one each")
    histograms = {}
    for system, path in zip(systems, embeddings, strict=True):
        histograms[system] = read_embeddings(path).embeddings
    n_bins = next(iter(histograms.values())).shape[1]
    labels, name = [str(index) for index in range(n_bins)], feature
    if feature == "f0":
        lags = range(F0_SHORTEST_LAG, F0_SHORTEST_LAG + n_bins)
        labels, name = [f"{F0_RATE_HZ / lag:.0f}" for lag in lags], "F0 [Hz], a bin each lag"
    return features_picture(histograms=histograms, bins=(labels, name), title=title)


def distinctiveness_picture(*, title: str = "", **arguments: Any) -> Figure:
    """Make the figure of plot_points, whose arguments it takes, with its two legends."""
    figure, ax = style.figure(7, 4.4)
    colours, markers = plot_points(ax, **arguments)
    anonymisers = [_key(ax, name, color=colour, marker="o") for name, colour in colours.items()]
    sets = [_key(ax, name, color="black", marker=marker) for name, marker in markers.items()]
    for handles, words, side in ((anonymisers, "anonymiser", "upper"), (sets, "set", "lower")):
        figure.legend(handles=handles, title=words, loc=f"outside right {side}", alignment="left")
    figure.suptitle(title)
    return figure


def plot_points(
    ax: Axes,
    *,
    points: Mapping[tuple[str, str], tuple[float, float]],
    limits: Mapping[tuple[str, str], tuple[Interval, Interval]] | None = None,
    anonymisers: Sequence[str] = (),
) -> tuple[dict[str, str], dict[str, str]]:
    """Draw every anonymiser on every set (Figure 3 of Noe et al., Interspeech 2020).

    Parameters
    ----------
    ax : matplotlib axes
    points : {(anonymiser, set): (deid_percent, gvd_db)}
        A gain of -inf dB (no distinct voices at all) is drawn as an arrow at the lower edge.
    limits : {(anonymiser, set): (limits of DeID, limits of G_VD)}
        Intervals (low, high), None where there is none; drawn as thin lines.
    anonymisers : all of the run in the order of its config, which gives the colours

    Returns
    -------
    {anonymiser: colour}, {set: marker}
    """
    limits = limits or {}
    shown = list(dict.fromkeys(anonymiser for anonymiser, _ in points))
    all_colours = palette_of([*anonymisers, *shown])
    colours = {name: all_colours[name] for name in shown}
    sets = dict.fromkeys(name for _, name in points)
    markers = {name: MARKERS[index % len(MARKERS)] for index, name in enumerate(sets)}
    low, high = _span(gain for _, gain in [*points.values(), *_ends(limits)])
    margin = 0.08 * (high - low) or 1.0
    for system, (deid, gain) in points.items():
        anonymiser, name = system
        look: dict[str, Any] = {"marker": markers[name], "markersize": 6}
        if gain == -math.inf:
            gain, look = low - margin, {"marker": NO_VOICES, "markersize": 9}
        ax.plot(deid, gain, linestyle="", color=colours[anonymiser], alpha=0.85, **look)
        _plot_intervals(ax, (deid, gain), limits.get(system, (None, None)), colours[anonymiser])
    ax.axhline(0, color="black", linestyle=":", linewidth=0.8)
    ax.axvline(100, color="black", linestyle=":", linewidth=0.8)
    left, _ = _span(deid for deid, _ in [*points.values(), *_ends(limits)])
    ax.set(xlim=(left - 3, 103), ylim=(low - 1.8 * margin, high + margin))
    xlabel, ylabel = "de-identification, DeID [%]", "gain of voice distinctiveness, $G_{VD}$ [dB]"
    ax.set(xlabel=xlabel, ylabel=ylabel)
    return colours, markers


def features_picture(
    *, histograms: Mapping[str, NDArray], bins: tuple[Sequence[str], str], title: str = ""
) -> Figure:
    """Make the figure of plot_features."""
    figure, ax = style.figure(7, 3.2)
    plot_features(ax, histograms=histograms, bins=bins)
    figure.legend(loc="outside lower center", ncols=6)
    figure.suptitle(title)
    return figure


def plot_features(
    ax: Axes, *, histograms: Mapping[str, NDArray], bins: tuple[Sequence[str], str]
) -> None:
    """Draw the mean normalised histogram of every system (Figure 4 of Backstrom et al., 2025).

    Parameters
    ----------
    ax : matplotlib axes
    histograms : {system: array (U, B)}
        One histogram an utterance, all bins not negative.
    bins : what each of the B bins is, and the name of the axis
    """
    labels, name = bins
    for index, (system, counts) in enumerate(histograms.items()):
        mean = np.mean(counts / counts.sum(axis=1, keepdims=True), axis=0)
        ax.stairs(mean, label=system, **style.look(index))
    marked = np.unique(np.linspace(0, len(labels) - 1, MARKED_BINS).astype(int))
    ax.set_xticks(marked + 0.5, [labels[index] for index in marked])
    ax.set(xlabel=name, ylabel="share", ylim=(0, None), xlim=(0, len(labels)))


def _ends(limits):
    """Both ends of intervals as points (DeID, G_VD); nan where there are none."""
    ends = []
    for of_deid, of_gain in limits.values():
        ends += list(zip(of_deid or (math.nan,) * 2, of_gain or (math.nan,) * 2, strict=True))
    return ends


def _span(values):
    """The smallest and the largest of finite values and 0."""
    finite = [0.0, *(value for value in values if math.isfinite(value))]
    return min(finite), max(finite)


def _plot_intervals(ax, point, limits, colour):
    """Thin lines through a point, along either axis."""
    look = {"color": colour, "linewidth": 0.8, "alpha": 0.6, "zorder": 1}
    of_deid, of_gain = limits
    if of_deid:
        ax.plot(of_deid, [point[1]] * 2, **look)
    if of_gain and math.isfinite(of_gain[0]):
        ax.plot([point[0]] * 2, of_gain, **look)


def _key(ax, name, **look):
    (handle,) = ax.plot([], [], linestyle="", label=name, **look)
    return handle
