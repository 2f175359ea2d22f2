"""Similarity ranks: where the true speaker ranks, whose rank gives away what, what length does.

The functions that are named like a kind of figure read its files and draw it for the page.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from voiceprivacy.catalogue.metric import WITHOUT_SECOND_RUN
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
    line,
    numbers,
    of_draw,
    rounded,
    tall,
)
from voiceprivacy.report.curves import (
    LENGTH_AXIS,
    MOST_BARS,
    RANKS,
    ByLength,
    SpeakerBits,
    by_length,
    composition_bounds,
    read_curves,
    read_disclosures,
    seconds_of_tests,
    seconds_text,
    template_words,
)
from voiceprivacy.report.figures import COLOURS, MARKS, Figure, dash, draws_in, marks
from voiceprivacy.report.mailed import NAMED
from voiceprivacy.report.metrics import Number
from voiceprivacy.vocabulary import Attack

MOST_EXPOSED = 10  # speakers of a system in the table
LEAST_SHARE = 1e-4  # of a logarithmic axis
BOUND_LINES = {"bound T": "dash", "bound √T": "dashdot"}


def ranks(figure: Figure, run: Run) -> Drawn:
    """A histogram for every system under one attack."""
    charts = []
    for anonymiser, path in figure.by_system("curves", order=run.colours).items():
        for condition, curve in read_curves(path, RANKS).items():
            metrics = run.metrics.get(figure.system(anonymiser, condition), {})
            if condition not in WITHOUT_SECOND_RUN or "n_templates" not in metrics:
                continue
            colour = run.colours[anonymiser]
            drawn = histogram(p=curve["p"], gamma=curve["gamma"], colour=colour)
            words = _of_one(drawn, anonymiser, run)
            charts.append((f"{words} {condition.upper()}: {_summary(metrics, run)}", drawn))
    on_one_scale([drawn for _, drawn in charts])
    return Drawn(charts)


def rank_speakers(figure: Figure, run: Run) -> Drawn:
    """How rank disclosure is spread over the speakers of every system under one attack."""
    shown = {}
    for anonymiser, path in figure.by_system("speakers", order=run.colours).items():
        codes = run.codes.get(figure.corpus, NAMED)
        for condition, speakers in read_disclosures(path, codes).items():
            metrics = run.metrics.get(figure.system(anonymiser, condition), {})
            if condition in WITHOUT_SECOND_RUN and "n_templates" in metrics:
                shown[anonymiser, condition] = speakers
    if not shown:
        return Drawn([])
    drawn = disclosures(speakers=shown, colours=run.colours)
    return Drawn([("", drawn)], most_exposed(shown, run.colours))


def rank_lengths(figure: Figure, run: Run) -> Drawn:
    """Disclosure against length of sampled galleries; their gender stands where the list does."""
    of_corpus: list[Number] = []
    for key, metrics in run.metrics.items():
        if key.corpus == figure.corpus:
            of_corpus += metrics.values()
    gallery = Attack(figure.corpus, figure.trials, figure.extractor, figure.backend)
    systems, n_templates = by_length(of_corpus, gallery, run.unbiased)
    charts = []
    for system, by_template in systems.items():
        anonymiser, condition = system.split("/")
        drawn = lengths(by_template, most_bit=math.log2(n_templates))
        charts.append((f"{_of_one(drawn, anonymiser, run)} {condition.upper()}", drawn))
    return Drawn(charts)


def _of_one(drawn: Chart, anonymiser: str, run: Run) -> str:
    """Mark a chart as that of one draw of an anonymiser, and say in words of which."""
    draw = draws_in(run.colours)[anonymiser]
    # The page hides it as it hides traces elsewhere, and folds further draws.
    drawn["layout"]["meta"] = {"system": draw.system, "draw": draw.number}
    return draw.words


def histogram(*, p: NDArray, gamma: NDArray, colour: str) -> Chart:
    """One system under one attack.

    Parameters
    ----------
    p : array (N,), share of the test utterances whose true speaker has rank 1 to N
    gamma : array (N,), the fitted model
    colour : of the system
    """
    ranks = np.arange(1, len(p) + 1)
    few = len(p) <= MOST_BARS
    shares = numbers(p)
    if not few:  # logarithmic axes, which have no 0: ranks that never occur are not drawn
        shares = [value or None for value in shares]
    seen = {
        "x": ranks.tolist(),
        "y": shares,
        "name": "histogram",
        "legendgroup": "histogram",
        "hovertemplate": "rank %{x}: %{y:.1%} of the test utterances<extra></extra>",
    }
    if few:
        seen |= {"type": "bar", "marker": {"color": colour, "opacity": 0.6}}
    else:
        seen |= {"type": "scatter", "mode": "markers", "marker": {"color": colour, "size": 4}}
    model = line(ranks, gamma, "fitted model", hover="rank %{x}: %{y:.1%}", colour=INK)
    ends, level_of_chance = [1, len(p)], [1 / len(p)] * 2
    chance = line(ends, level_of_chance, "chance", hover="%{y:.1%}", colour=FAINT, dash="dot")
    scale = {} if few else {"type": "log"}
    x = {"title": "rank of the true speaker", **scale}
    y = {"title": "share", "tickformat": ".0%", **scale}
    return chart([seen, model, chance], x=x, y=y, height=300)


def on_one_scale(charts: list[Chart]) -> None:
    """Give all histograms of a figure the same axes, so that bars can be compared by eye."""
    shares: list[float] = []
    longest = 1
    for drawn in charts:
        for trace in drawn["data"]:
            shares += [share for share in trace["y"] if share]
            longest = max(longest, *trace["x"])
    if not shares:
        return
    logarithmic = longest > MOST_BARS
    x = [0.5, longest + 0.5]
    # A fitted model can go far below what was seen: nothing under a tenth of one utterance.
    y = [max(min(shares), LEAST_SHARE) / 1.5, 1.5] if logarithmic else [0, 1.05 * max(shares)]
    for drawn in charts:
        for name, ends in (("xaxis", x), ("yaxis", y)):
            axis = drawn["layout"][name]
            if logarithmic:
                # plotly.js takes the range of a logarithmic axis as powers of ten.
                axis |= {"type": "log", "range": [rounded(math.log10(end)) for end in ends]}
            else:
                axis["range"] = [rounded(end) for end in ends]


def disclosures(
    *, speakers: Mapping[tuple[str, str], Mapping[str, SpeakerBits]], colours: dict[str, str]
) -> Chart:
    """Rank disclosure of every speaker as a rising line for each system.

    Parameters
    ----------
    speakers : {(anonymiser, condition): {speaker: bits}}
    colours : {anonymiser: colour}
    """
    traces, draws = [], draws_in(colours)
    for (anonymiser, condition), by_name in speakers.items():
        bits = {name: disclosed.own for name, disclosed in by_name.items()}
        # Speakers with equal disclosure stand by name, so that the page is the same every time.
        names = sorted(bits, key=lambda speaker: (bits[speaker], speaker))
        share = 100 * np.arange(1, len(names) + 1) / len(names)
        title = f"{draws[anonymiser].words} {condition.upper()}"
        look = {"colour": colours[anonymiser], "mark": marks(colours)[anonymiser]}
        rising = [bits[name] for name in names]
        trace = line(rising, share, title, dash=dash(condition), **look)
        hover = "%{text}: %{x:.2f} bit<br>%{y:.0f} % of the speakers give away no more"
        trace |= {
            "text": [label(name) for name in names],
            "hovertemplate": f"{label(title)}<br>{hover}<extra></extra>",
        }
        traces.append(of_draw(trace, anonymiser, condition.upper(), colours))
    x = {"title": "rank disclosure of a speaker [bit]"}
    y = {"title": "speakers with no more [%]", "range": [0, 103]}
    return chart(traces, x=x, y=y, height=tall(400, traces))


def most_exposed(
    speakers: Mapping[tuple[str, str], Mapping[str, SpeakerBits]], colours: dict[str, str]
) -> tuple:
    """A table (titles, rows) of the speakers of each system whose ranks disclose most."""
    rows = []
    for (anonymiser, condition), by_name in speakers.items():
        system = f"{draws_in(colours)[anonymiser].words} {condition.upper()}"
        exposed = sorted(by_name, key=lambda name: (-by_name[name].shrunken.value, name))
        for name in exposed[:MOST_EXPOSED]:
            rows.append((system, name, by_name[name].shrunken.text("{:.2f}".format)))
    # No counts: whoever has the corpus could tell a code by how much the speaker says.
    return ("system", "speaker", "disclosure [bit]"), rows


def lengths(disclosures: ByLength, *, most_bit: float) -> Chart:
    """One system: a line for every template length (Figure 8 of Bäckström et al., 2025).

    Parameters
    ----------
    disclosures : ByLength
    most_bit : log2 N of the gallery, more than which no rank can disclose
    """
    traces = []
    for index, (template, by_test) in enumerate(sorted(disclosures.items())):
        points = [by_test[test] for test in sorted(by_test)]
        bits = [point.bits for point in points]
        trace = line(
            [point.test_s for point in points],
            [bit.value for bit in bits],
            template_words(template, by_test),
            hover="test of %{text} bit",
            colour=COLOURS[index % len(COLOURS)],
            mark=MARKS[index % len(MARKS)],
        )
        texts = [
            f"{test} ({seconds_text(by_test[test].test_s)}): {bit.text('{:.2f}'.format)}"
            for test, bit in zip(sorted(by_test), bits, strict=True)
        ]
        traces.append(trace | {"text": texts, "error_y": errors(bits)})
    for name, (growth, bound) in composition_bounds(disclosures, most_bit).items():
        traces.append(line(growth, bound, name, dash=BOUND_LINES[name], hover="%{y:.2f} bit"))
    seconds = seconds_of_tests(disclosures)
    x = {
        "title": LENGTH_AXIS,
        "tickvals": list(seconds.values()),
        "ticktext": [f"{seconds_text(lasts)}<br>{test}" for test, lasts in seconds.items()],
    }
    # One scale for all systems, which can be compared then; the line of log2 N stays inside.
    y = {"title": "disclosure [bit]", "range": [0, 1.06 * most_bit]}
    return chart(traces, x=x, y=y, height=340, shapes=[level("y", most_bit)])


def _summary(metrics, run):
    """What stands above a histogram."""
    rate = run.shown(metrics["identification_rate_percent"]).text("{:.1f}".format)
    n_templates = float(metrics["n_templates"].value)
    bit = run.shown(metrics["mean_disclosure_bit"]).text("{:.2f}".format)
    return f"{rate} % at rank 1 of {n_templates:.0f}, disclosure {bit} bit"
