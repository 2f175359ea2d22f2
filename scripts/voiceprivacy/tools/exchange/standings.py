"""Which attack counts: the headline of a system, and what stands apart from it.

Conventions
-----------
* The headline of a system under a protocol is its strongest trusted attack at tier B:
  the lowest equal error rate, folded at 50 %. Condition oo attacks nobody.
* Numbers without evidence (tier A) stand apart. They are never a headline, however strong.
* The board shows the newest revision of a system that was tried under a protocol. The pages of
  systems have all of them. Which of two revisions is newer, their numbers say: 2 before 10.
* An attack is not trusted where its controls speak against it. It is flagged where its attacker
  learnt from data of the protocol.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from voiceprivacy.inout.files import BadInput
from voiceprivacy.report.comparison import folded, folded_limits
from voiceprivacy.tools.exchange.records import (
    UNATTACKED,
    Number,
    Repository,
    Result,
    Utility,
    distrust,
    overlap,
)
from voiceprivacy.tools.exchange.repository import path_of

EER_NAME = "eer_percent"
CLAIMED = "A"  # the tier of numbers without evidence


class Attack(NamedTuple):
    """One attack under one condition, as the board sees it.

    ``number`` is the folded equal error rate with its limits, if there is one. ``doubt`` says
    why it is not trusted, ``overlap`` which of its training data the protocol is made of.
    """

    result: Result
    condition: str
    tier: str
    number: Number
    doubt: str
    overlap: tuple[str, ...]

    @property
    def counts(self) -> bool:
        """Whether it can be a headline."""
        return self.number.value is not None and self.tier != CLAIMED and not self.doubt

    @property
    def attacker(self) -> str:
        """Who attacks, with the revision."""
        return f"{self.result.attacker}@{self.result.attacker_revision}"


class Standing(NamedTuple):
    """A revision of a system under a protocol.

    ``headline`` is the attack that counts, ``claimed`` the strongest one at tier A; None where
    there is none. ``unattacked`` are the numbers of original speech.
    """

    system: str
    revision: str
    protocol: str
    headline: Attack | None
    claimed: Attack | None
    attacks: tuple[Attack, ...]
    unattacked: tuple[Attack, ...]
    utility: tuple[Utility, ...]

    @property
    def all_attacks(self) -> tuple[Attack, ...]:
        """The attacks, and the numbers of original speech."""
        return (*self.attacks, *self.unattacked)


class Revision(NamedTuple):
    """A revision of a system in the history, and what is known of it."""

    system: str
    revision: str
    n_protocols: int
    n_attacks: int
    laboratories: list[str]


class Board(NamedTuple):
    """All that is known under a protocol: one standing for each revision of each system.

    ``counted`` have a headline, from much privacy to little; ``apart`` have none.
    """

    protocol: str
    counted: tuple[Standing, ...]
    apart: tuple[Standing, ...]
    all: tuple[Standing, ...]

    @property
    def newest(self) -> tuple[Standing, ...]:
        """The standings of the table, in its order."""
        return (*self.counted, *self.apart)


def order_of_revisions(revision: str) -> list[tuple[int, int, str]]:
    """By which revisions are sorted: numbers in them by what they say.

    >>> sorted(["10", "2", "2-b"], key=order_of_revisions)
    ['2', '2-b', '10']
    """
    parts = re.findall(r"\d+|\D+", revision)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]


def boards(repository: Repository) -> list[Board]:
    """The board of every protocol under which something was measured: the most systems first.

    Raises
    ------
    BadInput : a result names a system, an attacker or a protocol that is not there
    """
    for result in repository.results:
        _refuse_unknown(result, repository)
    by_protocol: dict[str, list[Result]] = {}
    for result in repository.results:
        by_protocol.setdefault(result.protocol, []).append(result)
    made = [_board(name, results, repository) for name, results in by_protocol.items()]
    return sorted(made, key=lambda board: (-len(board.counted), -len(board.newest), board.protocol))


def _refuse_unknown(result: Result, repository: Repository) -> None:
    named = {
        f"systems/{result.system}/{result.revision}": (result.system, result.revision)
        in repository.systems,
        f"attackers/{result.attacker}/{result.attacker_revision}": (
            (result.attacker, result.attacker_revision) in repository.attackers
        ),
        f"protocols/{result.protocol}": result.protocol in repository.protocols,
    }
    for name, is_there in named.items():
        if not is_there:
            raise BadInput(f"{repository.folder}/{path_of(result)}: there is no record of {name}")


def _board(protocol: str, results: Sequence[Result], repository: Repository) -> Board:
    by_revision: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        by_revision.setdefault((result.system, result.revision), []).append(result)
    standings = [_standing(group, repository) for group in by_revision.values()]
    newest: dict[str, Standing] = {}
    for standing in sorted(standings, key=lambda one: order_of_revisions(one.revision)):
        newest[standing.system] = standing
    counted = [standing for standing in newest.values() if standing.headline]
    apart = [standing for standing in newest.values() if not standing.headline]
    return Board(
        protocol,
        counted=tuple(sorted(counted, key=_by_privacy)),
        apart=tuple(sorted(apart, key=_by_privacy)),
        all=tuple(standings),
    )


def _by_privacy(standing: Standing) -> tuple[float, str]:
    attack = standing.headline or standing.claimed
    value = attack.number.value if attack else None
    return (1.0 if value is None else -value), standing.system


def _standing(results: Sequence[Result], repository: Repository) -> Standing:
    attacks: list[Attack] = []
    utility: dict[Utility, None] = {}
    for result in results:
        attacks += _attacks(result, repository)
        utility |= dict.fromkeys(result.utility)
    tried = tuple(attack for attack in attacks if attack.condition != UNATTACKED)
    first = results[0]
    claims = [attack for attack in tried if attack.tier == CLAIMED and not attack.doubt]
    return Standing(
        first.system,
        first.revision,
        first.protocol,
        headline=strongest(attack for attack in tried if attack.counts),
        claimed=strongest(claims),
        attacks=tried,
        unattacked=tuple(attack for attack in attacks if attack.condition == UNATTACKED),
        utility=tuple(utility),
    )


def _attacks(result: Result, repository: Repository) -> list[Attack]:
    """What a result says of each condition."""
    doubt = distrust(result) or ""
    attacker = repository.attackers[result.attacker, result.attacker_revision]
    learnt_from = overlap(attacker, repository.protocols[result.protocol])
    attacks = []
    for condition, metrics in result.conditions.items():
        number = _folded(metrics.get(EER_NAME, Number(None)))
        attacks.append(Attack(result, condition, result.tier, number, doubt, learnt_from))
    return attacks


def _folded(number: Number) -> Number:
    """An equal error rate that is never above 50 %, with its limits."""
    if number.value is None:
        return number
    if number.low is None or number.high is None:
        return Number(folded(number.value))
    limits = folded_limits((number.low, number.high))
    return Number(folded(number.value), *(limits or ()))


def strongest(attacks: Iterable[Attack]) -> Attack | None:
    """The attack with the lowest equal error rate; None of none."""
    measured = [
        (attack.number.value, index, attack)
        for index, attack in enumerate(attacks)
        if attack.number.value is not None
    ]
    return min(measured)[2] if measured else None


def attacks_of(standings: Iterable[Standing]) -> Iterator[Attack]:
    """All attacks of some standings, and the numbers of original speech."""
    for standing in standings:
        yield from standing.all_attacks


def revisions(boards: Sequence[Board]) -> list[Revision]:
    """The history: every revision that was measured, of each system the newest first."""
    by_revision: dict[tuple[str, str], list[Standing]] = {}
    for board in boards:
        for standing in board.all:
            by_revision.setdefault((standing.system, standing.revision), []).append(standing)
    rows = []
    for (system, revision), standings in by_revision.items():
        n_attacks = sum(len(standing.attacks) for standing in standings)
        laboratories = {attack.result.laboratory for attack in attacks_of(standings)}
        rows.append(Revision(system, revision, len(standings), n_attacks, sorted(laboratories)))
    rows.sort(key=lambda row: order_of_revisions(row.revision), reverse=True)
    return sorted(rows, key=lambda row: row.system)
