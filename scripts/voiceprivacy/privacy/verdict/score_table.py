"""Scores that a verdict is made from, in memory; those of a run lie in files (run_scores.py)."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from voiceprivacy.vocabulary import ORIGINAL

LINKAGE = "rr"

Trial = tuple[str, str]  # enrolment, trial
Attack = tuple[str, str]  # attacker, condition
NameSessions = Callable[[list[str]], list[str]]


class Scored(NamedTuple):
    """The trials of one list and system, and their scores under every attack.

    ``trials`` has M pairs of ids, ``attacks`` A pairs. Trials that an attack lacks are left out:
    who has a score would tell how the lists were made. ``scores`` is (M, A).
    """

    trials: list[Trial]
    scores: NDArray[np.float64]
    attacks: list[Attack]

    def leaked(
        self, percent: float, unprotected: Sequence[Mapping[Trial, float]]
    ) -> tuple["Scored", int]:
        """The same with some recordings left unprotected, and how many they are.

        They are drawn by their names alone; a larger share has those of a smaller one.

        Parameters
        ----------
        percent : of the recordings
        unprotected : for each attack, what trials score if their recordings are not protected
        """
        recordings = np.unique([recording for _, recording in self.trials])
        n_leaked = round(percent / 100 * len(recordings))
        drawn = {*np.random.default_rng(0).permutation(recordings)[:n_leaked].tolist()}
        scores = self.scores.copy()
        for row, trial in enumerate(self.trials):
            if trial[1] in drawn:
                scores[row] = [column[trial] for column in unprotected]
        return self._replace(scores=scores), n_leaked


def joined(versions: Sequence[tuple[str, Scored]]) -> Scored:
    """Scores of several protected versions of the same recordings, as who has all of them sees it.

    Versions of one anonymiser differ by its draws: scores of an attack on them are averaged, which
    is what a likelihood ratio of equally noisy scores does. Those of others are further columns.

    Parameters
    ----------
    versions : anonymiser and scores of each; trials that one of them lacks are left out
    """
    trials = sorted(set.intersection(*({*scored.trials} for _, scored in versions)))
    columns: dict[tuple[str, Attack], list[NDArray[np.float64]]] = {}
    for anonymiser, scored in versions:
        row_of = {trial: row for row, trial in enumerate(scored.trials)}
        scores = scored.scores[[row_of[trial] for trial in trials]]
        for attack, column in zip(scored.attacks, scores.T, strict=True):
            columns.setdefault((anonymiser, attack), []).append(column)
    means = [np.mean(own, axis=0) for own in columns.values()]
    scores = np.array(means).reshape(len(columns), len(trials)).T
    return Scored(trials, scores, [attack for _, attack in columns])


class ScoreTable:
    """Scores of a set.

    ``scores`` is {list: {system: {attack: {trial: score}}}}. Trials that compare a recording with
    itself are left out; ``of_itself`` collects those of each list. ``name_sessions`` is a function
    of ids: the session, or channel, of each.
    """

    def __init__(
        self, speaker_of: Mapping[str, str], name_sessions: NameSessions | None = None
    ) -> None:
        self.speaker_of = speaker_of
        self.name_sessions = name_sessions
        self.scores: dict[str, dict[str, dict[Attack, Any]]] = {}
        self.of_itself: dict[str, set[Trial]] = {}

    def speakers(self, name: str) -> Mapping[str, str]:
        """{id: speaker} of a list: all lists have the same."""
        return self.speaker_of

    def enrolled(self, name: str) -> Mapping[str, Collection[str]]:
        """{enrolment: its recordings} of a list; an enrolment that is not in it is a recording."""
        return {}

    def sessions(self, name: str, trials: Iterable[Trial]) -> dict[str, set[str]]:
        """{id: its sessions} of enrolments and recordings; {} where sessions are unknown."""
        if not (name_sessions := self.sessions_named(name)):
            return {}
        enrolled = self.enrolled(name)
        recordings = {one: enrolled.get(one, [one]) for one in chain.from_iterable(trials)}
        names = sorted(set(chain.from_iterable(recordings.values())))
        session_of = dict(zip(names, name_sessions(names), strict=True))
        return {one: {session_of[name] for name in own} for one, own in recordings.items()}

    def sessions_named(self, name: str) -> NameSessions | None:
        """The function that names sessions of a list: all lists have the same."""
        return self.name_sessions

    def of_attack(self, scores: Any) -> Mapping[Trial, float]:
        """The scores of one attack."""
        return scores

    def unprotected(self, name: str, system: str, attack: Attack) -> Mapping[Trial, float] | None:
        """What the trials of a list would score if their recordings had not been protected; None
        where that is unknown."""
        return None

    def systems(self) -> list[str]:
        """Names of all systems, unprotected speech first."""
        names = set().union(*self.scores.values())
        return sorted(names, key=lambda name: (name != ORIGINAL, name))

    def columns(
        self, name: str, system: str, *, linkage: bool = False
    ) -> dict[Attack, Mapping[Trial, float]]:
        """The scores of each attack on a list and a system.

        Parameters
        ----------
        linkage : bool
            Whether attacks are taken that link a release, or all others
        """
        own = self.scores[name].get(system, {})
        attacks = sorted(attack for attack in own if (attack[1] == LINKAGE) == linkage)
        enrolled = {} if linkage else self.enrolled(name)
        return {
            attack: self._without_itself(name, self.of_attack(own[attack]), enrolled)
            for attack in attacks
        }

    def _without_itself(self, name, column, enrolled):
        """The scores of one attack without trials that compare a recording with itself."""
        own = {trial for trial in column if trial[1] in enrolled.get(trial[0], trial[:1])}
        if not own:
            return column
        self.of_itself.setdefault(name, set()).update(own)
        return {trial: score for trial, score in column.items() if trial not in own}

    def scored(self, name: str, system: str, *, linkage: bool = False) -> Scored:
        """The trials that all these attacks scored, perhaps none."""
        columns = self.columns(name, system, linkage=linkage)
        trials = sorted(set.intersection(*map(set, columns.values()))) if columns else []
        scores = [[column[trial] for column in columns.values()] for trial in trials]
        return Scored(trials, np.array(scores).reshape(len(trials), len(columns)), [*columns])
