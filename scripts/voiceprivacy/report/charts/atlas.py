"""The disclosure atlas as charts of the page: bits by channel, and by sets of channels.

Sets are drawn as UpSet plots are: a column for each set, whose channels are dots below its bars
(Lex et al., UpSet: visualization of intersecting sets, 2014).
"""

from collections.abc import Mapping, Sequence
from itertools import chain

from voiceprivacy.report.atlas import (
    NAMES,
    bits,
    by_system,
    channels_of,
    disclosures,
    left_percent,
    read_atlas,
    read_together,
    sets_shown,
)
from voiceprivacy.report.charts.chart import (
    FAINT,
    GRID,
    INK,
    Chart,
    Drawn,
    Run,
    chart,
    errors,
    label,
    level,
    numbers,
    of_draw,
)
from voiceprivacy.report.figures import Figure, draws_in
from voiceprivacy.vocabulary import (
    GAIN,
    GAP,
    MINUS,
    ORIGINAL,
    TOGETHER,
    AtlasPoint,
    ChannelsPoint,
)

CONDITIONS = {
    "op": "Compared with unprotected enrolment (OP)",
    "pp": "Compared with protected enrolment (PP)",
}
UNPROTECTED = "Unprotected speech (OO)"
BARS, DOTS = [0.42, 1], [0, 0.38]  # of the height of a chart of sets


def atlas(figure: Figure, run: Run) -> Drawn:
    """Bars of every channel for each condition, and a table of what is left of each."""
    points = read_atlas(figure.arguments["curves"])
    conditions = {point.condition for point in points}
    charts = []
    for condition, title in CONDITIONS.items():
        if condition in conditions:
            charts.append((title, atlas_chart(points, condition, run.colours)))
    if points and not charts:  # nothing is protected
        charts.append((UNPROTECTED, atlas_chart(points, "oo", run.colours)))
    return Drawn(charts, _table(points, run.colours) if points else ())


def atlas_chart(points: Sequence[AtlasPoint], condition: str, colours: Mapping[str, str]) -> Chart:
    """Bars of all systems beside each other, channel by channel, unprotected speech first."""
    channels = channels_of(points)
    traces = []
    for (anonymiser, of_condition), by_channel in by_system(points).items():
        if of_condition not in (condition, "oo"):
            continue
        shown = [by_channel[channel] for channel in channels if channel in by_channel]
        name = f"{draws_in(colours)[anonymiser].words} {of_condition.upper()}"
        trace = {
            "type": "bar",
            "x": [NAMES[point.channel] for point in shown],
            "y": numbers(point.value for point in shown),
            "marker": {"color": colours[anonymiser]},
            "error_y": errors(map(bits, shown)) | {"thickness": 1, "color": INK},
            "text": [label(_words(point, points)) for point in shown],
            "textposition": "none",
            "hovertemplate": f"{label(name)}<br>%{{x}}: %{{text}}<extra></extra>",
        }
        traces.append(of_draw(trace, anonymiser, of_condition.upper(), dict(colours)))
    most = max(point.most_bit for point in points)
    y = {"title": "disclosure [bit]", "range": [0, 1.06 * most]}
    x = {"title": "", "type": "category", "categoryarray": [NAMES[name] for name in channels]}
    return chart(traces, x=x, y=y, height=360, barmode="group", shapes=[level("y", most)])


def _words(point: AtlasPoint, points: Sequence[AtlasPoint]) -> str:
    text = f"{bits(point).text('{:.2f}'.format)} of {point.most_bit:.2f} bit"
    left = left_percent(point, points)
    if point.anonymiser == ORIGINAL or left is None:
        return text
    return f"{text}, {left:.0f} % of unprotected speech's"


def _table(points: Sequence[AtlasPoint], colours: Mapping[str, str]) -> tuple:
    """A row for each system and condition, a column for each channel."""
    channels = channels_of(points)
    titles = ("system", *(f"{NAMES[channel]} [bit]" for channel in channels))
    rows = []
    for (anonymiser, condition), by_channel in by_system(points).items():
        name = f"{draws_in(colours)[anonymiser].words} {condition.upper()}"
        cells = [_cell(by_channel.get(channel), points) for channel in channels]
        rows.append((name, *cells))
    return titles, rows


def _cell(point: AtlasPoint | None, points: Sequence[AtlasPoint]) -> str:
    if point is None:
        return ""
    text = bits(point).text("{:.2f}".format)
    left = left_percent(point, points)
    if point.anonymiser == ORIGINAL or left is None:
        return text
    return f"{text}, {left:.0f} % left"


def channels(figure: Figure, run: Run) -> Drawn:
    """Bars of sets of channels for each condition, and a table of what each channel adds."""
    points = read_together(figure.arguments["curves"])
    conditions = {point.condition for point in points}
    shown = {name: title for name, title in CONDITIONS.items() if name in conditions}
    if points and not shown:  # nothing is protected
        shown = {"oo": UNPROTECTED}
    charts = [
        (title, channels_chart(points, condition, run.colours))
        for condition, title in shown.items()
    ]
    return Drawn(charts, _table_of_gains(points, run.colours) if points else ())


def channels_chart(
    points: Sequence[ChannelsPoint], condition: str, colours: Mapping[str, str]
) -> Chart:
    """Bars of all systems, set by set, above the dots that say what is in each set."""
    sets = sets_shown(points)
    traces = _dots(sets)
    for (anonymiser, of_condition), by_set in disclosures(points).items():
        if of_condition not in (condition, "oo"):
            continue
        drawn = [members for members in sets if members in by_set]
        values = [by_set[members] for members in drawn]
        name = f"{draws_in(colours)[anonymiser].words} {of_condition.upper()}"
        texts = [
            f"{_plus(members)}: {bits(point).text('{:.2f}'.format)} of {point.most_bit:.2f} bit"
            for members, point in zip(drawn, values, strict=True)
        ]
        trace = {
            "type": "bar",
            "x": [_plus(members) for members in drawn],
            "y": numbers(point.value for point in values),
            "marker": {"color": colours[anonymiser]},
            "error_y": errors(map(bits, values)) | {"thickness": 1, "color": INK},
            "text": [label(text) for text in texts],
            "textposition": "none",
            "hovertemplate": f"{label(name)}<br>%{{text}}<extra></extra>",
        }
        traces.append(of_draw(trace, anonymiser, of_condition.upper(), dict(colours)))
    most = max(point.most_bit for point in points)
    n_channels = len(sets[-1])
    order = [_plus(members) for members in sets]
    x = {"title": "", "type": "category", "categoryarray": order, "showticklabels": False}
    y = {"title": "disclosure [bit]", "range": [0, 1.06 * most], "domain": BARS}
    # The first channel stands on top.
    names = {"domain": DOTS, "range": [n_channels - 0.5, -0.5], "showgrid": False}
    names |= {"tickvals": list(range(n_channels)), "ticktext": list(map(NAMES.get, sets[-1]))}
    return chart(
        traces,
        x=x | {"anchor": "y2"},
        y=y,
        height=320 + 18 * n_channels,
        barmode="group",
        shapes=[level("y", most)],
        yaxis2=names | {"zeroline": False, "title": {"text": ""}},
    )


def _dots(sets: Sequence[tuple[str, ...]]) -> list[dict]:
    """Traces of the dots below: all channels faintly, those of each set in ink and joined."""
    channels = sets[-1]
    all_dots = {
        "x": list(chain.from_iterable([_plus(members)] * len(channels) for members in sets)),
        "y": list(range(len(channels))) * len(sets),
        "mode": "markers",
        "marker": {"color": GRID, "size": 8},
    }
    x: list[str | None] = []
    y: list[int | None] = []
    for members in sets:
        x += [*([_plus(members)] * len(members)), None]  # None ends a line
        y += [*map(channels.index, members), None]
    in_sets = {
        "x": x,
        "y": y,
        "mode": "lines+markers",
        "marker": {"color": INK, "size": 8},
        "line": {"color": FAINT, "width": 1.5},
    }
    common = {"type": "scatter", "yaxis": "y2", "showlegend": False, "hoverinfo": "skip"}
    return [trace | common for trace in (all_dots, in_sets)]


def _plus(members: Sequence[str]) -> str:
    return " + ".join(NAMES[member] for member in members)


def _table_of_gains(points: Sequence[ChannelsPoint], colours: Mapping[str, str]) -> tuple:
    """A row for each system and condition: all together, what each channel adds, the gap."""
    channels = sets_shown(points)[-1]
    titles = (
        "system",
        "all together [bit]",
        *(f"{NAMES[channel]} adds [bit]" for channel in channels),
        "sum less together [bit]",
    )
    rows = []
    for (anonymiser, condition), by_set in disclosures(points).items():
        of_system = [
            point
            for point in points
            if (point.anonymiser, point.condition) == (anonymiser, condition)
        ]
        gains = {point.channels: point for point in of_system if point.measure == GAIN}
        (gap,) = (point for point in of_system if point.measure == GAP)
        everything = by_set[tuple(gap.channels.split(TOGETHER))]
        cells = [everything, *(gains.get(channel) for channel in channels), gap]
        name = f"{draws_in(colours)[anonymiser].words} {condition.upper()}"
        rows.append((name, *("" if cell is None else _text(cell) for cell in cells)))
    return titles, rows


def _text(point: ChannelsPoint) -> str:
    # z: no sign of a zero, which -0.001 is when it is shown.
    return bits(point).text("{:z.2f}".format).replace("-", MINUS)
