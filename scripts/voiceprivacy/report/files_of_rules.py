"""Which files the rules of a report read and write, of the contents of a run."""

import hashlib
from collections.abc import Iterable
from itertools import product
from typing import Any

from voiceprivacy.layout import Layout
from voiceprivacy.report.contents import Contents
from voiceprivacy.report.figures import KINDS, Figure


def digest(values: Any) -> str:
    """Of what a job reads from results/plan.json: it runs again when that has changed."""
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


def tables_of(contents: Contents) -> list[str]:
    """Tables of the page besides those that are always there."""
    tables = [contents.speech, contents.lists, contents.expected, contents.published]
    tables += [contents.speed, *contents.checks, *(contents.utility or [])]
    tables += contents.words.values()
    for of_corpus in contents.alphas.values() if contents.internal else ():
        tables += of_corpus.values()
    return [table for table in tables if table]


def drawn_from(figures: Iterable[Figure]) -> set[str]:
    """Curves and metrics that figures show."""
    files: set[str] = set()
    return files.union(*(figure.files for figure in figures))


def drawn_with_intervals(figures: Iterable[Figure], contents: Contents) -> list[str]:
    """The same, and the intervals beside the metrics."""
    files = drawn_from(figures)
    beside = {f"{file.removesuffix('.json')}.intervals.json" for file in files}
    return sorted([*files, *(path for path in contents.intervals if path in beside)])


def pictures_of(figures: Iterable[Figure], layout: Layout, *endings: str) -> list[str]:
    """The pictures of figures with these endings: the page has PNGs in place of large SVGs."""
    return [figure.pictures(layout)[ending] for figure, ending in product(figures, endings)]


def in_report(figures: Iterable[Figure], layout: Layout) -> list[tuple[str, str, str]]:
    """What Snakemake's own report shows: (SVG, kind, category)."""
    return [
        (figure.pictures(layout)["svg"], figure.kind, KINDS[figure.kind].category)
        for figure in figures
    ]


def results_folder(contents: Contents, layout: Layout, corpus: str) -> str:
    """Where clips of a corpus are kept out of; nowhere if its voices give nobody away."""
    return "" if corpus in contents.named else layout.root
