"""The numbers of a figure as a table below it: lines of the file that it is drawn from.

A kind of figure without a table has its numbers on the chart, or in another table of the page.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.tables import number_in, read_rows
from voiceprivacy.report.curves import DISCLOSURES, EXPOSURES, MEASURES, ZOO
from voiceprivacy.report.figures import Figure
from voiceprivacy.report.mailed import NAMED, Codes, code_of
from voiceprivacy.report.rows import AtlasPoint
from voiceprivacy.vocabulary import ABSENT, DASH, MINUS

Table = tuple[Sequence[str], Sequence[Sequence[str]]]  # titles, rows
NO_TABLE: Table = ((), ())

# No counts of utterances: whoever has the corpus could tell by them whose a code is.
OF_SPEAKERS = ("speaker", "label")
DISCLOSED = ("shrunken_disclosure_bit", "shrunken_low_bit", "shrunken_high_bit")
TITLES = {"label": "condition", "value": "disclosure_bit"}  # of columns, as people read them
MOST_EXPOSED = 10  # speakers of a system and condition whose ranks disclose most


class Source(NamedTuple):
    """What a table is made of: the flag of its file, that file's columns, and those shown."""

    flag: str
    columns: Sequence[str]
    shown: Sequence[str]


SOURCES = {
    "atlas": Source("curves", AtlasPoint._fields, AtlasPoint._fields),
    "rank_speakers": Source("speakers", DISCLOSURES, (*OF_SPEAKERS, *DISCLOSED)),
    "speakers": Source("speakers", EXPOSURES, (*OF_SPEAKERS, *MEASURES)),
    "zoo": Source(
        "zoo",
        ZOO,
        (*OF_SPEAKERS, "mean_target_llr", "mean_impostor_llr", "corner", "animal"),
    ),
}


def table_of(figure: Figure, codes: Codes = NAMED) -> Table:
    """The table of a figure; without rows where it has none.

    Parameters
    ----------
    codes : of the speakers of its corpus, where they are not to be named

    Raises
    ------
    BadInput : a file is missing or broken; a speaker has no code
    """
    if figure.kind not in SOURCES:
        return NO_TABLE
    source = SOURCES[figure.kind]
    titles, files = list(source.shown), figure.arguments[source.flag]
    if isinstance(files, str):
        rows = list(_rows(files, source, codes))
    else:  # of systems
        titles, rows = ["system", *titles], []
        for anonymiser, path in zip(figure.arguments["anonymisers"], files, strict=True):
            for row in _most_exposed(_rows(path, source, codes)):
                rows.append([anonymiser, *row])
    if codes:  # the order of ids would tell whose codes they are
        rows.sort()
    shown = [list(map(_text, row)) for row in rows]
    return [TITLES.get(title, title).replace("_", " ") for title in titles], shown


def _rows(path: FilePath, source: Source, codes: Codes) -> Iterator[list[str]]:
    for _, row in read_rows(path, list(source.columns)):
        if "speaker" in row:
            row["speaker"] = code_of(row["speaker"], codes)
        yield [row[name] for name in source.shown]


def _most_exposed(rows: Iterable[list[str]]) -> Iterator[list[str]]:
    """Of each condition the speakers whose ranks disclose most."""
    for _, of_condition in itertools.groupby(rows, key=lambda row: row[1]):
        yield from sorted(of_condition, key=lambda row: (-float(row[2]), row[0]))[:MOST_EXPOSED]


def _text(text: str) -> str:
    """A field as people read it: numbers with three digits."""
    if text == ABSENT:
        return DASH
    value = number_in(text)
    return text if math.isnan(value) else f"{value:.3g}".replace("-", MINUS)
