"""Disclosure against the attacker's effort, as charts of the page."""

from itertools import chain

from voiceprivacy.report.charts.chart import (
    Chart,
    Drawn,
    Run,
    chart,
    errors,
    label,
    line,
    of_system,
)
from voiceprivacy.report.effort import (
    EFFORTS,
    attack_name,
    best_so_far,
    drawn_at,
    falls,
    interval,
    read_efforts,
)
from voiceprivacy.report.figures import Figure, marks
from voiceprivacy.report.uncertainty import Shown
from voiceprivacy.vocabulary import EffortPoint

TITLES = ("anonymiser", "most evidence left", "by", "processor time", "protection")


def ladder(figure: Figure, run: Run) -> Drawn:
    """A curve for every anonymiser over each kind of effort, and whether protection still falls."""
    efforts = read_efforts(figure.arguments["curves"])
    if not efforts:
        return Drawn([])
    charts = [
        (f"Evidence left against {axis}", effort_chart(efforts, effort, axis, run.colours))
        for effort, axis in EFFORTS.items()
    ]
    rows = []
    for anonymiser, points in efforts.items():
        strongest = max(points, key=lambda point: point.evidence_percent)
        evidence = f"{strongest.evidence_percent:.0f} % ({strongest.dece_bit:.2f} bit)"
        cost = f"{strongest.cpu_s:.0f} s"
        rows.append((anonymiser, evidence, attack_name(strongest), cost, falls(points)))
    return Drawn(charts, (TITLES, rows))


def effort_chart(
    efforts: dict[str, list[EffortPoint]], effort: str, axis: str, colours: dict[str, str]
) -> Chart:
    """Evidence over one kind of effort: points with intervals, and the best so far as a line."""
    every = list(chain.from_iterable(efforts.values()))
    at = drawn_at(every, effort)
    traces = []
    for anonymiser, points in efforts.items():
        mark = marks(colours)[anonymiser]
        curve = best_so_far(points, effort)
        drawn = line(
            [at[point] for point, _ in curve],
            [most for _, most in curve],
            anonymiser,
            colour=colours[anonymiser],
            hover="%{y:.0f} % with so much effort",
            mark=mark,
        )
        drawn["line"] |= {"shape": "hv"}
        traces.append(of_system(drawn, anonymiser))
        values = [point.evidence_percent for point in points]
        attacks = line(
            [at[point] for point in points],
            values,
            anonymiser,
            colour=colours[anonymiser],
            hover="%{text}",
            mark=mark,
        )
        attacks |= {
            "mode": "markers",
            "showlegend": False,
            "text": [label(_words(point)) for point in points],
            "error_y": errors(map(_shown, points)) | {"thickness": 0.8},
        }
        traces.append(of_system(attacks, anonymiser))
    y = {"title": "evidence left [%]", "rangemode": "tozero"}
    return chart(traces, x={"title": axis, "type": "log"}, y=y, height=360)


def _shown(point: EffortPoint) -> Shown:
    return Shown(point.evidence_percent, interval(point))


def _words(point: EffortPoint) -> str:
    return (
        f"{attack_name(point)}: {point.evidence_percent:.0f} % ({point.dece_bit:.2f} bit),"
        f" {point.cpu_s:.0f} s, {point.training_h:.2g} h of training speech,"
        f" {point.enrolment_s:.0f} s enrol"
    )
