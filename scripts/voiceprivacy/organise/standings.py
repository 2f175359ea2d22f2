"""Which attack counts: the headline of a system, and what stands apart from it.

Conventions
-----------
* The headline of a system under a protocol is its strongest trusted attack at tier B:
  the lowest equal error rate, folded at 50 %. Condition oo attacks nobody.
* Tier B is arithmetic: scores can be invented. So a headline takes only results of laboratories
  that the repository's owner lists.
* Numbers without evidence (tier A) stand apart. They are never a headline, however strong.
* The board shows the newest revision of a system that was tried under a protocol. The pages of
  systems have all of them. Which of two revisions is newer, their numbers say: 2 before 10.
* An attack is not trusted where its controls speak against it. It is flagged where its attacker
  learnt from data of the protocol.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from voiceprivacy.catalogue import EER
from voiceprivacy.inout.files import BadInput, counted
from voiceprivacy.organise.records import (
    UNATTACKED,
    Number,
    Repository,
    Result,
    Utility,
    distrust,
    overlap,
    path_of,
)
from voiceprivacy.report.comparison import folded, folded_limits
from voiceprivacy.vocabulary import DASH

EER_NAME = "eer_percent"
CLAIMED = "A"  # the tier of numbers without evidence
BASELINE = "b2"
MOST_ROWS = 200  # of a comment
UNLISTED = "the owner of this board does not list the laboratory"


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
    def is_trusted(self) -> bool:
        """Whether there is evidence of it, and nothing speaks against it."""
        return self.tier != CLAIMED and not self.doubt

    @property
    def unprotected(self) -> Number:
        """What the attacker finds in unprotected speech on the same list."""
        return _folded(self.result.conditions.get(UNATTACKED, {}).get(EER_NAME, Number(None)))

    @property
    def counts(self) -> bool:
        """Whether it can be a headline."""
        return self.number.value is not None and self.is_trusted

    @property
    def flags(self) -> list[str]:
        """What a reader must know of it."""
        flags = [f"learnt from data of this protocol: {name}" for name in self.overlap]
        return [*flags, *([f"not counted: {self.doubt}"] if self.doubt else [])]

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

    @property
    def shown(self) -> Attack | None:
        """The attack that the board shows."""
        return self.headline or self.claimed

    @property
    def unreported(self) -> Number | None:
        """A number that is not reported, with its reason; None where there is none."""
        numbers = (attack.number for attack in self.all_attacks)
        return next((number for number in numbers if number.not_reported), None)


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
    by_protocol: dict[str, dict[tuple[str, str], list[Result]]] = {}
    for result in repository.results:
        _refuse_unknown(result, repository)
        by_revision = by_protocol.setdefault(result.protocol, {})
        by_revision.setdefault((result.system, result.revision), []).append(result)
    made = []
    for protocol, by_revision in by_protocol.items():
        standings = [_standing(group, repository) for group in by_revision.values()]
        ordered = sorted(standings, key=lambda one: order_of_revisions(one.revision))
        newest = sorted({one.system: one for one in ordered}.values(), key=_by_privacy)
        counted = tuple(one for one in newest if one.headline)
        apart = tuple(one for one in newest if not one.headline)
        made.append(Board(protocol, counted, apart, tuple(standings)))
    return sorted(made, key=lambda board: (-len(board.counted), -len(board.newest), board.protocol))


def _refuse_unknown(result: Result, repository: Repository) -> None:
    system, attacker = (
        (result.system, result.revision),
        (result.attacker, result.attacker_revision),
    )
    for name, is_there in (
        (f"systems/{'/'.join(system)}", system in repository.systems),
        (f"attackers/{'/'.join(attacker)}", attacker in repository.attackers),
        (f"protocols/{result.protocol}", result.protocol in repository.protocols),
    ):
        if not is_there:
            raise BadInput(f"{repository.folder}/{path_of(result)}: there is no record of {name}")


def _by_privacy(standing: Standing) -> tuple[float, str]:
    value = standing.shown.number.value if standing.shown else None
    return (1.0 if value is None else -value), standing.system


def _standing(results: Sequence[Result], repository: Repository) -> Standing:
    attacks: list[Attack] = []
    utility: dict[Utility, None] = {}
    for result in results:
        doubt = distrust(result) or ""
        if result.tier != CLAIMED and result.laboratory not in repository.laboratories:
            doubt = doubt or UNLISTED
        attacker = repository.attackers[result.attacker, result.attacker_revision]
        learnt_from = overlap(attacker, repository.protocols[result.protocol])
        for condition, metrics in result.conditions.items():
            number = _folded(metrics.get(EER_NAME, Number(None)))
            attacks.append(Attack(result, condition, result.tier, number, doubt, learnt_from))
        utility |= dict.fromkeys(result.utility)
    tried = tuple(attack for attack in attacks if attack.condition != UNATTACKED)
    first = results[0]
    return Standing(
        first.system,
        first.revision,
        first.protocol,
        headline=strongest(attack for attack in tried if attack.counts),
        claimed=strongest(one for one in tried if one.tier == CLAIMED and not one.doubt),
        attacks=tried,
        unattacked=tuple(attack for attack in attacks if attack.condition == UNATTACKED),
        utility=tuple(utility),
    )


def _folded(number: Number) -> Number:
    """An equal error rate that is never above 50 %, with its limits."""
    if number.value is None:
        return number
    return Number(folded(number.value), *(folded_limits(number.limits) or ()))


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


# What a contribution changes, as Markdown for a comment: names that follow our rules and numbers,
# no text of others.


def changes(base: Repository, proposed: Repository) -> list[str]:
    """A contribution's systems beside the baseline, and beside the newest revision before it.

    Parameters
    ----------
    base : what it is proposed for
    proposed : the same with the contribution, checked

    Raises
    ------
    BadInput : a result names a system, an attacker or a protocol that is not there
    """
    old, new = ({path_of(one): one for one in both.results} for both in (base, proposed))
    kinds: dict[str, list[str]] = {"new": [], "changed": [], "removed": []}
    results = []
    for path, result in sorted((old | new).items()):
        if repr(old.get(path)) != repr(new.get(path)):
            kind = "new" if path not in old else "changed" if path in new else "removed"
            kinds[kind].append(path)
            results.append(result)
    if not results:
        return ["No result is new, changed or removed."]
    before, now = _newest(base), _newest(proposed)
    rows = []
    for tried in sorted({(result.protocol, result.system) for result in results}):
        standings = (now.get(tried), before.get(tried), now.get((tried[0], BASELINE)))
        rows.append(f"| {' | '.join([*tried[::-1], *map(_in_a_comment, standings)])} |")
    said = ", ".join(f"{len(paths)} {kind}" for kind, paths in kinds.items())
    lines = [
        f"Results: {said}. EER in %, of the strongest trusted attack:",
        *(f"* removed: `{path}`" for path in kinds["removed"][:MOST_ROWS]),
        "",
        f"| system | protocol | now | before | {BASELINE} |",
        "|---|---|---|---|---|",
        *rows[:MOST_ROWS],
    ]
    left_out = len(rows) - MOST_ROWS
    return [*lines, "", f"{counted(left_out, 'further row')}."] if left_out > 0 else lines


def _newest(repository: Repository) -> dict[tuple[str, str], Standing]:
    newest: dict[tuple[str, str], Standing] = {}
    for board in boards(repository):
        newest |= {(board.protocol, standing.system): standing for standing in board.newest}
    return newest


def _in_a_comment(standing: Standing | None) -> str:
    if not standing or not (attack := standing.shown):
        return DASH
    text = EER.text(attack.number.value)
    if limits := attack.number.limits:
        text += f" [{EER.text(limits[0])}, {EER.text(limits[1])}]"
    who = f"{attack.condition} by `{attack.attacker}`"
    rate = attack.unprotected.value
    unprotected = DASH if rate is None else EER.text(rate)
    told = f"{text} ({who}), unprotected {unprotected}, tier {attack.tier}"
    return f"{told}{'' if attack.counts else ', not counted'}, `{standing.revision}`"
