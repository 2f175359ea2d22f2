"""The rounds of an evening beside each other, on a terminal and as a small page of their own.

The page lies beside the table of rounds, not in the report: the report is the same for the same
inputs, whatever was tried before.
"""

import datetime
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import jinja2

from voiceprivacy.catalogue import METRICS
from voiceprivacy.errors import BadInput
from voiceprivacy.privacy.changes import Change, Kept, changes
from voiceprivacy.report.terminal import columns, headed
from voiceprivacy.report.typeset import write_text
from voiceprivacy.report.verdict_words import LAW, STATES, difference_cell, limits
from voiceprivacy.tools.rounds import RoundOfSystem, keep_round, read_kept, read_rounds
from voiceprivacy.vocabulary import ABSENT, DASH, SCRIPTS

PAGE = "history.html"
TEMPLATE = SCRIPTS.parent / "workflow" / "report" / "history.html.j2"
TITLES = ("round", "finished", "state", LAW[0].short, "since the last", "since the best")
MEANING = (
    "In %, with 95 % limits; differences are paired, speaker by speaker. The best is the round"
    " before with the least evidence. With many rounds the best is partly luck: try it on other"
    " speakers."
)


class SystemHistory(NamedTuple):
    """All rounds of a system: ``rows`` have a cell below each of ``titles``."""

    name: str
    titles: Sequence[str]
    rows: Sequence[Sequence[str]]


def keep(results: Path) -> list[str]:
    """Keep the state of a finished run, and write the page; a line where there are several rounds.

    Rounds are of no use to the run itself: what is wrong with them is said and stops nothing.
    """
    try:
        rounds = keep_round(results, now=datetime.datetime.now().astimezone())
        if not rounds:
            return []
        write_history(results)
    except (BadInput, OSError) as error:
        return [f"This round is not kept: {error}"]
    number = rounds[-1].round
    return [f"Round {number}: voiceprivacy history shows all, and {results / PAGE}"][: number - 1]


def history_lines(results: Path) -> list[str]:
    """All rounds of a folder of results as lines of text for a terminal.

    Raises
    ------
    BadInput : there are none, or a file of them is none
    """
    lines: list[str] = []
    rounds = read_rounds(results)
    for system in histories(results, rounds):
        lines += [system.name, *columns([system.titles, *system.rows]), ""]
    for number, changed in edited(rounds):
        lines += headed(f"Round {number}", [changed])
    return [*lines, *headed("", [MEANING])]


def write_history(results: Path) -> None:
    """Write the page of all rounds of a folder of results; BadInput as ``history_lines``."""
    rounds = read_rounds(results)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATE.parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template(TEMPLATE.name).render(
        systems=histories(results, rounds), edited=edited(rounds), meaning=MEANING
    )
    write_text(results / PAGE, page + "\n")


def edited(rounds: Iterable[RoundOfSystem]) -> list[tuple[int, str]]:
    """(round, what was edited before it), where that is known."""
    known = {line.round: line.changed for line in rounds if line.changed != ABSENT}
    return list(known.items())


def histories(results: Path, rounds: Sequence[RoundOfSystem]) -> list[SystemHistory]:
    """The rounds of each system, in the order in which systems came."""
    of_systems: dict[tuple[str, str], list[RoundOfSystem]] = {}
    for line in rounds:
        of_systems.setdefault((line.corpus, line.system), []).append(line)
    has_dates = len({line.time[:10] for line in rounds}) > 1
    several_sets = len({line.corpus for line in rounds}) > 1
    compared = _Compared(results)
    shown = []
    for (corpus, system), lines in of_systems.items():
        utility = lines[-1].utility
        titles = [*TITLES, METRICS[utility].title if utility in METRICS else ""]
        rows = [_row(index, lines, compared, has_dates=has_dates) for index in range(len(lines))]
        name = f"{system} ({corpus})" if several_sets else system
        shown.append(SystemHistory(name, titles, rows))
    return shown


class _Compared:
    """Paired differences of rounds; each file is read once."""

    def __init__(self, results: Path) -> None:
        self.results = results
        self._kept: dict[int, Kept] = {}
        self._changes: dict[tuple[int, int], list[Change]] = {}

    def difference(self, before: RoundOfSystem, now: RoundOfSystem) -> str:
        """The difference of a system between two rounds as text; a dash where there is none."""
        key = before.round, now.round
        if key not in self._changes:
            try:
                self._changes[key] = changes(*map(self._of_round, key))
            except BadInput:  # other speakers or recordings
                self._changes[key] = []
        for change in self._changes[key]:
            corpus = change.trial_list.partition("/")[0]
            if (corpus, change.system) == (now.corpus, now.system):
                return difference_cell(change.difference)
        return DASH

    def _of_round(self, number: int) -> Kept:
        if number not in self._kept:
            self._kept[number] = read_kept(self.results, number)
        return self._kept[number]


def _row(
    index: int, lines: Sequence[RoundOfSystem], compared: _Compared, *, has_dates: bool
) -> list[str]:
    """The cells of a round of a system; ``lines`` are all its rounds."""
    now, before = lines[index], lines[:index]
    known = None
    if now.evidence_percent is not None and now.ci_low is not None and now.ci_high is not None:
        known = (now.evidence_percent, now.ci_low, now.ci_high)
    since_last = since_best = ""
    if before:
        since_last = compared.difference(before[-1], now)
        since_best = _since_best(before, now, compared)
    finished = now.time[: len("2026-11-29T23:05")].replace("T", " ")
    words = STATES[now.state][0] if now.state in STATES else now.state
    evidence = " ".join(filter(None, limits(known)))
    if not has_dates:
        finished = finished.partition(" ")[2]
    value = "" if now.value == ABSENT else now.value
    return [str(now.round), finished, words, evidence, since_last, since_best, value]


def _since_best(before: Sequence[RoundOfSystem], now: RoundOfSystem, compared: _Compared) -> str:
    """The difference from the round before with the least evidence, of those that are compared."""
    measured = [line for line in before if line.evidence_percent is not None]
    for best in sorted(measured, key=lambda line: line.evidence_percent or 0.0):
        if (difference := compared.difference(best, now)) != DASH:
            return f"{difference} (round {best.round})"
    return DASH
