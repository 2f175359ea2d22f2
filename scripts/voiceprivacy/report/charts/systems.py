"""Numbers of systems beside each other: attacks, what protection costs, and drawn coefficients.

The function that is named like a kind of figure reads its files and draws it for the page.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from voiceprivacy.catalogue import EER, METRICS
from voiceprivacy.catalogue import Metric as Column
from voiceprivacy.inout.files import counted
from voiceprivacy.inout.tables import number, read_rows
from voiceprivacy.report.charts.chart import (
    FAINT,
    SYMBOLS,
    Chart,
    Drawn,
    Interval,
    Run,
    chart,
    errors,
    label,
    level,
    of_system,
    points,
    rounded,
    tall,
)
from voiceprivacy.report.comparison import System, strongest_attacks
from voiceprivacy.report.figures import Figure
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.standings import Standing
from voiceprivacy.report.uncertainty import NULL, metric_limits
from voiceprivacy.report.utility import titled
from voiceprivacy.vocabulary import ABSENT, UNDEFINED

Measured = tuple[float, Interval]  # a value and its interval

# Rows of dots: distances in rows, but for ROW_PIXELS.
GAP = 0.6  # between anonymisers
EDGE = 0.8  # above the first row and below the last
ROW_PIXELS = 26
REFERENCES = {"eer_percent": 50}  # guessing

LIST_SYMBOLS = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "triangle-down",
    "cross",
    "x",
    "star",
    "hexagon",
    "bowtie",
)
LOST = "arrow-down"
GUESSING_PERCENT = 50
FEW_NAMES = 5


# One number of every system under every attack, with its interval


def dots(systems: Sequence[Standing], *, column: Column, colours: Mapping[str, str]) -> Chart:
    """A row for every system; for D_ECE also how much zero evidence gives.

    Parameters
    ----------
    systems : with a number in this column, the systems of an anonymiser one after the other
    column : of the comparison
    colours : {anonymiser: colour}
    """
    rows = _rows(systems)
    traces = [_band(rows, systems)] if column.name == "dece_bit" else []
    in_rows = zip(rows, systems, strict=True)
    for anonymiser, group in itertools.groupby(in_rows, key=lambda pair: _anonymiser(pair[1])):
        traces.append(_dots_of(anonymiser, list(group), column, colours[anonymiser]))
    y = {
        "tickvals": rows,
        "ticktext": _row_names(systems),
        "range": [rows[-1] + EDGE, rows[0] - EDGE],
        "automargin": True,
        "showgrid": False,
    }
    x = {"title": f"{column.title} [{column.unit}]{_direction(column)}", "rangemode": "tozero"}
    # the page's script closes the gaps that hidden systems leave
    anonymisers = [_anonymiser(standing) for standing in systems]
    meta = {"rows": [list(pair) for pair in zip(rows, anonymisers, strict=True)], "gap": GAP}
    return chart(
        [trace for trace in traces if trace],
        x=x,
        y=y,
        height=int(100 + ROW_PIXELS * (rows[-1] - rows[0] + 2 * EDGE)),
        shapes=[level("x", REFERENCES[column.name])] if column.name in REFERENCES else [],
        meta=meta,
    )


def drawable(value: object) -> bool:
    """Whether a value of the comparison is a number that a chart can show."""
    return isinstance(value, float | int) and math.isfinite(value)


def _anonymiser(standing):
    return standing.system.anonymiser


def _rows(systems):
    """Where the row of each system stands: one below the other, with a gap between anonymisers."""
    rows, before = [], None
    for standing in systems:
        step = 1.0 if _anonymiser(standing) == before else 1.0 + GAP
        rows.append((rows[-1] if rows else 0.0) + step)
        before = _anonymiser(standing)
    return rows


def _dots_of(anonymiser, rows, column, colour):
    """The trace of one anonymiser from [(row, Standing)]."""
    values = [rounded(standing.values[column.name]) for _, standing in rows]
    trace = points(
        values,
        [row for row, _ in rows],
        anonymiser,
        colour=colour,
        symbol=[SYMBOLS[standing.system.condition] for _, standing in rows],
        hover="%{text}",
        texts=[_words_of_dot(standing, column) for _, standing in rows],
    )
    intervals = [standing.intervals.get(column.name) for _, standing in rows]
    trace["showlegend"] = False  # names stand at the rows
    trace["error_x"] = errors(values, intervals) | {"color": colour}
    return of_system(trace, anonymiser)


def _band(rows, systems):
    """From no disclosure to what permuted speakers give; None where no band is known."""
    x, y = [], []
    for row, standing in zip(rows, systems, strict=True):
        if standing.values[NULL] is not None:
            x += [0, rounded(standing.values[NULL]), None]  # None ends a line
            y += [row, row, None]
    if not x:
        return None
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "name": "zero evidence",
        "line": {"color": FAINT, "width": 12},
        "opacity": 0.35,
        "hovertemplate": "no more than zero evidence up to %{x}<extra></extra>",
        "connectgaps": False,
    }


def _words_of_dot(standing, column):
    system, interval = standing.system, standing.intervals.get(column.name)
    limits = ""
    if interval:
        low, high = map(column.text, interval)
        limits = f", 95 % interval {low} to {high}"
    value = column.text(standing.values[column.name])
    lines = [
        f"{label(system.anonymiser)}, {system.attack} ({system.condition.upper()})",
        label(system.attacker),
        f"{column.title} {value} {column.unit}{limits}",
    ]
    return "<br>".join(lines)


def _row_names(systems):
    """Anonymiser and condition of each row, and as much of the attacker as tells several apart."""
    several_extractors = len({standing.system.extractor for standing in systems}) > 1
    several_backends = len({standing.system.backend for standing in systems}) > 1
    names = []
    for system in (standing.system for standing in systems):
        words = [system.anonymiser, system.condition.upper()]
        words += [system.extractor] * several_extractors + [system.backend] * several_backends
        names.append(label(" ".join(words)))
    return names


def _direction(column):
    if not column.arrow:
        return ""
    return f", {column.arrow} more privacy".replace("↑", "→").replace("↓", "←")


# What protection costs: voices that can no longer be told apart, and utility


def distinctiveness(figure: Figure, run: Run) -> Drawn:
    """De-identification against the gain of voice distinctiveness under one attacker."""
    measured: dict[str, dict[str, dict[str, Measured]]] = {}
    for key, metrics in run.metrics.items():
        if (key.extractor, key.backend) != (figure.extractor, figure.backend):
            continue
        for name in metrics.keys() & {"deid_percent", "gvd_db"}:
            metric = metrics[name]
            if metric.value != UNDEFINED:
                lists = measured.setdefault(key.anonymiser, {})
                numbers = lists.setdefault(f"{key.corpus} {key.trials}", {})
                numbers[name] = (float(metric.value), metric_limits(metric))
    shown = {}
    for anonymiser in run.colours:
        by_list = sorted(measured.get(anonymiser, {}).items())
        if by_list:
            shown[anonymiser] = {name: numbers for name, numbers in by_list if len(numbers) == 2}
    return Drawn([("", costs(measured=shown, colours=run.colours))] if shown else [])


def costs(
    *, measured: Mapping[str, Mapping[str, dict[str, Measured]]], colours: dict[str, str]
) -> Chart:
    """Every anonymiser on every list; a gain of -inf dB is an arrow at the lower edge.

    (-inf dB: no distinct voices at all.)

    Parameters
    ----------
    measured : {anonymiser: {list: {deid_percent, gvd_db: (value, (low, high) or None)}}}
    colours : {anonymiser: colour}
    """
    names = dict.fromkeys(name for lists in measured.values() for name in lists)
    symbols = dict(zip(names, itertools.cycle(LIST_SYMBOLS), strict=False))
    gains = [numbers["gvd_db"][0] for lists in measured.values() for numbers in lists.values()]
    finite = [0.0, *(gain for gain in gains if math.isfinite(gain))]
    floor = min(finite) - (0.1 * (max(finite) - min(finite)) or 1.0)
    traces = []
    for anonymiser, lists in measured.items():
        traces.append(_cost(anonymiser, lists, symbols, colours[anonymiser], floor))
    x = {"title": "de-identification, DeID [%], → more privacy"}
    y = {"title": "gain of voice distinctiveness, G_VD [dB]"}
    lines = [level("x", 100), level("y", 0)]
    return chart(traces, x=x, y=y, height=tall(420, traces), shapes=lines)


def _cost(anonymiser, lists, symbols, colour, floor):
    deid = [numbers["deid_percent"] for numbers in lists.values()]
    gain = [numbers["gvd_db"] for numbers in lists.values()]
    lost = [value == -math.inf for value, _ in gain]
    trace = points(
        [rounded(value) for value, _ in deid],
        [rounded(floor if gone else value) for gone, (value, _) in zip(lost, gain, strict=True)],
        anonymiser,
        colour=colour,
        symbol=[LOST if gone else symbols[name] for gone, name in zip(lost, lists, strict=True)],
        size=11,
        hover="%{text}",
        texts=[_words_of_cost(anonymiser, name, numbers) for name, numbers in lists.items()],
    )
    for axis, measured in (("error_x", deid), ("error_y", gain)):
        values, intervals = [value for value, _ in measured], [limits for _, limits in measured]
        trace[axis] = errors(values, intervals) | {"color": colour}
    return of_system(trace, anonymiser)


def _words_of_cost(anonymiser, name, numbers):
    lines = [label(f"{anonymiser}, {name}")]
    for metric in (METRICS["deid_percent"], METRICS["gvd_db"]):
        value, limits = numbers[metric.name]
        interval = _brackets(limits, "{:.1f}".format)
        lines.append(f"{metric.title} {value:.1f} {metric.unit}{interval}")
    return "<br>".join(lines)


def scatters(
    systems: Sequence[System], metrics: Sequence[Number], colours: dict[str, str]
) -> dict[str, list[tuple[str, Chart]]]:
    """EER under the strongest attack against every measure of utility: {corpus: [(title, chart)]}.

    Parameters
    ----------
    systems : of the run
    metrics : of the run; those of utility over whole corpora are taken
    colours : {anonymiser: colour}
    """
    strongest = strongest_attacks(systems)
    measured: dict[str, dict[str, dict[str, tuple[System, Number]]]] = {}
    for metric in metrics:
        whole = (metric.trials, metric.extractor, metric.condition) == (ABSENT,) * 3
        system = strongest.get((metric.corpus, metric.anonymiser))
        if not (whole and system and _is_number(metric.value)):
            continue
        if drawable(system.mean["eer_percent"]):
            of_corpus = measured.setdefault(metric.corpus, {})
            of_corpus.setdefault(metric.metric, {})[metric.anonymiser] = (system, metric)
    charts: dict[str, list[tuple[str, Chart]]] = {}
    for corpus, measures in measured.items():
        for name, anonymisers in measures.items():
            title = titled(name)
            drawn = _scatter(title, anonymisers, colours)
            charts.setdefault(corpus, []).append((title, drawn))
    return charts


def _scatter(title, measured, colours):
    traces = []
    for anonymiser, colour in colours.items():
        if anonymiser in measured:
            system, metric = measured[anonymiser]
            traces.append(_point(title, system, metric, colour))
    y = {"title": f"{EER.label}, {EER.arrow} more privacy", "rangemode": "tozero"}
    guessing = level("y", GUESSING_PERCENT)
    return chart(traces, x={"title": label(title)}, y=y, height=400, shapes=[guessing])


def _point(title, system, metric, colour):
    value, eer = float(metric.value), system.mean["eer_percent"]
    limits = (float(metric.ci_low), float(metric.ci_high)) if _is_number(metric.ci_low) else None
    interval = system.intervals[system.mean_label].get("eer_percent")
    lines = [
        label(system.anonymiser),
        f"{label(title)} {value:.3g}{_brackets(limits, '{:.3g}'.format)}",
        f"EER {EER.text(eer)} %{_brackets(interval, EER.text)}, {system.attack},"
        f" {label(system.attacker)}",
    ]
    trace = points(
        [rounded(value)],
        [rounded(eer)],
        system.anonymiser,
        colour=colour,
        size=11,
        hover="%{text}",
        texts=["<br>".join(lines)],
    )
    trace["error_x"] = errors([value], [limits]) | {"color": colour}
    trace["error_y"] = errors([eer], [interval]) | {"color": colour}
    return of_system(trace, system.anonymiser)


def _brackets(limits, form):
    return f" [{form(limits[0])}, {form(limits[1])}]" if limits else ""


def _is_number(text):
    try:
        return drawable(float(text))
    except ValueError:
        return False


# The McAdams coefficients that anonymisers drew


def read_alphas(path: Path) -> dict[float, list[str]]:
    """Read a table of drawn coefficients: {alpha: [speakers]}."""
    alphas: dict[float, list[str]] = {}
    for line, row in read_rows(path, ["utterance", "speaker", "alpha"]):
        speakers = alphas.setdefault(number(row["alpha"], path, line), [])
        if row["speaker"] not in speakers:
            speakers.append(row["speaker"])
    return alphas


def strips(*, alphas: Mapping[str, dict[float, list[str]]], colours: dict[str, str]) -> Chart:
    """Every coefficient that was drawn, a strip for each anonymiser.

    Parameters
    ----------
    alphas : {anonymiser: {alpha: [speakers]}}
    colours : {anonymiser: colour}
    """
    traces = []
    for anonymiser, drawn in alphas.items():
        strip = points(
            [rounded(alpha) for alpha in drawn],
            [label(anonymiser)] * len(drawn),
            anonymiser,
            colour=colours[anonymiser],
            symbol="line-ns-open",
            size=16,
            hover="%{text}<br>alpha %{x:.4f}",
            texts=[_names(speakers) for speakers in drawn.values()],
        )
        traces.append(of_system(strip, anonymiser))
    x = {"title": "McAdams coefficient alpha (1 = unchanged)"}
    y = {"type": "category", "automargin": True}
    return chart(traces, x=x, y=y, height=150 + 45 * len(alphas))


def _names(speakers):
    if len(speakers) == 1:
        return label(speakers[0])
    more = " …" if len(speakers) > FEW_NAMES else ""
    first = label(", ".join(speakers[:FEW_NAMES]))
    return f"{counted(len(speakers), 'speaker')}: {first}{more}"
