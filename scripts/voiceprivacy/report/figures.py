"""The figures of a run, found by their path and made part of the page: as charts, or as pictures.

A figure is FOLDER/KIND[/CORPUS/TRIALS[/ANONYMISER]]/EXTRACTOR/BACKEND.{svg,png,pdf,tex}; without a corpus it is of all.
That of a training is FOLDER/training/EXTRACTOR/loss. FOLDER lies beside the page, and links on the page are relative
to it.
"""

import base64
import itertools
import os
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.inout.files import BadInput
from voiceprivacy.report.charts.draw import NOTHING, Place, draw

KINDS = {
    "zebra": "How much evidence is left (ZEBRA)",
    "calibration": "What a calibration is worth on another run (C_ECE)",
    "similarity": "Who sounds like whom",
    "distinctiveness": "Protection against distinct voices",
    "zoo": "Which speakers are different from the others",
    "speakers": "Who is still at risk",
    "ranks": "How high the true speaker ranks",
    "rank_speakers": "Whose rank gives away how much",
    "rank_lengths": "How disclosure grows with the length of speech",
    "training": "How the attackers were trained",
}
MEDIA = {".svg": "image/svg+xml", ".png": "image/png"}
LINKED = (".svg", ".pdf", ".png", ".tex")
LARGE_SVG_BYTES = 300_000


class Figure(NamedTuple):
    """One figure: where it belongs, and its charts [(title, chart)] or its picture as a data URL.

    ``files`` are links to the picture for papers {ending: link}, ``sources`` to what is drawn {name: link}; ``table``
    is (titles, rows), or empty.
    """

    kind: str
    corpus: str
    trials: str
    anonymiser: str
    extractor: str
    backend: str
    source: str
    charts: list
    files: dict
    sources: dict
    table: tuple

    @property
    def heading(self):
        """What is shown, in words."""
        if self.kind == "training":
            return self.extractor
        anonymiser = f"{self.anonymiser}, " if self.anonymiser else ""
        what = f"{self.corpus}, list {self.trials}" if self.corpus else "all corpora and lists"
        return f"{anonymiser}{what}, {self.extractor} + {self.backend}"


def embed(paths, *, folder, run=None):
    """Make figures of pictures, a sorted list of Figure, one per picture.

    Parameters
    ----------
    paths : SVG, PNG, PDF and TeX files below ``folder``
    run : Run from which charts are drawn; a figure without charts shows its SVG, or the PNG where the SVG is large

    Raises
    ------
    BadInput : a file that is not there, lies elsewhere, or exists as neither SVG nor PNG
    """
    pictures = {}
    for path in sorted(map(Path, paths)):
        pictures.setdefault(path.with_suffix(""), []).append(path)
    return [_figure(stem, of, folder, run) for stem, of in pictures.items()]


def _figure(stem, paths, folder, run):
    place = _place(stem, folder)
    shown = _smallest(stem, paths)
    drawn = draw(place, run) if run else NOTHING
    source = "" if drawn.charts else _data_url(shown)
    others = [shown.with_suffix(ending) for ending in LINKED if ending != shown.suffix]
    beside = sorted({*paths, *(path for path in others if path.is_file())})
    files = {path.suffix[1:]: _link(path, folder) for path in beside}
    sources = {_name(path): _link(path, folder) for path in drawn.sources}
    return Figure(*place, source, drawn.charts, files, sources, drawn.table)


def _link(path, folder):
    return Path(os.path.relpath(path, Path(folder).parent)).as_posix()


def _name(path):
    """What distinguishes a table of curves: its anonymiser; otherwise its name."""
    return path.parts[-3] if path.parts[-7:-6] == ("curves",) else path.name


def by_kind(figures):
    """Group figures, the lists of an anonymiser side by side: [(kind, title, [(place, [Figure, ...]), ...]), ...].

    A place is (corpus, extractor, backend).
    """
    kinds = []
    for kind, title in KINDS.items():
        of_kind = sorted((figure for figure in figures if figure.kind == kind), key=_order)
        groups = [(place, list(group)) for place, group in itertools.groupby(of_kind, key=_group)]
        if groups:
            kinds.append((kind, title, groups))
    return kinds


def _group(figure):
    return figure.corpus, figure.extractor, figure.backend


def _order(figure):
    return *_group(figure), figure.anonymiser, figure.trials


def _place(stem, folder):
    try:
        kind, *of, extractor, backend = stem.relative_to(folder).parts
    except ValueError:
        kind, of = None, []
    if kind not in KINDS or len(of) not in (0, 2, 3):
        raise BadInput(
            f"{stem}: expected KIND[/CORPUS/TRIALS[/ANONYMISER]]/EXTRACTOR/BACKEND below {folder},"
            f" KIND one of {', '.join(KINDS)}"
        )
    corpus, trials, anonymiser = [*of, *[""] * (3 - len(of))]
    return Place(kind, corpus, trials, anonymiser, extractor, backend)


def _smallest(stem, paths):
    sizes = {path.suffix: (_size(path), path) for path in paths if path.suffix in MEDIA}
    if not sizes:
        raise BadInput(f"{stem}: exists as neither .svg nor .png, which a page can show")
    if ".svg" in sizes and sizes[".svg"][0] <= LARGE_SVG_BYTES:
        return sizes[".svg"][1]
    return min(sizes.values())[1]


def _size(path):
    try:
        return path.stat().st_size
    except FileNotFoundError:
        raise BadInput(f"{path}: not found") from None


def _data_url(path):
    content = base64.b64encode(path.read_bytes()).decode("ascii")
    return f"data:{MEDIA[path.suffix]};base64,{content}"
