"""Scores that a verdict is made from: a long table, or the files of a run (run_scores.py).

One line of the table is one score: system, attacker, condition, list, enrolment, trial, label,
score. The system ``original`` is unprotected speech.
"""

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

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
    scores: NDArray[np.float64]
    attacks: list[Attack]


class ScoreTable:
    """Scores of a set.

    ``scores`` is {list: {system: {attack: {trial: score}}}}.
    """

    def __init__(self, speaker_of: Mapping[str, str]) -> None:
        self.speaker_of = speaker_of
        self.scores: dict[str, dict[str, dict[Attack, Any]]] = {}

    def speakers(self, name: str) -> Mapping[str, str]:
        """{id: speaker} of a list: all lists have the same."""
        return self.speaker_of

    def of_attack(self, scores: Any) -> Mapping[Trial, float]:
        """The scores of one attack."""
        return scores

    def attacks(self) -> list[Attack]:
        """All attacks on any system."""
        systems = chain.from_iterable(own.values() for own in self.scores.values())
        return sorted(set().union(*systems))

    def systems(self) -> list[str]:
        """Names of all systems, unprotected speech first."""
        names = set().union(*self.scores.values())
        return sorted(names, key=lambda name: (name != ORIGINAL, name))

    def scored(self, name: str, system: str, *, linkage: bool = False) -> Scored:
        """The trials of a list and a system, perhaps none, with all scores.

        Parameters
        ----------
        linkage : bool
            Whether attacks are taken that link a release, or all others
        """
        own = self.scores[name].get(system, {})
        attacks = sorted(attack for attack in own if (attack[1] == LINKAGE) == linkage)
        columns = [self.of_attack(own[attack]) for attack in attacks]
        trials = sorted(set().union(*columns))
        scores = [[column.get(trial, np.nan) for column in columns] for trial in trials]
        return Scored(trials, np.array(scores).reshape(len(trials), len(attacks)), attacks)

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
        for line, row in read_rows(path, columns):
            self._add_row({**given, **row}, path, line)

    def _add_row(self, row, path, line):
        system, attacker, condition, name, *trial, label, text = [row[name] for name in COLUMNS]
        if condition not in (("oo", LINKAGE) if system == ORIGINAL else ("op", "pp", LINKAGE)):
            raise BadInput(f"{path}:{line}: system '{system}' has no condition '{condition}'")
        for identity in trial:
            if identity not in self.speaker_of:
                raise BadInput(f"{path}:{line}: '{identity}' has no speaker in --speakers")
        one, other = (self.speaker_of[identity] for identity in trial)
        if label not in LABELS or (label == "target") != (one == other):
            raise BadInput(
                f"{path}:{line}: is labelled '{label}', but the speakers are '{one}' and '{other}'"
            )
        attacks = self.scores.setdefault(name, {}).setdefault(system, {})
        scores = attacks.setdefault((attacker, condition), {})
        score = number(text, path, line)
        if scores.setdefault((*trial,), score) != score:
            raise BadInput(f"{path}:{line}: trial '{' '.join(trial)}' has two scores")
