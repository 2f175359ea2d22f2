"""Systems in groups that cannot be told apart, by the verdict's measure on the same trials.

Conventions
-----------
* The number of a system is the evidence that one recording leaves to all attacks together. Over
  several lists it is the mean.
* Systems are compared under the same attacks: the same revisions of attackers under the same
  conditions on the same protocols: those that compare the most results.
* A system that lacks one of them is in no group, and ``unranked`` says why.
* An attack takes part if it counts and its scores lie in the repository.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from voiceprivacy.organise.recomputed import Pair, Scores, read_listed, read_scored
from voiceprivacy.organise.records import SCORES, TRIALS, Record, path_of, referred
from voiceprivacy.organise.standings import Board, Standing, order_of_revisions
from voiceprivacy.privacy.uncertainty.ranking import (
    Measured,
    Rank,
    mean_over_lists,
    measured,
    ranks,
)
from voiceprivacy.privacy.verdict.evidence import one_recording
from voiceprivacy.privacy.verdict.trials import NotMeasured, trials_of
from voiceprivacy.vocabulary import PROTECTED_CONDITIONS

NO_SCORES = "no counted result of it has scores in the records"
ALONE = "no other system has results on the same lists by the same attackers"
CANNOT_BE_MEASURED = {
    "few_persons": "too few persons",
    "no_nontargets": "no trials of two persons",
    "equal_scores": "all scores are equal",
}


class Attacked(NamedTuple):
    """An attack with scores: a revision of an attacker under a condition on a protocol."""

    protocol: str
    attacker: str
    condition: str


class Scored(NamedTuple):
    """Where the scores of an attack lie, and the list that they are of."""

    scores: Path
    lists: Path


Attacks = Mapping[Attacked, Scored]


class Place(NamedTuple):
    """A system that is ranked, its evidence in percent, group and limits of its rank."""

    name: str
    percent: float
    rank: Rank

    @property
    def evidence(self) -> float:
        """Its evidence for a page: what is below 0 by chance is 0."""
        return max(self.percent, 0.0)

    @property
    def limits(self) -> str:
        """The limits of its rank in words."""
        _, low, high = self.rank
        return f"{low}" if low == high else f"{low} to {high}"


Known = dict[tuple[tuple[Attacked, Scored], ...], Measured]


class Ranking(NamedTuple):
    """Systems from little evidence to much, the attacks on all of them, and those without group.

    ``unranked`` is {system: why it has no group}.
    """

    places: list[Place]
    attacks: list[Attacked]
    unranked: dict[str, str]

    @property
    def protocols(self) -> list[str]:
        """The protocols that the ranking is of."""
        return sorted({attack.protocol for attack in self.attacks})

    @property
    def by_name(self) -> dict[str, Place]:
        """The place of each system that has one."""
        return {ranked.name: ranked for ranked in self.places}

    @property
    def groups(self) -> list[list[Place]]:
        """The places of each group."""
        by_group: dict[int, list[Place]] = {}
        for ranked in self.places:
            by_group.setdefault(ranked.rank.group, []).append(ranked)
        return [*by_group.values()]


def scored_attacks(folder: Path, tried: Iterable[tuple[Record, str]]) -> Attacks:
    """Those attacks of (result, condition) whose scores lie in a repository, with their list."""
    attacks: dict[Attacked, Scored] = {}
    for result, condition in tried:
        lists = referred("protocol", result).removesuffix(".json") + TRIALS
        scored = Scored(folder / path_of(result, SCORES), folder / lists)
        attacker = f"{result['attacker']}@{result['attacker_revision']}"
        if condition in PROTECTED_CONDITIONS and all(path.is_file() for path in scored):
            attacks[Attacked(result["protocol"], attacker, condition)] = scored
    return attacks


def rankings(folder: Path, boards: Sequence[Board]) -> tuple[Ranking, dict[str, Ranking]]:
    """The ranking over all protocols of a repository, and that of each protocol.

    The former is of the newest revision of each system that has a board.
    """
    known: Known = {}
    newest: dict[str, str] = {}
    for standing in itertools.chain.from_iterable(board.all for board in boards):
        revisions = newest.get(standing.system, standing.revision), standing.revision
        newest[standing.system] = max(revisions, key=order_of_revisions)
    overall: dict[str, dict[Attacked, Scored]] = {name: {} for name in newest}
    of_protocols: dict[str, Ranking] = {}
    for board in boards:
        own = {one.system: _counted(folder, one) for one in board.newest}
        of_protocols[board.protocol] = ranking(own, known)
        for standing in board.all:
            if standing.revision == newest[standing.system]:
                overall[standing.system] |= _counted(folder, standing)
    return ranking(overall, known), of_protocols


def _counted(folder: Path, standing: Standing) -> Attacks:
    counted = [(one.result, one.condition) for one in standing.attacks if one.counts]
    return scored_attacks(folder, counted)


def ranking(systems: Mapping[str, Attacks], known: Known | None = None) -> Ranking:
    """Rank the systems that have the attacks by which the most results are compared.

    ``known`` keeps what was measured, for further rankings of the same scores.
    """
    common = _common(systems)
    unranked: dict[str, str] = {}
    numbers: dict[str, Measured] = {}
    for name, attacks in sorted(systems.items()):
        if reason := _lacks(attacks, common):
            unranked[name] = reason
            continue
        try:
            numbers[name] = _mean(attacks, common, {} if known is None else known)
        except NotMeasured as error:
            unranked[name] = CANNOT_BE_MEASURED[str(error)]
    if len(numbers) < 2:
        return Ranking([], common, unranked | dict.fromkeys(numbers, ALONE))
    percent = {name: float(own.values[0]) for name, own in numbers.items()}
    places = [Place(name, percent[name], rank) for name, rank in ranks(numbers).items()]
    return Ranking(places, common, unranked)


def _common(systems: Mapping[str, Attacks]) -> list[Attacked]:
    """The attacks of a system, or of two, that compare the most results of at least two systems.

    Of equally many results it is those of more systems.
    """
    own = {frozenset(attacks) for attacks in systems.values()}
    both = {one & other for one, other in itertools.combinations(own, 2)}

    def preferred(shared: frozenset[Attacked]) -> tuple[bool, int, int, list[Attacked]]:
        n_systems = sum(shared <= attacks.keys() for attacks in systems.values())
        return n_systems < 2, -n_systems * len(shared), -n_systems, sorted(shared)

    return sorted(min((own | both) - {frozenset()}, key=preferred, default=()))


def _lacks(attacks: Attacks, common: Sequence[Attacked]) -> str:
    """Why a system is not compared; empty where it has all attacks."""
    if not attacks:
        return NO_SCORES
    lacking = [attack for attack in common if attack not in attacks]
    if not lacking:
        return ""
    first = lacking[0]
    if all(attack.protocol != first.protocol for attack in attacks):
        return f"no counted result with scores on {first.protocol}"
    by = f"{first.attacker} under {first.condition.upper()} on {first.protocol}"
    return f"no counted result with scores by {by}"


def _mean(attacks: Attacks, common: Sequence[Attacked], known: Known) -> Measured:
    """The evidence of a system, held out and in sample: the mean over protocols."""
    lists = []
    for protocol in dict.fromkeys(attack.protocol for attack in common):
        key = tuple((one, attacks[one]) for one in common if one.protocol == protocol)
        if key not in known:
            known[key] = _measured(dict(key))
        lists.append(known[key])
    return mean_over_lists(lists)


def _measured(attacks: Attacks) -> Measured:
    """The evidence that one recording leaves to attacks on one list together."""
    columns: list[Mapping[Pair, float]] = []
    scores: dict[str, Scores] = {}
    for attack, scored in attacks.items():
        listed = read_listed(scored.lists)
        if attack.attacker not in scores:
            scores[attack.attacker] = read_scored(scored.scores, listed, scored.lists)
        columns.append(scores[attack.attacker][attack.condition])
    trials = sorted(columns[0])
    table = np.array([[column[trial] for column in columns] for trial in trials])
    evidence = one_recording(trials_of(trials, table, listed.speakers))
    in_sample = evidence.estimates(evidence.in_sample)
    largest = in_sample[:, in_sample[0].argmax()]
    versions = np.column_stack([evidence.estimates(evidence.held_out), largest])
    return measured(versions, evidence.persons)
