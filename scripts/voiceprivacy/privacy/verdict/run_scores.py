"""Scores of a run, which lie in a file for each attack and condition.

Files of one list and system are read at a time: a run of twenty systems has a thousand.
"""

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from voiceprivacy.inout.tables import read_scored_trials, read_speakers
from voiceprivacy.privacy.verdict.score_table import Attack, Scores, Trial


class RunScores(Scores):
    """Scores of one set of a run.

    Parameters
    ----------
    folder : path of results/scores
    corpus : str
    lists : mapping
        {list: {"speakers": paths, "attackers": {"extractor/backend": {system: conditions}}}}, as
        plan.verdict writes it
    """

    def __init__(self, folder: Path, corpus: str, lists: Mapping[str, Mapping[str, Any]]) -> None:
        self.folder = folder
        self.corpus = corpus
        self.lists = {f"{corpus}/{trials}": options for trials, options in lists.items()}
        self._speakers: dict[str, dict[str, str]] = {}

    def attacks(self) -> dict[str, dict[str, list[Attack]]]:
        """See Scores; names of lists are CORPUS/TRIALS."""
        attacks: dict[str, dict[str, list[Attack]]] = {}
        for name, options in self.lists.items():
            own = attacks.setdefault(name, {})
            for attacker, systems in options["attackers"].items():
                for system, conditions in systems.items():
                    named = [(attacker, condition) for condition in conditions]
                    own.setdefault(system, []).extend(named)
        return attacks

    def columns(self, name: str, system: str) -> dict[Attack, dict[Trial, float]]:
        """See Scores."""
        columns: dict[Attack, dict[Trial, float]] = {}
        for attacker, condition in self.attacks()[name].get(system, ()):
            path = self.folder / name / system / attacker / f"{condition}.tsv"
            scored = chain.from_iterable(read_scored_trials(path).values())
            columns[attacker, condition] = {trial[:2]: score for trial, score in scored}
        return columns

    def speakers(self, name: str) -> dict[str, str]:
        """See Scores."""
        if name not in self._speakers:
            known: dict[str, str] = {}
            for path in self.lists[name]["speakers"]:
                known |= read_speakers(path)
            self._speakers[name] = known
        return self._speakers[name]
