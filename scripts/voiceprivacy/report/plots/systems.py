"""Systems beside each other: what protection costs, their features, and conventional pictures.

The functions that are named like a kind of figure read its files and draw it. The conventional
pictures of score files are called like the functions of voiceprivacy.privacy.scores.profiles whose
numbers they show. Each is drawn by plot_NAME on ``ax``; ``curve`` is what the numbers' function
returns.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from voiceprivacy.catalogue import METRICS
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import read_embeddings
from voiceprivacy.report.figures import FAINT, INK
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.plots import drawing
from voiceprivacy.report.releases import released_numbers
from voiceprivacy.report.uncertainty import Shown, shown_number
from voiceprivacy.vocabulary import UNDEFINED, attacker_name

COSTS = ("deid_percent", "gvd_db")
MOST_PANELS = 3  # beside each other
NO_VOICES = r"$\downarrow$"  # the marker of a gain of -inf dB
MARKED_BINS = 8
F0_RATE_HZ, F0_SHORTEST_LAG = 8000, 17  # bins of histograms.f0_histogram


def distinctiveness(
    *, metrics: str, extractor: str, backend: str, palette: Sequence[str] = ()
) -> Figure:
    """De-identification against the gain of voice distinctiveness, from metrics.tsv.

    A system without both numbers, because they are undefined, is not drawn.
    """
    measured: dict[tuple[str, str], dict[str, Shown]] = {}
    of_attacker = [
        metric
        for metric in read_metrics(metrics)
        if (metric.extractor, metric.backend) == (extractor, backend) and metric.metric in COSTS
    ]
    title = attacker_name(extractor, backend)
    if not of_attacker:
        raise BadInput(f"{metrics}: has no DeID and G_VD under {title}")
    for metric in released_numbers(of_attacker):
        system = (metric.anonymiser, f"{metric.corpus} {metric.trials}")
        if metric.value != UNDEFINED:
            measured.setdefault(system, {})[metric.metric] = shown_number(metric)
    points = {}
    for system, numbers in measured.items():
        if len(numbers) == len(COSTS):
            points[system] = (numbers["deid_percent"], numbers["gvd_db"])
    return distinctiveness_picture(points=points, title=title, anonymisers=palette)


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


def distinctiveness_picture(
    *,
    points: Mapping[tuple[str, str], tuple[Shown, Shown]],
    title: str = "",
    anonymisers: Sequence[str] = (),
) -> Figure:
    """A panel for every set, all on one scale, and one legend.

    Parameters
    ----------
    points : {(anonymiser, set): (deid_percent, gvd_db)}
    title : above the figure
    anonymisers : all of the run in the order of its config, which gives the looks
    """
    sets: dict[str, dict[str, tuple[Shown, Shown]]] = {}
    for (anonymiser, name), point in points.items():
        sets.setdefault(name, {})[anonymiser] = point
    figure, axes = drawing.grid(
        *(len(sets), MOST_PANELS, (2.9, 2.7), (1.2, 0.6)), sharex=True, sharey=True
    )
    if not points:
        return drawing.say_nothing(figure, "undefined: original speakers are not distinguished")
    names = list(dict.fromkeys([*anonymisers, *(anonymiser for anonymiser, _ in points)]))
    edges = _edges(points.values())
    for ax, (name, of_set) in zip(axes, sets.items(), strict=True):
        _plot_points(ax, of_set, names, edges)
        ax.set_title(name, fontsize="medium")
    for ax in axes[-MOST_PANELS:]:
        ax.set_xlabel("DeID [%], → more privacy")
    figure.supylabel("gain of voice distinctiveness, $G_{VD}$ [dB]", fontsize="medium")
    drawing.one_legend(figure)
    figure.suptitle(title)
    return figure


def _plot_points(ax, points, anonymisers, edges):
    """Draw every anonymiser on one set (Figure 3 of Noe et al., Interspeech 2020).

    Intervals are thin lines. A gain of -inf dB (no distinct voices at all) is drawn as an arrow at
    the lower edge. ``edges`` are the left, lower and upper end of what all panels show.
    """
    left, low, high = edges
    margin = 0.08 * (high - low) or 1.0
    for anonymiser in filter(points.__contains__, anonymisers):
        deid, gain = points[anonymiser]
        look = drawing.mark(anonymiser, anonymisers, _words_of_costs(anonymiser, deid, gain))
        # In the legend it has its mark, also where its gain is lost.
        ax.plot([], [], label=anonymiser, **look)
        height = low - margin if gain.value == -math.inf else gain.value
        lost = {"marker": NO_VOICES, "markersize": 9} if height != gain.value else {}
        ax.plot(deid.value, height, **look | lost)
        limits = {name: look[name] for name in ("color", "gid")}
        drawing.plot_limits(ax, deid, gain._replace(value=height), alpha=0.6, **limits)
    ax.axhline(0, color=FAINT, linestyle=":", linewidth=0.8)
    ax.axvline(100, color=FAINT, linestyle=":", linewidth=0.8)
    ax.set(xlim=(left - 3, 103), ylim=(low - 1.8 * margin, high + margin))


def _words_of_costs(anonymiser, deid, gain):
    """What is said where one points at an anonymiser."""
    lines = [anonymiser]
    for metric, number in ((METRICS["deid_percent"], deid), (METRICS["gvd_db"], gain)):
        lines.append(f"{metric.title} {number.text('{:.1f}'.format)} {metric.unit}")
    return "\n".join(lines)


def _edges(points):
    """Left, lower and upper end of all points, all intervals and zero."""
    deids, gains = [0.0], [0.0]
    for deid, gain in points:
        deids += [deid.value, *(deid.limits or ())]
        gains += [gain.value, *(gain.limits or ())]
    finite = list(filter(math.isfinite, gains))
    return min(filter(math.isfinite, deids)), min(finite), max(finite)


def features_picture(
    *, histograms: Mapping[str, NDArray], bins: tuple[Sequence[str], str], title: str = ""
) -> Figure:
    """Mean normalised histograms of every system (Figure 4 of Backstrom et al., 2025).

    Parameters
    ----------
    histograms : {system: array (U, B)}
        One histogram an utterance, all bins not negative.
    bins : what each of the B bins is, and the name of the axis
    """
    figure, ax = drawing.figure(7, 3.2)
    labels, name = bins
    for index, (system, counts) in enumerate(histograms.items()):
        mean = np.mean(counts / counts.sum(axis=1, keepdims=True), axis=0)
        ax.stairs(mean, label=system, **drawing.look(index))
    # Eight bins have a label, fewer where there are fewer bins; stairs go from k to k + 1.
    marked = np.unique(np.linspace(0, len(labels) - 1, MARKED_BINS).astype(int))
    ax.set_xticks(marked + 0.5, [labels[index] for index in marked])
    ax.set(xlabel=name, ylabel="share", ylim=(0, None), xlim=(0, len(labels)))
    drawing.one_legend(figure, columns=6)
    figure.suptitle(title)
    return figure


# The conventional pictures of score files.

Curve = Mapping[str, Any]

MOST_COLUMNS = 4
PANEL_INCHES = (2.7, 2.3)
ACTUAL, MINIMUM = drawing.colour(1), drawing.colour(0)
CLASSES = {"target": drawing.colour(0), "nontarget": drawing.colour(1)}
DET_PERCENT = np.array([0.1, 0.5, 2, 5, 10, 20, 40, 60, 80, 90, 95, 98, 99.5, 99.9])
LOG_ODDS = r"prior log-odds, logit($\pi$)"
LLR = "LLR (base 10)"


def conventional_picture(name: str, curves: Mapping[str, Curve]) -> Figure:
    """Make the figure of one kind for score files: {label: curve}."""
    if name in TOGETHER:
        figure, ax = drawing.figure(6.4, 4)
        for index, (label, curve) in enumerate(curves.items()):
            TOGETHER[name](ax, curve, label, index)
        ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1))
        return figure
    figure, axes = drawing.grid(len(curves), MOST_COLUMNS, PANEL_INCHES, (0.0, 0.2), narrowest=2)
    for ax, (label, curve) in zip(axes, curves.items(), strict=True):
        PANELS[name](ax, curve)
        ax.set_title(label, fontsize="medium")
    # Panels are small: labels of the figure instead of each leave them their room.
    figure.supxlabel(axes[0].get_xlabel(), fontsize="medium")
    figure.supylabel(axes[0].get_ylabel(), fontsize="medium")
    for ax in axes:
        ax.set(xlabel="", ylabel="")
    drawing.one_legend(figure, columns=3, side="upper center")
    return figure


def plot_det(ax: Axes, curve: Curve, label: str, index: int) -> None:
    """Detection error trade-off on normal deviates; a thin line is the convex hull of the ROC."""
    # On normal deviates the DET of two normal distributions of equal width is a straight line.
    low, high = ends = ndtri(DET_PERCENT[[0, -1]] / 100)
    grid = np.linspace(low, high, 400)
    # The hull is straight between error rates, and bends here: many points of it are drawn.
    hull = np.interp(ndtr(grid), curve["hull_false_alarm"][::-1], curve["hull_miss"][::-1])
    miss, false_alarm = (
        np.clip(_deviates(curve[name]), *(2 * ends)) for name in ("miss", "false_alarm")
    )
    if not index:
        ax.plot(ends, ends, color=INK, linestyle=":", linewidth=0.8)
    look = drawing.look(index)
    ax.plot(false_alarm, miss, label=label, **look)
    ax.plot(grid, np.clip(_deviates(hull), *(2 * ends)), linewidth=0.6, **look)
    ticks = {
        "ticks": ndtri(DET_PERCENT / 100),
        "labels": [f"{percent:g}" for percent in DET_PERCENT],
    }
    ax.set_xticks(**ticks, fontsize="small")
    ax.set_yticks(**ticks, fontsize="small")
    ax.set(xlabel="false alarms [%]", ylabel="misses [%]", xlim=ends, ylim=ends, aspect="equal")


def plot_roc(ax: Axes, curve: Curve, label: str, index: int) -> None:
    """Receiver operating characteristic, with its convex hull as a thin line."""
    if not index:
        ax.plot([0, 1], [0, 1], color=INK, linestyle=":", linewidth=0.8)
    look = drawing.look(index)
    ax.plot(curve["false_alarm"], 1 - curve["miss"], label=label, **look)
    ax.plot(curve["hull_false_alarm"], 1 - curve["hull_miss"], linewidth=0.6, **look)
    ax.set(
        xlabel="nontargets accepted",
        ylabel="targets accepted",
        xlim=(0, 1),
        ylim=(0, 1.005),
        aspect="equal",
    )


def plot_tippett(ax: Axes, curve: Curve) -> None:
    """Share of trials whose LLR is at least so large: scores as they are, after calibration."""
    # The axis is that of calibrated LLRs; raw scores can be of any size, and leave it.
    oracle = np.concatenate([llrs for llrs, _ in curve["oracle"].values()])
    low, high = min(oracle.min(), 0) - 0.5, max(oracle.max(), 0) + 0.5
    looks: dict[str, tuple[str, dict[str, Any]]] = {
        "oracle": ("after oracle calibration", {"linestyle": "-"}),
        "actual": ("as they are", {"linestyle": "--", "linewidth": 1}),
    }
    for kind, (words, look) in looks.items():
        for label, colour in CLASSES.items():
            llrs, shares = curve[kind][label]
            llrs = np.clip(llrs, low - 1, high + 1)
            # Down by a step at each LLR, from outside of the picture to outside of it.
            steps_x = np.repeat([low - 2, *llrs], 2)
            steps_y = np.repeat([1, *shares, 0], 2)[1:-1]
            ax.plot(steps_x, steps_y, color=colour, label=f"{label}s {words}", **look)
    ax.axvline(0, color=INK, linestyle=":", linewidth=0.8)
    ylabel = "share of trials with a larger LLR"
    ax.set(xlabel=LLR, ylabel=ylabel, xlim=(low, high), ylim=(0, 1.02))


def plot_calibration(ax: Axes, curve: Curve) -> None:
    """Empirical calibration plot: how many trials of a posterior are targets.

    Figure 4 of Noe et al., CSL 2022.
    """
    ax.plot([0, 1], [0, 1], color=INK, linestyle=":", linewidth=0.8, label="calibrated")
    looks = {"actual": ("scores as they are", ACTUAL), "oracle": ("after calibration", MINIMUM)}
    for kind, (label, colour) in looks.items():
        x, y = curve[kind]["posterior"], curve[kind]["share"]
        ax.plot(x, y, color=colour, marker="o", markersize=3, label=label)
    xlabel = "posterior of target by the score"
    ax.set(xlabel=xlabel, ylabel="share of targets", xlim=(0, 1), ylim=(-0.01, 1.01))


def plot_ece(ax: Axes, curve: Curve) -> None:
    """Empirical cross-entropy over priors, with dots at logit 0: Cllr and min Cllr.

    Figure 7 of Noe et al., CSL 2022.
    """
    _over_priors(ax, curve, "ECE [bit]")
    for kind, words, colour in (("actual", "Cllr", ACTUAL), ("minimum", "min Cllr", MINIMUM)):
        bit = np.interp(0, curve["prior_log_odds"], curve[kind])
        ax.plot(0, bit, "o", color=colour, label=words)


def _over_priors(ax, curve, ylabel):
    """Actual, minimum (after oracle calibration) and default (no scores) over priors."""
    x = curve["prior_log_odds"]
    ax.plot(x, curve["actual"], color=ACTUAL, label="actual (scores as they are)")
    ax.plot(
        x, curve["minimum"], color=MINIMUM, linestyle="--", label="minimum (oracle calibration)"
    )
    ax.plot(x, curve["default"], color=INK, linestyle=":", label="default (perfect privacy)")
    ax.set(
        xlabel=LOG_ODDS, ylabel=ylabel, xlim=(x[0], x[-1]), ylim=(0, 1.4 * curve["default"].max())
    )


def _histograms(ax, curve, xlabel):
    """Targets and nontargets."""
    for label, colour in CLASSES.items():
        ax.stairs(
            curve[label], curve["edges"], color=colour, fill=True, alpha=0.5, label=f"{label}s"
        )
    ax.set(xlabel=xlabel, ylabel="density", ylim=(0, None))


def _deviates(rates):
    with np.errstate(divide="ignore"):  # rates of 0 and 1 lie at infinity, and are clipped
        return ndtri(rates)


TOGETHER: dict[str, Callable] = {"det": plot_det, "roc": plot_roc}
PANELS: dict[str, Callable] = {
    "ece": plot_ece,
    "bayes_error": partial(_over_priors, ylabel="Bayes error rate"),
    "normalised_bayes_error": partial(_over_priors, ylabel="normalised Bayes error rate"),
    "tippett": plot_tippett,
    "scores": partial(_histograms, xlabel="score"),
    "llrs": partial(_histograms, xlabel=f"{LLR} after oracle calibration"),
    "calibration": plot_calibration,
}
