"""Most exposed speakers, by channel, as a picture: a map for each system and condition."""

import numpy as np
from matplotlib.figure import Figure

from voiceprivacy.report.atlas import NAMES
from voiceprivacy.report.exposure import most_bit, read_exposed
from voiceprivacy.report.figures import draws_in
from voiceprivacy.report.mailed import NAMED, Codes
from voiceprivacy.report.plots import drawing
from voiceprivacy.report.plots.speakers import SCALE

COLUMNS = 3
DARK, LIGHT = "#1a1a1a", "#fefefe"  # on a cell, whatever is behind the picture
PANEL_INCHES, ROW_INCHES, ROOM_INCHES = 2.9, 0.2, 1.1


def exposed(*, curves: str, codes: Codes = NAMED) -> Figure:
    """Speakers against channels, a panel for each system and condition."""
    systems = read_exposed(curves, codes)
    draws = draws_in(anonymiser for anonymiser, _ in systems)
    most_speakers = max((len(each.bits) for each in systems.values()), default=1)
    panel = (PANEL_INCHES, ROOM_INCHES + ROW_INCHES * most_speakers)
    figure, axes = drawing.grid(len(systems), COLUMNS, panel)
    if not systems:
        return drawing.say_nothing(figure, "no channel tells speakers apart")
    largest = most_bit(systems.values())
    for ax, ((anonymiser, condition), each) in zip(axes, systems.items(), strict=True):
        drawn = _plot_exposed(ax, each, largest)
        title = f"{draws[anonymiser].words} {condition.upper()}"
        ax.set_title(title, fontsize="medium")
        ax.set(**drawing.tooltip(draws[anonymiser].system))
    figure.colorbar(drawn, ax=axes, label="disclosure [bit]", shrink=0.8)
    return figure


def _plot_exposed(ax, exposed, largest):
    """Draw speakers (rows, the most exposed on top) against channels; the scale's colours."""
    cells = np.full((len(exposed.bits), len(exposed.channels)), np.nan)
    for row, (speaker, by_channel) in enumerate(exposed.bits.items()):
        for channel, bits in by_channel.items():
            column = exposed.channels.index(channel)
            cells[row, column] = bits.value
            words = f"{speaker}, {NAMES[channel]}\n{bits.text('{:.2f} bit'.format)}"
            look = {"color": LIGHT if bits.value > largest / 2 else DARK, "fontsize": 7}
            look |= drawing.tooltip(words=words)
            ax.text(column, row, f"{bits.value:.2f}", ha="center", va="center", **look)
    drawn = ax.imshow(cells, cmap=SCALE, vmin=0, vmax=largest, aspect="auto")
    names = [NAMES[channel] for channel in exposed.channels]
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right")
    ax.set_yticks(range(len(cells)), list(exposed.bits), parse_math=False)
    return drawn
