"""What all pictures share: size, type, looks, and files that are the same byte for byte.

A LaTeX file is a tikzpicture of pgfplots that a paper can \\input, with the paper's own type. It
knows lines, bars, step histograms, ticks that were set by hand and legends: what our line pictures
are made of.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle, StepPatch
from matplotlib.ticker import FixedLocator

from voiceprivacy.inout.files import BadInput, remove_leftovers, whole_or_absent
from voiceprivacy.report.figures import COLOURS, FURTHER_DRAWS, dash, draws_in, palette
from voiceprivacy.report.typeset import latex_with_math
from voiceprivacy.running.command import say

LINES = ("-", "--", "-.", ":")
_LINE_OF = {"solid": "-", "dash": "--", "dashdot": "-.", "dot": ":"}
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

    tex needs the package pgfplots, and works for pictures of lines, bars and step histograms.
    What a killed process left of the same picture goes.
    """
    remove_leftovers(path)
    kind = str(path).rpartition(".")[2]
    if kind == "tex":
        text = to_pgfplots(figure)
        with whole_or_absent(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
        return
    if kind not in _NO_DATE:
        endings = ", ".join([*_NO_DATE, "tex"])
        raise BadInput(f"{path}: cannot write this kind of picture; end the name in {endings}")
    with whole_or_absent(path) as temporary:
        figure.savefig(temporary, format=kind, metadata=_NO_DATE[kind])


def save_each(figure: Figure, paths: Iterable[str | Path]) -> None:
    """Write a figure under every one of these paths, and say so."""
    for path in paths:
        save(figure, path)
        say(f"wrote {path}")


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
    """Colour and line of systems ANONYMISER/CONDITION as on the page: {label: {color, linestyle}}.

    ``anonymisers`` are all of the run in the order of its config; without them those of the labels.
    Further draws of an anonymiser are paler than its first.
    """
    systems = {label: label.rpartition("/") for label in labels}
    colours = palette([*anonymisers, *(anonymiser for anonymiser, _, _ in systems.values())])
    draws = draws_in(colours)
    looks: dict[str, dict[str, Any]] = {}
    for label, (anonymiser, _, condition) in systems.items():
        line_style = _LINE_OF[dash(colours, anonymiser, condition)]
        looks[label] = {"color": colours[anonymiser], "linestyle": line_style}
        if draws[anonymiser].number > 1:
            looks[label]["alpha"] = FURTHER_DRAWS
    return looks


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
PGF_MARKERS = {"o": "*", ".": "*", "s": "square*", "^": "triangle*"}
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
    lines = [HEAD, r"\begin{tikzpicture}"]
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
    if line.get_transform() != ax.transData:
        # axhline, axvline: one coordinate is a share of the axes, and becomes one of the data.
        in_pixels = line.get_transform().transform(vertices)
        vertices = ax.transData.inverted().transform(in_pixels)
    elif len(vertices) > MANY_VERTICES:
        vertices = _thinned(line)
    return rf"\addplot[forget plot, {_look(line)}] coordinates {{{_coordinates(vertices)}}};"


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
    return ", ".join(look)


def _legend(figure, ax):
    """Lines of the legend and options of the axis; that of the figure belongs to its first axes."""
    legend = ax.get_legend()
    position = "at={(1.03,1)}, anchor=north west, draw=none, cells={anchor=west}"
    if legend is None and figure.legends and ax is figure.axes[0]:
        legend = figure.legends[0]
        box = ax.get_position()
        # Above the middle of the figure, in the coordinates of the panel.
        x, y = (0.5 - box.x0) / box.width, (1 - box.y0) / box.height
        top = f"at={{({x:.4f},{y:.4f})}}, anchor=north"
        columns = 2 if len(legend.get_texts()) > 4 else len(legend.get_texts())
        position = f"{top}, draw=none, cells={{anchor=west}}, legend columns={columns}"
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
    return latex_with_math(text).replace("\n", r" \\ ")
