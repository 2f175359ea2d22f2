"""The comparison as plain text for a terminal of 100 columns."""

import itertools
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from voiceprivacy.catalogue import COLUMNS as ALL_COLUMNS
from voiceprivacy.catalogue.shown import BY_DEFINITION, SHORT_EXPLAINED
from voiceprivacy.report.answer import rank_answers, what_was_run
from voiceprivacy.report.comparison import NO_ORDER, System, about_draws, strongest_attacks
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.typeset import listed
from voiceprivacy.report.uncertainty import NONE, NULL, Comparisons
from voiceprivacy.report.verdict import (
    NOT_GIVEN,
    Judged,
    Verdict,
    no_verdict,
)
from voiceprivacy.report.verdict_words import OF_SETS, QUESTION, RELATIONS, RIGHT, UNPROTECTED
from voiceprivacy.vocabulary import DAGGER, ORIGINAL, UNDEFINED

WIDTH = 100
NAME_WIDTH = 12
HEAD_WIDTH = 10
MOST_LINES = 14  # of the verdict on one system
LINES_OF_ONE_MORE = 3  # beside its row; one is for why
MOST_LINES_OF = {  # its paragraphs, what must be read first
    "Why": 4,
    "Warning": 2,
    "Not tried": 2,
    "Control": 3,
    "Next": 3,
    "Check": 1,
    "Releases": 3,
}
MANY = 1000  # lines
MORE = "[...]"  # is on the page
LEFT_OUT = "Left out"
ATTACK_WIDTH = 13
MOST_SYSTEMS = 30
CORRECTED = (
    "zero evid.: D_ECE up to there, by definition, is no more than permuted speakers give. With few"
    " speakers minCllr, D_ECE and ranks show more than there is; their intervals are corrected for"
    " it, and so is a number that would lie outside of its own."
)
TABLES = "Each attack by itself, with intervals: voiceprivacy show"
OTHER_NUMBERS = (
    "These tables have each attack by itself, calibrated on the trials that it is judged on. The"
    " verdict's attacker learns from all attacks on other persons."
)
DEFINED = f"definition: the number of metrics.tsv, {BY_DEFINITION}, where a corrected one is shown."
UNDEFINED_SHORT = "undef."
DEFINITION_ROW = f"{'':<{NAME_WIDTH}}   definition"
COLUMNS = [column for column in ALL_COLUMNS if not column.optional]
UNITS = [f"{column.unit} {column.arrow}".strip() for column in COLUMNS]
NUMBER_WIDTHS = [
    max(7, len(column.short) + 1, len(unit) + 1)
    for column, unit in zip(COLUMNS, UNITS, strict=True)
]


def summary(
    systems: Sequence[System],
    comparisons: Comparisons = NONE,
    numbers: Iterable[Number] = (),
    verdict: Verdict = no_verdict(NOT_GIVEN),  # noqa: B008 - it cannot be changed
    *,
    brief: bool = False,
) -> list[str]:
    """What was run, the verdict, and a table for each corpus and attacker, as lines of text.

    The tables show the mean over the trial lists. Of a run without trial lists, ``numbers`` give
    the answer. ``brief`` leaves the tables out.
    """
    numbers = list(numbers)
    lines = _wrapped(what_was_run(systems, numbers, verdict.controls))
    if systems:
        lines += verdict_lines(verdict)
    else:
        answers = rank_answers(numbers)
        for name, answer in answers.items():
            lines += ["", *_wrapped(f"{name}: {answer}" if len(answers) > 1 else answer)]
    if brief:
        return [*lines, "", *_wrapped(TABLES)] if systems else lines
    shown = systems
    # A terminal shows some tens of lines at once; the page has them all.
    if len(systems) > MOST_SYSTEMS:
        strongest = strongest_attacks(systems)
        shown = [
            system for system in systems if system is strongest[system.corpus, system.anonymiser]
        ]
        lines += [
            "",
            "Of many systems, the strongest attack on each anonymiser; all are in the report.",
        ]
    attackers = itertools.groupby(
        shown, key=lambda system: (system.corpus, system.attacker, system.mean_label)
    )
    for _, group in attackers:
        lines += ["", *_table(list(group))]
    if systems:
        lines += ["", "↑ ↓: which way means more privacy."]
    if verdict.sets:
        lines += _wrapped(OTHER_NUMBERS)
    for sentence in about_draws(shown):
        lines += _wrapped(sentence)
    if comparisons != NONE:
        lines += _wrapped(CORRECTED)
    if any(system.has_few_speakers for system in shown):
        lines += _wrapped(NO_ORDER)
    if any(DAGGER in line for line in lines):
        lines += _wrapped(SHORT_EXPLAINED)
    if any(line.startswith(DEFINITION_ROW) for line in lines):
        lines += _wrapped(DEFINED)
    return lines


def verdict_lines(verdict: Verdict) -> list[str]:
    """The verdict of a run: a line for each system, then sentences."""
    lines = ["", verdict.absent] if verdict.absent else []
    if len(verdict.sets) > 1:
        lines += ["", *_wrapped(f"{QUESTION} {verdict.answer} {OF_SETS.format(len(verdict.sets))}")]
    for judged in verdict.sets:
        lines += ["", *lines_of_set(judged)]
    return lines


def lines_of_set(judged: Judged, *, spare: int = 0, whole: bool = False) -> list[str]:
    """The verdict on one set: a line for each system, and what it means.

    Paragraphs without room are named alone; ``spare`` lines are left free. ``whole`` has them all.
    """
    shown = [column for column in judged.columns if column.short]
    table = [("", "", RIGHT.short, "than unprotected", *(column.short for column in shown[1:]))]
    for row in judged.rows:
        numbers = zip(judged.columns, (row.right, *row.law), strict=False)
        cells = [f"{cell.text} {cell.limits}".strip() for column, cell in numbers if column.short]
        words = RELATIONS[row.relation][0] if row.relation else ""
        name = UNPROTECTED if row.state == UNPROTECTED else row.system
        table.append((name, row.words.upper(), cells[0], words, *cells[1:]))
    notes = judged.notes
    own = "" if judged.speech else f"{judged.name}:"
    chances = dict.fromkeys(column.chance for column in shown)
    by_chance = f"(In %. By chance: {', '.join(chances)}.)"
    steps = [f"{number}. {step}." for number, step in enumerate(notes.steps, start=1)]
    head = [
        *_wrapped(judged.speech),
        *_wrapped(" ".join(filter(None, [own, QUESTION, notes.answer, by_chance]))),
    ]
    paragraphs = {
        "Why": notes.why,
        "Control": [notes.control],
        "Releases": notes.releases,
        "Not tried": [notes.not_tried],
        "Warning": notes.warnings,
        "Check": [notes.check],
        "Next": steps,
    }
    if whole:
        texts = [headed(title, own, most=MANY) for title, own in paragraphs.items() if any(own)]
        return [*head, *columns(table), *itertools.chain.from_iterable(texts)]
    n_more = max(len(judged.rows) - 2, 0)  # systems, each with a row and lines of its own
    room = MOST_LINES - spare - len(head) - len(columns(table[:3])) + LINES_OF_ONE_MORE * n_more
    most = MOST_LINES_OF | {"Why": MOST_LINES_OF["Why"] + n_more}
    return [*head, *columns(table), *_fitted(paragraphs, most, room)]


def _fitted(
    paragraphs: Mapping[str, Sequence[str]], most_lines: Mapping[str, int], room: int
) -> list[str]:
    """Paragraphs of whole sentences in so many lines, and the titles of those without room."""
    given = [title for title in most_lines if any(paragraphs[title])]
    shown: dict[str, list[str]] = {}
    for n_reserved in (0, 1):
        shown.clear()
        left = room - n_reserved
        for title in given:
            most = min(most_lines[title], left)
            if title == given[0] or _whole_sentences(paragraphs[title], most):
                shown[title] = headed(title, paragraphs[title], most=most)
                left -= len(shown[title])
        if len(shown) == len(given):
            break
    missing = [title for title in paragraphs if title in given and title not in shown]
    said = headed(LEFT_OUT, [f"{listed(missing)}."]) if missing else []
    in_order = [shown[title] for title in paragraphs if title in shown]
    return [*itertools.chain.from_iterable(in_order), *said]


def is_shortened(lines: Iterable[str]) -> bool:
    """Whether lines on a set leave something out."""
    return any(MORE in line or line.startswith(LEFT_OUT) for line in lines)


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of texts, each column as wide as it has to be; names for which no room is left are
    above their rows."""
    _, *widths = (max(map(len, texts)) for texts in zip(*rows, strict=True))
    room = WIDTH - sum(2 + width for width in widths)
    fitting = max((len(name) for name, *_ in rows if len(name) <= room), default=0)
    lines = []
    for name, *cells in rows:
        if len(name) > fitting:
            lines += _wrapped(name)
            name = ""
        lines.append("  ".join(map(str.ljust, [name, *cells], [fitting, *widths])).rstrip())
    return lines


def headed(title: str, sentences: Sequence[str], *, most: int = 3) -> list[str]:
    """A paragraph beside its title, of as many whole sentences as some lines hold, but one at
    least; nothing where there is no text."""
    lines = _whole_sentences(sentences, most) or textwrap.wrap(
        _plain(sentences[0]) if sentences else "",
        WIDTH - HEAD_WIDTH,
        max_lines=most,
        placeholder=f" {MORE}",
    )
    heads = [title, *[""] * len(lines)]
    return [f"{head:<{HEAD_WIDTH}}{line}" for head, line in zip(heads, lines, strict=False)]


def _whole_sentences(sentences: Sequence[str], most: int) -> list[str]:
    """So many lines, at most, of whole sentences; none where they have no room for the first."""
    plain = [_plain(sentence) for sentence in sentences]
    for n_shown in range(len(plain), 0, -1):
        more = [MORE] if n_shown < len(plain) else []
        lines = textwrap.wrap(" ".join([*plain[:n_shown], *more]), WIDTH - HEAD_WIDTH)
        if len(lines) <= most:
            return lines
    return []


def _plain(sentence: str) -> str:
    return sentence.replace("`", "").strip()


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH)


def _table(systems: Sequence[System]) -> list[str]:
    first = systems[0]
    lines = [
        *_wrapped(f"{first.corpus}, {first.attacker}, {first.mean_label}"),
        _line("", "attack", [column.short for column in COLUMNS]),
        _line("", "", UNITS),
    ]
    for anonymiser, rows in itertools.groupby(systems, key=lambda system: system.anonymiser):
        name = UNPROTECTED if anonymiser == ORIGINAL else anonymiser
        if len(name) > NAME_WIDTH:  # on a line of its own, so that columns stay below each other
            lines.append(name)
            name = ""
        for system in rows:
            shown = [system.shown(system.mean_label, column.name) for column in COLUMNS]
            cells = [
                column.text(number.value) for column, number in zip(COLUMNS, shown, strict=True)
            ]
            lines.append(_line(name, system.attack, cells))
            lines += _uncertainty(system)
            name = ""  # once for all rows of an anonymiser
    return lines


def _uncertainty(system: System) -> list[str]:
    """Lines below a system: limits, definitions' values, and up to where D_ECE is no evidence."""
    band = system.mean.numbers[NULL].value
    low, high, definitions = [], [], []
    for column in COLUMNS:
        number = system.shown(system.mean_label, column.name)
        low.append(column.text(number.limits[0]) if number.limits else "")
        mark = system.mean.mark(column)
        high.append(column.text(number.limits[1]) + mark if number.limits else "")
        definitions.append(number.definition_text(column.text))
    lines = []
    if any(low):
        lines += [_line("", "  95 % from", low), _line("", "  95 % to", high)]
    if any(definitions):
        lines.append(_line("", "  definition", definitions))
    if band is not None:
        cells = [column.text(band) if column.name == "dece_bit" else "" for column in COLUMNS]
        lines.append(_line("", "  zero evid.", cells))
    return lines


def _line(name: str, attack: str, cells: Iterable[str]) -> str:
    texts = []
    for cell, width in zip(cells, NUMBER_WIDTHS, strict=True):
        texts.append(f"{UNDEFINED_SHORT if cell == UNDEFINED else cell:>{width}}")
    return f"{name:<{NAME_WIDTH}} {attack:<{ATTACK_WIDTH}}{''.join(texts)}".rstrip()
