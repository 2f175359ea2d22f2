"""The conventional pictures of score files: error trade-offs of all in one, others in a panel each.

The numbers are those of voiceprivacy.privacy.scores.profiles, by the same names. Every plot_
function draws one score file on ``ax``;
``curve`` is what the numbers' function of that name returns.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.special import ndtr, ndtri

from voiceprivacy.report.plots import style

Curve = Mapping[str, Any]

MOST_COLUMNS = 4
PANEL_INCHES = (2.7, 2.3)
ACTUAL, MINIMUM = style.colour(1), style.colour(0)
CLASSES = {"target": style.colour(0), "nontarget": style.colour(1)}
DET_PERCENT = np.array([0.1, 0.5, 2, 5, 10, 20, 40, 60, 80, 90, 95, 98, 99.5, 99.9])
LOG_ODDS = r"prior log-odds, logit($\pi$)"
LLR = "LLR (base 10)"


def picture(name: str, curves: Mapping[str, Curve]) -> Figure:
    """Make the figure of one kind for score files: {label: curve}."""
    if name in TOGETHER:
        figure, ax = style.figure(6.4, 4)
        for index, (label, curve) in enumerate(curves.items()):
            TOGETHER[name](ax, curve, label, index)
        ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1))
        return figure
    columns = min(len(curves), MOST_COLUMNS)
    rows = math.ceil(len(curves) / columns)
    width, height = PANEL_INCHES
    figure, axes = style.figure(
        width * max(columns, 2), height * rows + 0.6, rows, columns, squeeze=False
    )
    for ax in axes.flat[len(curves) :]:
        ax.set_axis_off()
    for ax, (label, curve) in zip(axes.flat, curves.items(), strict=False):
        PANELS[name](ax, curve)
        ax.set_title(label, fontsize="medium")
    _label_once(figure, axes)
    handles, names = axes.flat[0].get_legend_handles_labels()
    columns_of_legend = 3 if len(names) < 4 else 2
    figure.legend(handles, names, loc="outside upper center", ncols=columns_of_legend)
    return figure


def plot_ece(ax: Axes, curve: Curve) -> None:
    """Empirical cross-entropy: actual, minimum (after oracle calibration), default (no scores)."""
    _over_priors(ax, curve, "ECE [bit]")


def plot_bayes_error(ax: Axes, curve: Curve) -> None:
    """Bayes error rate over priors (APE plot): actual, minimum, default."""
    _over_priors(ax, curve, "Bayes error rate")


def plot_normalised_bayes_error(ax: Axes, curve: Curve) -> None:
    """Bayes error rate in proportion to that of the default, which is 1."""
    _over_priors(ax, curve, "normalised Bayes error rate")


def plot_det(ax: Axes, curve: Curve, label: str, index: int) -> None:
    """Detection error trade-off on normal deviates; a thin line is the convex hull of the ROC."""
    low, high = ends = ndtri(DET_PERCENT[[0, -1]] / 100)
    grid = np.linspace(low, high, 400)
    hull = np.interp(ndtr(grid), curve["hull_false_alarm"][::-1], curve["hull_miss"][::-1])
    miss, false_alarm = (
        np.clip(_deviates(curve[name]), *(2 * ends)) for name in ("miss", "false_alarm")
    )
    if not index:
        ax.plot(ends, ends, color="black", linestyle=":", linewidth=0.8)
    look = style.look(index)
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
        ax.plot([0, 1], [0, 1], color="black", linestyle=":", linewidth=0.8)
    look = style.look(index)
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
            steps_x = np.repeat([low - 2, *llrs], 2)
            steps_y = np.repeat([1, *shares, 0], 2)[1:-1]
            ax.plot(steps_x, steps_y, color=colour, label=f"{label}s {words}", **look)
    ax.axvline(0, color="black", linestyle=":", linewidth=0.8)
    ylabel = "share of trials with a larger LLR"
    ax.set(xlabel=LLR, ylabel=ylabel, xlim=(low, high), ylim=(0, 1.02))


def plot_scores(ax: Axes, curve: Curve) -> None:
    """Histograms of the scores of targets and of nontargets."""
    _histograms(ax, curve, "score")


def plot_llrs(ax: Axes, curve: Curve) -> None:
    """Histograms of the LLRs of targets and of nontargets after oracle calibration."""
    _histograms(ax, curve, f"{LLR} after oracle calibration")


def plot_calibration(ax: Axes, curve: Curve) -> None:
    """Empirical calibration plot: how many trials of a posterior are targets.

    Figure 4 of Noe et al., CSL 2022.
    """
    ax.plot([0, 1], [0, 1], color="black", linestyle=":", linewidth=0.8, label="calibrated")
    looks = {"actual": ("scores as they are", ACTUAL), "oracle": ("after calibration", MINIMUM)}
    for kind, (label, colour) in looks.items():
        x, y = curve[kind]["posterior"], curve[kind]["share"]
        ax.plot(x, y, color=colour, marker="o", markersize=3, label=label)
    xlabel = "posterior of target by the score"
    ax.set(xlabel=xlabel, ylabel="share of targets", xlim=(0, 1), ylim=(-0.01, 1.01))


TOGETHER: dict[str, Callable] = {"det": plot_det, "roc": plot_roc}
PANELS: dict[str, Callable] = {
    "ece": plot_ece,
    "bayes_error": plot_bayes_error,
    "normalised_bayes_error": plot_normalised_bayes_error,
    "tippett": plot_tippett,
    "scores": plot_scores,
    "llrs": plot_llrs,
    "calibration": plot_calibration,
}


def _label_once(figure, axes):
    """The labels of the first axes for the whole figure instead of each."""
    xlabel, ylabel = axes.flat[0].get_xlabel(), axes.flat[0].get_ylabel()
    for ax in axes.flat:
        ax.set(xlabel="", ylabel="")
    figure.supxlabel(xlabel, fontsize="medium")
    figure.supylabel(ylabel, fontsize="medium")


def _over_priors(ax, curve, ylabel):
    x = curve["prior_log_odds"]
    ax.plot(x, curve["actual"], color=ACTUAL, label="actual (scores as they are)")
    ax.plot(
        x, curve["minimum"], color=MINIMUM, linestyle="--", label="minimum (oracle calibration)"
    )
    ax.plot(x, curve["default"], color="black", linestyle=":", label="default (perfect privacy)")
    ax.set(
        xlabel=LOG_ODDS, ylabel=ylabel, xlim=(x[0], x[-1]), ylim=(0, 1.4 * curve["default"].max())
    )


def _histograms(ax, curve, xlabel):
    for label, colour in CLASSES.items():
        ax.stairs(
            curve[label], curve["edges"], color=colour, fill=True, alpha=0.5, label=f"{label}s"
        )
    ax.set(xlabel=xlabel, ylabel="density", ylim=(0, None))


def _deviates(rates):
    with np.errstate(divide="ignore"):
        return ndtri(rates)
