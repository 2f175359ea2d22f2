"""A finished run as others take it: its numbers, its plan, its files, each read once.

Conventions
-----------
* Results may be of somebody else: files are plain ones without links, and names are those of
  configs. Who hands on results of this machine calls ``unchanged``.
* Nothing is read before it is asked for, and then once.
"""

import json
from collections.abc import Iterator
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from voiceprivacy.inout import foreign
from voiceprivacy.inout.files import VARIABLE, BadInput
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.tables import (
    Trial,
    Utterance,
    read_enrolments,
    read_manifest,
    read_scored_trials,
    read_trials,
)
from voiceprivacy.plan.plan import Plan
from voiceprivacy.provenance.record import read_provenance
from voiceprivacy.provenance.verify import refuse_changed
from voiceprivacy.report.comparison import System, compare
from voiceprivacy.report.metrics import Number, read_metrics
from voiceprivacy.report.sections import Utility, read_utility
from voiceprivacy.report.uncertainty import NONE, read_comparisons
from voiceprivacy.report.verdict import Verdict, verdict_in
from voiceprivacy.vocabulary import ABSENT, ORIGINAL, Attack, TrialList


def unchanged(folder: str | Path) -> "FinishedRun":
    """A run of which every file is as its run has made it; BadInput names one that is not."""
    refuse_changed(Path(folder))
    return FinishedRun(folder)


class FinishedRun:
    """A folder of results; ``name`` is what it is called beside those of others.

    Every attribute is BadInput where its files are missing, damaged, or links.
    """

    def __init__(self, folder: str | Path, name: str = "") -> None:
        self.folder = Path(folder)
        self.name = name

    def file(self, relative: str) -> Path:
        """A file that must be there."""
        for path in (self.folder, self.folder / relative):
            if not path.exists():
                raise BadInput(f"{path}: not found")
        return foreign.plain_file(self.folder / relative, self.folder)

    def files(self, *patterns: str) -> list[Path]:
        """Files that may be there, by patterns of glob."""
        return foreign.plain_files(self.folder, *patterns)

    @cached_property
    def numbers(self) -> list[Number]:
        """Every line of metrics.tsv."""
        path = self.file("metrics.tsv")
        numbers = read_metrics(path)
        for field in (*Attack._fields, "anonymiser"):  # no NAME@RUN: which run is said here
            for name in {getattr(line, field) for line in numbers} - {ABSENT}:
                foreign.name(name, f"{path}: {field}")
        return numbers

    @cached_property
    def provenance(self) -> dict[str, Any]:
        """provenance.json."""
        return read_provenance(self.file("provenance.json"))

    @property
    def config(self) -> dict[str, Any]:
        """The run's config, with every default."""
        return self.provenance.get("config", {})

    @cached_property
    def plan(self) -> Plan:
        """What the run was to make; its variables need not be set any more."""
        return Plan(json.loads(VARIABLE.sub(r"\1", json.dumps(self.config))))

    def attacks(self) -> Iterator[tuple[Attack, str]]:
        """Every attack with every anonymiser that it attacks, as planned."""
        for attack in self.plan.attackers.attacks():
            for system in self.plan.attackers.systems(attack.extractor, attack.backend):
                if system != ORIGINAL:
                    yield attack, system

    @cached_property
    def systems(self) -> list[System]:
        """The rows of the report's tables."""
        folder = self.folder / "comparisons"
        comparisons = read_comparisons(folder, self.numbers) if folder.is_dir() else NONE
        return compare(self.numbers, comparisons)

    @cached_property
    def verdict(self) -> Verdict:
        """Its verdict, with its numbers."""
        self.files("verdict.json")
        return verdict_in(self.folder, name=self.name, numbers=self.numbers)

    @cached_property
    def refused(self) -> set[tuple[str, str, str]]:
        """(corpus, EXTRACTOR/BACKEND, anonymiser) of attacks that the verdict does not trust."""
        refused = set()
        if self.files("verdict.json"):
            for corpus, verdict in read_json(self.folder / "verdict.json")["sets"].items():
                for warning in verdict["warnings"]:
                    if warning["code"] == "failing_attack":
                        refused.add((corpus, warning["attack"], warning["system"]))
        return refused

    def trials(self, listed: TrialList, ending: str = ".tsv") -> list[Trial]:
        """The trials of a list, or with another ending the pairs of its release."""
        return read_trials(self.trial_file(listed, ending))

    def enrolments(self, listed: TrialList) -> dict[str, list[str]] | None:
        """{enrolment: utterances} of a list; None where utterances enrol themselves."""
        path = self.trial_file(listed, ".enrolments.tsv")
        return read_enrolments(path) if path.exists() else None

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
        scored = read_scored_trials(self.score_file(attack, anonymiser, condition)).values()
        return {trial[:2]: score for trial, score in chain(*scored)}

    def utterances(self, corpus: str, part: str, anonymiser: str = ORIGINAL) -> list[Utterance]:
        """The speech of a part."""
        return read_manifest(self.folder / "audio" / corpus / part / anonymiser / "manifest.tsv")

    @cached_property
    def utility(self) -> list[Utility]:
        """What the speech is still good for."""
        return read_utility(self.files("metrics/utility/*.tsv"))
