"""Privacy against utility, as charts of the page.

The function that is named like a kind of figure reads its files and draws it for the page.
"""

from collections.abc import Mapping

from voiceprivacy.report.charts.chart import (
    FAINT,
    INK,
    Chart,
    Drawn,
    Run,
    chart,
    errors,
    label,
    level,
    numbers,
    of_system,
    points,
    rounded,
)
from voiceprivacy.report.figures import MARKS, Figure, draws_in, marks
from voiceprivacy.report.plane import (
    COMPETES,
    CONTROL,
    EVIDENCE_AXIS,
    EVIDENCE_RANGE,
    FEW_POINTS,
    THRESHOLDS,
    Plane,
    PlanePoint,
    Position,
    read_planes,
)
from voiceprivacy.vocabulary import DASH

CONTROL_MARK, OTHER_MARK = "x-thin-open", "square-open"
HEIGHT, HEIGHT_OF_A_NAME = 430, 10  # pixels
THIN = 0.6  # pixels: limits of many systems would hide them
SMALL_PIXELS = 10  # height of the words of a threshold


def plane(figure: Figure, run: Run) -> Drawn:
    """A chart for every measure of a corpus, the preferred one first, and the same as a table."""
    planes = read_planes(figure.arguments["verdict"], figure.arguments["metrics"], figure.corpus)
    charts = [(one.title, plane_chart(one, run.colours)) for one in planes]
    return Drawn(charts, _table(planes) if planes else ())


def _table(planes):
    """Evidence and every measure of all systems."""
    points: dict[str, PlanePoint] = {}
    for one in planes:
        points |= one.points
    rows = []
    for system, point in points.items():
        utility = [one.utility_text(system) if system in one.points else DASH for one in planes]
        rows.append((system, _evidence_text(point), *utility))
    return ("system", "evidence [%]", *(one.label for one in planes)), rows


def plane_chart(plane: Plane, colours: Mapping[str, str]) -> Chart:
    """One measure: a named point for every system."""
    traces = [_words_of(threshold, plane.utility_range[1]) for threshold in THRESHOLDS]
    names_at = plane.names_at()
    draws = draws_in([*colours, *plane.points])  # a reader hides all draws of a system at once
    marked = []
    for system, point in plane.points.items():
        look = colours.get(system, INK), _mark(point, colours)
        together = draws[system].system
        traces += [of_system(trace, together) for trace in _name(point, *names_at[system])]
        marked.append(of_system(_point(plane, point, look), together))
    traces += marked  # above all names
    axes = {
        "x": {"title": label(plane.axis), "range": numbers(plane.utility_range)},
        "y": {"title": EVIDENCE_AXIS, "range": numbers(EVIDENCE_RANGE)},
    }
    height = HEIGHT + HEIGHT_OF_A_NAME * max(0, len(plane.points) - FEW_POINTS)
    lines = [level("y", threshold.percent) for threshold in THRESHOLDS]
    return chart(traces, **axes, height=height, shapes=lines, showlegend=False)


def _words_of(threshold, right):
    """The words of a threshold at the right end of its line."""
    words = _line([right], [threshold.percent], threshold.words, {})
    return words | {
        "mode": "text",
        "text": [threshold.words],
        "textposition": "bottom left" if threshold.is_below else "top left",
        "textfont": {"color": FAINT, "size": SMALL_PIXELS},
    }


def _line(x, y, name, style):
    return {
        "type": "scatter",
        "mode": "lines",
        "x": numbers(x),
        "y": numbers(y),
        "name": label(name),
        "line": style,
        "hoverinfo": "skip",
    }


def _mark(point: PlanePoint, colours: Mapping[str, str]) -> str:
    """The mark of a system; controls and unprotected speech have their own."""
    if point.role == COMPETES:
        return marks(colours).get(point.system, MARKS[0])
    return CONTROL_MARK if point.role == CONTROL else OTHER_MARK


def _name(point: PlanePoint, middle: Position, edge: Position) -> list[dict]:
    """The name of a system, and a line that leads to it."""
    leader = _line(
        [point.utility.value, edge[0]],
        [point.evidence.value, edge[1]],
        f"line to {point.system}",
        {"color": FAINT, "width": 1},
    )
    name = _line([middle[0]], [middle[1]], f"name of {point.system}", {})
    name |= {
        "mode": "text",
        "text": [label(point.system)],
        "textposition": "middle center",
        "textfont": {"color": INK},
        "cliponaxis": False,
    }
    return [leader, name]


def _point(plane: Plane, point: PlanePoint, look: tuple[str, str]) -> dict:
    colour, mark = look
    limits = {"color": colour, "thickness": THIN if plane.is_crowded else 1.5}
    lines = [
        label(point.system),
        f"{label(plane.title)} {plane.utility_text(point.system)}",
        f"evidence {_evidence_text(point)} %",
    ]
    if point.role != COMPETES:
        lines.append(point.role)
    trace = points(
        [rounded(point.utility.value)],
        [rounded(point.evidence.value)],
        point.system,
        colour=colour,
        symbol=mark,
        size=11,
        hover="%{hovertext}",
    )
    return trace | {
        "cliponaxis": False,
        "hovertext": ["<br>".join(lines)],
        "error_x": errors([point.utility]) | limits,
        "error_y": errors([point.evidence]) | limits,
    }


def _evidence_text(point):
    return point.evidence.text("{:.0f}".format)
