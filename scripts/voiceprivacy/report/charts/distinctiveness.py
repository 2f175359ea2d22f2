"""What protection costs: de-identification against the gain of voice distinctiveness."""

import math

from voiceprivacy.report.charts.chart import (
    chart,
    errors,
    label,
    level,
    of_system,
    points,
    rounded,
    tall,
)

SYMBOLS = (
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


def distinctiveness(*, found, colours):
    """Every anonymiser on every list; a gain of -inf dB (no distinct voices at all) is an arrow at the lower edge.

    Parameters
    ----------
    found : {anonymiser: {list: {deid_percent, gvd_db: (value, (low, high) or None)}}}
    colours : {anonymiser: colour}
    """
    lists = list(dict.fromkeys(name for of in found.values() for name in of))
    symbols = {name: SYMBOLS[index % len(SYMBOLS)] for index, name in enumerate(lists)}
    gains = [of["gvd_db"][0] for lists in found.values() for of in lists.values()]
    finite = [0.0, *(gain for gain in gains if math.isfinite(gain))]
    floor = min(finite) - (0.1 * (max(finite) - min(finite)) or 1.0)
    traces = [_trace(name, of, symbols, colours[name], floor) for name, of in found.items()]
    x = {"title": "de-identification, DeID [%], → more privacy"}
    y = {"title": "gain of voice distinctiveness, G_VD [dB]"}
    return chart(
        traces, x=x, y=y, height=tall(420, traces), shapes=[level("x", 100), level("y", 0)]
    )


def _trace(anonymiser, of, symbols, colour, floor):
    deid = [values["deid_percent"] for values in of.values()]
    gain = [values["gvd_db"] for values in of.values()]
    lost = [value == -math.inf for value, _ in gain]
    trace = points(
        [rounded(value) for value, _ in deid],
        [rounded(floor if gone else value) for gone, (value, _) in zip(lost, gain, strict=True)],
        anonymiser,
        colour=colour,
        symbol=[LOST if gone else symbols[name] for gone, name in zip(lost, of, strict=True)],
        size=11,
        hover="%{text}",
        texts=[_text(anonymiser, name, values) for name, values in of.items()],
    )
    bars = {
        axis: errors([value for value, _ in pairs], [limits for _, limits in pairs])
        | {"color": colour}
        for axis, pairs in (("error_x", deid), ("error_y", gain))
    }
    return of_system(trace, anonymiser) | bars


def _text(anonymiser, name, values):
    lines = [label(f"{anonymiser}, {name}")]
    for title, metric, unit in (("DeID", "deid_percent", "%"), ("G_VD", "gvd_db", "dB")):
        value, limits = values[metric]
        interval = f" [{limits[0]:.1f}, {limits[1]:.1f}]" if limits else ""
        lines.append(f"{title} {value:.1f} {unit}{interval}")
    return "<br>".join(lines)
