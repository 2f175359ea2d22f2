"""Who sounds like whom: the similarity matrices OO, OP, PO and PP as one heat map."""

import numpy as np

from voiceprivacy.report.charts.chart import INK, chart, label, rounded

UNDEFINED = "#9ecae1"  # no colour of the scale
SCALE = (  # matplotlib's magma, reversed: dark = similar, readable in grey too
    *(
        "#fcfdbf",
        "#feca8d",
        "#fd9668",
        "#f1605d",
        "#cd4071",
        "#9e2f7f",
        "#721f81",
        "#440f76",
        "#180f3d",
        "#000004",
    ),
)
MOST_NAMES = 30


def matrices(*, oo, op, pp, speakers):
    """OO | OP above PO | PP; the cell of two speakers names both.

    Parameters
    ----------
    oo, op, pp : masked array (S, S), rows of OP are original speech; PO is its transpose
    speakers : S names in the order of the rows
    """
    values = np.ma.vstack([np.ma.hstack([oo, op]), np.ma.hstack([np.ma.transpose(op), pp])])
    names = [f"{label(name)} {kind}" for kind in ("original", "protected") for name in speakers]
    heat = {
        "type": "heatmap",
        "x": names,
        "y": names,
        "z": [
            [None if cell is np.ma.masked else rounded(float(cell)) for cell in row]
            for row in values
        ],
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[index / (len(SCALE) - 1), colour] for index, colour in enumerate(SCALE)],
        "colorbar": {
            "title": {"text": "similarity", "side": "right"},
            "thickness": 12,
            "outlinewidth": 0,
        },
        "hoverongaps": False,
        "hovertemplate": "%{y}<br>%{x}<br>similarity %{z:.3f}<extra></extra>",
    }
    shown = [label(name) for name in speakers] * 2 if len(speakers) <= MOST_NAMES else []
    ticks = {
        "tickvals": names if shown else [],
        "ticktext": shown,
        "tickfont": {"size": 9},
        "showgrid": False,
    }
    halves = {"title": "original | protected", "constrain": "domain", **ticks}
    edge = len(speakers) - 0.5
    whole = {"type": "line", "line": {"color": INK, "width": 1}}
    lines = [
        {**whole, "x0": edge, "x1": edge, "yref": "y domain", "y0": 0, "y1": 1},
        {**whole, "y0": edge, "y1": edge, "xref": "x domain", "x0": 0, "x1": 1},
    ]
    y = {**halves, "title": "protected | original", "autorange": "reversed", "scaleanchor": "x"}
    return chart([heat], x=halves, y=y, height=460, shapes=lines, plot_bgcolor=UNDEFINED)
