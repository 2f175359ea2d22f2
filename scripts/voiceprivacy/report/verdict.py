"""The verdict of a run as people read it: results/verdict.json in words and rows.

Conventions
-----------
* The room privacy judges; here nothing is judged, only written down. Who is better than whom,
  levels and sentences stand in the file.
* Values in the file are [value, lower limit, upper limit], or "undefined" with a reason.
* Every number of a row is the worst over all attacks for that number. An attack that differs from
  that of the row is named at the number.
* Unprotected speech is the first row. Then come the layers of the order, least evidence first, then
  those of which nothing can be said, then controls.
"""

import itertools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.catalogue import METRICS, is_headline, utility_preference
from voiceprivacy.inout import foreign
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.report.mailed import Codes, code_of
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.releases import released_numbers
from voiceprivacy.report.sections import titled
from voiceprivacy.report.uncertainty import BY_DEFINITION, TOO_FEW, Shown, shown_number
from voiceprivacy.report.verdict_words import (
    BELOW,
    COLUMNS,
    CONTROL,
    DECE,
    EER,
    EFFORTS,
    EVIDENCE,
    EXPOSED,
    IDENTIFIED,
    LEVELS,
    UNPROTECTED,
    Column,
    Headline,
    attack_words,
    disagreements,
    headline,
    levels_explained,
    other_attack,
    short_attack_words,
    spans_scale,
)
from voiceprivacy.vocabulary import ABSENT, DASH, ORIGINAL, UNDEFINED, attacker_name

FILE = "verdict.json"
MOST_OF_VERDICT = 200_000  # characters of the sentences of one set
NOTHING_TO_SAY = "cannot_say"
OLDER = "No verdict: made by an older version."
NOT_GIVEN = "No verdict: this page was written without a verdict.json (--verdict)."
NOT_ORDERED = "Systems of different runs are not ordered: they were not attacked on the same draws."


class Cell(NamedTuple):
    """A number as shown, the small lines below it, and what a pointer shows."""

    text: str
    interval: str
    notes: list[str]
    title: str


class Row(NamedTuple):
    """A system: ``level`` is one of LEVELS, ``detail`` the attack on it or why nothing is said.

    ``first_of_layer``: it is shown to leave more evidence than some system above.
    """

    system: str
    level: str
    detail: str
    cells: list[Cell]
    first_of_layer: bool

    @property
    def level_words(self) -> str:
        """The level as people read it."""
        return LEVELS[self.level][0]


class Effort(NamedTuple):
    """How hard it was attacked: [(who, words), ...] of each."""

    tried: list[tuple[str, str]]
    refused: list[tuple[str, str]]
    not_tried: list[tuple[str, str]]
    training: list[tuple[str, str]]
    strength: list[tuple[str, str]]


class Judged(NamedTuple):
    """One set of the verdict; ``refused`` are attackers that do not count: [(who, why), ...].

    ``headline`` says first what ``sentences`` say at length. ``unlearnt`` are those of them that
    say what attackers did not learn; ``warnings`` are not among them.
    ``floor`` is the smallest error rate of those who hear no voice, in percent; None without any.
    ``utility`` are sentences: who is on the front of privacy and utility, and what one pays.
    """

    name: str
    headline: Headline
    sentences: list[str]
    unlearnt: list[str]
    warnings: list[str]
    refused: list[tuple[str, str]]
    columns: list[Column]
    rows: list[Row]
    effort: Effort
    floor: float | None
    utility: list[str]

    @property
    def at_length(self) -> list[str]:
        """The sentences on systems."""
        return [sentence for sentence in self.sentences if sentence not in self.unlearnt]


class Verdict(NamedTuple):
    """The verdict of a run, which has a name beside another one; ``absent`` says why it has none.

    ``sets`` has averages first, then corpora; without trial lists there is none. ``levels`` are
    their words and meanings.
    """

    name: str
    sets: list[Judged]
    absent: str = ""
    levels: Mapping[str, tuple[str, str]] = LEVELS


def controls_of(verdicts: Iterable[Verdict]) -> set[str]:
    """Names of the controls, of several runs with @NAME, as the page calls them."""
    controls: set[str] = set()
    for verdict in verdicts:
        for judged in verdict.sets:
            names = [row.system for row in judged.rows if row.level == CONTROL]
            controls.update(f"{name}@{verdict.name}" if verdict.name else name for name in names)
    return controls


def no_verdict(why: str, name: str = "") -> Verdict:
    """What stands in the place of a verdict."""
    return Verdict(name, [], why)


def read_verdict(
    path: str | Path,
    *,
    name: str = "",
    numbers: Iterable[Number] = (),
    hours: Mapping[str, str] | None = None,
    codes: Mapping[str, Codes] | None = None,
) -> Verdict:
    """Read verdict.json.

    Parameters
    ----------
    name : of the run, beside another one
    numbers : of the run; utility is taken from them
    hours : {corpus: hours of its training speech, as text}
    codes : {corpus: {speaker: code}}; of other sets no speaker is named. None: all are named

    Raises
    ------
    BadInput : something is missing, or a level is none
    """
    content = read_json(path)
    numbers = list(numbers)
    try:
        levels = levels_explained(content["thresholds"])
        sets = [
            _judged(
                set_name,
                _with_codes(set_name, fields, codes),
                numbers,
                hours or {},
                content["thresholds"],
            )
            for set_name, fields in content["sets"].items()
        ]
        contrary = disagreements({one: own["better"] for one, own in content["sets"].items()})
    except (BadInput, *foreign.UNEXPECTED) as error:
        raise BadInput(f"{path}: not a verdict of this version ({error!r})") from None
    if sets:  # which is read first
        sets[0] = sets[0]._replace(warnings=[*contrary, *sets[0].warnings])
    return Verdict(name, sets, levels=levels)


def verdict_in(
    folder: str | Path,
    *,
    name: str,
    numbers: Iterable[Number] = (),
    codes: Mapping[str, Codes] | None = None,
) -> Verdict:
    """The verdict in a folder of results; those of an older version have none."""
    path = Path(folder) / FILE
    if not path.exists():
        return no_verdict(OLDER, name)
    return read_verdict(path, name=name, numbers=numbers, codes=codes)


def _judged(name, fields, numbers, hours, thresholds):
    sentences = split_sentences(foreign.line(fields["verdict"], name, most=MOST_OF_VERDICT))
    warnings = [foreign.line(warning, "warnings") for warning in fields["warnings"]]
    measures = fields.get("utility", {}).get("measures", {})
    utility = _utility_of(name, numbers, list(measures)) or _utility_of_average(measures)
    columns = [
        column for column in COLUMNS if column is not IDENTIFIED or _is_known(column, fields)
    ]
    if utility:
        columns = _with_utility(columns, utility)
    return Judged(
        name=name,
        headline=headline(fields, thresholds),
        sentences=sentences,
        unlearnt=[warning for warning in warnings if warning in sentences],
        warnings=[warning for warning in warnings if warning not in sentences],
        refused=[(who, foreign.line(why, who)) for who, why in fields["untrusted"].items()],
        columns=columns,
        rows=_rows(fields, columns, utility),
        effort=_effort(fields["effort"], hours),
        floor=_floor(fields.get("floors", {})),
        utility=[
            foreign.line(line, "utility") for line in fields.get("utility", {"says": []})["says"]
        ],
    )


def _floor(floors):
    errors = [floor["eer_folded_percent"] for floor in floors.values()]
    return min((percent[0] for percent in errors if percent != UNDEFINED), default=None)


def _with_codes(name, fields, codes):
    """The fields of a set, in which exposed speakers are called as the page may call them."""
    if codes is None:
        return fields
    of_set, systems = codes.get(name), {}
    for system, numbers in fields["systems"].items():
        exposed = numbers.get("exposed_speakers", [])
        shown = sorted(code_of(speaker, of_set) for speaker in exposed) if of_set else []
        systems[system] = numbers | {"exposed_speakers": shown}
    return fields | {"systems": systems}


def _is_known(column, fields):
    """Whether any system of a set has a number."""
    systems = [fields["unprotected"] or {}, *fields["systems"].values()]
    return any(system.get(column.name, UNDEFINED) != UNDEFINED for system in systems)


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, which names and numbers do not break: no blank follows a dot there.

    >>> split_sentences("With b2, 8.6 % are left. b2 leaves less than b3.")
    ['With b2, 8.6 % are left.', 'b2 leaves less than b3.']
    """
    return [f"{sentence.removesuffix('.')}." for sentence in text.split(". ") if sentence]


# The table of a set.


def _rows(fields, columns, utility):
    systems, rows = fields["systems"], []
    if fields["unprotected"]:
        unprotected = fields["unprotected"] | {"evidence_left_percent": [100.0, 100.0, 100.0]}
        rows.append(_row(ORIGINAL, UNPROTECTED, unprotected, columns, utility))
    ordered = list(itertools.chain.from_iterable(fields["order"]))
    layers = {layer[0] for layer in fields["order"][1:]}
    controls = [system for system in systems if systems[system]["level"] is None]
    silent = [system for system in systems if system not in {*ordered, *controls}]
    for system in (*ordered, *silent, *controls):
        level = systems[system]["level"] or CONTROL
        row = _row(system, level, systems[system], columns, utility)
        starts = system in layers or system in (*silent[:1], *controls[:1])
        rows.append(row._replace(first_of_layer=starts))
    return rows


def _row(system, level, numbers, columns, utility):
    if level not in LEVELS:
        raise ValueError(f"level {level}")
    main = numbers["attack"]
    cells = []
    for column in columns:
        if column.name not in utility:
            cells.append(_cell(column, level, numbers, main))
        else:
            cells.append(utility[column.name].get(system, _unknown("")))
    detail = numbers.get("silence") or (short_attack_words(main) if main else "")
    return Row(system, level, detail, cells, first_of_layer=False)


def _cell(column, level, numbers, main):
    """A number of a system, with the attack that reaches it."""
    limits = numbers.get(column.name, UNDEFINED)
    if level == NOTHING_TO_SAY and column is EVIDENCE:
        return _unknown("nothing can be said")
    if limits == UNDEFINED:
        return _unknown(numbers["reasons"].get(column.name, ""))
    value, low, high = limits
    if level == UNPROTECTED and column is EVIDENCE:
        return Cell("100", "", [], "by definition")
    attack = numbers["attacks"].get(column.name)
    notes = [TOO_FEW] if spans_scale(column, limits) else []
    notes += _notes(column, numbers)
    if attack and main and attack != main:
        notes.append(other_attack(attack, main))
    title = attack_words(attack) if attack else ""
    if column is EXPOSED and numbers.get("exposed_speakers"):
        title += f"; named: {', '.join(numbers['exposed_speakers'])}"
    limits = _limits_text(column, low, high)
    return Cell(_text(column, value, high), limits, notes, title)


def _notes(column, numbers):
    """Small lines below a number: what it is to be held against, and numbers that go with it."""
    notes = []
    if column is DECE and numbers["dece_band_bit"] != UNDEFINED:
        within = ": no more than that" if numbers["within_band"] else ""
        notes.append(f"chance gives {_text(DECE, numbers['dece_band_bit'])}{within}")
    if column is EXPOSED and numbers.get("exposed_beyond_chance"):
        named = len(numbers["exposed_speakers"])
        notes.append(f"more than chance{f', {named} named' if named else ''}")
    for name, words in BELOW.get(column, ()):
        limits = numbers.get(name, UNDEFINED)
        if limits != UNDEFINED:
            notes.append(f"{words}: {_with_limits(column, limits)}")
        elif name in numbers["reasons"]:
            notes.append(f"{words}: {numbers['reasons'][name].partition(':')[0]}")
    return notes


def _unknown(reason):
    """A cell without a number; what the reason has before a colon stands below it."""
    return Cell(DASH, "", [reason.partition(":")[0]] if reason else [], reason)


def _text(column, value, high=None):
    """A value as people read it; where its upper limit is small, with one digit more."""
    reach = value if high is None else high
    return f"{value:z.{column.digits or int(reach < 9.5)}f}"


def _with_limits(column, limits):
    value, low, high = limits
    return f"{_text(column, value, high)} {_limits_text(column, low, high)}"


def _limits_text(column, low, high):
    return f"[{_text(column, low, high)}, {_text(column, high)}]"


# Utility beside it.


def _utility_of(name, numbers, preferred):
    """{measure: {system: Cell}} of a corpus: the measure by which one chooses.

    ``preferred`` are the measures of the verdict, which knows more of them than their names.
    """
    measures: dict[str, dict[str, Cell]] = {}
    of_corpus = [number for number in numbers if number.corpus == name]
    releases, _ = released_numbers(of_corpus, {})
    for number in releases:
        whole = (number.corpus, number.trials, number.extractor) == (name, ABSENT, ABSENT)
        if whole and number.value != UNDEFINED and is_headline(number.metric):
            cell = _utility_cell(number.metric, shown_number(number, {}))
            measures.setdefault(number.metric, {})[number.anonymiser] = cell
    known = [measure for measure in preferred if measure in measures]
    best = known[0] if known else min(measures, key=utility_preference, default=None)
    return {best: measures[best]} if best else {}


def _utility_of_average(measures):
    """The same of an average over corpora, which has its utility in the verdict alone."""
    for measure, drawn in measures.items():
        cells = {}
        for system, numbers in drawn["systems"].items():
            if numbers["value"] != UNDEFINED:
                value, low, high = numbers["value"]
                cells[system] = _utility_cell(measure, Shown(value, (low, high)))
        return {measure: cells}
    return {}


def _utility_cell(measure, value):
    form = f"{{:z.{_utility_digits(measure)}f}}".format
    brackets = f"[{form(value.limits[0])}, {form(value.limits[1])}]" if value.limits else ""
    definition = value.definition_text(form, f"{BY_DEFINITION} {{}}")
    return Cell(form(value.value), brackets, [definition] if definition else [], titled(measure))


def _utility_digits(measure):
    return METRICS[measure].digits if measure in METRICS else 2


def _with_utility(columns, utility):
    """Columns with that of utility; seven with the system's own, so D_ECE makes way."""
    [measure] = utility
    meaning = "What the speech is still good for; the section on utility has all measures."
    title, unit = titled(measure), METRICS[measure].unit if measure in METRICS else ""
    column = Column(
        measure, title[:1].upper() + title[1:], unit, _utility_digits(measure), 1, meaning
    )
    if len(columns) == len(COLUMNS):
        columns = [other for other in columns if other is not DECE]
    return [*columns, column]


# How hard it was attacked.


def _effort(effort, hours):
    training = []
    for attacker, kinds in effort["training"].items():
        words = [_training_words(kind, options, hours) for kind, options in kinds.items()]
        training.append((_who(attacker), "; ".join(words)))
    strength = []
    for attacker, limits in effort["eer_unprotected_percent"].items():
        strength.append((_who(attacker), f"{_with_limits(EER, limits)} %"))
    return Effort(
        tried=[(kind, EFFORTS.get(kind, "")) for kind in effort["tried"]],
        refused=[(kind, EFFORTS.get(kind, "")) for kind in effort["refused"]],
        not_tried=[(kind, EFFORTS.get(kind, "")) for kind in effort["not_tried"]],
        training=training,
        strength=strength,
    )


def _who(attacker):
    """An attacker of verdict.json, EXTRACTOR/BACKEND, in words."""
    return attacker_name(*attacker.split("/", 1))


def _training_words(kind, options, hours):
    speech = "original speech" if options["speech"] == ORIGINAL else f"{options['speech']} speech"
    amount = f", {hours[options['corpus']]} hours" if options["corpus"] in hours else ""
    return f"{kind}: {options['corpus']} ({speech}{amount})"
