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
    numbers,
    of_system,
    points,
    rounded,
)
from voiceprivacy.report.figures import MARKS, Figure, marks
from voiceprivacy.report.plane import (
    COMPETES,
    CONTROL,
    FEW_POINTS,
    MOST_DRAWN,
    Plane,
    PlanePoint,
    Position,
    on_front_text,
    read_planes,
)

CONTROL_MARK, OTHER_MARK = "x-thin-open", "square-open"
HEIGHT, HEIGHT_OF_A_NAME = 430, 10  # pixels
THIN = 0.6  # pixels: limits of many systems would hide them
TITLES = ("system", "evidence left [%]", "utility", "on the front")


def plane(figure: Figure, run: Run) -> Drawn:
    """A chart for every measure of a set, the preferred one first, and the same as a table."""
    planes = read_planes(figure.arguments["verdict"], figure.corpus)
    charts = [(one.title, plane_chart(one, run.colours)) for one in planes]
    rows = []
    for one in planes:
        for point in one.points.values():
            utility = f"{one.title} {point.utility.text('{:.3g}'.format)}"
            evidence = point.evidence.text("{:.0f}".format)
            rows.append((point.system, evidence, utility, on_front_text(point.on_front)))
    return Drawn(charts, (TITLES, rows) if rows else ())


def plane_chart(plane: Plane, colours: Mapping[str, str]) -> Chart:
    """One measure: a named point for every system, the front, and lines of sweeps."""
    x, y = plane.staircase()
    traces = []
    for source, systems in plane.sweeps.items():
        swept = [plane.points[system] for system in systems]
        traces.append(
            _line(
                [point.utility.value for point in swept],
                [point.drawn.value for point in swept],
                f"{source} (sweep)",
                {"color": FAINT, "width": 1.5},
            )
        )
    traces.append(_line(x, y, "front", {"color": INK, "dash": "dot", "width": 1.5}))
    names_at = plane.names_at()
    for system, point in plane.points.items():
        traces += _name(point, *names_at[system])
    for system, point in plane.points.items():
        traces.append(_point(plane, point, (colours.get(system, INK), _mark(point, colours))))
    traces += [_goes_on(point, colours.get(point.system, INK)) for point in plane.beyond]
    axes = {
        "x": {"title": label(plane.axis), "range": numbers(plane.utility_range)},
        "y": {"title": plane.evidence_axis, "range": numbers(plane.evidence_range)},
    }
    height = HEIGHT + HEIGHT_OF_A_NAME * max(0, len(plane.points) - FEW_POINTS)
    return chart(traces, **axes, height=height, showlegend=False)


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


def _goes_on(point, colour):
    """An arrow where a point or its limits leave the chart."""
    arrow = points(
        [rounded(point.utility.value)],
        [MOST_DRAWN],
        f"{point.system} goes on",
        colour=colour,
        symbol="arrow-down",
        size=12,
        hover=f"{label(point.system)}: evidence left {point.evidence.text('{:.0f}'.format)} %",
    )
    return of_system(arrow, point.system)


def _mark(point: PlanePoint, colours: Mapping[str, str]) -> str:
    """The mark of a system; controls and unprotected speech have their own."""
    if point.role == COMPETES:
        return marks(colours).get(point.system, MARKS[0])
    return CONTROL_MARK if point.role == CONTROL else OTHER_MARK


def _name(point: PlanePoint, middle: Position, edge: Position) -> list[dict]:
    """The name of a system, and a line that leads to it."""
    leader = _line(
        [point.utility.value, edge[0]],
        [point.drawn.value, edge[1]],
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
    return [of_system(leader, point.system), of_system(name, point.system)]


def _point(plane: Plane, point: PlanePoint, look: tuple[str, str]) -> dict:
    colour, mark = look
    limits = {"color": colour, "thickness": THIN if plane.is_crowded else 1.5}
    lines = [
        label(point.system),
        f"{label(plane.title)} {point.utility.text('{:.3g}'.format)}",
        f"evidence left {point.evidence.text('{:.0f}'.format)} %",
        on_front_text(point.on_front) or point.role,
    ]
    trace = points(
        [rounded(point.utility.value)],
        [rounded(point.drawn.value)],
        point.system,
        colour=colour,
        symbol=mark,
        size=11,
        hover="%{hovertext}",
    )
    trace |= {
        "cliponaxis": False,
        "hovertext": ["<br>".join(lines)],
        "error_x": errors([point.utility]) | limits,
        "error_y": errors([point.drawn]) | limits,
    }
    return of_system(trace, point.system)
