"""What all pictures share: size, type, colours, and files that are the same byte for byte every time."""

import matplotlib
from matplotlib.figure import Figure

from voiceprivacy.inout.files import BadInput, whole_or_absent
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
        "svg.hashsalt": "voiceprivacy",
    }
)


def figure(width_inches, height_inches, rows=1, columns=1, **subplots):
    """A figure and its axes (an array if there are several), drawn without a display; ``subplots`` as in matplotlib."""
    drawn = Figure(figsize=(width_inches, height_inches), layout="constrained")
    return drawn, drawn.subplots(rows, columns, **subplots)


def save(figure, path):
    """Write a figure whole or not at all; the ending of ``path`` (svg, pdf, png or tex) says how.

    tex needs the package pgfplots, and works for pictures that are made of lines, bars and histograms.
    """
    kind = str(path).rpartition(".")[2]
    if kind == "tex":
        from voiceprivacy.report.plots.pgfplots import to_pgfplots

        text = to_pgfplots(figure)
        with whole_or_absent(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
        return
    if kind not in _NO_DATE:
        raise BadInput(
            f"{path}: cannot write this kind of picture; end the name in {', '.join([*_NO_DATE, 'tex'])}"
        )
    with whole_or_absent(path) as temporary:
        figure.savefig(temporary, format=kind, metadata=_NO_DATE[kind])


def save_each(figure, paths):
    """Write a figure under every one of these paths, and say so."""
    for path in paths:
        save(figure, path)
        print(f"wrote {path}")


def colour(index):
    """The colour of the system with this index; the colours repeat after six."""
    return COLOURS[index % len(COLOURS)]


def line(index):
    """The kind of line of the system with this index: another one each time the colours repeat."""
    return LINES[index // len(COLOURS) % len(LINES)]


def looks(labels, anonymisers=()):
    """Colour and line of systems ANONYMISER/CONDITION as on the report's page: {label: {color, linestyle}}.

    Parameters
    ----------
    labels : sequence of str
    anonymisers : all anonymisers of the run in the order of its config; without them those of the labels
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
