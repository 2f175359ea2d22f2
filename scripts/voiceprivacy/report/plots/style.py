"""What all pictures share: size, type, looks, and files that are the same byte for byte.

A LaTeX file is a tikzpicture of pgfplots that a paper can \\input, with the paper's own type. It
knows lines, bars, step histograms, ticks that were set by hand and legends: what our line pictures
are made of.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import matplotlib
import numpy as np
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle, StepPatch
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator

from voiceprivacy.inout.checksums import whole_with_checksum
from voiceprivacy.inout.files import BadInput, remove_leftovers, whole_or_absent
from voiceprivacy.report.figures import COLOURS, FURTHER_DRAWS, dash, draws_in, marks, palette
from voiceprivacy.report.typeset import latex_with_math
from voiceprivacy.running.command import say

LINES = ("-", "--", "-.", ":")
_LINE_OF = {"solid": "-", "dash": "--", "dot": ":"}
MARKERS = {  # mark of plotly.js -> matplotlib's
    "circle": "o",
    "square": "s",
    "diamond": "D",
    "triangle-up": "^",
    "triangle-down": "v",
    "cross": "P",
    "star": "*",
    "x": "X",
}
COLUMNS_INCHES = {1: 3.4, 2: 7.1}  # of IEEE's and ISCA's pages: a figure over so many columns
WIDTHS: dict[str, dict[str, Any]] = {  # flags of plot.py, as argparse takes them
    "columns": {"type": int, "choices": COLUMNS_INCHES, "help": "as wide as so many of a paper"},
    "width": {"type": float, "metavar": "INCHES", "help": "as wide as this"},
}
NARROWEST, WIDEST = 2, 40  # inches that --width may be
SMALL_POINTS = 7  # type of a figure that is fitted
LINE_INCHES, PANEL_INCHES, TITLES_INCHES = 0.16, 1.7, 0.5  # heights of what a fitted figure holds
CHARACTER_INCHES, HANDLE_INCHES = 0.065, 0.55  # widths of an average character, of a legend's line
ROOM_INCHES = 0.25  # on both sides of a picture for LaTeX
FITTED: WeakKeyDictionary[Figure, int] = WeakKeyDictionary()  # columns of the legend of each
MARKER_POINTS, MOST_MARKS = 4, 9  # size of a mark, and how many a curve has
# What tells one writing of the same picture from another.
_NO_DATE = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}

matplotlib.rcParams.update(
    {
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
        "savefig.dpi": 150,
        "pdf.fonttype": 42,  # TrueType: checkers of conferences refuse type 3, the default
        "ps.fonttype": 42,
        "svg.hashsalt": "voiceprivacy",  # ids of an SVG are random without one
    }
)


def figure(
    width_inches: float, height_inches: float, rows: int = 1, columns: int = 1, **subplots: Any
) -> tuple[Figure, Any]:
    """A figure and its axes (an array if there are several), drawn without a display.

    ``subplots`` as in matplotlib.
    """
    # Figure itself instead of pyplot's: no display is looked for, and none is kept open.
    drawn = Figure(figsize=(width_inches, height_inches), layout="constrained")
    return drawn, drawn.subplots(rows, columns, **subplots)


def save(figure: Figure, path: str | Path) -> None:
    """Write a figure whole or not at all; the ending of ``path`` (svg, pdf, png or tex) says how.

    tex needs the package pgfplots, and works for pictures of lines, bars and step histograms. It
    is as wide as a column, unless the figure was fitted to another width. What a killed process
    left of the same picture goes.
    """
    remove_leftovers(path)
    kind = str(path).rpartition(".")[2]
    if kind == "tex":
        if figure not in FITTED:
            fit(figure, COLUMNS_INCHES[1])
        # Numbers and titles of axes need more room in the type of a paper.
        inches = figure.get_size_inches()[0]
        rect = (ROOM_INCHES / inches, 0, 1 - 2 * ROOM_INCHES / inches, 1)
        figure.set_layout_engine("constrained", rect=rect)
        text = to_pgfplots(figure)
        with whole_or_absent(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
        return
    if kind not in _NO_DATE:
        endings = ", ".join([*_NO_DATE, "tex"])
        raise BadInput(f"{path}: cannot write this kind of picture; end the name in {endings}")
    engine = figure.get_layout_engine()
    if engine:
        # savefig would lay out once more for each file: a third of its time.
        engine.execute(figure)
        figure.set_layout_engine()
    with whole_with_checksum(path) as temporary:
        figure.savefig(temporary, format=kind, metadata=_NO_DATE[kind])


def save_each(
    figure: Figure, paths: Iterable[str | Path], width_inches: float | None = None
) -> None:
    """Write a figure under every one of these paths, and say so; as wide as it is asked to be."""
    if width_inches:
        fit(figure, width_inches)
    for path in sorted(map(str, paths), key=lambda path: path.endswith(".tex")):
        save(figure, path)  # tex comes last: it is fitted to a column
        say(f"wrote {path}")


def wanted_inches(columns: int | None, width: float | None) -> float | None:
    """The width that a person asked for; None where he did not.

    Raises
    ------
    BadInput : both flags, or a width that no figure can have
    """
    if columns and width is not None:
        raise BadInput("--columns and --width: give one of them")
    if width is not None and not NARROWEST <= width <= WIDEST:
        raise BadInput(f"--width {width:g}: take {NARROWEST} to {WIDEST} inches")
    return COLUMNS_INCHES[columns] if columns else width


def fit(figure: Figure, width_inches: float) -> None:
    """Make a figure as wide as a paper's column or page: smaller type, legends below the panels."""
    texts: list[str] = []
    handles: list[Any] = []
    titles: list[str] = []
    of_axes = [ax.get_legend() for ax in figure.axes]
    beside = [legend for legend in of_axes if legend is not None and not _is_inside(legend)]
    for legend in [*beside, *figure.legends]:
        handles += legend.legend_handles
        texts += [text.get_text() for text in legend.get_texts()]
        titles.append(legend.get_title().get_text())
        legend.remove()
    size = {"fontsize": SMALL_POINTS}
    height = PANEL_INCHES * _panel_rows(figure) + TITLES_INCHES
    columns = 1
    if texts:
        longest = max(map(len, texts)) * CHARACTER_INCHES + HANDLE_INCHES
        columns = max(1, min(len(texts), int(width_inches / longest)))
        title = next(filter(None, titles), "")
        look: dict[str, Any] = {"title": title, "title_fontsize": SMALL_POINTS, **size}
        figure.legend(handles, texts, loc="outside lower center", ncols=columns, **look)
        height += LINE_INCHES * (math.ceil(len(texts) / columns) + title.count("\n") + 1)
    figure.set_size_inches(width_inches, height)
    for text in figure.findobj(Text):
        text.set_fontsize(min(text.get_fontsize(), SMALL_POINTS))
    FITTED[figure] = columns


def _is_inside(legend):
    """Whether a legend lies within its axes: that of others stands beside them."""
    return legend.get_bbox_to_anchor().x0 <= legend.axes.bbox.x1


def _panel_rows(figure):
    """How many panels stand above each other."""
    rows = [ax.get_subplotspec().rowspan.stop for ax in figure.axes if ax.get_subplotspec()]
    return max(rows, default=1)


def colour(index: int) -> str:
    """The colour of the system with this index; the colours repeat after six."""
    return COLOURS[index % len(COLOURS)]


def line(index: int) -> str:
    """The kind of line of this system: another one each time the colours repeat."""
    return LINES[index // len(COLOURS) % len(LINES)]


def look(index: int) -> dict[str, Any]:
    """Colour and line of the system with this index, for matplotlib."""
    return {"color": colour(index), "linestyle": line(index)}


def looks(labels: Iterable[str], anonymisers: Iterable[str] = ()) -> dict[str, dict[str, Any]]:
    """Looks of systems ANONYMISER/CONDITION as on the page: {label: {color, linestyle, marker}}.

    ``anonymisers`` are all of the run in the order of its config; without them those of the labels.
    Further draws of an anonymiser are paler than its first.
    """
    systems = {label: label.rpartition("/") for label in labels}
    colours = palette([*anonymisers, *(anonymiser for anonymiser, _, _ in systems.values())])
    draws, marker_of = draws_in(colours), markers(colours)
    looks: dict[str, dict[str, Any]] = {}
    for label, (anonymiser, _, condition) in systems.items():
        looks[label] = {
            "color": colours[anonymiser],
            "linestyle": _LINE_OF[dash(condition)],
            "marker": marker_of[anonymiser],
        }
        if draws[anonymiser].number > 1:
            looks[label]["alpha"] = FURTHER_DRAWS
    return looks


def along(look: Mapping[str, Any], n_points: int) -> dict[str, Any]:
    """A look for a curve of so many points, few of which are marked."""
    if "marker" not in look:
        return dict(look)
    return {"markersize": MARKER_POINTS, "markevery": max(1, n_points // MOST_MARKS), **look}


def unmarked(look: Mapping[str, Any]) -> dict[str, Any]:
    """A look without its mark."""
    return {name: value for name, value in look.items() if name != "marker"}


def markers(anonymisers: Iterable[str]) -> dict[str, str]:
    """The marks of anonymisers in the order of the config, as matplotlib names them."""
    return {name: MARKERS[mark] for name, mark in marks(anonymisers).items()}


def panels(
    rows: Sequence[str], columns: Sequence[str], curves: Sequence[str]
) -> Mapping[tuple[str, str], str]:
    """The file of each panel: {(row, column): path}; files of the first row come first.

    Raises
    ------
    BadInput : not one file for each
    """
    names = list(product(rows, columns))
    if len(names) != len(curves):
        raise BadInput(f"{len(curves)} curves for {len(names)} panels: give one for each")
    return dict(zip(names, curves, strict=True))


# Pictures as LaTeX.

PGF_LINES = {"-": "solid", "--": "dashed", "-.": "dashdotted", ":": "dotted", "None": "only marks"}
PGF_MARKERS = {
    "o": "*",
    ".": "*",
    "s": "square*",
    "^": "triangle*",
    "v": "triangle*",
    "D": "diamond*",
    "P": "+",
    "*": "star",
    "X": "x",
}
MANY_VERTICES = 200  # of a line, from which on it is thinned
PIXEL = 0.3  # how far a thinned line may lie beside the true one
HEAD = "% in the preamble: \\usepackage{pgfplots} \\pgfplotsset{compat=1.18}"


def to_pgfplots(figure: Figure) -> str:
    """The figure as text: every axes at its place, in data coordinates.

    Raises
    ------
    BadInput : the figure holds something that is no line, bar or step histogram (an image)
    """
    figure.draw_without_rendering()  # places the axes
    lines = [HEAD, r"\begin{tikzpicture}[font=\scriptsize]"]
    for ax in figure.axes:
        if ax.axison:
            lines += _axis(figure, ax)
    width, height = figure.get_size_inches()
    if label := _text(figure.get_supxlabel()):
        lines.append(rf"\node[anchor=south] at ({width / 2:.4f}in,0) {{{label}}};")
    if label := _text(figure.get_supylabel()):
        lines.append(rf"\node[rotate=90, anchor=north] at (0,{height / 2:.4f}in) {{{label}}};")
    return "\n".join([*lines, r"\end{tikzpicture}", ""])


def _axis(figure, ax):
    width, height = figure.get_size_inches()
    box = ax.get_position()
    options = {
        "at": f"{{({box.x0 * width:.4f}in,{box.y0 * height:.4f}in)}}",
        "width": f"{box.width * width:.4f}in",
        "height": f"{box.height * height:.4f}in",
        "xmin": _number(ax.get_xlim()[0]),
        "xmax": _number(ax.get_xlim()[1]),
        "ymin": _number(ax.get_ylim()[0]),
        "ymax": _number(ax.get_ylim()[1]),
        "xlabel": f"{{{_text(ax.get_xlabel())}}}",
        "ylabel": f"{{{_text(ax.get_ylabel())}}}",
        "title": f"{{{_text(ax.get_title())}}}",
        **_ticks("x", ax.xaxis),
        **_ticks("y", ax.yaxis),
    }
    legend, style = _legend(figure, ax)
    flags = ["scale only axis", "axis lines*=left", "unbounded coords=jump", *style]
    if "\n" in ax.get_title():
        flags.append(r"title style={align=center, font=\footnotesize}")
    flags += [f"{axis}mode=log" for axis in "xy" if getattr(ax, f"get_{axis}scale")() == "log"]
    options = ", ".join(
        [*flags, *(f"{name}={value}" for name, value in options.items() if value != "{}")]
    )
    if ax.images or ax.collections:
        raise BadInput("this picture cannot be written as LaTeX: it has areas; take pdf")
    drawn = [_area(patch) for patch in ax.patches] + [_line(ax, line) for line in ax.lines]
    return [rf"\begin{{axis}}[{options}]", *drawn, *legend, r"\end{axis}"]


def _line(ax, line):
    vertices = line.get_path().vertices
    few = line.get_markevery()
    if few is not None and line.get_linestyle() != "None":
        return _line_with_few_marks(line, vertices[::few] if few else [])
    if line.get_transform() != ax.transData:
        # axhline, axvline: one coordinate is a share of the axes, and becomes one of the data.
        in_pixels = line.get_transform().transform(vertices)
        vertices = ax.transData.inverted().transform(in_pixels)
    elif len(vertices) > MANY_VERTICES:
        vertices = _thinned(line)
    return rf"\addplot[forget plot, {_look(line)}] coordinates {{{_coordinates(vertices)}}};"


def _line_with_few_marks(line, marked):
    """The line alone, and its marks: pgfplots would count them among points that are left out."""
    curve = _thinned(line) if len(line.get_path().vertices) > MANY_VERTICES else line.get_xydata()
    plain, _, mark = _look(line).partition(", mark=")
    drawn = rf"\addplot[forget plot, {plain}] coordinates {{{_coordinates(curve)}}};"
    if not len(marked):
        return drawn
    look = f"{plain.partition(', ')[0]}, only marks, mark={mark}"
    marks = rf"\addplot[forget plot, {look}] coordinates {{{_coordinates(marked)}}};"
    return f"{drawn}\n{marks}"


def _thinned(line):
    """The vertices of a line without what the eye cannot see: TeX has little memory.

    Of points one a pixel is left.
    """
    drawn = line.get_path().transformed(line.get_transform())
    if line.get_linestyle() == "None":
        # Points: matplotlib would drop those between two others, which a line does not need.
        _, first = np.unique(np.round(drawn.vertices), axis=0, return_index=True)
        return line.get_path().vertices[np.sort(first)]
    drawn.simplify_threshold = PIXEL
    drawn = drawn.cleaned(simplify=True)
    return line.get_transform().inverted().transform(drawn.vertices[drawn.codes != drawn.STOP])


def _area(patch):
    if isinstance(patch, StepPatch):
        values, edges, _ = patch.get_data()
        corners = list(zip(np.repeat(edges, 2)[1:-1], np.repeat(values, 2), strict=True))
    elif isinstance(patch, Rectangle):
        corners = patch.get_corners()
    else:
        raise BadInput("this picture cannot be written as LaTeX: it has areas; take pdf")
    points = _coordinates(corners)
    return rf"\addplot[forget plot, {_look(patch)}] coordinates {{{points}}} \closedcycle;"


def _look(artist):
    if not isinstance(artist, Line2D):
        fill = _colour("fill", artist.get_facecolor())
        return f"draw=none, {fill}, fill opacity={artist.get_alpha() or 1:g}"
    look = [
        _colour("color", artist.get_color()),
        PGF_LINES[artist.get_linestyle()],
        f"line width={artist.get_linewidth():g}pt",
    ]
    if artist.get_marker() in PGF_MARKERS:
        # matplotlib's size is a diameter, that of "." is half of what is set; TikZ's is a radius.
        radius = artist.get_markersize() / (4 if artist.get_marker() == "." else 2)
        look.append(f"mark={PGF_MARKERS[artist.get_marker()]}, mark size={radius:g}pt")
        options = ["solid"]  # else the outline of a mark has the dashes of its line
        if artist.get_marker() == "v":
            options.append("rotate=180")
        if artist.get_markerfacecolor() == "white":
            options.append("fill=white")
        look.append(f"mark options={{{', '.join(options)}}}")
    return ", ".join(look)


def _legend(figure, ax):
    """Lines of the legend and options of the axis; that of the figure belongs to its first axes."""
    legend = ax.get_legend()
    position = "at={(1.03,1)}, anchor=north west, draw=none, cells={anchor=west, align=left}"
    if legend is None and figure.legends and ax is figure.axes[0]:
        legend = figure.legends[0]
        box = ax.get_position()
        # Above the middle of the figure, or below it, in the coordinates of the panel.
        is_below = figure in FITTED
        x, y = (0.5 - box.x0) / box.width, ((0 if is_below else 1) - box.y0) / box.height
        side = f"at={{({x:.4f},{y:.4f})}}, anchor={'south' if is_below else 'north'}"
        columns = 2 if len(legend.get_texts()) > 4 else len(legend.get_texts())
        columns = FITTED[figure] if is_below else columns
        position = f"{side}, draw=none, cells={{anchor=west, align=left}}, legend columns={columns}"
    if legend is None:
        return [], []
    title = legend.get_title().get_text()
    lines = [rf"\addlegendimage{{empty legend}}\addlegendentry{{{_text(title)}}}"] if title else []
    for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
        area = ", area legend" if not isinstance(handle, Line2D) else ""
        look = (
            _look(handle)
            if not area
            else f"draw=none, {_colour('fill', handle.get_facecolor())}, fill opacity=0.5"
        )
        lines.append(rf"\addlegendimage{{{look}{area}}}\addlegendentry{{{_text(text.get_text())}}}")
    return lines, [f"legend style={{{position}}}"]


def _ticks(name, axis):
    """Ticks that were set by hand; others pgfplots finds itself."""
    if not isinstance(axis.get_major_locator(), FixedLocator):
        return {}
    labels = ",".join(f"{{{_text(label.get_text())}}}" for label in axis.get_ticklabels())
    ticks = ",".join(_number(tick) for tick in axis.get_ticklocs())
    return {f"{name}tick": f"{{{ticks}}}", f"{name}ticklabels": f"{{{labels}}}"}


def _colour(option, colour):
    red, green, blue = (int(to_hex(colour)[k : k + 2], 16) for k in (1, 3, 5))
    return f"{option}={{rgb,255:red,{red};green,{green};blue,{blue}}}"


def _coordinates(vertices):
    return " ".join(f"({_number(x)},{_number(y)})" for x, y in vertices)


def _number(value):
    return f"{float(value):.6g}"


def _text(text):
    # Braces, because LaTeX would take a bracket behind the end of a line for a distance.
    return latex_with_math(text).replace("\n", r" \\{} ")
