"""Numbers of systems beside each other: under every attack, and what protection costs.

The function that is named like a kind of figure reads its files and draws it for the page.
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence

from voiceprivacy.catalogue import EER, METRICS
from voiceprivacy.catalogue.metric import Metric
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
    of_system,
    points,
    rounded,
    tall,
)
from voiceprivacy.report.comparison import System, folded_number, strongest_attacks
from voiceprivacy.report.figures import Figure, marks
from voiceprivacy.report.leaderboard import Board, Standing
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.releases import released_lists, released_numbers
from voiceprivacy.report.sections import titled
from voiceprivacy.report.uncertainty import BY_DEFINITION, NULL, Shown, shown_number
from voiceprivacy.vocabulary import ABSENT, UNDEFINED, in_words

OnLists = dict[str, dict[str, Shown]]  # {list: {metric: number}} of one anonymiser
AgainstUtility = dict[str, tuple[System, Number]]  # {anonymiser: (strongest attack, utility)}

GUESSING_PERCENT = 50  # equal error rate
CHARTED = ("eer_percent", "dece_bit")  # columns of the leaderboard that have a chart below it
REFERENCES = {"eer_percent": GUESSING_PERCENT}

# Rows of dots, whose distances are in rows.
GAP = 0.6  # between anonymisers
EDGE = 0.8  # above the first row and below the last
ROW_PIXELS = 26
ROOM_PIXELS = 100  # for the title of the axis and its numbers

LOST = "arrow-down"  # no distinct voices at all: -inf dB


# One number of every system under every attack, with its interval.


def board_charts(
    boards: Iterable[Board],
    *,
    columns: Sequence[Metric],
    colours: Mapping[str, str],
) -> dict[str, list[tuple[str, Chart]]]:
    """The charts below the leaderboard: {set: [(title, chart)]}."""
    return {board.name: _charts_of(board, columns, colours) for board in boards}


def _charts_of(board, columns, colours):
    # Rows of one anonymiser stand together, anonymisers as in the comparison.
    ranking = {standing.system.anonymiser: rank for rank, standing in enumerate(board.standings)}

    def order(standing):
        return ranking[standing.system.anonymiser], standing.system.condition

    charts = []
    for column in columns:
        if column.name in CHARTED:
            shown = [
                standing for standing in board.standings if drawable(standing.values[column.name])
            ]
            shown.sort(key=order)
            if shown:  # a metric can be undefined for all
                drawn = dots(shown, column=column, colours=colours)
                charts.append((column.title, drawn))
    return charts


def dots(standings: Sequence[Standing], *, column: Metric, colours: Mapping[str, str]) -> Chart:
    """A row for every system; for D_ECE also how much zero evidence gives.

    Parameters
    ----------
    standings : with a number in this column, the systems of an anonymiser one after the other
    column : of the comparison
    colours : {anonymiser: colour}
    """
    rows = _rows(standings)
    traces = [_band(rows, standings)] if column.name == "dece_bit" else []
    in_rows = zip(rows, standings, strict=True)
    for anonymiser, group in itertools.groupby(in_rows, key=lambda pair: _anonymiser(pair[1])):
        of_anonymiser = list(group)
        look = colours[anonymiser], marks(colours)[anonymiser]
        traces.append(_dots_of(anonymiser, of_anonymiser, column, look))
        traces.append(_definitions_of(anonymiser, of_anonymiser, column, look))
    y = {
        "tickvals": rows,
        "ticktext": _row_names(standings),
        "range": [rows[-1] + EDGE, rows[0] - EDGE],  # from below: the first row is on top
        "automargin": True,
        "showgrid": False,
    }
    x = {"title": f"{column.title} [{column.unit}]{_direction(column)}", "rangemode": "tozero"}
    # The page's script closes the gaps that hidden systems leave: it needs the row of each.
    anonymisers = [_anonymiser(standing) for standing in standings]
    meta = {"rows": [list(pair) for pair in zip(rows, anonymisers, strict=True)], "gap": GAP}
    shapes = [level("x", REFERENCES[column.name])] if column.name in REFERENCES else []
    return chart(
        [trace for trace in traces if trace],
        x=x,
        y=y,
        height=int(ROOM_PIXELS + ROW_PIXELS * (rows[-1] - rows[0] + 2 * EDGE)),
        meta=meta,
        shapes=shapes,
    )


def drawable(value: object) -> bool:
    """Whether a value of the comparison is a number that a chart can show."""
    return isinstance(value, float | int) and math.isfinite(value)


def _anonymiser(standing):
    return standing.system.anonymiser


def _rows(standings):
    """Where the row of each system stands: one below the other, with a gap between anonymisers."""
    rows, before = [], None
    for standing in standings:
        step = 1.0 if _anonymiser(standing) == before else 1.0 + GAP
        rows.append((rows[-1] if rows else 0.0) + step)
        before = _anonymiser(standing)
    return rows


def _dots_of(anonymiser, in_rows, column, look):
    """The trace of one anonymiser from [(row, Standing)]; its look is (colour, mark)."""
    colour, mark = look
    rows = [row for row, _ in in_rows]
    standings = [standing for _, standing in in_rows]
    numbers = [standing.shown(column.name) for standing in standings]
    trace = points(
        [rounded(number.value) for number in numbers],
        rows,
        anonymiser,
        colour=colour,
        symbol=mark,
        hover="%{hovertext}",
    )
    trace |= {
        "mode": "markers+text",
        "text": [column.text(number.value) for number in numbers],
        "textposition": "top center",
        "textfont": {"size": 9, "color": INK},
        "cliponaxis": False,
        "hovertext": [_words_of_dot(standing, column) for standing in standings],
        "showlegend": False,  # names stand at the rows
        "error_x": errors(numbers) | {"color": colour},
    }
    return of_system(trace, anonymiser)


def _definitions_of(anonymiser, in_rows, column, look):
    """Hollow marks of numbers by definition, where others are shown; None where none is."""
    colour, mark = look
    moved = []
    for row, standing in in_rows:
        number = standing.shown(column.name)
        if number.definition_text(column.text):
            moved.append((row, standing, number))
    if not moved:
        return None
    trace = points(
        [rounded(number.definition) for _, _, number in moved],
        [row for row, _, _ in moved],
        anonymiser,
        colour=colour,
        symbol=f"{mark}-open",
        hover="%{text}",
        texts=[_words_of_dot(standing, column) for _, standing, _ in moved],
    )
    trace["showlegend"] = False
    return of_system(trace, anonymiser)


def _band(rows, standings):
    """From no disclosure to what permuted speakers give; None where no band is known."""
    x, y = [], []
    for row, standing in zip(rows, standings, strict=True):
        if standing.values[NULL] is not None:
            # One trace for all rows, so that its legend and its hover stand once. None ends a line.
            x += [0, rounded(standing.values[NULL]), None]
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
    system, number = standing.system, standing.shown(column.name)
    limits = ""
    if number.limits:
        low, high = map(column.text, number.limits)
        limits = f", 95 % interval {low} to {high}"
    lines = [
        f"{label(system.anonymiser)}, {system.attack} ({system.condition.upper()})",
        label(system.attacker),
        f"{column.title} {column.text(number.value)} {column.unit}{limits}",
        number.definition_text(column.text, f"{BY_DEFINITION} {{}} {column.unit}"),
    ]
    if system.draws:
        label_of_set = standing.label
        values = [draw.shown(label_of_set, column.name).value for draw in system.draws]
        lines.append(f"draws of it: {', '.join(map(column.text, values))} {column.unit}")
    return "<br>".join(filter(None, lines))


def _row_names(standings):
    """Anonymiser and condition of each row, and as much of the attacker as tells several apart."""
    systems = [standing.system for standing in standings]
    several_extractors = len({system.extractor for system in systems}) > 1
    several_backends = len({system.backend for system in systems}) > 1
    names = []
    for system in systems:
        words = [system.anonymiser, system.condition.upper()]
        if several_extractors:
            words.append(in_words(system.extractor))
        if several_backends:
            words.append(in_words(system.backend))
        names.append(label(" ".join(words)))
    return names


def _direction(column):
    if not column.arrow:
        return ""
    # The metric's arrow is that of a table; here more lies to the right.
    return f", {column.arrow} more privacy".replace("↑", "→").replace("↓", "←")


# What protection costs: voices that can no longer be told apart.


def distinctiveness(figure: Figure, run: Run) -> Drawn:
    """De-identification against the gain of voice distinctiveness under one attacker."""
    measured: dict[str, OnLists] = {}
    for key, metrics in run.metrics.items():
        if (key.extractor, key.backend) != (figure.extractor, figure.backend):
            continue
        # DeID stands under OP and G_VD under PP: the two numbers of a point meet here.
        for name in metrics.keys() & {"deid_percent", "gvd_db"}:
            metric = metrics[name]
            if metric.value != UNDEFINED:
                lists = measured.setdefault(key.anonymiser, {})
                numbers = lists.setdefault(f"{key.corpus} {key.trials}", {})
                numbers[name] = run.shown(metric)
    both = {"deid_percent", "gvd_db"}
    shown = {}
    for system, lists in released_lists(measured, order=run.colours).items():
        shown[system] = {name: lists[name] for name in sorted(lists) if lists[name].keys() == both}
    return Drawn(costs(measured=shown, colours=run.colours))


def costs(
    *, measured: Mapping[str, OnLists], colours: Mapping[str, str]
) -> list[tuple[str, Chart]]:
    """Every anonymiser, a chart for each list: [(list, chart)], all on one scale.

    A gain of -inf dB (no distinct voices at all) is an arrow at the lower edge.

    Parameters
    ----------
    measured : {anonymiser: {list: {deid_percent, gvd_db: Shown}}}
    colours : {anonymiser: colour}
    """
    names: dict[str, None] = {}  # in their order, each once
    deids, gains = [100.0], [0.0]
    for lists in measured.values():
        names |= dict.fromkeys(lists)
        for numbers in lists.values():
            deids += _ends(numbers["deid_percent"])
            gains += _ends(numbers["gvd_db"])
    floor = _below(list(filter(math.isfinite, gains)))
    x = {"title": "de-identification, DeID [%], → more privacy", "range": _room(deids)}
    y = {"title": "gain of voice distinctiveness, G_VD [dB]", "range": _room([floor, *gains])}
    charts = []
    for name in names:
        traces = []
        for anonymiser, lists in measured.items():
            if name in lists:
                look = colours[anonymiser], marks(colours)[anonymiser]
                traces.append(_cost(anonymiser, {name: lists[name]}, look, floor))
        lines = [level("x", 100), level("y", 0)]
        charts.append((name, chart(traces, x=x, y=y, height=tall(400, traces), shapes=lines)))
    return charts


def _ends(number):
    """A number and its limits."""
    return [number.value, *(number.limits or ())]


def _room(values):
    """The range of an axis that holds all of these, and half a mark at both ends."""
    finite = list(filter(math.isfinite, values))
    margin = 0.05 * (max(finite) - min(finite)) or 1.0
    return [rounded(min(finite) - margin), rounded(max(finite) + margin)]


def _below(gains):
    """Where arrows stand: a tenth of the range below all gains, or 1 dB where they are equal."""
    margin = 0.1 * (max(gains) - min(gains)) or 1.0
    return min(gains) - margin


def _cost(anonymiser, lists, look, floor):
    """The point of one anonymiser on one list."""
    colour, mark = look
    deids = [numbers["deid_percent"] for numbers in lists.values()]
    gains = [numbers["gvd_db"] for numbers in lists.values()]
    heights, shapes = [], []
    for gain in gains:
        lost = gain.value == -math.inf
        heights.append(rounded(floor if lost else gain.value))
        shapes.append(LOST if lost else mark)
    trace = points(
        [rounded(deid.value) for deid in deids],
        heights,
        anonymiser,
        colour=colour,
        symbol=shapes,
        size=11,
        hover="%{text}",
        texts=[_words_of_cost(anonymiser, name, numbers) for name, numbers in lists.items()],
    )
    for axis, measured in (("error_x", deids), ("error_y", gains)):
        trace[axis] = errors(measured) | {"color": colour}
    return of_system(trace, anonymiser)


def _words_of_cost(anonymiser, name, numbers):
    lines = [label(f"{anonymiser}, {name}")]
    for metric in (METRICS["deid_percent"], METRICS["gvd_db"]):
        text = numbers[metric.name].text("{:.1f}".format)
        lines.append(f"{metric.title} {text} {metric.unit}")
    return "<br>".join(lines)


# What protection costs: utility.


def scatters(
    systems: Sequence[System], metrics: Sequence[Number], colours: Mapping[str, str]
) -> dict[str, list[tuple[str, Chart]]]:
    """EER under the strongest attack against every measure of utility: {corpus: [(title, chart)]}.

    The EER is folded: above 50 % an attacker reads scores the other way round.

    Parameters
    ----------
    systems : of the run
    metrics : of the run; those of utility over whole corpora are taken
    colours : {anonymiser: colour}
    """
    strongest = strongest_attacks(systems)
    # What is measured of a whole corpus without an attacker is utility (see sections).
    whole = [
        metric
        for metric in metrics
        if (metric.trials, metric.extractor, metric.condition) == (ABSENT,) * 3
    ]
    measured: dict[str, dict[str, AgainstUtility]] = {}  # by corpus and measure
    releases, _ = released_numbers(whole, {})
    for metric in releases:
        system = strongest.get((metric.corpus, metric.anonymiser))
        if not (system and _is_number(metric.value)):
            continue
        if drawable(system.mean["eer_percent"]):
            measures = measured.setdefault(metric.corpus, {})
            measures.setdefault(metric.metric, {})[metric.anonymiser] = (system, metric)
    return {
        corpus: [_scatter(titled(name), measures[name], colours) for name in measures]
        for corpus, measures in measured.items()
    }


def _scatter(title, anonymisers, colours):
    """(title, chart) of one measure of utility."""
    traces = []
    for anonymiser, colour in colours.items():
        if anonymiser in anonymisers:
            system, metric = anonymisers[anonymiser]
            look = colour, marks(colours)[anonymiser]
            traces.append(_point(title, system, metric, look))
    y = {"title": f"{EER.label}, folded at 50, {EER.arrow} more privacy", "rangemode": "tozero"}
    shapes = [level("y", GUESSING_PERCENT)]
    return title, chart(traces, x={"title": label(title)}, y=y, height=400, shapes=shapes)


def _point(title, system, metric, look):
    colour, mark = look
    utility = shown_number(metric, {})  # it is no mean of few scores, and is not corrected
    eer = folded_number(system.shown(system.mean_label, "eer_percent"))
    lines = [
        label(system.anonymiser),
        f"{label(title)} {utility.text('{:.3g}'.format)}",
        f"EER {eer.text(EER.text)} %, {system.attack}, {label(system.attacker)}",
    ]
    trace = points(
        [rounded(utility.value)],
        [rounded(eer.value)],
        system.anonymiser,
        colour=colour,
        symbol=mark,
        size=11,
        hover="%{text}",
        texts=["<br>".join(lines)],
    )
    trace["error_x"] = errors([utility]) | {"color": colour}
    trace["error_y"] = errors([eer]) | {"color": colour}
    return of_system(trace, system.anonymiser)


def _is_number(text):
    try:
        return drawable(float(text))
    except ValueError:
        return False
