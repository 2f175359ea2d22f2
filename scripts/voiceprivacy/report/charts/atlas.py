"""The disclosure atlas as charts of the page: bits by channel, all systems side by side."""

from collections.abc import Mapping, Sequence

from voiceprivacy.report.atlas import (
    NAMES,
    bits,
    by_system,
    channels_of,
    left_percent,
    read_atlas,
)
from voiceprivacy.report.charts.chart import (
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
from voiceprivacy.vocabulary import ORIGINAL, AtlasPoint

CONDITIONS = {
    "op": "Compared with unprotected enrolment (OP)",
    "pp": "Compared with protected enrolment (PP)",
}


def atlas(figure: Figure, run: Run) -> Drawn:
    """Bars of every channel for each condition, and a table of what is left of each."""
    points = read_atlas(figure.arguments["curves"])
    conditions = {point.condition for point in points}
    charts = []
    for condition, title in CONDITIONS.items():
        if condition in conditions:
            charts.append((title, atlas_chart(points, condition, run.colours)))
    if points and not charts:  # nothing is protected
        charts.append(("Unprotected speech (OO)", atlas_chart(points, "oo", run.colours)))
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
