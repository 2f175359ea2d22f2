"""Everything on the leaderboard as tables and as references.

| file | a row for each |
|---|---|
| ``board.tsv`` | system under a protocol, as the tables of the pages show it |
| ``results.tsv`` | metric of an attack under one condition |
| ``utility.tsv`` | number of utility |
| ``history.tsv`` | revision of a system |
| ``leaderboard.bib`` | system and attacker |
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from voiceprivacy.inout.tables import write_table
from voiceprivacy.tools.exchange.cells import number_of
from voiceprivacy.tools.exchange.records import Attacker, Number, Repository, System, Text
from voiceprivacy.tools.exchange.standings import (
    Board,
    Standing,
    revisions,
)
from voiceprivacy.vocabulary import ABSENT

NUMBER = ["value", "ci_low", "ci_high", "not_reported"]
RESULT = ["system", "revision", "protocol", "attacker", "attacker_revision"]
MEASURED = ["tier", "laboratory"]
BOARD = [*RESULT, "counted", "condition", "eer_percent", *NUMBER[1:], *MEASURED]
RESULTS = [*RESULT, "condition", "metric", *NUMBER, *MEASURED]
UTILITY = [*RESULT[:3], "metric", "definition", "model", "model_revision", "data", *NUMBER]
HISTORY = ["system", "revision", "n_protocols", "n_attacks", "laboratories"]
SPECIAL = re.compile(r"[{}$&#_%]")  # of TeX: written with a backslash
REFUSED = re.compile(r"[\\^~]")  # of TeX: no backslash makes a letter of them
LINK = re.compile(r"https?://[A-Za-z0-9._~:/?=&+,;@%#-]{1,500}")


def write_downloads(repository: Repository, boards: Sequence[Board], folder: Path) -> list[str]:
    """Write the tables and the references; their names, in the order of the page."""
    tables = {
        "board.tsv": (BOARD, _board_rows(boards)),
        "results.tsv": (RESULTS, _result_rows(repository)),
        "utility.tsv": (UTILITY, _utility_rows(boards)),
        "history.tsv": (HISTORY, _history_rows(boards)),
    }
    for name, (columns, rows) in tables.items():
        write_table(folder / name, columns, rows)
    references = [reference(system) for system in repository.systems.values()]
    references += [reference(attacker) for attacker in repository.attackers.values()]
    (folder / "leaderboard.bib").write_text("\n".join(references), encoding="utf-8")
    return [*tables, "leaderboard.bib"]


def reference(record: System | Attacker) -> str:
    """A record as an entry of BibTeX; what nobody reported is left out."""
    kind = type(record).__name__
    links = [link for link in (record.paper, record.code) if _is_link(link)]
    fields = {
        "title": f"{{{_tex(record.title)}}}",
        "year": record.year,
        "howpublished": f"\\url{{{links[0]}}}" if links else None,
        "note": f"{kind} {_tex(record.name)}, revision {_tex(record.revision)}",
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return f"@misc{{{record.name}:{record.revision},\n" + ",\n".join(lines) + "\n}\n"


def _is_link(text: Text) -> bool:
    return isinstance(text, str) and bool(LINK.fullmatch(text))


def _tex(text: str) -> str:
    return SPECIAL.sub(r"\\\g<0>", REFUSED.sub(" ", text))


def _number(number: Number) -> list:
    missing = ABSENT if number.not_reported is None else number.not_reported
    shown = [number.value, number.low, number.high]
    return [*(ABSENT if value is None else value for value in shown), missing]


def _board_rows(boards: Iterable[Board]) -> Iterator[list]:
    for board in boards:
        for standing in board.newest:
            yield _board_row(standing)


def _board_row(standing: Standing) -> list:
    attack = standing.headline or standing.claimed
    names = [standing.system, standing.revision, standing.protocol]
    if attack is None:
        unreported = [one.number for one in standing.all_attacks if one.number.not_reported]
        reason = unreported[0].not_reported if unreported else ABSENT
        return [*names, *[ABSENT] * 7, reason, ABSENT, ABSENT]
    result = attack.result
    counted = "yes" if standing.headline else "no"
    attacked = [result.attacker, result.attacker_revision, counted, attack.condition]
    return [*names, *attacked, *_number(attack.number), attack.tier, result.laboratory]


def _result_rows(repository: Repository) -> Iterator[list]:
    for result in repository.results:
        names = [getattr(result, name) for name in RESULT]
        measured = [result.tier, result.laboratory]
        for condition, metrics in result.conditions.items():
            for metric, number in metrics.items():
                yield [*names, condition, metric, *_number(number), *measured]


def _utility_rows(boards: Iterable[Board]) -> Iterator[list]:
    for board in boards:
        for standing in board.all:
            names = [standing.system, standing.revision, standing.protocol]
            for line in standing.utility:
                told = [line.definition, line.model, line.revision, line.data]
                texts = [text if isinstance(text, str) else ABSENT for text in told]
                yield [*names, line.metric, *texts, *_number(number_of(line))]


def _history_rows(boards: Sequence[Board]) -> Iterator[list]:
    for one in revisions(boards):
        laboratories = "; ".join(one.laboratories)
        yield [one.system, one.revision, one.n_protocols, one.n_attacks, laboratories]
