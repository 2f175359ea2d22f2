"""The long table of scores that a verdict is made from.

One line is one score: system, attacker, condition, list, enrolment, trial, label, score. The system
``original`` is unprotected speech.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voiceprivacy.inout.files import BadInput, read_lines
from voiceprivacy.inout.tables import LABELS, number
from voiceprivacy.vocabulary import ORIGINAL

COLUMNS = ("system", "attacker", "condition", "list", "enrolment", "trial", "label", "score")
GIVEN = ("system", "attacker", "condition", "list")  # columns that options can give
LINKAGE = "rr"

Trial = tuple[str, str]  # enrolment, trial
Attack = tuple[str, str]  # attacker, condition


class Scored(NamedTuple):
    """The trials of one list and system, and their scores under every attack.

    ``trials`` has M pairs of ids, ``labels`` M words. ``scores`` (M, A) is NaN where an attack has
    no score of a trial. ``attacks`` has A pairs.
    """

    trials: list[Trial]
    labels: list[str]
    attacks: list[Attack]
    scores: NDArray[np.float64]


class ScoreTable:
    """Scores by list, system and attack: {list: {system: {attack: {trial: score}}}}."""

    def __init__(self, speaker_of: Mapping[str, str]) -> None:
        self.speaker_of = speaker_of
        self.scores: dict[str, dict[str, dict[Attack, dict[Trial, float]]]] = {}

    def add(self, path: Path, given: Mapping[str, str]) -> None:
        """Read a file; ``given`` are values of columns that it lacks.

        Raises
        ------
        BadInput : a column is missing, a word is none of those known, a label contradicts the
            speakers, or a trial has two scores
        """
        lines = read_lines(path)
        columns = lines[0].split("\t") if lines else []
        missing = [name for name in COLUMNS if name not in columns and name not in given]
        if missing:
            options = [f"--{name}" for name in missing if name in GIVEN]
            remedy = f"; give {', '.join(options)}" if len(options) == len(missing) else ""
            raise BadInput(f"{path}:1: has no column {', '.join(missing)}{remedy}")
        places = [columns.index(name) if name in columns else None for name in COLUMNS]
        defaults = [given.get(name, "") for name in COLUMNS]
        for line, text in enumerate(lines[1:], start=2):
            fields = text.split("\t")
            if not text:
                continue
            if len(fields) != len(columns):
                raise BadInput(
                    f"{path}:{line}: has {len(fields)} fields, the header {len(columns)}"
                )
            self._add_row(
                [
                    default if column is None else fields[column]
                    for column, default in zip(places, defaults, strict=True)
                ],
                path,
                line,
            )

    def _add_row(self, row: Sequence[str], path: Path, line: int) -> None:
        system, attacker, condition, name, enrolment, trial, label, text = row
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

    def systems(self) -> list[str]:
        """Names of all systems, unprotected speech first."""
        names: set[str] = set().union(*self.scores.values())
        return sorted(names, key=lambda name: (name != ORIGINAL, name))

    def attacks(self, name: str, system: str, *, linkage: bool) -> list[Attack]:
        """The attacks on a system in a list: those that link a release, or all others."""
        attacks = self.scores[name].get(system, {})
        return sorted(attack for attack in attacks if (attack[1] == LINKAGE) == linkage)

    def scored(self, name: str, system: str, *, linkage: bool = False) -> Scored | None:
        """The trials of a list and a system with all scores; None where there are none."""
        attacks = self.attacks(name, system, linkage=linkage)
        if not attacks:
            return None
        columns = [self.scores[name][system][attack] for attack in attacks]
        trials = sorted(set().union(*columns))
        scores = np.array([[column.get(trial, np.nan) for column in columns] for trial in trials])
        labels = [self._label(trial) for trial in trials]
        return Scored(trials, labels, attacks, scores)

    def _label(self, trial: Trial) -> str:
        return "target" if self.speaker_of[trial[0]] == self.speaker_of[trial[1]] else "nontarget"

    def reference(self, name: str) -> set[Trial]:
        """The trials that every system of a list should have: unprotected speech's, or all."""
        systems = self.scores[name]
        chosen: Iterable[str] = [ORIGINAL] if ORIGINAL in systems else systems
        trials: set[Trial] = set()
        for system in chosen:
            for attack, scores in systems[system].items():
                if attack[1] != LINKAGE:
                    trials.update(scores)
        return trials
