"""Who is most exposed, and by which channel, as a picture: a map for each system and condition."""

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from voiceprivacy.report.atlas import NAMES
from voiceprivacy.report.exposure import Exposed, most_bit, read_exposed
from voiceprivacy.report.mailed import NAMED, Codes
from voiceprivacy.report.plots import style
from voiceprivacy.report.plots.speakers import SCALE

COLUMNS = 3
PANEL_INCHES, ROW_INCHES, ROOM_INCHES = 2.9, 0.2, 1.1


def exposed(*, curves: str, codes: Codes = NAMED) -> Figure:
    """Speakers against channels, a panel for each system and condition."""
    systems = read_exposed(curves, codes)
    n_columns = max(1, min(COLUMNS, len(systems)))
    n_rows = max(1, math.ceil(len(systems) / n_columns))
    most_speakers = max((len(each.bits) for each in systems.values()), default=1)
    height = ROOM_INCHES + ROW_INCHES * most_speakers
    figure, axes = style.figure(
        PANEL_INCHES * n_columns, height * n_rows, n_rows, n_columns, squeeze=False
    )
    largest = most_bit(systems.values())
    drawn = None
    for ax in axes.flat:
        ax.set_axis_off()
    for ax, ((anonymiser, condition), each) in zip(axes.flat, systems.items(), strict=False):
        drawn = plot_exposed(ax, each, largest=largest)
        ax.set_axis_on()
        ax.set_title(f"{anonymiser} {condition.upper()}", fontsize="medium")
    if drawn is not None:
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
    names = [NAMES[channel] for channel in exposed.channels]
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right")
    ax.set_yticks(range(len(cells)), list(exposed.bits))
    return drawn
