"""Speakers: who sounds like whom, the zoo, who is still at risk, and what was drawn for each.

The functions that are named like a kind of figure read its files and draw it for the page.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voiceprivacy.catalogue import METRICS
from voiceprivacy.catalogue.metric import NO_PRIVACY_BIT
from voiceprivacy.inout.files import counted
from voiceprivacy.inout.tables import ALPHAS, number, read_rows
from voiceprivacy.report.charts.chart import (
    GROUND,
    INK,
    Chart,
    Drawn,
    Run,
    chart,
    label,
    level,
    of_system,
    points,
    rounded,
)
from voiceprivacy.report.curves import (
    EXPOSURES,
    ZOO,
    ZOO_TITLES,
    blocks,
    most_exposed_first,
    read_matrices,
    read_speakers,
    span_of_means,
)
from voiceprivacy.report.figures import NO_VALUE, Figure, draws_in
from voiceprivacy.report.mailed import NAMED
from voiceprivacy.vocabulary import (
    DASH,
    MINUS,
    ORIGINAL,
    PROTECTED_CONDITIONS,
    UNDEFINED,
)

Speakers = Mapping[str, Mapping[str, dict]]  # {condition: {speaker: {column: value}}}
Table = tuple[list[str], list[list[str]]]  # titles, rows

SCALE = (  # matplotlib's magma, reversed: dark = similar, readable in grey too
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
)
MOST_NAMES = 30
SYMBOLS = {  # of the corners of a zoo plot, as in the picture for papers
    "dove": "diamond",
    "chameleon": "square",
    "phantom": "triangle-down",
    "worm": "triangle-up",
    "-": "circle",
}
MEASURES = {
    "dece_bit": METRICS["dece_bit"].label,
    "worst_case_log10": METRICS["worst_case_log10"].label,
    "deid_percent": "de-identification [%]",
}
FEW_NAMES = 5  # of more speakers with one coefficient, so many are named
MOST_TICKS = 60  # of more speakers none is named at the axis: names would run into each other
PANEL_GAP = 0.04  # between panels, of the height of all
BARS_WIDE = 0.8  # of the room of a speaker, as plotly.js draws them


def similarity(figure: Figure, run: Run) -> Drawn:
    """The similarity matrices of one anonymiser."""
    files = figure.arguments
    paths, codes = (files["curves"], files["manifest"]), run.codes.get(figure.corpus, NAMED)
    speakers, values = read_matrices(*paths, order=run.order, codes=codes)
    return Drawn([(_summary(figure, run), matrices(**values, speakers=speakers))])


def _summary(figure: Figure, run: Run) -> str:
    """De-identification and the gain of distinctiveness, as far as they are numbers."""
    words = []
    for name, condition in (("deid_percent", "op"), ("gvd_db", "pp")):
        number = run.metrics.get(figure.system(figure.anonymiser, condition), {}).get(name)
        if number and number.value != UNDEFINED:
            metric = METRICS[name]
            text = run.shown(number).text("{:.1f}".format).replace("-", MINUS)
            words.append(f"{metric.title} {text} {metric.unit}")
    return ", ".join(words)


def zoo(figure: Figure, run: Run) -> Drawn:
    """A zoo plot for every condition of one anonymiser, on one scale, and the same as a table."""
    animals = read_speakers(figure.arguments["zoo"], ZOO, run.codes.get(figure.corpus, NAMED))
    spans = [span_of_means(animals, mean) for mean in ("mean_target_llr", "mean_impostor_llr")]
    charts = []
    for condition, of_condition in animals.items():
        colour = run.colours[ORIGINAL if condition == "oo" else figure.anonymiser]
        plane = zoo_plane(of_condition, colour=colour, spans=spans)
        charts.append((ZOO_TITLES.get(condition, condition), plane))
    return Drawn(charts, zoo_table(animals))


def speakers(figure: Figure, run: Run) -> Drawn:
    """What each speaker gives away, a panel for every measure, and the same as a table."""
    codes = run.codes.get(figure.corpus, NAMED)
    measured = read_speakers(figure.arguments["speakers"], EXPOSURES, codes)
    drawn = exposures(measured=measured, colour=run.colours[figure.anonymiser])
    return Drawn([("", drawn)], exposures_table(measured))


def matrices(
    *,
    oo: np.ma.MaskedArray,
    op: np.ma.MaskedArray,
    pp: np.ma.MaskedArray,
    speakers: Sequence[str],
) -> Chart:
    """OO | OP above PO | PP; the cell of two speakers names both.

    Parameters
    ----------
    oo, op, pp : masked array (S, S), rows of OP are original speech; PO is its transpose
    speakers : S names in the order of the rows
    """
    # Plotly tells the rows of a heat map by their names, so that these must differ; ticks show
    # the speakers alone.
    names = [f"{label(name)} original" for name in speakers]
    names += [f"{label(name)} protected" for name in speakers]
    heat = {
        "type": "heatmap",
        "x": names,
        "y": names,
        "z": [list(map(_cell, row)) for row in blocks(oo=oo, op=op, pp=pp)],
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
        "constrain": "domain",  # the axes shrink to the square instead of showing room around it
    }
    x = {"title": "original | protected", **ticks}
    y = {"title": "protected | original", "autorange": "reversed", "scaleanchor": "x", **ticks}
    edge = len(speakers) - 0.5  # cells are centred on whole numbers
    whole = {"type": "line", "line": {"color": INK, "width": 1}}
    lines = [
        {**whole, "x0": edge, "x1": edge, "yref": "y domain", "y0": 0, "y1": 1},
        {**whole, "y0": edge, "y1": edge, "xref": "x domain", "x0": 0, "x1": 1},
    ]
    return chart([heat], x=x, y=y, height=460, shapes=lines, plot_bgcolor=NO_VALUE)


def zoo_plane(
    animals: Mapping[str, dict], *, colour: str, spans: Sequence[tuple[float, float]]
) -> Chart:
    """One condition: every speaker at the mean LLRs with himself and with others.

    Parameters
    ----------
    animals : {speaker: {mean_target_llr, mean_impostor_llr (None: undefined), corner, animal}}
        Markers are filled where the animal is more than chance.
    colour : of the system
    spans : (lowest, highest) LLR of both axes, the same in all conditions
    """
    traces = [_corner(corner, animals, colour) for corner in SYMBOLS]
    of_targets, of_impostors = spans
    return chart(
        [trace for trace in traces if trace["x"]],
        x={"title": "mean target LLR", "range": list(of_targets)},
        y={"title": "mean impostor LLR", "range": list(of_impostors)},
        height=360,
        shapes=[level("x", 0), level("y", 0)],
    )


def zoo_table(animals: Speakers) -> Table:
    """The same as a table of text: titles, and a row for every speaker.

    An animal in brackets is one that chance may have put into its corner.
    """
    titles = ["speaker"]
    for condition in animals:
        titles += [f"{condition.upper()} {column}" for column in ("target", "impostor", "animal")]
    rows = []
    for speaker in sorted(set().union(*animals.values())):
        row = [speaker]
        for of_condition in animals.values():
            row += _zoo_cells(of_condition.get(speaker))
        rows.append(row)
    return titles, rows


def exposures(*, measured: Speakers, colour: str) -> Chart:
    """A panel for every measure: bars of OP (hatched) and PP, and a line for OO, of every speaker.

    The most exposed speaker comes first; all panels share one axis of speakers.

    Parameters
    ----------
    measured : {condition: {speaker: {dece_bit, worst_case_log10, deid_percent}}}, None: undefined
    colour : of the anonymiser
    """
    speakers = most_exposed_first(measured)
    traces: list[dict] = []
    axes: dict[str, dict] = {}
    named: set[str] = set()  # conditions that the legend has
    for index, metric in enumerate(MEASURES):
        number = str(index + 1) if index else ""
        # From above to below: plotly.js counts from the lower edge.
        top = 1 - index / len(MEASURES)
        domain = [rounded(top - 1 / len(MEASURES) + PANEL_GAP), rounded(top)]
        axes[f"yaxis{number}"] = {"title": {"text": MEASURES[metric]}, "domain": domain}
        for trace in _of_measure(measured, speakers, metric, colour):
            first = trace["legendgroup"] not in named
            named.add(trace["legendgroup"])
            traces.append(trace | {"yaxis": f"y{number}", "showlegend": first})
    few = len(speakers) <= MOST_TICKS
    ticks = list(range(len(speakers))) if few else []
    x = {
        "title": "speaker, the most exposed first",
        "tickvals": ticks,
        "ticktext": [label(speaker) for speaker in speakers] if few else [],
        "tickfont": {"size": 9 if len(speakers) <= MOST_NAMES else 7},
        "range": [-0.6, len(speakers) - 0.4],
        # Below the lowest panel, whose zero is not its lower edge where evidence misleads.
        "anchor": f"y{len(MEASURES)}",
        "zeroline": False,
        "showgrid": False,
    }
    first_axis = axes.pop("yaxis")
    y = first_axis | {"title": first_axis["title"]["text"]}
    shapes = [_no_privacy(len(speakers))]
    layout: dict[str, Any] = {"barmode": "group", "shapes": shapes, **axes}
    return chart(traces, x=x, y=y, height=700, **layout)


def _no_privacy(n_speakers):
    """The line of no privacy, in the panel of D_ECE alone."""
    ends = {"xref": "x", "x0": -0.6, "x1": n_speakers - 0.4, "yref": "y"}
    return level("y", NO_PRIVACY_BIT) | ends


def _of_measure(measured, speakers, metric, colour):
    """The traces of one panel."""
    traces = []
    # OO last: its line lies above the bars.
    for condition in (*PROTECTED_CONDITIONS, "oo"):
        of_condition = measured.get(condition, {})
        values = [rounded(of_condition.get(speaker, {}).get(metric)) for speaker in speakers]
        if all(value is None for value in values):  # de-identification has no OO, for one
            continue
        drawn = _unprotected if condition == "oo" else _bars
        traces.append(drawn(speakers, values, condition, metric, colour))
    return traces


def exposures_table(measured: Speakers) -> Table:
    """The same as a table of text: titles, and a row for every speaker, the most exposed first."""
    columns = []
    for metric in MEASURES:
        for condition in ("oo", *PROTECTED_CONDITIONS):
            of_speakers = measured.get(condition, {}).values()
            if any(numbers[metric] is not None for numbers in of_speakers):
                columns.append((condition, metric))
    titles = [f"{condition.upper()} {MEASURES[metric]}" for condition, metric in columns]
    rows = []
    for speaker in most_exposed_first(measured):
        values = [measured[condition].get(speaker, {}).get(metric) for condition, metric in columns]
        rows.append([speaker, *(_number(value, ".3g") for value in values)])
    return ["speaker", *titles], rows


def _cell(value):
    # Iterating over a masked array gives np.ma.masked itself where a cell is undefined.
    return None if value is np.ma.masked else rounded(float(value))


def _number(value, form):
    return DASH if value is None else f"{value:{form}}".replace("-", MINUS)


def _corner(corner, animals, colour):
    symbol = SYMBOLS[corner]
    shown = {}
    for speaker, animal in animals.items():
        means = (animal["mean_target_llr"], animal["mean_impostor_llr"])
        if animal["corner"] == corner and None not in means:
            shown[speaker] = animal
    trace = points(
        [rounded(animal["mean_target_llr"]) for animal in shown.values()],
        [rounded(animal["mean_impostor_llr"]) for animal in shown.values()],
        "no corner" if corner == "-" else corner,
        colour=colour,
        symbol=[
            symbol if animal["animal"] != "-" else f"{symbol}-open" for animal in shown.values()
        ],
        hover="%{hovertext}<br>target %{x:.2f}, impostor %{y:.2f}",
    )
    # Who is more than chance is named on the chart, everybody where one points.
    names = [label(name) if animal["animal"] != "-" else "" for name, animal in shown.items()]
    return trace | {
        "mode": "markers+text" if any(names) else "markers",
        "text": names,
        "textposition": "top center",
        "textfont": {"size": 9, "color": INK},
        "hovertext": [f"{label(name)}: {_meaning(animal)}" for name, animal in shown.items()],
    }


def _meaning(animal):
    """Where a speaker lies, in words; the test of the corner names its animals."""
    if animal["corner"] == "-":
        return "in no corner"
    chance = "" if animal["animal"] != "-" else ", as chance may put there"
    return f"{animal['corner']}{chance}"


def _zoo_cells(animal):
    if animal is None:
        return [DASH] * 3
    means = (animal["mean_target_llr"], animal["mean_impostor_llr"])
    name = animal["animal"].replace("-", DASH)
    # A corner whose animals the test does not name holds no more speakers than chance puts there.
    if animal["animal"] == "-" and animal["corner"] != "-":
        name = f"({animal['corner']})"
    return [*(_number(mean, ".2f") for mean in means), name]


def _unprotected(speakers, values, condition, metric, colour):
    """A short line over the bars of every speaker, as wide as they are however many there are."""
    x, y, texts = [], [], []
    for position, (speaker, value) in enumerate(zip(speakers, values, strict=True)):
        # None ends a line, so that those of neighbours do not run into each other.
        x += [position - BARS_WIDE / 2, position + BARS_WIDE / 2, None]
        y += [value, value, None]
        texts += [label(speaker)] * 3
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "text": texts,
        "name": "OO (unprotected)",
        "legendgroup": condition,
        "line": {"color": INK, "width": 2},
        "connectgaps": False,
        "hovertemplate": f"%{{text}}, unprotected<br>{MEASURES[metric]} %{{y:.3g}}<extra></extra>",
    }


def _bars(speakers, values, condition, metric, colour):
    hatched = {"shape": "/", "fgcolor": colour, "bgcolor": GROUND, "size": 6}
    pattern = hatched if condition == "op" else {}
    words = f"{condition.upper()}<br>{MEASURES[metric]}"
    return {
        "type": "bar",
        "x": list(range(len(speakers))),
        "y": values,
        # Not "text", which plotly.js would write into the bars.
        "hovertext": [label(speaker) for speaker in speakers],
        "name": condition.upper(),
        "legendgroup": condition,
        "marker": {"color": colour, "pattern": pattern, "line": {"color": colour, "width": 1}},
        "hovertemplate": f"%{{hovertext}}, {words} %{{y:.3g}}<extra></extra>",
    }


# The McAdams coefficients that anonymisers drew.


def read_alphas(path: Path) -> dict[float, list[str]]:
    """Read a table of drawn coefficients: {alpha: [speakers]}."""
    alphas: dict[float, list[str]] = {}
    for line, row in read_rows(path, ALPHAS):
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
        traces.append(of_system(strip, draws_in(colours)[anonymiser].system))
    x = {"title": "McAdams coefficient alpha (1 = unchanged)"}
    y = {"type": "category", "automargin": True}
    return chart(traces, x=x, y=y, height=150 + 45 * len(alphas))


def _names(speakers):
    if len(speakers) == 1:
        return label(speakers[0])
    more = " …" if len(speakers) > FEW_NAMES else ""
    first = label(", ".join(speakers[:FEW_NAMES]))
    return f"{counted(len(speakers), 'speaker')}: {first}{more}"
