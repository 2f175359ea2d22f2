"""The headline numbers over the amount of speech that each attack has, as charts of the page."""

from voiceprivacy.report.amounts import (
    GUESSING,
    SIDES,
    Amount,
    System,
    amounts_of,
    column,
    over,
    read_amounts,
    shown_point,
    ticks_of,
)
from voiceprivacy.report.charts.chart import (
    FAINT,
    Chart,
    Drawn,
    Run,
    chart,
    errors,
    label,
    line,
    of_draw,
    tall,
)
from voiceprivacy.report.curves import beside_each_other, seconds_text
from voiceprivacy.report.figures import Figure, dash, draws_in, marks
from voiceprivacy.vocabulary import AMOUNT_NUMBERS, AmountPoint


def speech_per_attack(figure: Figure, run: Run) -> Drawn:
    """Every headline number of all systems under one attacker, over both sides of the trials."""
    points = read_amounts(figure.arguments["curves"])
    charts = []
    for metric in AMOUNT_NUMBERS:
        for side, words in SIDES.items():
            curves = over(side, points, metric)
            if len(amounts_of(side, curves)) > 1:  # a single point is no curve
                drawn = amounts_chart(curves, side=side, metric=metric, colours=run.colours)
                charts.append((f"{column(metric).title}: {words}", drawn))
    return Drawn(charts)


def amounts_chart(
    curves: dict[System, list[AmountPoint]], *, side: str, metric: str, colours: dict[str, str]
) -> Chart:
    """A number over the amount of speech on one side, with intervals, and guessing."""
    amounts = amounts_of(side, curves)
    positions = range(len(amounts))
    guessing = [GUESSING[metric]] * len(amounts)
    traces = [line(positions, guessing, "guessing", hover="%{y}", colour=FAINT, dash="dash")]
    shifts = beside_each_other(len(curves))
    for (system, points), shift in zip(curves.items(), shifts, strict=True):
        traces.append(_trace(system, points, side, amounts, shift, colours))
    ticks = {"tickvals": list(positions), "ticktext": ticks_of(side, curves, "<br>")}
    shown = column(metric)
    axis = {"title": f"{shown.title} [{shown.unit}]"}
    return chart(traces, x={"title": SIDES[side], **ticks}, y=axis, height=tall(340, traces))


def _trace(
    system: System,
    points: list[AmountPoint],
    side: str,
    amounts: list[Amount],
    shift: float,
    colours: dict[str, str],
) -> dict:
    anonymiser, condition = system
    numbers = [shown_point(point) for point in points]
    trace = line(
        [amounts.index(getattr(point, side)) + shift for point in points],
        [number.value for number in numbers],
        f"{draws_in(colours)[anonymiser].words} {condition.upper()}",
        colour=colours[anonymiser],
        dash=dash(condition),
        mark=marks(colours)[anonymiser],
        hover="%{text}",
    )
    trace |= {
        "text": [label(_words(point)) for point in points],
        "error_y": errors(numbers) | {"thickness": 0.8},
    }
    return of_draw(trace, anonymiser, condition.upper(), colours)


def _words(point: AmountPoint) -> str:
    """What stands beside a point when one points at it."""
    number = shown_point(point).text("{:.3g}".format)
    enrolled, tried = (seconds_text(lasts) for lasts in (point.enrolment_s, point.trial_s))
    return (
        f"{number} {column(point.metric).unit}, {point.enrolment} enrol ({enrolled}),"
        f" {point.trial} tried ({tried}): {point.n_target} target trials of {point.n_speakers}"
        " speakers"
    )
