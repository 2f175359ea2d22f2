"""The verdict of a run as people read it: results/verdict.json in rows and sentences.

The room privacy judges; here facts are put into words (report/verdict_words.py) and in order.
Unprotected speech is the first row, controls come last. Other systems stand in the order of their
evidence, the least first.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.catalogue import METRICS, is_headline, utility_preference
from voiceprivacy.inout import foreign
from voiceprivacy.inout.files import BadInput, FilePath
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.uncertainty import shown_number
from voiceprivacy.report.verdict_words import (
    COLUMNS,
    CONTROL,
    RE_IDENTIFIED,
    STATES,
    UNPROTECTED,
    Column,
    Notes,
    exposed,
    limits,
    notes,
)
from voiceprivacy.vocabulary import ABSENT, DASH, ORIGINAL, UNDEFINED

FILE, FORMAT = "verdict.json", 1
OLDER = "No verdict: made by an older version."
NOT_GIVEN = "No verdict: this page was written without a verdict.json (--verdict)."
NOT_ORDERED = (
    "Systems of different runs are not compared: they were not attacked on the same draws."
)


class Cell(NamedTuple):
    """A number as shown, and its limits below it."""

    text: str
    limits: str = ""


class Row(NamedTuple):
    """A system: ``state`` is one of STATES, ``words`` how people read it."""

    system: str
    state: str
    words: str
    worst_list: str
    cells: list[Cell]


class Judged(NamedTuple):
    """One set of the verdict."""

    name: str
    columns: list[Column]
    rows: list[Row]
    notes: Notes
    controls: list[str]


class Verdict(NamedTuple):
    """The verdict of a run, which has a name beside another one; ``absent`` says why it has none.

    ``sets`` are corpora. Without trial lists there is none.
    """

    name: str
    sets: list[Judged]
    absent: str = ""


def controls_of(verdicts: Iterable[Verdict]) -> set[str]:
    """Names of the controls, of several runs with @NAME, as the page calls them."""
    controls: set[str] = set()
    for verdict in verdicts:
        for judged in verdict.sets:
            names = judged.controls
            controls.update(f"{name}@{verdict.name}" if verdict.name else name for name in names)
    return controls


def no_verdict(why: str, name: str = "") -> Verdict:
    """What is shown in the place of a verdict."""
    return Verdict(name, [], why)


def read_verdict(path: FilePath, *, name: str = "", numbers: Iterable[Number] = ()) -> Verdict:
    """Read verdict.json.

    Parameters
    ----------
    name : of the run, beside another one
    numbers : of the run; utility is taken from them

    Raises
    ------
    BadInput : it is of another version, or something is missing
    """
    numbers = list(numbers)
    with facts_of(path) as sets:
        return Verdict(name, [judged_of(own, facts, numbers) for own, facts in sets.items()])


@contextlib.contextmanager
def facts_of(path: FilePath) -> Iterator[dict[str, Any]]:
    """The sets of verdict.json: {corpus: facts}.

    Raises
    ------
    BadInput : it is of another version, or what the block looks for is missing
    """
    content = read_json(path)
    try:
        if content["format"] != FORMAT:
            raise BadInput(f"format {content['format']}")
        yield content["sets"]
    except (BadInput, *foreign.UNEXPECTED) as error:
        raise BadInput(f"{path}: not a verdict of this version ({error!r})") from None


def verdict_in(folder: FilePath, *, name: str, numbers: Iterable[Number] = ()) -> Verdict:
    """The verdict in a folder of results; those of an older version have none."""
    path = Path(folder) / FILE
    if not path.exists() or "format" not in read_json(path):
        return no_verdict(OLDER, name)
    return read_verdict(path, name=name, numbers=numbers)


def judged_of(name: str, facts: Mapping[str, Any], numbers: Iterable[Number] = ()) -> Judged:
    """One set of verdict.json in rows and sentences, with utility where ``numbers`` have some."""
    measure, utility = _utility_of(name, numbers)
    columns = [*COLUMNS, RE_IDENTIFIED]
    if measure:
        title = METRICS[measure].title
        unit = f", {METRICS[measure].unit}" if METRICS[measure].unit else ""
        meaning = "What the speech is still good for; the section on utility has all measures."
        columns.append(Column(measure, f"{title[:1].upper()}{title[1:]}{unit}", title, meaning))
    systems = [(ORIGINAL, UNPROTECTED, facts["unprotected"])] if facts["unprotected"] else []
    for system in sorted(facts["systems"], key=lambda one: _order(one, facts)):
        own = facts["systems"][system]
        state = CONTROL if system in facts["controls"] else own["state"]
        systems.append((system, state, own))
    rows = [_row(*one, utility if measure else None) for one in systems]
    sentences = notes(facts)
    for text in (name, sentences.not_tried, *sentences.why, *sentences.steps, *sentences.warnings):
        foreign.line(text, "sets")
    return Judged(name, columns, rows, sentences, list(facts["controls"]))


def _order(system, facts):
    percent = facts["systems"][system]["evidence_percent"]
    return system in facts["controls"], percent is None, percent[0] if percent else 0.0, system


def _row(system, state, facts, utility):
    cells = [Cell(*limits(facts[column.key])) for column in COLUMNS]
    cells.append(Cell(exposed(facts)))
    if utility is not None:
        cells.append(utility.get(system, Cell(DASH)))
    worst = foreign.line(facts["worst_list"] or "", "worst_list")
    return Row(foreign.line(system, "systems"), state, STATES[state][0], worst, cells)


def _utility_of(name, numbers):
    """The measure of a corpus by which one chooses, and {system: Cell}."""
    measures: dict[str, dict[str, Cell]] = {}
    for number in numbers:
        is_whole = (number.corpus, number.trials, number.extractor) == (name, ABSENT, ABSENT)
        is_known = number.metric in METRICS and number.value != UNDEFINED
        if is_whole and is_known and is_headline(number.metric):
            cell = _utility_cell(number.metric, shown_number(number))
            measures.setdefault(number.metric, {})[number.anonymiser] = cell
    best = min(measures, key=utility_preference, default="")
    return best, measures.get(best, {})


def _utility_cell(measure, value):
    form = f"{{:z.{METRICS[measure].digits}f}}".format
    between = f"[{form(value.limits[0])}, {form(value.limits[1])}]" if value.limits else ""
    return Cell(form(value.value), between)
