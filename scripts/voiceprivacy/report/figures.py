"""The figures of a run, found by their path and made part of the page.

A figure is FOLDER/KIND[/CORPUS/TRIALS[/ANONYMISER]]/EXTRACTOR/BACKEND.{svg,png,pdf}; without a corpus it is of all.
"""

import base64
import itertools
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.files import BadInput

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
}
MEDIA = {".svg": "image/svg+xml", ".png": "image/png"}
LARGE_SVG_BYTES = 300_000


class Figure(NamedTuple):
    """One picture: where it belongs, and its content as a data URL."""

    kind: str
    corpus: str
    trials: str
    anonymiser: str
    extractor: str
    backend: str
    source: str

    @property
    def heading(self):
        """What is shown, in words."""
        anonymiser = f"{self.anonymiser}, " if self.anonymiser else ""
        what = f"{self.corpus}, list {self.trials}" if self.corpus else "all corpora and lists"
        return f"{anonymiser}{what}, {self.extractor} + {self.backend}"


def embed(paths, *, folder):
    """Read figures as a sorted list of Figure, one per picture: the SVG, or the PNG where the SVG is large.

    Raises
    ------
    BadInput : a file that is not there, lies elsewhere, or exists as neither SVG nor PNG
    """
    pictures = {}
    for path in sorted(map(Path, paths)):
        pictures.setdefault(path.with_suffix(""), []).append(path)
    return [Figure(*_place(stem, folder), _data_url(_smallest(stem, of))) for stem, of in pictures.items()]


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
    return kind, corpus, trials, anonymiser, extractor, backend


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
