"""The similarity picture: who sounds like whom among originals, across, and among protected voices."""

import numpy as np
from matplotlib import colormaps
from matplotlib.patches import Patch

from voiceprivacy.report.plots import style

UNDEFINED = "#9ecae1"  # no colour of the scale
SCALE = colormaps["magma_r"].with_extremes(bad=UNDEFINED)  # dark = similar, readable in grey too
SIDE_INCHES = 5.0
READABLE_POINTS = 4.5


def picture(*, oo, op, pp, speakers, title=""):
    """Make the figure of plot_matrices with its colour bar; ``style.save`` writes it."""
    figure, ax = style.figure(SIDE_INCHES + 1.6, SIDE_INCHES + 0.9)
    image = plot_matrices(ax, oo=oo, op=op, pp=pp, speakers=speakers)
    bar = figure.colorbar(image, ax=ax, shrink=0.8, label="similarity (0.5 = no evidence)")
    bar.outline.set_linewidth(0.5)
    if any(np.ma.is_masked(values) for values in (oo, op, pp)):
        undefined = Patch(color=UNDEFINED, label="undefined: a single utterance")
        figure.legend(handles=[undefined], loc="outside lower center")
    figure.suptitle(title)
    return figure


def plot_matrices(ax, *, oo, op, pp, speakers):
    """Draw OO | OP above PO | PP (Figure 5 of Noe et al., Computer Speech and Language 72, 2022).

    Parameters
    ----------
    ax : matplotlib axes
    oo, op, pp : masked array (S, S)
        Similarities in [0, 1]; rows of OP are original speech. PO is its transpose.
    speakers : sequence of str
        Their names in the order of the rows; left out where they would be too small to read.

    Returns
    -------
    matplotlib image : what a colour bar needs
    """
    image = ax.imshow(
        blocks(oo=oo, op=op, pp=pp), cmap=SCALE, vmin=0, vmax=1, interpolation="nearest"
    )
    ax.spines[:].set_visible(True)
    ax.axhline(len(speakers) - 0.5, color="black", linewidth=0.8)
    ax.axvline(len(speakers) - 0.5, color="black", linewidth=0.8)
    _name_speakers(ax, speakers)
    _name_halves(ax, len(speakers))
    return image


def blocks(*, oo, op, pp):
    """OO | OP above PO | PP as one masked array (2 S, 2 S); PO is the transpose of OP."""
    return np.ma.vstack([np.ma.hstack([oo, op]), np.ma.hstack([np.ma.transpose(op), pp])])


def _name_speakers(ax, speakers):
    points = min(8, 0.85 * 72 * SIDE_INCHES / (2 * len(speakers)))
    names = [*speakers, *speakers] if points >= READABLE_POINTS else []
    ax.set_xticks(range(len(names)), names, fontsize=points, rotation=90)
    ax.set_yticks(range(len(names)), names, fontsize=points)
    ax.tick_params(length=0, pad=2)
    if not names:
        ax.set_xlabel(f"{len(speakers)} speakers, in the same order in every block")


def _name_halves(ax, n_speakers):
    centres, names = (
        [(n_speakers - 1) / 2, (3 * n_speakers - 1) / 2],
        ["original (O)", "protected (P)"],
    )
    top, right = ax.secondary_xaxis("top"), ax.secondary_yaxis("right")
    top.set_xticks(centres, names)
    right.set_yticks(centres, names, rotation=270, va="center")
    for side in (top, right):
        side.tick_params(length=0, pad=3)
