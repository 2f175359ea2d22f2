"""Scores of a run, which lie in a file for each attack and condition.

Files of one list and system are read at a time: a run of twenty systems has a thousand.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voiceprivacy.inout.scored_trials import Pair, read_scored_trials
from voiceprivacy.inout.tables import read_speakers
from voiceprivacy.privacy.verdict.score_table import Attack, ScoreTable
from voiceprivacy.vocabulary import GIVEN, LEFT_UNPROTECTED, ORIGINAL


class RunScores(ScoreTable):
    """Scores of one set of a run. ``scores`` is {CORPUS/TRIALS: {system: {attack: path}}}.

    Parameters
    ----------
    folder : path of results/scores
    corpus : str
    lists : mapping
        {list: {"speakers": paths, "attackers": {"extractor/backend": {system: conditions}}}}, as
        plan.verdict writes it
    """

    def __init__(self, folder: Path, corpus: str, lists: Mapping[str, Mapping[str, Any]]) -> None:
        super().__init__({})
        self.folder = folder
        self.lists = {f"{corpus}/{trials}": options for trials, options in lists.items()}
        for name, options in self.lists.items():
            attacks = self.scores[name] = {}
            for attacker, systems in options["attackers"].items():
                for system, conditions in systems.items():
                    own = attacks.setdefault(system, {})
                    for condition in conditions:
                        own[attacker, condition] = (
                            folder / name / system / attacker / f"{condition}.tsv"
                        )

    def speakers(self, name: str) -> dict[str, str]:
        """{id: speaker} of a list."""
        known: dict[str, str] = {}
        for path in self.lists[name]["speakers"]:
            known |= read_speakers(path)
        return known

    def of_attack(self, scores: Path) -> dict[Pair, float]:
        """The scores of a file."""
        return read_scored_trials(scores).by_names()

    def unprotected(self, name: str, system: str, attack: Attack) -> dict[Pair, float] | None:
        """What trials would score unprotected; unknown of scores that were made elsewhere."""
        attacker, condition = attack
        if attacker.endswith(f"/{GIVEN}"):
            return None
        whose = ORIGINAL if condition == "op" else system
        file = f"{LEFT_UNPROTECTED[condition]}.tsv"
        return self.of_attack(self.folder / name / whose / attacker / file)
