"""What all charts share: a chart is a dict of ``data`` and ``layout`` as plotly.js takes it, and plain JSON.

Conventions
-----------
* Colours that depend on the page's ground are written INK, FAINT, GRID and GROUND; the page's script fills them in.
* plotly.js reads labels as markup: names from data go through ``label``.
* A trace of one anonymiser says so (``of_system``): the page hides and shows anonymisers in all charts at once.
* Numbers have four significant digits; what is undefined or infinite is None, and is not drawn.
"""

import html
import math

INK, FAINT, GRID, GROUND = "@ink", "@faint", "@grid", "@ground"
SYMBOLS = {"oo": "square", "op": "circle", "pp": "diamond", "p0p1": "triangle-up"}
SIGNIFICANT = 4
FEW_TRACES, LEGEND_PIXELS = 10, 13


def chart(traces, *, x, y, height, **layout):
    """A chart of traces (list of dict) with the axes ``x`` and ``y`` (dict of plotly.js, ``title`` a str)."""
    return {
        "data": traces,
        "layout": {"height": height, "xaxis": _axis(x), "yaxis": _axis(y), **layout},
    }


def tall(height, traces):
    """A chart's height in pixels with room for the legend of many traces."""
    return height + LEGEND_PIXELS * max(0, len(traces) - FEW_TRACES)


def label(text):
    """A name from data as text that plotly.js does not take for markup."""
    return html.escape(str(text), quote=False)


def rounded(value):
    """A number with four significant digits; None where there is none to draw."""
    if value is None or isinstance(value, str) or not math.isfinite(value):
        return None
    return float(f"{value:.{SIGNIFICANT}g}")


def numbers(values):
    """A list of rounded numbers."""
    return [rounded(float(value)) for value in values]


def line(x, y, name, *, colour=INK, dash="solid", hover="", group=None):
    """A trace of a line; ``hover`` is plotly.js' template, to which the name is added."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": numbers(x),
        "y": numbers(y),
        "name": label(name),
        "line": {"color": colour, "dash": dash, "width": 2},
        "legendgroup": label(group or name),
        "hovertemplate": f"{label(name)}<br>{hover}<extra></extra>",
    }


def points(x, y, name, *, colour, hover, symbol="circle", size=9, texts=None):
    """A trace of points; ``texts`` (str each, as markup) are what %{text} of ``hover`` shows."""
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": x,
        "y": y,
        "name": label(name),
        "marker": {
            "color": colour,
            "symbol": symbol,
            "size": size,
            "line": {"color": colour, "width": 1.5},
        },
        "legendgroup": label(name),
        "hovertemplate": f"{hover}<extra></extra>",
    }
    return trace | ({"text": texts} if texts else {})


def of_system(trace, anonymiser):
    """A trace that belongs to one anonymiser."""
    return trace | {"meta": {"system": anonymiser}}


def errors(centres, intervals):
    """Error bars of plotly.js from intervals: (low, high), or None, each."""
    above = [_distance(of and of[1], centre) for centre, of in zip(centres, intervals, strict=True)]
    below = [_distance(centre, of and of[0]) for centre, of in zip(centres, intervals, strict=True)]
    return {
        "type": "data",
        "symmetric": False,
        "array": above,
        "arrayminus": below,
        "thickness": 1.5,
        "width": 3,
    }


def level(axis, at, *, dash="dot", colour=FAINT):
    """A straight line across the chart at ``at`` of an axis (x or y)."""
    across = {"x0": at, "x1": at, "yref": "paper", "y0": 0, "y1": 1}
    if axis == "y":
        across = {"y0": at, "y1": at, "xref": "paper", "x0": 0, "x1": 1}
    return {
        "type": "line",
        "layer": "below",
        "line": {"color": colour, "dash": dash, "width": 1.2},
        **across,
    }


def _distance(high, low):
    if high is None or low is None or not math.isfinite(high - low):
        return None
    return rounded(max(0.0, high - low))


def _axis(of):
    return {**of, "title": {"text": of.get("title", "")}}
