"""The criteria of data-protection law, singling out and linkability, over N and L, as a picture.

The functions that are named like a kind of figure read its files and draw it.
"""

from collections.abc import Sequence
from itertools import chain

from matplotlib.figure import Figure

from voiceprivacy.errors import counted
from voiceprivacy.report.curves import (
    ASCENDING,
    CRITERIA,
    beside_each_other,
    read_law,
    require_one_each,
    shown_share,
    speakers_over_lengths,
)
from voiceprivacy.report.figures import FAINT
from voiceprivacy.report.plots import drawing


def law(
    *, anonymisers: Sequence[str], curves: Sequence[str], palette: Sequence[str] = ()
) -> Figure:
    """Both criteria of all systems under one attacker, from files of assess_scores.py --law."""
    require_one_each(anonymisers=anonymisers, curves=curves)
    systems = {}
    for anonymiser, path in zip(anonymisers, curves, strict=True):
        for condition, points in read_law(path).items():
            systems[f"{anonymiser}/{condition}"] = points
    looks = drawing.looks(systems, palette)
    for system, points in systems.items():
        if points and points[0].reading != ASCENDING:
            looks[system]["label"] += f", read {points[0].reading}"
    every = list(chain.from_iterable(systems.values()))
    figure, axes = drawing.figure(7.1, 5.2, 2, 2, sharey=True, squeeze=False)
    if not every:
        return drawing.say_nothing(figure, "too few speakers for any point")
    for row, (criterion, words) in zip(axes, CRITERIA.items(), strict=True):
        own = {
            system: [point for point in points if point.criterion == criterion]
            for system, points in systems.items()
        }
        single = {name: [one for one in own[name] if one.length == 1] for name in own}
        _plot_speakers(row[0], single, looks)
        size = speakers_over_lengths(every, criterion)
        together = {name: [one for one in own[name] if one.n_speakers == size] for name in own}
        _plot_lengths(row[1], together, looks, size)
        row[0].set(ylabel=f"{words} [%]")
    drawing.one_legend(figure)
    return figure


def _plot_speakers(ax, curves, looks):
    """Draw a criterion over the number of speakers."""
    guesses = {}
    for shift, (system, points) in zip(beside_each_other(len(curves)), curves.items(), strict=True):
        x = [point.n_speakers * (1 + shift) for point in points]
        _plot(ax, x, points, looks[system])
        guesses |= {point.n_speakers: 100 * point.guessing for point in points}
    if guesses:
        sizes = sorted(guesses)
        ax.plot(sizes, [guesses[size] for size in sizes], "--", color=FAINT, label="guessing")
        ax.set_xscale("log")
        ax.set_xticks(sizes, [str(size) for size in sizes])
        ax.set_xticks([], minor=True)
    ax.set(xlabel="speakers, single utterances", ylim=(0, 103))


def _plot_lengths(ax, curves, looks, n_speakers):
    """Draw a criterion over the number of utterances that belong together."""
    longest = max(curves.values(), key=len, default=())
    lengths = [str(point.length) for point in longest]
    for shift, (system, points) in zip(beside_each_other(len(curves)), curves.items(), strict=True):
        shown = [point for point in points if str(point.length) in lengths]
        x = [lengths.index(str(point.length)) + shift for point in shown]
        _plot(ax, x, shown, looks[system])
    guesses = [100 * point.guessing for point in longest]
    ax.plot(range(len(longest)), guesses, "--", color=FAINT, label="guessing")
    ax.set_xticks(range(len(lengths)), lengths)
    ax.set(xlabel=f"utterances that belong together, {n_speakers} speakers", ylim=(0, 103))


def _plot(ax, x, points, look):
    values = [100 * shown_share(point).value for point in points]
    if not points:
        return
    # In the legend the line has its mark, on the chart the points have theirs.
    ax.plot(x, values, markersize=drawing.MARKER_POINTS, markevery=[], **look)
    system = look["gid"].partition("\t")[0]
    for at, value, point in zip(x, values, points, strict=True):
        said = drawing.tooltip(system, f"{look['label']}\n{_words(point)}")
        mark = {"color": look["color"], "marker": look["marker"], **said}
        ax.plot(at, value, markersize=drawing.MARKER_POINTS, **mark)
        if limits := shown_share(point).limits:
            ends = [100 * limit for limit in limits]
            ax.plot([at, at], ends, color=look["color"], linewidth=0.6, gid=look["gid"])


def _words(point):
    """What is said where one points at a point."""
    share = shown_share(point).text("{:.1%}".format)
    return f"among {point.n_speakers}, {counted(point.length, 'utterance')}: {share}"
