"""The verdict of a run as people read it: results/verdict.json in rows and sentences.

The room privacy judges; here facts are put into words (report/verdict_words.py) and in order.
Unprotected speech is the first row, controls come last. Other systems stand in the order of their
evidence, the least first.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from voiceprivacy.catalogue import METRICS, is_headline, utility_group, utility_preference
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import foreign
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.uncertainty import shown_number
from voiceprivacy.report.verdict_words import (
    CHANCE_OF_20,
    CONTROL,
    INFERRED,
    LAW,
    MISHEARD,
    MISHEARD_PERCENT,
    RIGHT,
    SAID,
    STATES,
    UNPROTECTED,
    Column,
    Notes,
    answer,
    limits,
    notes,
    relation,
    worst_states,
)
from voiceprivacy.vocabulary import ABSENT, ATTRIBUTES, DASH, ORIGINAL, UNDEFINED, WORDS

FEWEST_ORDERED = 10  # speakers
FILE, FORMAT = "verdict.json", 1
NOT_GIVEN = "No verdict: this page was written without a verdict.json (--verdict)."


class Cell(NamedTuple):
    """A number as shown, and its limits."""

    text: str
    limits: str = ""


class Row(NamedTuple):
    """A system.

    Attributes
    ----------
    state, words : one of STATES, and how people read it
    relation : to the original, one of RELATIONS, or empty
    right : how often the attacker's first guess among 20 speakers is right
    line : that, and its limits, in percent of the way from chance to certainty; empty where unknown
    law, utility : numbers below the columns of a set
    """

    system: str
    state: str
    words: str
    relation: str
    right: Cell
    line: list[float]
    law: list[Cell]
    utility: Cell | None


class Evaluated(NamedTuple):
    """What the verdict of a corpus is about: a sentence on the speech, and what file names show."""

    speech: str = ""
    names: str = ""


class Judged(NamedTuple):
    """One set of the verdict; ``law`` and ``utility`` are the columns of its rows."""

    name: str
    speech: str
    law: list[Column]
    utility: Column | None
    rows: list[Row]
    notes: Notes
    controls: list[str]

    @property
    def columns(self) -> list[Column]:
        """All columns of numbers."""
        return [RIGHT, *self.law, *filter(None, [self.utility])]

    @property
    def states(self) -> dict[str, str]:
        """The state of each system that is judged: neither controls nor unprotected speech."""
        judged = (row for row in self.rows if row.state not in (CONTROL, UNPROTECTED))
        return {row.system: row.state for row in judged}


class Verdict(NamedTuple):
    """The verdict of a run; ``absent`` says why it has none.

    ``sets`` are corpora. Without trial lists there is none.
    """

    sets: list[Judged]
    absent: str = ""

    @property
    def controls(self) -> set[str]:
        """Names of the controls."""
        return {*chain.from_iterable(judged.controls for judged in self.sets)}

    @property
    def answer(self) -> str:
        """The answer for all sets together: the worst one of each system."""
        return answer(worst_states(judged.states for judged in self.sets))

    @property
    def columns(self) -> list[Column]:
        """The columns of all sets, each once."""
        every = chain.from_iterable(judged.columns for judged in self.sets)
        return list({column.title: column for column in every}.values())


def no_verdict(why: str) -> Verdict:
    """What is shown in the place of a verdict."""
    return Verdict([], why)


def read_verdict(
    path: FilePath,
    *,
    numbers: Iterable[Number] = (),
    evaluated: Mapping[str, Evaluated] | None = None,
) -> Verdict:
    """Read verdict.json.

    Parameters
    ----------
    numbers : of the run; utility and inference are taken from them
    evaluated : {corpus: what was evaluated}

    Raises
    ------
    BadInput : it is of another version, or something is missing
    """
    numbers = list(numbers)
    with facts_of(path) as sets:
        known = evaluated or {}
        judged = [
            judged_of(own, facts, numbers, known.get(own, Evaluated()))
            for own, facts in sets.items()
        ]
        return Verdict(judged)


@contextlib.contextmanager
def facts_of(path: FilePath) -> Iterator[dict[str, Any]]:
    """The sets of verdict.json: {corpus: facts}.

    Raises
    ------
    BadInput : it is of another version, or what the block looks for is missing
    """
    content = read_json(path)
    try:
        if content.get("format") != FORMAT:
            raise BadInput(f"its format is {content.get('format')}, not {FORMAT}")
        yield content["sets"]
    except (BadInput, *foreign.UNEXPECTED) as error:
        reason = error if isinstance(error, BadInput) else repr(error)
        raise BadInput(f"{path}: not a verdict of this version ({reason})") from None


def judged_of(
    name: str,
    facts: Mapping[str, Any],
    numbers: Iterable[Number] = (),
    evaluated: Evaluated = Evaluated(),  # noqa: B008 - it cannot be changed
) -> Judged:
    """One set of verdict.json in rows and sentences, with what else ``numbers`` say of it."""
    of_corpus = [
        number
        for number in numbers
        if (number.corpus, number.trials) == (name, ABSENT) and number.value != UNDEFINED
    ]
    utility, utilities = _utility_of(of_corpus)
    inferred = {}
    for attribute in ATTRIBUTES:
        column = Column(*(text.format(attribute) for text in INFERRED))
        if recognised := _inferred(column.key, of_corpus):
            inferred[column] = recognised
    systems = [(ORIGINAL, UNPROTECTED, facts["unprotected"])] if facts["unprotected"] else []
    for system in sorted(facts["systems"], key=lambda one: _order(one, facts)):
        own = facts["systems"][system]
        state = CONTROL if system in facts["controls"] else own["state"]
        systems.append((system, state, own))
    said = facts.get(SAID.key, {})
    # Words of transcripts are the same in all systems.
    of_all = said.get(ORIGINAL, {}) if list(said) == [ORIGINAL] else {}
    rows = []
    for system, state, own in systems:
        law = [Cell(*limits(own[column.key])) for column in LAW]
        law += [of_systems.get(system, Cell(DASH)) for of_systems in inferred.values()]
        if said:
            law.append(Cell(*limits(said.get(system, of_all).get(RIGHT.key))))
        rows.append(
            Row(
                foreign.line(system, "systems"),
                state,
                STATES[state][0],
                "" if state == CONTROL else relation(own, facts["unprotected"]),
                Cell(*limits(own[RIGHT.key])),
                _line(own[RIGHT.key]),
                law,
                utilities.get(system, Cell(DASH)) if utility else None,
            )
        )
    sentences = notes(facts, evaluated.names)
    if utility and utility_group(utility.key) == WORDS and ORIGINAL in utilities:
        percent = utilities[ORIGINAL].text
        if float(percent) > MISHEARD_PERCENT and METRICS[utility.key].better == "lower":
            sentences.warnings.append(MISHEARD.format(percent))
    single = (name, sentences.control, sentences.not_tried)
    several = (*sentences.why, *sentences.releases, *sentences.steps, *sentences.warnings)
    for text in (*single, *several):
        foreign.line(text, "sets")
    law_columns = [*LAW, *inferred, *([SAID] if said else [])]
    controls = list(facts["controls"])
    return Judged(name, evaluated.speech, law_columns, utility, rows, sentences, controls)


def _line(right):
    if right is None:
        return []
    return [100 * max(0.0, value - CHANCE_OF_20) / (100 - CHANCE_OF_20) for value in right]


def _order(system, facts):
    """Least evidence first, controls last; where few speakers are judged, by name."""
    percent = facts["systems"][system]["evidence_percent"]
    judged = [own["exposed"]["of"] for own in facts["systems"].values() if own["exposed"]]
    is_chance = min(judged, default=0) < FEWEST_ORDERED
    evidence = 0.0 if is_chance or not percent else percent[0]
    return system in facts["controls"], percent is None, evidence, system


def _utility_of(numbers):
    """The measure of a corpus by which one chooses, and {system: Cell}."""
    measures: dict[str, dict[str, Cell]] = {}
    for number in numbers:
        if number.extractor == ABSENT and number.metric in METRICS and is_headline(number.metric):
            cell = _cell(number.metric, shown_number(number))
            measures.setdefault(number.metric, {})[number.anonymiser] = cell
    best = min(measures, key=utility_preference, default="")
    if not best:
        return None, {}
    title, unit, better = METRICS[best].title, METRICS[best].unit, METRICS[best].better
    meaning = f"What the speech is still good for. {METRICS[best].meaning}"
    if utility_group(best) == WORDS and better == "lower":
        title = "words misheard"  # by which recogniser, the meaning says
    title = f"{title[:1].upper()}{title[1:]}{unit and f', {unit}'} ({better} is better)"
    return Column(best, title, "", meaning), measures[best]


def _inferred(metric, numbers):
    """What the strongest attack recognises, by system."""
    strongest = {}
    for number in numbers:
        if number.metric == metric:
            shown = shown_number(number)
            known = strongest.setdefault(number.anonymiser, shown)
            strongest[number.anonymiser] = max(known, shown, key=lambda one: one.value)
    cells = {}
    for system, shown in strongest.items():
        text, between = limits([shown.value, *(shown.limits or (shown.value, shown.value))])
        cells[system] = Cell(text, between if shown.limits else "")
    return cells


def _cell(measure, value):
    form = f"{{:z.{METRICS[measure].digits}f}}".format
    between = f"[{form(value.limits[0])}, {form(value.limits[1])}]" if value.limits else ""
    return Cell(form(value.value), between)
