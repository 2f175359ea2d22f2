"""Rank histograms: where the true speaker ranks, the fitted model, and what chance would give."""

import numpy as np

from voiceprivacy.report.charts.chart import FAINT, INK, chart, line, numbers

MOST_BARS = 60


def histogram(*, p, gamma, colour):
    """One system under one attack.

    Parameters
    ----------
    p : array (N,), share of the test utterances whose true speaker has rank 1 to N
    gamma : array (N,), the fitted model
    colour : of the system
    """
    ranks = np.arange(1, len(p) + 1)
    few = len(p) <= MOST_BARS
    seen = {"x": ranks.tolist(), "y": numbers(p), "name": "histogram", "legendgroup": "histogram"}
    seen["hovertemplate"] = "rank %{x}: %{y:.1%} of the test utterances<extra></extra>"
    if few:
        seen |= {"type": "bar", "marker": {"color": colour, "opacity": 0.6}}
    else:
        seen |= {"type": "scatter", "mode": "markers", "marker": {"color": colour, "size": 4}}
        seen["y"] = [value or None for value in seen["y"]]  # a logarithmic axis has no 0
    model = line(ranks, gamma, "fitted model", hover="rank %{x}: %{y:.1%}", colour=INK)
    chance = line(
        [1, len(p)], [1 / len(p)] * 2, "chance", hover="%{y:.1%}", colour=FAINT, dash="dot"
    )
    scale = {} if few else {"type": "log"}
    x = {"title": "rank of the true speaker", **scale}
    return chart(
        [seen, model, chance], x=x, y={"title": "share", "tickformat": ".0%", **scale}, height=300
    )
