"""Speakers: who sounds like whom, the zoo, who is still at risk, and what was drawn for each.

The functions that are named like a kind of figure read its files and draw it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.manifests import ALPHAS, read_manifest
from voiceprivacy.inout.tables import number, read_rows
from voiceprivacy.report.curves import (
    EXPOSURES,
    MEASURES,
    ZOO,
    ZOO_TITLES,
    Matrices,
    blocks,
    most_exposed_first,
    read_matrices,
    read_similarities,
    read_speakers,
    span_of_means,
)
from voiceprivacy.report.figures import FAINT, GROUND, INK, NO_VALUE, draws_in
from voiceprivacy.report.mailed import NAMED, Codes
from voiceprivacy.report.plots import drawing
from voiceprivacy.vocabulary import NO_PRIVACY_BIT

# Similarity matrices: dark = similar, readable in grey too.
SCALE = colormaps["magma_r"].with_extremes(bad=NO_VALUE)
BETWEEN_BLOCKS = "#1a1a1a"  # over cells, whatever is behind the picture
SIDE_INCHES = 4.4
READABLE_POINTS = 4.2
SMALL_PANEL_INCHES = 2.2

# The zoo: of each corner the number of its colour (none: grey) and its marker.
ANIMALS = {
    "dove": (1, "D"),
    "chameleon": (4, "s"),
    "phantom": (2, "v"),
    "worm": (0, "^"),
    "-": (None, "o"),
}
GREY = "#8c8c8c"
PANEL_INCHES = 3.1
FEW_SPEAKERS = 25  # in corners, who are named
SIGNIFICANCE = 0.05  # as in the table

# Speakers at risk.
STRIPS_INCHES = 6.2
FEW_NAMES = 5  # of more speakers with one coefficient, so many are named
HATCHES = {"op": "////", "pp": ""}
MOST_NAMES = 80


def similarity(
    *, curves: str, manifest: str, order: str = "gender", title: str = "", codes: Codes = NAMED
) -> Figure:
    """The similarity matrices OO, OP, PO and PP of one anonymiser."""
    speakers, matrices = read_matrices(curves, manifest, order=order, codes=codes)
    return similarity_picture(**matrices, speakers=speakers, title=title)


def zoo(*, zoo: str, title: str = "", codes: Codes = NAMED) -> Figure:
    """Every condition's zoo plot."""
    return zoo_picture(zoo=read_speakers(zoo, ZOO, codes), title=title)


def speakers(
    *, speakers: str, title: str = "", colour: str = drawing.COLOURS[0], codes: Codes = NAMED
) -> Figure:
    """What the speech of every speaker gives away, the most exposed first."""
    exposures = read_speakers(speakers, EXPOSURES, codes)
    return speakers_picture(exposures=exposures, title=title, colour=colour)


def all_matrices(
    *,
    anonymisers: Sequence[str],
    sets: Sequence[str],
    manifests: Sequence[str],
    curves: Sequence[str],
) -> Figure:
    """The similarity matrices of all anonymisers on all sets.

    ``manifests`` are of the trial speech of each set; ``curves`` are all sets of the first
    anonymiser, then of the next.
    """
    if len(sets) != len(manifests):
        raise BadInput(f"{len(manifests)} manifests for {len(sets)} sets: give a manifest a set")
    genders = {}
    for name, path in zip(sets, manifests, strict=True):
        genders[name] = {utterance.speaker: utterance.gender for utterance in read_manifest(path)}
    matrices = {}
    for (anonymiser, name), path in drawing.panels(anonymisers, sets, curves).items():
        _, matrices[anonymiser, name] = read_similarities(path, genders=genders[name])
    return all_matrices_picture(matrices)


def similarity_picture(
    *,
    oo: np.ma.MaskedArray,
    op: np.ma.MaskedArray,
    pp: np.ma.MaskedArray,
    speakers: Sequence[str],
    title: str = "",
) -> Figure:
    """OO | OP above PO | PP (Figure 5 of Noe et al., CSL 72, 2022), and the bar of their colours.

    Parameters
    ----------
    oo, op, pp : masked array (S, S)
        Similarities in [0, 1]; rows of OP are original speech. PO is its transpose.
    speakers : S names in the order of the rows; left out where they would be too small to read
    title : above the figure
    """
    figure, ax = drawing.figure(SIDE_INCHES + 1.6, SIDE_INCHES + 0.9)
    image = _blocks_map(ax, 0.8, oo=oo, op=op, pp=pp)
    _name_speakers(ax, speakers)
    _name_halves(ax, len(speakers))
    drawing.colour_bar(figure, image, ax, "similarity (0.5 = no evidence)")
    if any(np.ma.is_masked(values) for values in (oo, op, pp)):
        undefined = Patch(color=NO_VALUE, label="undefined: a single utterance")
        figure.legend(handles=[undefined], loc="outside lower center")
    figure.suptitle(title)
    return figure


def all_matrices_picture(matrices: Mapping[tuple[str, str], Matrices]) -> Figure:
    """A row for every anonymiser, a column for every set, one colour scale.

    Figure 9 of Noe et al., CSL 72, 2022.

    Parameters
    ----------
    matrices : {(anonymiser, set): {oo, op, pp: masked array (S, S)}}
    """
    anonymisers = list(dict.fromkeys(anonymiser for anonymiser, _ in matrices))
    sets = list(dict.fromkeys(name for _, name in matrices))
    width = SMALL_PANEL_INCHES * len(sets) + 0.9
    height = SMALL_PANEL_INCHES * len(anonymisers) + 0.3
    figure, axes = drawing.figure(width, height, len(anonymisers), len(sets), squeeze=False)
    for (anonymiser, name), values in matrices.items():
        ax = axes[anonymisers.index(anonymiser), sets.index(name)]
        image = _blocks_map(ax, 0.6, **values)
        ax.set(xticks=[], yticks=[])
    for ax, name in zip(axes[0], sets, strict=True):
        ax.set_title(name, fontsize="medium")
    for ax, name in zip(axes[:, 0], anonymisers, strict=True):
        ax.set_ylabel(name)
    # All panels have the same scale: the bar of the last one is that of all.
    drawing.colour_bar(figure, image, axes, "similarity")
    return figure


def zoo_picture(*, zoo: Mapping[str, Mapping[str, dict]], title: str = "") -> Figure:
    """A column for each condition with its zoo plot, and the same from close up.

    Parameters
    ----------
    zoo : {condition: {speaker: {mean_target_llr, mean_impostor_llr, corner, animal}}}
        A mean is None where it is undefined.
    title : above the figure
    """
    rows, columns = 2, len(zoo)
    width, height = PANEL_INCHES * columns + 0.4, PANEL_INCHES * rows + 0.8
    figure, axes = drawing.figure(width, height, rows, columns, squeeze=False)
    # One scale for all conditions: what protection moves can be seen.
    xlim, ylim = (span_of_means(zoo, f"mean_{side}_llr") for side in ("target", "impostor"))
    for column, (condition, animals) in enumerate(zoo.items()):
        plot_zoo(axes[0, column], animals=animals)
        axes[0, column].set(xlim=xlim, ylim=ylim)
        axes[0, column].set_title(ZOO_TITLES.get(condition, condition), fontsize="medium")
        plot_zoo(axes[1, column], animals=animals, close_up=True)
        axes[1, column].set_xlabel("mean target LLR")
    axes[0, 0].set_ylabel("mean impostor LLR\n(dotted: no evidence)")
    axes[1, 0].set_ylabel("mean impostor LLR\n(close up)")
    chance = f"more speakers than chance puts there (p < {SIGNIFICANCE})"
    note = f"corners of the quartiles; filled: {chance}"
    figure.legend(handles=_legend_of_zoo(zoo), loc="outside lower center", ncols=5, title=note)
    figure.suptitle(title)
    return figure


def plot_zoo(ax: Axes, *, animals: Mapping[str, dict], close_up: bool = False) -> None:
    """Draw every speaker at mean target and impostor LLR (Figure 6 of Noe et al., CSL 72, 2022).

    Parameters
    ----------
    ax : matplotlib axes
    animals : {speaker: {mean_target_llr, mean_impostor_llr, corner, animal}}
        Markers are filled where the animal is more than chance.
    close_up : whether the axes fit the points, and speakers in corners are named if they are few
        Otherwise lines mark where there is no evidence.
    """
    in_corners = [speaker for speaker, animal in animals.items() if animal["corner"] != "-"]
    named = in_corners if close_up and len(in_corners) <= FEW_SPEAKERS else []
    for speaker, animal in animals.items():
        point = (animal["mean_target_llr"], animal["mean_impostor_llr"])
        if None in point:
            continue
        look = _look_of_animal(animal["corner"], filled=animal["animal"] != "-")
        means = "target {:.2f}, impostor {:.2f}".format(*point)
        said = drawing.tooltip(words=f"{speaker}: {_meaning(animal)}\n{means}")
        ax.plot(*point, markersize=5, linestyle="", **look, **said)
        if speaker in named:
            beside: dict[str, Any] = {"xytext": (4, 3), "textcoords": "offset points"}
            ax.annotate(speaker, point, fontsize=6, parse_math=False, **beside)
    if close_up:
        ax.margins(0.12)
    else:
        ax.axhline(0, color=FAINT, linestyle=":", linewidth=0.8)
        ax.axvline(0, color=FAINT, linestyle=":", linewidth=0.8)


def _meaning(animal):
    """Where a speaker lies, in words; the test of the corner names its animals."""
    if animal["corner"] == "-":
        return "in no corner"
    chance = "" if animal["animal"] != "-" else ", as chance may put there"
    return f"{animal['corner']}{chance}"


def speakers_picture(
    *,
    exposures: Mapping[str, Mapping[str, dict]],
    title: str = "",
    colour: str = drawing.COLOURS[0],
) -> Figure:
    """Bars of OP and PP and a line of OO for every speaker, sorted by the larger D_ECE.

    Parameters
    ----------
    exposures : {condition: {speaker: {n_target, dece_bit, worst_case_log10, deid_percent}}}
        None where undefined.
    title : above the figure
    colour : of the anonymiser
    """
    attacks = [condition for condition in HATCHES if condition in exposures]
    speakers = most_exposed_first(exposures)
    width = min(14, max(6.5, 1.5 + 0.3 * len(speakers)))
    figure, axes = drawing.figure(width, 6.4, len(MEASURES), 1, sharex=True)
    for ax, (metric, label) in zip(axes, MEASURES.items(), strict=True):
        values = {
            condition: [exposures[condition].get(name, {}).get(metric) for name in speakers]
            for condition in (*attacks, "oo")
            if condition in exposures
        }
        _plot_bars(ax, values, speakers, metric, colour)
        ax.set_ylabel(label)
    edge = (len(speakers) - 0.5, NO_PRIVACY_BIT)  # behind the last bar
    axes[0].axhline(NO_PRIVACY_BIT, color=FAINT, linestyle=":", linewidth=1)
    axes[0].annotate("no privacy", edge, va="bottom", ha="right", fontsize=7, color=FAINT)
    names = [f"{name} ({_n_targets(exposures, attacks, name)})" for name in speakers]
    # Ticks without names stay: the axis shows how many speakers there are.
    few = len(names) <= MOST_NAMES
    axes[-1].set_xticks(range(len(speakers)), names if few else [""] * len(names), parse_math=False)
    axes[-1].tick_params(axis="x", rotation=90, labelsize=7, length=0)
    axes[-1].set_xlabel("speaker (number of target trials), the most exposed first")
    handles: list[Any] = [
        Patch(**_look_of_bar(name, colour), label=name.upper()) for name in attacks
    ]
    if "oo" in exposures:
        handles += [Line2D([], [], color=INK, linewidth=1.5, label="OO (unprotected)")]
    figure.legend(handles=handles, loc="outside upper right", ncols=3)
    figure.suptitle(title, x=0.01, ha="left")
    return figure


def _plot_bars(ax, values, speakers, metric, colour):
    """Draw one metric: a bar an attack, a short line for OO; what is undefined has no bar."""
    # A fifth of a speaker's room stays free beside the bars.
    width = 0.8 / max(1, len(values.keys() - {"oo"}))
    for index, (condition, of_speakers) in enumerate(values.items()):
        is_line = condition == "oo"
        for position, (speaker, value) in enumerate(zip(speakers, of_speakers, strict=True)):
            if value is None:
                continue
            attack = " unprotected" if is_line else f" {condition.upper()}"
            tooltip = drawing.tooltip(words=f"{speaker},{attack}\n{MEASURES[metric]} {value:.3g}")
            if is_line:
                ends = [position - 0.4, position + 0.4]
                ax.plot(ends, [value, value], color=INK, linewidth=1.5, **tooltip)
            else:
                look = _look_of_bar(condition, colour)
                left = position - 0.4 + width * index
                ax.bar(left, value, width=width, align="edge", **look, **tooltip)
    ax.axhline(0, color=INK, linewidth=0.6)
    ax.set_xlim(-0.6, len(speakers) - 0.4)


def _blocks_map(ax, linewidth, **matrices):
    """The blocks of matrices as colours, and lines between them."""
    # Without interpolation: a cell is a number. The frame, which style leaves out, closes it.
    image = ax.imshow(blocks(**matrices), cmap=SCALE, vmin=0, vmax=1, interpolation="nearest")
    ax.spines[:].set_visible(True)
    # Cells are centred on whole numbers, so that the blocks meet at a half.
    for line_between in (ax.axhline, ax.axvline):
        line_between(len(matrices["oo"]) - 0.5, color=BETWEEN_BLOCKS, linewidth=linewidth)
    return image


def _name_speakers(ax, speakers):
    # Everybody has two cells on a side (72 points an inch); a name may fill 85 % of a cell.
    points = min(8, 0.85 * 72 * SIDE_INCHES / (2 * len(speakers)))
    names = [*speakers, *speakers] if points >= READABLE_POINTS else []
    ax.set_xticks(range(len(names)), names, fontsize=points, rotation=90, parse_math=False)
    ax.set_yticks(range(len(names)), names, fontsize=points, parse_math=False)
    ax.tick_params(length=0, pad=2)
    if not names:
        ax.set_xlabel(f"{len(speakers)} speakers, in the same order in every block")


def _name_halves(ax, n_speakers):
    # The names of the blocks stand on the other sides, where no speakers are named.
    centres = [(n_speakers - 1) / 2, (3 * n_speakers - 1) / 2]
    names = ["original (O)", "protected (P)"]
    top, right = ax.secondary_xaxis("top"), ax.secondary_yaxis("right")
    top.set_xticks(centres, names)
    right.set_yticks(centres, names, rotation=270, va="center")
    for side in (top, right):
        side.tick_params(length=0, pad=3)


def _look_of_animal(corner: str, *, filled: bool) -> dict[str, Any]:
    index, marker = ANIMALS[corner]
    colour = GREY if index is None else drawing.colour(index)
    return {"color": colour, "marker": marker, "markerfacecolor": colour if filled else GROUND}


def _legend_of_zoo(zoo):
    """Every corner that holds speakers: hollow where chance explains it in all conditions."""
    everyone: list[dict] = []
    for animals in zoo.values():
        everyone += animals.values()
    corners = {animal["corner"] for animal in everyone}
    named = {animal["animal"] for animal in everyone} - {"-"}
    handles = []
    for corner in ANIMALS:
        if corner in corners:
            look = _look_of_animal(corner, filled=corner in named)
            label = "none" if corner == "-" else corner
            handles.append(Line2D([], [], linestyle="", label=label, **look))
    return handles


def _look_of_bar(condition, colour):
    """Hatched under OP, full under PP."""
    fill = GROUND if HATCHES[condition] else colour
    return {"facecolor": fill, "edgecolor": colour, "hatch": HATCHES[condition], "linewidth": 0.8}


def _n_targets(exposures, attacks, speaker):
    """How many target trials a speaker has; two numbers where attacks differ in it."""
    counts = {
        exposures[condition][speaker]["n_target"]
        for condition in attacks
        if speaker in exposures[condition]
    }
    return "/".join(f"{count:g}" for count in sorted(counts))


# The McAdams coefficients that anonymisers drew.


def read_alphas(path: Path) -> dict[float, list[str]]:
    """Read a table of drawn coefficients: {alpha: [speakers]}."""
    alphas: dict[float, dict[str, None]] = {}
    for line, row in read_rows(path, ALPHAS):
        alphas.setdefault(number(row["alpha"], path, line), {})[row["speaker"]] = None
    return {alpha: list(speakers) for alpha, speakers in alphas.items()}


def strips(
    *, alphas: Mapping[str, Mapping[float, Sequence[str]]], colours: Mapping[str, str]
) -> Figure:
    """Every coefficient {anonymiser: {alpha: [speakers]}}, a strip for each anonymiser."""
    figure, ax = drawing.figure(STRIPS_INCHES, 0.8 + 0.35 * len(alphas))
    for row, (anonymiser, drawn) in enumerate(alphas.items()):
        system = draws_in(colours)[anonymiser].system
        for alpha, speakers in drawn.items():
            said = drawing.tooltip(system, f"{_names(speakers)}\nalpha {alpha:.4f}")
            ax.plot(alpha, row, "|", color=colours[anonymiser], markersize=13, **said)
    ax.set_yticks(range(len(alphas)), list(alphas))
    ax.set(xlabel="McAdams coefficient alpha (1 = unchanged)", ylim=(len(alphas) - 0.4, -0.6))
    return figure


def _names(speakers):
    if len(speakers) == 1:
        return speakers[0]
    more = " …" if len(speakers) > FEW_NAMES else ""
    return f"{counted(len(speakers), 'speaker')}: {', '.join(speakers[:FEW_NAMES])}{more}"
