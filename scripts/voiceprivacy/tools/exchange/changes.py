"""What a contribution changes: its systems beside the baseline and beside what stood there before.

Conventions
-----------
* It is Markdown for a comment. It holds names that follow our rules and numbers, no text of others.
* Before is the newest revision of the same system in the base, under the same protocol.
"""

from collections.abc import Mapping
from typing import NamedTuple

from voiceprivacy.catalogue import EER
from voiceprivacy.inout.files import counted
from voiceprivacy.tools.exchange.records import Repository
from voiceprivacy.tools.exchange.standings import Attack, Standing, boards
from voiceprivacy.vocabulary import DASH

BASELINE = "b2"
MOST_ROWS = 200  # of a comment


class Tried(NamedTuple):
    """A system under a protocol."""

    protocol: str
    system: str


def changes(base: Repository, proposed: Repository) -> list[str]:
    """The lines of a comment about a contribution.

    Parameters
    ----------
    base : what it is proposed for
    proposed : the same with the contribution, checked

    Raises
    ------
    BadInput : a result names a system, an attacker or a protocol that is not there
    """
    known = set(map(repr, base.results))
    new = [result for result in proposed.results if repr(result) not in known]
    if not new:
        return ["No result is new or changed."]
    before, now = _newest(base), _newest(proposed)
    rows = []
    for tried in sorted({Tried(result.protocol, result.system) for result in new}):
        baseline = now.get(Tried(tried.protocol, BASELINE))
        standings = (now[tried], before.get(tried), baseline)
        rows.append(" | ".join([tried.system, tried.protocol, *map(_shown, standings)]))
    lines = [
        f"{counted(len(new), 'result')} new or changed. EER in %, of the strongest trusted attack:",
        "",
        f"| system | protocol | now | before | {BASELINE} |",
        "|---|---|---|---|---|",
        *(f"| {row} |" for row in rows[:MOST_ROWS]),
    ]
    left_out = len(rows) - MOST_ROWS
    return [*lines, "", f"{counted(left_out, 'further row')}."] if left_out > 0 else lines


def _newest(repository: Repository) -> Mapping[Tried, Standing]:
    newest = {}
    for board in boards(repository):
        for standing in board.newest:
            newest[Tried(board.protocol, standing.system)] = standing
    return newest


def _shown(standing: Standing | None) -> str:
    attack = standing and (standing.headline or standing.claimed)
    if not standing or not attack:
        return DASH
    return f"{_number(attack)}, tier {attack.tier}, `{standing.revision}`"


def _number(attack: Attack) -> str:
    number = attack.number
    text = EER.text(number.value)
    if number.low is not None and number.high is not None:
        text += f" [{EER.text(number.low)}, {EER.text(number.high)}]"
    return f"{text} ({attack.condition} by `{attack.attacker}`)"
