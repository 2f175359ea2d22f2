"""Scores that a verdict is made from: a long table, or the files of a run (run_scores.py).

One line of the table is one score: system, attacker, condition, list, enrolment, trial, label,
score. The system ``original`` is unprotected speech.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voiceprivacy.inout.files import BadInput, read_lines
from voiceprivacy.inout.tables import LABELS, number, read_rows
from voiceprivacy.vocabulary import ORIGINAL

COLUMNS = ("system", "attacker", "condition", "list", "enrolment", "trial", "label", "score")
GIVEN = ("system", "attacker", "condition", "list")  # columns that options can give
LINKAGE = "rr"

Trial = tuple[str, str]  # enrolment, trial
Attack = tuple[str, str]  # attacker, condition


class Scored(NamedTuple):
    """The trials of one list and system, and their scores under every attack.

    ``trials`` has M pairs of ids, ``attacks`` A pairs. ``scores`` (M, A) is NaN where an attack has
    no score of a trial.
    """

    trials: list[Trial]
    attacks: list[Attack]
    scores: NDArray[np.float64]


class Scores(ABC):
    """Scores of a set: lists, the attacks on every system of a list, and their scores."""

    @abstractmethod
    def attacks(self) -> Mapping[str, Mapping[str, Sequence[Attack]]]:
        """{list: {system: attacks}}."""

    @abstractmethod
    def columns(self, name: str, system: str) -> Mapping[Attack, Mapping[Trial, float]]:
        """Scores of a system on a list: {attack: {trial: score}}."""

    @abstractmethod
    def speakers(self, name: str) -> Mapping[str, str]:
        """{id: speaker} of a list."""

    def systems(self) -> list[str]:
        """Names of all systems, unprotected speech first."""
        names: set[str] = set().union(*self.attacks().values())
        return sorted(names, key=lambda name: (name != ORIGINAL, name))

    def scored(self, name: str, system: str, *, linkage: bool = False) -> Scored | None:
        """The trials of a list and a system with all scores; None where there are none.

        Parameters
        ----------
        linkage : bool
            Whether attacks are taken that link a release, or all others
        """
        columns = {
            attack: scores
            for attack, scores in self.columns(name, system).items()
            if (attack[1] == LINKAGE) == linkage
        }
        if not columns:
            return None
        attacks = sorted(columns)
        trials = sorted(set().union(*columns.values()))
        scores = [[columns[attack].get(trial, np.nan) for attack in attacks] for trial in trials]
        return Scored(trials, attacks, np.array(scores))


class ScoreTable(Scores):
    """Scores that are all in memory: {list: {system: {attack: {trial: score}}}}."""

    def __init__(self, speaker_of: Mapping[str, str]) -> None:
        self.speaker_of = speaker_of
        self.scores: dict[str, dict[str, dict[Attack, dict[Trial, float]]]] = {}

    def attacks(self) -> dict[str, dict[str, list[Attack]]]:
        """See Scores."""
        return {
            name: {system: list(attacks) for system, attacks in systems.items()}
            for name, systems in self.scores.items()
        }

    def columns(self, name: str, system: str) -> Mapping[Attack, Mapping[Trial, float]]:
        """See Scores."""
        return self.scores[name].get(system, {})

    def speakers(self, name: str) -> Mapping[str, str]:
        """See Scores: all lists have the same."""
        return self.speaker_of

    def add(self, path: Path, given: Mapping[str, str]) -> None:
        """Read a file; ``given`` are values of columns that it lacks.

        Raises
        ------
        BadInput : a column is missing, a word is none of those known, a label contradicts the
            speakers, or a trial has two scores
        """
        columns = "".join(read_lines(path)[:1]).split("\t")
        missing = [name for name in COLUMNS if name not in columns and name not in given]
        if missing:
            options = [f"--{name}" for name in missing if name in GIVEN]
            remedy = f"; give {', '.join(options)}" if len(options) == len(missing) else ""
            raise BadInput(f"{path}:1: has no column {', '.join(missing)}{remedy}")
        for line, row in read_rows(path, columns, checked=False):
            self._add_row({**given, **row}, path, line)

    def _add_row(self, row: Mapping[str, str], path: Path, line: int) -> None:
        system, attacker, condition, name, enrolment, trial, label, text = [
            row[name] for name in COLUMNS
        ]
        own = ("oo", LINKAGE) if system == ORIGINAL else ("op", "pp", LINKAGE)
        if condition not in own:
            raise BadInput(f"{path}:{line}: system '{system}' has no condition '{condition}'")
        persons = [self.speaker_of.get(identity) for identity in (enrolment, trial)]
        if None in persons:
            unknown = enrolment if persons[0] is None else trial
            raise BadInput(f"{path}:{line}: '{unknown}' has no speaker in --speakers")
        if label not in LABELS or (label == "target") != (persons[0] == persons[1]):
            raise BadInput(
                f"{path}:{line}: is labelled '{label}', but the speakers are"
                f" '{persons[0]}' and '{persons[1]}'"
            )
        attacks = self.scores.setdefault(name, {}).setdefault(system, {})
        scores = attacks.setdefault((attacker, condition), {})
        score = number(text, path, line)
        if scores.setdefault((enrolment, trial), score) != score:
            raise BadInput(f"{path}:{line}: trial '{enrolment} {trial}' has two scores")
