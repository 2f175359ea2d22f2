"""What all pictures share: size, type, looks, and files that are the same byte for byte."""

import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.writing import remove_leftovers, whole_or_absent
from voiceprivacy.report.figures import (
    COLOURS,
    FURTHER_DRAWS,
    dash,
    draws_in,
    marks,
    palette,
)
from voiceprivacy.report.uncertainty import Shown
from voiceprivacy.running.command import say

Look = dict[str, Any]  # properties of an artist, as matplotlib names them
LINES = ("-", "--", "-.", ":")
MARKERS = {  # mark -> matplotlib's
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
MARKER_POINTS, MOST_MARKS = 4, 9  # size of a mark, and how many a curve has
# What tells one writing of the same picture from another.
_NO_DATE = {
    "svg": dict.fromkeys(("Date", "Creator", "Format", "Type")),
    "pdf": {"CreationDate": None},
    "png": {"Software": None},
}

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
        "svg.fonttype": "none",  # text that one can select, search and read aloud
        "font.sans-serif": ["DejaVu Sans", "Verdana"],  # of the same widths
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


def grid(
    n_panels: int,
    most_columns: int,
    panel_inches: tuple[float, float],
    room_inches: tuple[float, float] = (0.0, 0.0),
    *,
    narrowest: int = 1,
    **subplots: Any,
) -> tuple[Figure, list[Axes]]:
    """A figure of several panels, and their axes, row by row.

    Parameters
    ----------
    most_columns : panels beside each other
    panel_inches, room_inches : width and height of a panel, and of what stands around all of them
    narrowest : as wide as so many panels, where there are fewer
    """
    columns = max(1, min(n_panels, most_columns))
    rows = max(1, math.ceil(n_panels / columns))
    width = panel_inches[0] * max(columns, narrowest) + room_inches[0]
    height = panel_inches[1] * rows + room_inches[1]
    drawn, axes = figure(width, height, rows, columns, squeeze=False, **subplots)
    for ax in axes.flat[n_panels:]:
        ax.set_axis_off()
    for ax in axes.flat[:n_panels][-columns:]:  # the lowest panel of every column
        ax.tick_params(labelbottom=True)
    return drawn, list(axes.flat[:n_panels] if n_panels else axes.flat)


def colour_bar(figure: Figure, image: Any, axes: Any, label: str, shrink: float = 0.8) -> None:
    """A bar of the colours of an image, with a thin frame."""
    bar = figure.colorbar(image, ax=axes, label=label, shrink=shrink)
    bar.outline.set_linewidth(0.5)


def save(figure: Figure, path: FilePath) -> None:
    """Write a figure whole or not at all; the ending of ``path`` (svg, pdf or png) says how.

    What a killed process left of the same picture goes.
    """
    remove_leftovers(path)
    kind = str(path).rpartition(".")[2]
    if kind not in _NO_DATE:
        endings = ", ".join(_NO_DATE)
        raise BadInput(f"{path}: cannot write this kind of picture; end the name in {endings}")
    engine = figure.get_layout_engine()
    if engine:
        # savefig would lay out once more for each file: a third of its time.
        engine.execute(figure)
        figure.set_layout_engine()
    with whole_or_absent(path) as temporary:
        if kind == "svg":
            temporary.write_text(svg_of(figure), encoding="utf-8")
        else:
            figure.savefig(temporary, format=kind, metadata=_NO_DATE[kind])


# What an SVG says of its parts.

TOOLTIP = re.compile(r'<g id="([^"]*)\t([^"]*)">')
IDS, USED = re.compile(r' id="([^"]*)"'), re.compile(r'(?:url\(|href=")#([^)"]+)')
PLACES = re.compile(r'(?<= )(?:d|x|y|transform|width|height)="[^"]*"')
FINE = re.compile(r"(\.\d\d)\d+")  # a hundredth of a point cannot be seen


def tooltip(system: str = "", words: str = "") -> Look:
    """What an artist says of itself, as matplotlib takes it.

    The page hides all of a system at once, and shows the words where somebody points.
    """
    return {"gid": f"{system}\t{words}"}


def mark(anonymiser: str, anonymisers: Iterable[str], words: str) -> Look:
    """A mark of one of these anonymisers, which are all of a run in the order of its config."""
    names = list(anonymisers)
    said = tooltip(draws_in(names)[anonymiser].system, words)
    look = {"color": palette(names)[anonymiser], "marker": markers(names)[anonymiser]}
    return {"linestyle": "", **look, **said}


def svg_of(figure: Figure) -> str:
    """The picture as the text of an SVG, whose groups say what they are."""
    _tell_legends(figure)
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata=_NO_DATE["svg"])
    text = TOOLTIP.sub(_group, file.getvalue())
    used = {"nothing", *USED.findall(text)}
    text = IDS.sub(lambda match: match[0] if match[1] in used else "", text)
    text = PLACES.sub(lambda match: FINE.sub(r"\1", match[0]), text)
    return re.sub(r"\n +", "\n", text)


def _group(match):
    system, words = match.groups()
    title = words.replace("&quot;", '"').replace("&apos;", "'")
    group = f'<g data-system="{system}">' if system else "<g>"
    return f"{group}<title>{title}</title>" if words else group


def _tell_legends(figure):
    """Entries of legends say what the artists of their names say."""
    said = {}
    for artist in figure.findobj(lambda artist: artist.get_gid() is not None):
        said.setdefault(artist.get_label(), artist.get_gid())
    for ax in figure.axes:
        for bars in ax.containers:
            said.setdefault(bars.get_label(), bars[0].get_gid())
    for legend in figure.findobj(Legend):
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
            for artist in (handle, text):
                artist.set_gid(said.get(text.get_text()))


def save_each(figure: Figure, paths: Iterable[FilePath], width_inches: float | None = None) -> None:
    """Write a figure under every one of these paths, and say so; as wide as it is asked to be."""
    if width_inches:
        fit(figure, width_inches)
    for path in paths:
        save(figure, path)
        say(f"wrote {path}")


def wanted_inches(columns: int | None, width: float | None) -> float | None:
    """The width that a person asked for; None without a wish.

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
    if texts:
        longest = max(map(len, texts)) * CHARACTER_INCHES + HANDLE_INCHES
        columns = max(1, min(len(texts), int(width_inches / longest)))
        title = next(filter(None, titles), "")
        look: Look = {"title": title, "title_fontsize": SMALL_POINTS, **size}
        figure.legend(handles, texts, loc="outside lower center", ncols=columns, **look)
        n_lines = len(texts) + "".join(texts).count("\n")
        height += LINE_INCHES * (math.ceil(n_lines / columns) + title.count("\n") + 1)
    figure.set_size_inches(width_inches, height)
    for text in figure.findobj(Text):
        text.set_fontsize(min(text.get_fontsize(), SMALL_POINTS))


def _is_inside(legend):
    """Whether a legend lies within its axes: that of others stands beside or below them."""
    box, axes = legend.get_bbox_to_anchor(), legend.axes.bbox
    return box.x0 <= axes.x1 and box.y1 >= axes.y0


def _panel_rows(figure):
    """How many panels stand above each other."""
    rows = [ax.get_subplotspec().rowspan.stop for ax in figure.axes if ax.get_subplotspec()]
    return max(rows, default=1)


def colour(index: int) -> str:
    """The colour of the system with this index; the colours repeat after six."""
    return COLOURS[index % len(COLOURS)]


def look(index: int) -> Look:
    """Colour and line of the system with this index: another line each time colours repeat."""
    return {"color": colour(index), "linestyle": LINES[index // len(COLOURS) % len(LINES)]}


def looks(labels: Iterable[str], anonymisers: Iterable[str] = ()) -> dict[str, Look]:
    """Looks of systems ANONYMISER/CONDITION, the same everywhere.

    They are {label: {color, linestyle, marker, label, gid}}; this label is for people.

    ``anonymisers`` are all of the run in the order of its config; without them those of the labels.
    Further draws of an anonymiser are paler than its first.
    """
    systems = {label: label.rpartition("/") for label in labels}
    colours = palette([*anonymisers, *(anonymiser for anonymiser, _, _ in systems.values())])
    draws, marker_of = draws_in(colours), markers(colours)
    looks: dict[str, Look] = {}
    for label, (anonymiser, _, condition) in systems.items():
        looks[label] = {
            "color": colours[anonymiser],
            "linestyle": dash(condition),
            "marker": marker_of[anonymiser],
            "label": f"{draws[anonymiser].words} {condition.upper()}" if anonymiser else label,
            **tooltip(draws[anonymiser].system),
        }
        if draws[anonymiser].number > 1:
            looks[label]["alpha"] = FURTHER_DRAWS
    return looks


def along(look: Mapping[str, Any], n_points: int) -> Look:
    """A look for a curve of so many points, few of which are marked."""
    if "marker" not in look:
        return dict(look)
    return {"markersize": MARKER_POINTS, "markevery": max(1, n_points // MOST_MARKS), **look}


def without(look: Mapping[str, Any], *names: str) -> Look:
    """A look without some of its properties."""
    return {name: value for name, value in look.items() if name not in names}


def plot_limits(ax: Axes, x: Shown, y: Shown, **look: Any) -> None:
    """Draw a cross of the intervals of a point, below all marks."""
    for limits in (x.limits, y.limits):
        # A line without an end would have no meaning.
        if limits and all(map(math.isfinite, limits)):
            ends = (limits, [y.value] * 2) if limits is x.limits else ([x.value] * 2, limits)
            ax.plot(*ends, **{"linewidth": 0.9, "zorder": 1} | look)


def one_legend(
    figure: Figure,
    columns: int = 4,
    side: str = "lower center",
    axes: Iterable[Axes] = (),
    **options: Any,
) -> None:
    """One legend beside all panels, for those of ``axes`` or all: each name once.

    It has as many of the columns as fit, and the figure grows by what it takes.
    """
    named: dict[str, Any] = {}
    for ax in axes or figure.axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            named.setdefault(label, handle)
    if not named:
        return
    width, height = figure.get_size_inches()
    for n_columns in range(min(columns, len(named)), 0, -1):
        look = {"loc": f"outside {side}", "ncols": n_columns, **options}
        legend = figure.legend(named.values(), named, **look)
        box = legend.get_window_extent()
        if n_columns == 1 or box.width <= figure.bbox.width:
            break
        legend.remove()
    figure.set_size_inches(max(width, box.width / figure.dpi), height + box.height / figure.dpi)


def say_nothing(figure: Figure, words: str) -> Figure:
    """Say that there is nothing to show, which the page then leaves out."""
    for ax in figure.axes:
        ax.set_axis_off()
    figure.text(0.5, 0.5, words, ha="center", va="center", wrap=True, gid="nothing")
    return figure


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
