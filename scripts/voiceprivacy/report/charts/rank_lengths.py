"""Disclosure against the length of tests and templates, with what the composition theorems allow."""

import numpy as np

from voiceprivacy.report.charts.chart import INK, chart, errors, level, line
from voiceprivacy.report.colours import COLOURS

BOUNDS = (("bound T", 1.0, "dash"), ("bound √T", 0.5, "dashdot"))
HOVER = "%{x:g} observations: %{y:.2f} bit"


def lengths(disclosures, *, most_bit):
    """One system: a line for every template length (Figure 8 of Bäckström et al., 2025).

    Parameters
    ----------
    disclosures : {template length: {test length: (disclosure, its interval or None)}}, in bits; lengths in observations
    most_bit : log2 N of the gallery, more than which no rank can disclose
    """
    traces = []
    for index, (template, of) in enumerate(sorted(disclosures.items())):
        tests = sorted(of)
        look = {
            "colour": COLOURS[index % len(COLOURS)],
            "dash": "dot" if index >= len(COLOURS) else "solid",
        }
        bits, intervals = zip(*(of[test] for test in tests), strict=True)
        trace = line(tests, bits, f"template {template}", hover=HOVER, **look)
        traces.append(trace | {"mode": "lines+markers", "error_y": errors(bits, intervals)})
    traces += _bounds(disclosures, most_bit)
    x = {
        "title": "observations of a test, T",
        "tickvals": sorted({test for of in disclosures.values() for test in of}),
    }
    y = {"title": "disclosure [bit]", "range": [0, 1.06 * most_bit]}
    return chart(traces, x=x, y=y, height=340, shapes=[level("y", most_bit)])


def _bounds(disclosures, most_bit):
    """Growth with T and with its square root from the shortest test of the shortest template on."""
    shortest = disclosures[min(disclosures)]
    start, _ = shortest[min(shortest)]
    tests = sorted({test for of in disclosures.values() for test in of})
    growth = np.linspace(1, tests[-1] / tests[0], 50)
    traces = []
    for name, power, dash in BOUNDS:
        bits = np.minimum(start * growth**power, most_bit)
        traces.append(
            line(growth * tests[0], bits, name, colour=INK, dash=dash, hover="%{y:.2f} bit")
        )
    return traces
