"""Who is most exposed, and by which channel, as a picture: a map for each system and condition."""

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from voiceprivacy.report.atlas import NAMES
from voiceprivacy.report.exposure import Exposed, most_bit, read_exposed
from voiceprivacy.report.figures import draws_in
from voiceprivacy.report.mailed import NAMED, Codes
from voiceprivacy.report.plots import style
from voiceprivacy.report.plots.speakers import SCALE

COLUMNS = 3
DARK, LIGHT = "#1a1a1a", "#fefefe"  # on a cell, whatever is behind the picture
PANEL_INCHES, ROW_INCHES, ROOM_INCHES = 2.9, 0.2, 1.1


def exposed(*, curves: str, codes: Codes = NAMED) -> Figure:
    """Speakers against channels, a panel for each system and condition."""
    systems = read_exposed(curves, codes)
    draws = draws_in(anonymiser for anonymiser, _ in systems)
    n_columns = max(1, min(COLUMNS, len(systems)))
    n_rows = max(1, math.ceil(len(systems) / n_columns))
    most_speakers = max((len(each.bits) for each in systems.values()), default=1)
    height = ROOM_INCHES + ROW_INCHES * most_speakers
    figure, axes = style.figure(
        PANEL_INCHES * n_columns, height * n_rows, n_rows, n_columns, squeeze=False
    )
    if not systems:
        return style.say_nothing(figure, "no channel tells speakers apart")
    largest = most_bit(systems.values())
    for ax in axes.flat[len(systems) :]:
        ax.set_axis_off()
    for ax, ((anonymiser, condition), each) in zip(axes.flat, systems.items(), strict=False):
        drawn = plot_exposed(ax, each, largest=largest)
        title = f"{draws[anonymiser].words} {condition.upper()}"
        ax.set_title(title, fontsize="medium")
        ax.set(**style.told(draws[anonymiser].system))
    figure.colorbar(drawn, ax=axes, label="disclosure [bit]", shrink=0.8)
    return figure


def plot_exposed(ax: Axes, exposed: Exposed, *, largest: float) -> Any:
    """Draw speakers (rows, the most exposed on top) against channels; ``largest`` ends the scale.

    Returns
    -------
    what matplotlib makes a bar of colours from
    """
    cells = np.full((len(exposed.bits), len(exposed.channels)), np.nan)
    for row, by_channel in enumerate(exposed.bits.values()):
        for channel, bits in by_channel.items():
            cells[row, exposed.channels.index(channel)] = bits.value
    drawn = ax.imshow(cells, cmap=SCALE, vmin=0, vmax=largest, aspect="auto")
    _write_bits(ax, exposed, largest)
    names = [NAMES[channel] for channel in exposed.channels]
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right")
    ax.set_yticks(range(len(cells)), list(exposed.bits))
    return drawn


def _write_bits(ax, exposed, largest):
    """The number of every cell, light where the cell is dark."""
    for row, by_channel in enumerate(exposed.bits.values()):
        for channel, bits in by_channel.items():
            colour = LIGHT if bits.value > largest / 2 else DARK
            at = (exposed.channels.index(channel), row)
            text = {"color": colour, "fontsize": 7, "ha": "center", "va": "center"}
            ax.text(*at, f"{bits.value:.2f}", **text)
