"""What all charts share: ``data`` and ``layout`` as plotly.js takes them, in plain JSON.

Conventions
-----------
* Colours that depend on the page's ground are written INK, FAINT, GRID and GROUND; the page's
  script fills them in.
* plotly.js reads labels as markup: names from data go through ``label``.
* A trace of one anonymiser says so (``of_system``): the page hides and shows anonymisers in all
  charts at once.
* Draws of an anonymiser are one system (``of_draw``): one colour, one entry in the legend.
* Numbers have four significant digits; what is undefined or infinite is None, and is not drawn.
"""

import html
import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from voiceprivacy.report.figures import FURTHER_DRAWS, draws_in, palette_of
from voiceprivacy.report.mailed import Codes
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.uncertainty import Shown, shown_number
from voiceprivacy.vocabulary import NumberKey

Chart = dict[str, Any]

INK, FAINT, GRID, GROUND = "@ink", "@faint", "@grid", "@ground"
SIGNIFICANT = 4  # digits: more cannot be seen, and would only make the page larger
MARK_SIZE, MOST_MARKS = 7, 9  # marks of a curve: enough to tell whose it is
FEW_TRACES, LEGEND_PIXELS = 10, 13  # a legend of so many fits; each other one makes it higher


class Run(NamedTuple):
    """What all charts of a page share.

    ``metrics`` is {key with an empty metric: {metric: Number}}, ``colours`` {anonymiser: colour} in
    the order of the page, ``order`` that of speakers in matrices; ``unbiased`` are values without
    their bias. ``codes`` are {corpus: {speaker: code}} of corpora whose speakers are not named.
    """

    metrics: dict[NumberKey, dict[str, Number]]
    colours: dict[str, str]
    order: str = "gender"
    unbiased: Mapping[NumberKey, float] = {}
    codes: Mapping[str, Codes] = {}

    def shown(self, number: Number) -> Shown:
        """A number of the run, as it is shown."""
        return shown_number(number, self.unbiased)


def run_of(
    metrics: Iterable[Number], provenance: dict, unbiased: Mapping[NumberKey, float] | None = None
) -> Run:
    """What the charts of a run share, from its numbers and its provenance."""
    metrics = list(metrics)
    by_system: dict[NumberKey, dict[str, Number]] = {}
    for metric in metrics:
        by_system.setdefault(metric.key._replace(metric=""), {})[metric.metric] = metric
    order = provenance.get("config", {}).get("report", {}).get("speaker_order", "gender")
    return Run(by_system, palette_of(provenance, metrics), order, unbiased or {})


class Drawn(NamedTuple):
    """What stands on the page for a figure: [(title, chart)], perhaps a table (titles, rows)."""

    charts: list[tuple[str, Chart]]
    table: tuple = ()


def chart(traces: list[dict], *, x: dict, y: dict, height: float, **layout: Any) -> Chart:
    """A chart of traces with axes as plotly.js has them, but with ``title`` a str."""
    return {
        "data": traces,
        "layout": {"height": height, "xaxis": _axis(x), "yaxis": _axis(y), **layout},
    }


def tall(height: int, traces: list[dict]) -> int:
    """A chart's height in pixels with room for the legend of many traces."""
    return height + LEGEND_PIXELS * max(0, len(traces) - FEW_TRACES)


def label(text: object) -> str:
    """A name from data as text that plotly.js does not take for markup."""
    # Labels are no attributes, so that quotes can stay.
    return html.escape(str(text), quote=False)


def rounded(value: float | str | None) -> float | None:
    """A number with four significant digits; None where there is none to draw."""
    if value is None or isinstance(value, str) or not math.isfinite(value):
        return None
    return float(f"{value:.{SIGNIFICANT}g}")


def numbers(values: Iterable[float]) -> list[float | None]:
    """A list of rounded numbers."""
    return [rounded(float(value)) for value in values]


def line(
    x: Iterable[float],
    y: Iterable[float],
    name: str,
    *,
    colour: str = INK,
    dash: str = "solid",
    mark: str = "",
    hover: str = "",
) -> dict:
    """A trace of a line, with a few marks of one kind where one is named.

    ``hover`` is plotly.js' template, to which the name is added.
    """
    marker = {"symbol": mark, "size": MARK_SIZE, "maxdisplayed": MOST_MARKS}
    return {
        "type": "scatter",
        "mode": "lines+markers" if mark else "lines",
        "x": numbers(x),
        "y": numbers(y),
        "name": label(name),
        "line": {"color": colour, "dash": dash, "width": 2},
        **({"marker": marker} if mark else {}),
        "legendgroup": label(name),  # one click hides all traces of a name
        # Without <extra> plotly.js writes the name a second time, beside the box.
        "hovertemplate": f"{label(name)}<br>{hover}<extra></extra>",
    }


def points(
    x: list,
    y: list,
    name: str,
    *,
    colour: str,
    hover: str,
    symbol: str | list[str] = "circle",
    size: float = 9,
    texts: list[str] | None = None,
) -> dict:
    """A trace of points; ``texts`` (markup) are what %{text} of ``hover`` shows."""
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


def of_system(trace: dict, anonymiser: str) -> dict:
    """A trace that belongs to one anonymiser."""
    return trace | {"meta": {"system": anonymiser}}  # plotly.js keeps meta, and ignores it


def of_draw(trace: dict, anonymiser: str, words: str, colours: Mapping[str, str]) -> dict:
    """A trace of a curve of one draw: with those of the other draws it is one system.

    Parameters
    ----------
    trace : whose hover says which draw it is of
    words : that follow the name in the legend
    colours : {anonymiser: colour} of the run
    """
    draw = draws_in(colours)[anonymiser]
    name = label(f"{draw.system} {words}")
    trace = of_system(trace, draw.system) | {"name": name, "legendgroup": name}
    if draw.number > 1:
        trace |= {"showlegend": False, "opacity": FURTHER_DRAWS}
    return trace


def errors(numbers: Iterable[Shown]) -> dict:
    """Error bars of plotly.js from the interval, if any, of each number."""
    above, below = [], []
    for value, limits, _ in numbers:
        low, high = limits or (None, None)
        above.append(_distance(high, rounded(value)))
        below.append(_distance(rounded(value), low))
    return {
        "type": "data",
        "symmetric": False,
        "array": above,
        "arrayminus": below,
        "thickness": 1.5,
        "width": 3,
    }


def level(axis: str, at: float, *, dash: str = "dot", colour: str = FAINT) -> dict:
    """A straight line across the chart at ``at`` of an axis (x or y)."""
    # "paper" goes from 0 to 1 whatever the axis shows: the line stays when one zooms.
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
    return rounded(max(0.0, high - low))  # a rounded value can leave its interval by a hair


def _axis(options):
    return {**options, "title": {"text": options.get("title", "")}}  # a plain str is not taken
