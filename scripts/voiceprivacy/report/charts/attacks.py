"""One number of every system under every attack, with its interval: a row of dots."""

import itertools
import math

from voiceprivacy.report.charts.chart import (
    FAINT,
    SYMBOLS,
    chart,
    errors,
    label,
    level,
    of_system,
    points,
    rounded,
)
from voiceprivacy.report.uncertainty import NULL

GAP = 0.6  # between anonymisers, in rows
EDGE = 0.8  # above the first row and below the last
ROW_PIXELS = 26
REFERENCES = {"eer_percent": 50}  # guessing


def dots(systems, *, column, colours):
    """A row for every system, those of an anonymiser together; for D_ECE also how much zero evidence gives.

    Parameters
    ----------
    systems : list of Standing with a number in this column, the systems of an anonymiser one after the other
    column : Column
    colours : {anonymiser: colour}
    """
    places, place = [], 0.0
    for index, standing in enumerate(systems):
        place += (
            1.0
            if index and standing.system.anonymiser == systems[index - 1].system.anonymiser
            else 1.0 + GAP
        )
        places.append(place)
    groups = itertools.groupby(
        zip(places, systems, strict=True), key=lambda of: of[1].system.anonymiser
    )
    traces = [_band(places, systems)] if column.name == "dece_bit" else []
    traces += [
        _trace(anonymiser, list(of), column, colours[anonymiser]) for anonymiser, of in groups
    ]
    y = {
        "tickvals": places,
        "ticktext": _row_names(systems),
        "range": [places[-1] + EDGE, places[0] - EDGE],
        "automargin": True,
    }
    x = {"title": f"{column.title} [{column.unit}]{_direction(column)}", "rangemode": "tozero"}
    lines = [level("x", at) for metric, at in REFERENCES.items() if metric == column.name]
    meta = {
        "rows": [[place, of.system.anonymiser] for place, of in zip(places, systems, strict=True)],
        "gap": GAP,
    }
    height = int(100 + ROW_PIXELS * (places[-1] - places[0] + 2 * EDGE))
    return chart(
        [trace for trace in traces if trace],
        x=x,
        y={**y, "showgrid": False},
        height=height,
        shapes=lines,
        meta=meta,
    )


def _trace(anonymiser, rows, column, colour):
    values = [rounded(standing.values[column.name]) for _, standing in rows]
    trace = points(
        values,
        [place for place, _ in rows],
        anonymiser,
        colour=colour,
        symbol=[SYMBOLS[standing.system.condition] for _, standing in rows],
        hover="%{text}",
        texts=[_text(standing, column) for _, standing in rows],
    )
    intervals = [standing.intervals.get(column.name) for _, standing in rows]
    trace["showlegend"] = False  # names stand at the rows
    return of_system(trace, anonymiser) | {"error_x": errors(values, intervals) | {"color": colour}}


def _band(places, systems):
    """From no disclosure to what permuted speakers give; None where no band is known."""
    bands = [(place, of.values[NULL]) for place, of in zip(places, systems, strict=True)]
    bands = [(place, rounded(band)) for place, band in bands if band is not None]
    x = [end for _, band in bands for end in (0, band, None)]
    y = [end for place, _ in bands for end in (place, place, None)]
    look = {"color": FAINT, "width": 12}
    hover = "no more than zero evidence up to %{x}<extra></extra>"
    trace = {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "line": look,
        "opacity": 0.35,
        "hovertemplate": hover,
    }
    return {**trace, "name": "zero evidence", "connectgaps": False} if bands else None


def _text(standing, column):
    system, interval = standing.system, standing.intervals.get(column.name)
    lines = [
        f"{label(system.anonymiser)}, {system.attack} ({system.condition.upper()})",
        label(system.attacker),
    ]
    limits = (
        f", 95 % interval {column.text(interval[0])} to {column.text(interval[1])}"
        if interval
        else ""
    )
    lines.append(
        f"{column.title} {column.text(standing.values[column.name])} {column.unit}{limits}"
    )
    return "<br>".join(lines)


def _row_names(systems):
    """Anonymiser and condition of each row, and as much of the attacker as tells several apart."""
    extractors = {standing.system.extractor for standing in systems}
    backends = {standing.system.backend for standing in systems}
    names = []
    for system in (standing.system for standing in systems):
        attacker = [system.extractor] * (len(extractors) > 1) + [system.backend] * (
            len(backends) > 1
        )
        names.append(label(" ".join([system.anonymiser, system.condition.upper(), *attacker])))
    return names


def _direction(column):
    return (
        f", {column.arrow} more privacy".replace("↑", "→").replace("↓", "←") if column.arrow else ""
    )


def drawable(value):
    """Whether a value of the comparison is a number that a chart can show."""
    return isinstance(value, float | int) and math.isfinite(value)
