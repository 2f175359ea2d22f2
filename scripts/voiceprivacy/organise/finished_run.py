"""A finished run as others take it: its numbers, its plan, its files, each read once.

Conventions
-----------
* Files are plain ones without links, and names are those of configs. Results that are handed on are
  ``unchanged``.
* Nothing is read before it is asked for, and then once.
"""

import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from voiceprivacy.errors import BadInput
from voiceprivacy.inout import foreign
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.placeholders import VARIABLE
from voiceprivacy.inout.scored_trials import read_scored_trials
from voiceprivacy.layout import Layout
from voiceprivacy.plan.plan import Plan
from voiceprivacy.provenance.record import read_provenance
from voiceprivacy.provenance.verify import refuse_changed
from voiceprivacy.report.measured import Utility, read_utility
from voiceprivacy.report.metrics import Number, read_metrics
from voiceprivacy.vocabulary import GIVEN, ORIGINAL, Attack, TrialList


def unchanged(folder: str | Path) -> "FinishedRun":
    """A run of which every file is as its run has made it; BadInput names one that is not."""
    refuse_changed(Path(folder))
    return FinishedRun(folder)


class FinishedRun:
    """A folder of results; every attribute is BadInput where its files are missing or damaged."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def file(self, relative: str) -> Path:
        """A file that must be there."""
        for path in (self.folder, self.folder / relative):
            if not path.exists():
                raise BadInput(f"{path}: not found")
        return foreign.plain_file(self.folder / relative, self.folder)

    @cached_property
    def numbers(self) -> list[Number]:
        """Every line of metrics.tsv."""
        return read_metrics(self.file("metrics.tsv"))

    @cached_property
    def provenance(self) -> dict[str, Any]:
        """provenance.json."""
        return read_provenance(self.file("provenance.json"))

    @property
    def config(self) -> dict[str, Any]:
        """The run's config, with every default."""
        return self.provenance["config"]

    @cached_property
    def plan(self) -> Plan:
        """What the run was to make; its variables need not be set any more.

        Scores that were made elsewhere are those that the run has copied.
        """
        config = json.loads(VARIABLE.sub(r"\1", json.dumps(self.config)))
        for name, options in config.get("attacks", {}).items():
            system = f"{{corpus}}/{{trials}}/{{anonymiser}}/{name}/{GIVEN}"
            options["scores"] = f"{self.folder}/scores/{system}/{{condition}}.tsv"
        return Plan(config, Layout(self.folder))

    def attacks(self) -> Iterator[tuple[Attack, str]]:
        """Every attack with every anonymiser that it attacks, as planned."""
        for attack in self.plan.attackers.attacks():
            for system in self.plan.attackers.systems(attack.extractor, attack.backend):
                if system != ORIGINAL:
                    yield attack, system

    @cached_property
    def refused(self) -> set[tuple[str, str, str]]:
        """(corpus, EXTRACTOR/BACKEND, anonymiser) of attacks that the verdict does not trust."""
        refused = set()
        if (self.folder / "verdict.json").exists():
            for corpus, verdict in read_json(self.file("verdict.json"))["sets"].items():
                for warning in verdict["warnings"]:
                    if warning["code"] == "failing_attack":
                        refused.add((corpus, warning["attack"], warning["system"]))
        return refused

    def trial_file(self, listed: TrialList, ending: str) -> Path:
        """A table of a list."""
        return self.folder / "trials" / listed.corpus / f"{listed.trials}{ending}"

    def score_file(self, attack: Attack, anonymiser: str, condition: str) -> Path:
        """Where the scores of an attack are; those of oo are of unprotected speech."""
        speech = ORIGINAL if condition == "oo" else anonymiser
        return self.folder / "scores" / attack.path(speech) / f"{condition}.tsv"

    def scores(
        self, attack: Attack, anonymiser: str, condition: str
    ) -> dict[tuple[str, str], float]:
        """{(enrolment, trial): score}"""
        return read_scored_trials(self.score_file(attack, anonymiser, condition)).by_names()

    @cached_property
    def utility(self) -> list[Utility]:
        """What the speech is still good for."""
        return read_utility(sorted(self.folder.glob("metrics/utility/*.tsv")))
