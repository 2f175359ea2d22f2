"""Which attack counts: the headline of a system, and what stands apart from it.

Conventions
-----------
* The headline of a system under a protocol is its strongest trusted attack at tier B:
  the lowest equal error rate, folded at 50 %. Condition oo attacks nobody.
* A rate is Kaldi's, or SpeechBrain's where a result has that alone, as those that were published in
  2024 and 2026. Both are ordered together.
* Tier B is arithmetic: scores can be invented. So a headline takes only results of laboratories
  that the repository's owner lists.
* Numbers without evidence (tier A) stand apart. They are never a headline, however strong.
* The board shows the newest revision of a system that was tried under a protocol. The pages of
  systems have all of them. Which of two revisions is newer, their numbers say: 2 before 10.
* What several laboratories measured of one attack is one attack. Its number is that of the first
  result; if that does not count, of the first replication that does. The others stay beside it.
* An attack is not trusted where its controls speak against it. It is flagged where its attacker
  learnt from data of the protocol.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from voiceprivacy.catalogue import METRICS
from voiceprivacy.organise.records import (
    UNATTACKED,
    Number,
    Record,
    Repository,
    distrust,
    error_rate,
    overlap,
    referred,
    replicated,
)
from voiceprivacy.report.comparison import folded, folded_limits

CLAIMED = "A"  # the tier of numbers without evidence
UNLISTED = "the owner of this board does not list the laboratory"


class Attack(NamedTuple):
    """One attack under one condition, as the board sees it.

    ``number`` is the folded equal error rate with its limits, if there is one. ``doubt`` says
    why it is not trusted, ``overlap`` which of its training data the protocol is made of.
    ``others`` are what other laboratories measured of it.
    """

    result: Record
    condition: str
    number: Number
    doubt: str
    overlap: list[str]
    others: tuple["Attack", ...] = ()

    @property
    def counts(self) -> bool:
        """Whether it can be a headline: there is evidence, and nothing speaks against it."""
        is_measured = self.number.value is not None
        return is_measured and self.result["tier"] != CLAIMED and not self.doubt

    @property
    def unprotected(self) -> Number:
        """What the attacker finds in unprotected speech on the same list."""
        return _folded(error_rate(self.result, UNATTACKED)[1])

    @property
    def metric(self) -> str:
        """By which definition the number is an equal error rate: one of EERS."""
        return error_rate(self.result, self.condition)[0]

    @property
    def rate(self) -> str:
        """What the number is called on the pages."""
        return METRICS[self.metric].title

    @property
    def flags(self) -> list[str]:
        """What a reader must know of it."""
        flags = [f"learnt from data of this protocol: {name}" for name in self.overlap]
        return [*flags, *([f"not counted: {self.doubt}"] if self.doubt else [])]

    @property
    def attacker(self) -> str:
        """Who attacks, with the revision."""
        return f"{self.result['attacker']}@{self.result['attacker_revision']}"


class Standing(NamedTuple):
    """A revision of a system under a protocol.

    ``headline`` is the attack that counts, None where there is none; ``shown`` that or the
    strongest one at tier A. ``attacks`` are all, and the numbers of original speech; ``utility``
    the lines of the results.
    """

    system: str
    revision: str
    headline: Attack | None
    shown: Attack | None
    attacks: list[Attack]
    utility: list[Record]

    @property
    def tried(self) -> list[Attack]:
        """The attacks without the numbers of original speech."""
        return [attack for attack in self.attacks if attack.condition != UNATTACKED]

    @property
    def missing(self) -> str:
        """Why no attack is shown."""
        reasons = [one.number.not_reported for one in self.attacks if one.number.not_reported]
        return f"not reported, because {reasons[0]}" if reasons else "its page says why"


class Board(NamedTuple):
    """All that is known under a protocol.

    ``newest`` are the standings of the table: those with a headline from much privacy to little,
    then the others; ``all`` those of each revision of each system.
    """

    protocol: str
    newest: list[Standing]
    all: list[Standing]

    @property
    def counted(self) -> list[Standing]:
        """The standings with a headline."""
        return [one for one in self.newest if one.headline]

    @property
    def ladder(self) -> list[tuple[Standing, list[Attack]]]:
        """Every attack on every system; marks that are drawn last lie on top."""
        rows = []
        for one in self.newest:
            attacks = [attack for attack in one.tried if attack.number.value is not None]
            if attacks and one.shown:
                attacks.sort(key=lambda attack: (attack.counts, -(attack.number.value or 0.0)))
                rows.append((one, attacks))
        return rows


def order_of_revisions(revision: str) -> list[tuple[int, int, str]]:
    """By which revisions are sorted: numbers in them by what they say, 2 before 10."""
    parts = re.findall(r"\d+|\D+", revision)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]


def boards(repository: Repository) -> list[Board]:
    """The board of every protocol under which something was measured: the most systems first."""
    by_protocol: dict[str, dict[tuple[str, str], list[Record]]] = {}
    for result in repository.results.values():
        by_revision = by_protocol.setdefault(result["protocol"], {})
        by_revision.setdefault((result["system"], result["revision"]), []).append(result)
    made = []
    for protocol, groups in by_protocol.items():
        standings = [_standing(*key, group, repository) for key, group in groups.items()]
        standings.sort(key=lambda one: order_of_revisions(one.revision))
        newest = sorted({one.system: one for one in standings}.values(), key=_order)
        made.append(Board(protocol, newest, standings))
    return sorted(made, key=lambda board: (-len(board.counted), -len(board.newest), board.protocol))


def _order(standing: Standing) -> tuple[bool, float, str]:
    value = standing.shown.number.value if standing.shown else None
    return standing.headline is None, 1.0 if value is None else -value, standing.system


def _standing(
    system: str, revision: str, results: list[Record], repository: Repository
) -> Standing:
    attacks: list[Attack] = []
    utility: list[Record] = []
    for result in results:
        attacks += _attacks(result, repository)
        utility += [line for line in result.get("utility", ()) if line not in utility]
    attacks = [*_joined(attacks)]
    standing = Standing(system, revision, None, None, attacks, utility)
    headline = strongest(attack for attack in standing.tried if attack.counts)
    claims = [one for one in standing.tried if one.result["tier"] == CLAIMED and not one.doubt]
    shown = headline or strongest(claims) or (None if standing.tried else strongest(attacks))
    return standing._replace(headline=headline, shown=shown)


def _attacks(result: Record, repository: Repository) -> Iterator[Attack]:
    """The attacks of a result, one for each condition."""
    doubt = distrust(result) or ""
    if result["tier"] != CLAIMED and result["laboratory"] not in repository.laboratories:
        doubt = doubt or UNLISTED
    attacker = repository.attackers.get(referred("attacker", result), {})
    learnt_from = overlap(attacker, repository.protocols.get(referred("protocol", result), {}))
    for condition in result["conditions"]:
        rate = _folded(error_rate(result, condition)[1])
        yield Attack(result, condition, rate, doubt, learnt_from)


def _joined(attacks: Iterable[Attack]) -> Iterator[Attack]:
    """One attack for the result and the replications of each."""
    of_one: dict[tuple[str, str], list[Attack]] = {}
    for attack in attacks:
        of_one.setdefault((replicated(attack.result), attack.condition), []).append(attack)
    for own in of_one.values():
        own.sort(key=lambda one: (not one.counts, one.result.get("replication", "")))
        yield own[0]._replace(others=tuple(own[1:]))


def _folded(number: Number) -> Number:
    """An equal error rate that is never above 50 %, with its limits."""
    if number.value is None:
        return number
    return Number(folded(number.value), *(folded_limits(number.limits) or ()))


def strongest(attacks: Iterable[Attack]) -> Attack | None:
    """The attack with the lowest equal error rate; None of none."""
    known = [attack for attack in attacks if attack.number.value is not None]
    return min(known, key=lambda attack: attack.number.value or 0.0, default=None)
