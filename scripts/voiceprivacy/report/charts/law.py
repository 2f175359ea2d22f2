"""The criteria of data-protection law: singling out and linkability, over N and over L, as charts.

The functions that are named like a kind of figure read its files and draw it for the page.
"""

from collections.abc import Mapping, Sequence
from itertools import chain

from voiceprivacy.report.charts.chart import (
    FAINT,
    Chart,
    Drawn,
    Run,
    chart,
    errors,
    label,
    line,
    of_draw,
    tall,
)
from voiceprivacy.report.curves import (
    ASCENDING,
    CRITERIA,
    beside_each_other,
    over_lengths,
    over_speakers,
    read_law,
    shown_share,
    speakers_over_lengths,
)
from voiceprivacy.report.figures import Figure, dash, draws_in, marks
from voiceprivacy.vocabulary import LawPoint

System = tuple[str, str]  # (anonymiser, condition)
Curves = Mapping[System, Sequence[LawPoint]]


def law(figure: Figure, run: Run) -> Drawn:
    """Both criteria of all systems under one attacker: over speakers, and over utterances."""
    systems: dict[System, list[LawPoint]] = {}
    for anonymiser, path in figure.by_system("curves", order=run.colours).items():
        for condition, points in read_law(path).items():
            systems[anonymiser, condition] = points
    every = list(chain.from_iterable(systems.values()))
    charts = []
    for criterion, words in CRITERIA.items():
        name = criterion.replace("_", " ").capitalize()
        by_size = {system: over_speakers(points, criterion) for system, points in systems.items()}
        if any(by_size.values()):
            drawn = speakers_chart(by_size, words=words, colours=run.colours)
            charts.append((f"{name}, single utterances", drawn))
        size = speakers_over_lengths(every, criterion)
        by_length = {
            system: over_lengths(points, criterion, size) for system, points in systems.items()
        }
        if any(by_length.values()):
            drawn = lengths_chart(by_length, words=words, colours=run.colours)
            charts.append((f"{name} among {size}, utterances that belong together", drawn))
    return Drawn(charts)


def speakers_chart(curves: Curves, *, words: str, colours: dict[str, str]) -> Chart:
    """A criterion over the number of speakers."""
    guesses: dict[int, float] = {}
    for points in curves.values():
        guesses |= {point.n_speakers: point.guessing for point in points}
    sizes = sorted(guesses)
    traces = [_guessing(sizes, [guesses[size] for size in sizes])]
    for (system, points), shift in zip(curves.items(), beside_each_other(len(curves)), strict=True):
        x = [point.n_speakers * (1 + shift) for point in points]
        traces.append(_trace(system, x, points, colours))
    axis = {"title": "speakers N", "type": "log", "tickvals": sizes}
    return chart(traces, x=axis, y=_share(words), height=tall(380, traces))


def lengths_chart(curves: Curves, *, words: str, colours: dict[str, str]) -> Chart:
    """A criterion over the number of utterances that belong together."""
    longest = max(curves.values(), key=len)
    lengths = [point.length for point in longest]
    traces = [_guessing(range(len(lengths)), [point.guessing for point in longest])]
    for (system, points), shift in zip(curves.items(), beside_each_other(len(curves)), strict=True):
        shown = [point for point in points if point.length in lengths]
        x = [lengths.index(point.length) + shift for point in shown]
        traces.append(_trace(system, x, shown, colours))
    ticks = {"tickvals": list(range(len(lengths))), "ticktext": lengths}
    axis = {"title": "utterances L", **ticks}
    return chart(traces, x=axis, y=_share(words), height=tall(380, traces))


def _share(words):
    return {"title": words, "tickformat": ".0%", "range": [0, 1.03]}


def _guessing(x, values):
    return line(x, values, "guessing", hover="%{y:.1%}", colour=FAINT, dash="dash")


def _trace(system, x, points, colours):
    anonymiser, condition = system
    reading = points[0].reading if points else ASCENDING
    shares = [shown_share(point) for point in points]
    words = f"{condition.upper()}{'' if reading == ASCENDING else f', read {reading}'}"
    trace = line(
        x,
        [share.value for share in shares],
        f"{draws_in(colours)[anonymiser].words} {words}",
        colour=colours[anonymiser],
        dash=dash(condition),
        hover="%{text}",
    )
    trace |= {
        "mode": "lines+markers",
        "marker": {"symbol": marks(colours)[anonymiser], "size": 8},
        "text": [label(_words(point)) for point in points],
        "error_y": errors(shares) | {"thickness": 0.8},
    }
    return of_draw(trace, anonymiser, words, colours)


def _words(point):
    """What stands beside a point when one points at it."""
    utterances = "1 utterance" if point.length == "1" else f"{point.length} utterances"
    share = shown_share(point).text("{:.1%}".format)
    return f"among {point.n_speakers}, {utterances}: {share}"
