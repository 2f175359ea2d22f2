"""Who is most exposed, and by which channel: speakers against channels, a map for each system."""

from voiceprivacy.report.atlas import NAMES
from voiceprivacy.report.charts.chart import Chart, Drawn, Run, chart, label, numbers, rounded
from voiceprivacy.report.charts.speakers import SCALE
from voiceprivacy.report.exposure import Exposed, most_bit, read_exposed
from voiceprivacy.report.figures import Figure, draws_in
from voiceprivacy.report.mailed import NAMED


def exposed(figure: Figure, run: Run) -> Drawn:
    """A map of bits for each system and condition, and who is exposed by what as a table."""
    codes = run.codes.get(figure.corpus, NAMED)
    systems = read_exposed(figure.arguments["curves"], codes)
    charts, rows = [], []
    largest = most_bit(systems.values())
    for (anonymiser, condition), each in systems.items():
        name = f"{draws_in(run.colours)[anonymiser].words} {condition.upper()}"
        charts.append((name, exposed_map(each, largest=largest)))
        for speaker, by_channel in each.bits.items():
            channel = each.strongest(speaker)
            bits = by_channel[channel].text("{:.2f}".format)
            rows.append((name, speaker, NAMES[channel], bits))
    return Drawn(charts, (("system", "speaker", "by", "disclosure [bit]"), rows))


def exposed_map(exposed: Exposed, *, largest: float) -> Chart:
    """Speakers (rows, the most exposed on top) against channels; ``largest`` ends the scale."""
    speakers = list(exposed.bits)
    rows = [[exposed.bits[name].get(channel) for channel in exposed.channels] for name in speakers]
    heat = {
        "type": "heatmap",
        "x": [NAMES[channel] for channel in exposed.channels],
        "y": list(map(label, speakers)),
        "z": [numbers([bits.value if bits else float("nan") for bits in row]) for row in rows],
        "text": [[bits.text("{:.2f}".format) if bits else "" for bits in row] for row in rows],
        "zmin": 0,
        "zmax": rounded(largest),
        "colorscale": [[index / (len(SCALE) - 1), colour] for index, colour in enumerate(SCALE)],
        "colorbar": {"title": {"text": "bit", "side": "right"}, "thickness": 12},
        "xgap": 1,
        "ygap": 1,
        "hovertemplate": "%{y}<br>%{x}: %{text} bit<extra></extra>",
    }
    y = {"title": "", "type": "category", "autorange": "reversed"}
    x = {"title": "", "type": "category"}
    return chart([heat], x=x, y=y, height=140 + 24 * len(speakers))
