"""The picture of a feature that is a histogram: how often each bin occurs over all speakers, protected or not."""

import numpy as np

from voiceprivacy.report.plots import style

MARKED_BINS = 8


def picture(*, histograms, bins, title=""):
    """Make the figure of plot_features; ``style.save`` writes it."""
    figure, ax = style.figure(7, 3.2)
    plot_features(ax, histograms=histograms, bins=bins)
    figure.legend(loc="outside lower center", ncols=6)
    figure.suptitle(title)
    return figure


def plot_features(ax, *, histograms, bins):
    """Draw the mean normalised histogram of every system (Figure 4 of Backstrom et al., 2025).

    Parameters
    ----------
    ax : matplotlib axes
    histograms : {system: array (U, B)}
        One histogram an utterance, all bins not negative.
    bins : (sequence of B labels, str)
        What each bin is, and the name of the axis.
    """
    labels, name = bins
    for index, (system, of) in enumerate(histograms.items()):
        mean = np.mean(of / of.sum(axis=1, keepdims=True), axis=0)
        ax.stairs(mean, color=style.colour(index), linestyle=style.line(index), label=system)
    shown = np.unique(np.linspace(0, len(labels) - 1, MARKED_BINS).astype(int))
    ax.set_xticks(shown + 0.5, [labels[place] for place in shown])
    ax.set(xlabel=name, ylabel="share", ylim=(0, None), xlim=(0, len(labels)))
