"""Word errors of each speaker, as the page unfolds them below utility.

Conventions
-----------
* The kinds of errors are in percent of the words that a speaker said, as the rate is.
* On a mailed page speakers have codes. There the numbers of words are left out and percentages are
  whole: whoever has the transcripts could find out by them who a code is.
* Of several draws of an anonymiser the first is shown; the table in the file has all.
"""

from collections.abc import Mapping
from typing import NamedTuple

from voiceprivacy.inout.typed_tables import read_typed
from voiceprivacy.report.figures import draws_in
from voiceprivacy.report.mailed import NAMED, Codes, code_of
from voiceprivacy.utility.rows import SpeakerWords
from voiceprivacy.vocabulary import ORIGINAL

KINDS = ("substitutions", "insertions", "deletions")


class WordsCell(NamedTuple):
    """One speaker under one system: a rate, and the three kinds of errors below it."""

    rate: str
    kinds: str


class WordsRow(NamedTuple):
    """One speaker; ``words`` is how many they said, or empty where the page does not tell."""

    speaker: str
    words: str
    cells: list[WordsCell | None]


class WordsTable(NamedTuple):
    """One measure of words of a corpus: a row for each speaker, a column for each system."""

    corpus: str
    measure: str
    systems: list[str]
    rows: list[WordsRow]

    @property
    def has_words(self) -> bool:
        """Whether the numbers of words are told."""
        return any(row.words for row in self.rows)


def words_tables(tables: Mapping[str, str], codes: Mapping[str, Codes]) -> list[WordsTable]:
    """What the page shows of {corpus: table}; ``codes`` are of corpora that name nobody."""
    shown: list[WordsTable] = []
    for corpus, path in tables.items():
        lines = read_typed(SpeakerWords, path)
        draws = draws_in(line.anonymiser for line in lines)
        lines = [line for line in lines if draws[line.anonymiser].number == 1]
        for measure in dict.fromkeys(line.measure for line in lines):
            own = [line for line in lines if line.measure == measure]
            names = {line.anonymiser for line in own}
            systems = sorted(names, key=lambda name: (name != ORIGINAL, name))
            rows = _rows(own, systems, codes.get(corpus, NAMED))
            shown.append(WordsTable(corpus, measure, systems, rows))
    return shown


def _rows(lines: list[SpeakerWords], systems: list[str], codes: Codes) -> list[WordsRow]:
    by_speaker: dict[str, dict[str, SpeakerWords]] = {}
    for line in lines:
        by_speaker.setdefault(code_of(line.speaker, codes), {})[line.anonymiser] = line
    rows: list[WordsRow] = []
    for speaker, of_systems in sorted(by_speaker.items()):
        words = "" if codes else str(next(iter(of_systems.values())).n_words)
        digits = 0 if codes else 1
        cells = [_cell(of_systems.get(system), digits) for system in systems]
        rows.append(WordsRow(speaker, words, cells))
    return rows


def _cell(line: SpeakerWords | None, digits: int) -> WordsCell | None:
    if line is None:
        return None
    if isinstance(line.wer_percent, str):
        return WordsCell(line.wer_percent, "")
    percent = [100 * getattr(line, kind) / line.n_words for kind in KINDS]
    kinds = " + ".join(f"{value:.{digits}f}" for value in percent)
    return WordsCell(f"{line.wer_percent:.{digits}f}", kinds)
