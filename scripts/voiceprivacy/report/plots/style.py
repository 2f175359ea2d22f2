"""What all pictures share: size, type, colours, and files that are the same byte for byte."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from voiceprivacy.inout.files import BadInput, remove_leftovers, whole_or_absent
from voiceprivacy.report.colours import COLOURS, dash, palette

LINES = ("-", "--", "-.", ":")
_LINE_OF = {"solid": "-", "dash": "--", "dashdot": "-.", "dot": ":"}
_NO_DATE = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}

matplotlib.rcParams.update(
    {
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
        "savefig.dpi": 150,
        "pdf.fonttype": 42,  # TrueType: checkers of conferences refuse type 3, the default
        "svg.hashsalt": "voiceprivacy",
    }
)


def figure(
    width_inches: float, height_inches: float, rows: int = 1, columns: int = 1, **subplots: Any
) -> tuple[Figure, Any]:
    """A figure and its axes (an array if there are several), drawn without a display.

    ``subplots`` as in matplotlib.
    """
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
        from voiceprivacy.report.plots.pgfplots import to_pgfplots

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
        print(f"wrote {path}")


def colour(index: int) -> str:
    """The colour of the system with this index; the colours repeat after six."""
    return COLOURS[index % len(COLOURS)]


def line(index: int) -> str:
    """The kind of line of this system: another one each time the colours repeat."""
    return LINES[index // len(COLOURS) % len(LINES)]


def look(index: int) -> dict[str, Any]:
    """Colour and line of the system with this index, for matplotlib."""
    return {"color": colour(index), "linestyle": line(index)}


def looks(labels: Iterable[str], anonymisers: Iterable[str] = ()) -> dict[str, dict[str, str]]:
    """Colour and line of systems ANONYMISER/CONDITION as on the page: {label: {color, linestyle}}.

    ``anonymisers`` are all of the run in the order of its config; without them those of the labels.
    """
    systems = {label: label.rpartition("/") for label in labels}
    colours = palette([*anonymisers, *(anonymiser for anonymiser, _, _ in systems.values())])
    return {
        label: {
            "color": colours[anonymiser],
            "linestyle": _LINE_OF[dash(colours, anonymiser, condition)],
        }
        for label, (anonymiser, _, condition) in systems.items()
    }


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
