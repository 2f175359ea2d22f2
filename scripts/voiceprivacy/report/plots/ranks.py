"""The rank picture: where the true speaker ranks, the fitted model, and what chance would give."""

import math

import numpy as np

from voiceprivacy.report.plots import style
from voiceprivacy.report.words import short_limits

MOST_BARS = 60
MOST_COLUMNS = 4
PANEL_INCHES = (2.6, 2.5)
HISTOGRAM, MODEL, CHANCE = LEGEND = ("histogram", "beta-binomial model", "chance")


def picture(*, curves, metrics, anonymisers=()):
    """Make the figure of plot_histograms, one panel a system; ``style.save`` writes it.

    ``anonymisers`` are all of the run in the order of its config, which gives the colours.
    """
    columns = min(len(curves), MOST_COLUMNS)
    rows = math.ceil(len(curves) / columns)
    width, height = PANEL_INCHES
    same_scale = len({len(curve["p"]) for curve in curves.values()}) == 1
    figure, axes = style.figure(
        width * max(columns, 2),
        height * rows + 0.5,
        rows,
        columns,
        sharex=same_scale,
        sharey=same_scale,
        squeeze=False,
    )
    plot_histograms(axes, curves=curves, metrics=metrics, looks=style.looks(curves, anonymisers))
    figure.supxlabel("rank of the true speaker (1 = most similar)", fontsize="medium")
    figure.supylabel("share of test utterances", fontsize="medium")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    named = dict(zip(labels, handles, strict=True))
    figure.legend([named[label] for label in LEGEND], LEGEND, loc="outside upper center", ncols=3)
    return figure


def plot_histograms(axes, *, curves, metrics, looks):
    """Draw one rank histogram an axes; axes that are left over are hidden.

    Parameters
    ----------
    axes : array of matplotlib axes
    curves : dict
        label -> dict of array (N,): ``p`` and ``gamma``
    metrics : dict
        label -> dict with ``identification_rate_percent``, ``mean_disclosure_bit`` and ``model_mean_disclosure_bit``,
        and ``limits`` {metric: (low, high)} if they are known
    looks : {label: {color}}
    """
    for ax in axes.flat[len(curves) :]:
        ax.set_axis_off()
    for ax in axes.flat[: len(curves)][-axes.shape[1] :]:  # the lowest panel of every column
        ax.tick_params(labelbottom=True)
    for ax, (label, curve) in zip(axes.flat, curves.items(), strict=False):
        plot_histogram(ax, p=curve["p"], gamma=curve["gamma"], colour=looks[label]["color"])
        ax.set_title(f"{label}\n{_summary(metrics[label], len(curve['p']))}", fontsize="small")
    least = min(curve["p"][curve["p"] > 0].min() for curve in curves.values())
    for ax in axes.flat:
        if ax.get_yscale() == "log":
            ax.set_ylim(least / 2, 1.5)


def plot_histogram(ax, *, p, gamma, colour=style.COLOURS[5]):
    """Draw a rank histogram p (N,), the fitted model gamma (N,) and the level of chance 1/N.

    Bars for small N; for large N both axes are logarithmic (Figure 5 of Backstrom et al., 2025) and empty ranks are
    left out.
    """
    n_templates = len(p)
    ranks = np.arange(1, n_templates + 1)
    few = n_templates <= MOST_BARS
    if few:
        ax.bar(ranks, p, width=0.9, color=colour, alpha=0.6, label=HISTOGRAM)
        step = next(step for step in (1, 5, 10) if n_templates <= 6 * step)
        ax.set_xticks(sorted({1, *range(step, n_templates + 1, step)}))
        ax.set_xlim(0.4, n_templates + 0.6)
    else:
        ax.plot(
            ranks[p > 0],
            p[p > 0],
            ".",
            markersize=3,
            color=colour,
            label=HISTOGRAM,
            rasterized=True,
        )
        ax.set(xscale="log", yscale="log")
    ax.plot(ranks, gamma, color="black", linewidth=1, marker="." if few else "", label=MODEL)
    ax.plot(
        [1, n_templates],
        [1 / n_templates] * 2,
        color="black",
        linestyle=":",
        linewidth=1,
        label=CHANCE,
    )


def _summary(metrics, n_templates):
    bit, model_bit = metrics["mean_disclosure_bit"], metrics["model_mean_disclosure_bit"]
    limits = metrics.get("limits", {})
    names = ("identification_rate_percent", "mean_disclosure_bit", "model_mean_disclosure_bit")
    of_rate, of_bit, of_model = (limits.get(name) for name in names)
    found = f"rank 1 of {n_templates}: {metrics['identification_rate_percent']:.1f} %{short_limits(of_rate, 0)}"
    mean = f"mean {bit:.2f}{short_limits(of_bit, 2)} of {math.log2(n_templates):.2f} bit"
    return f"{found}\n{mean}\nmodel {model_bit:.2f}{short_limits(of_model, 2)} bit"
