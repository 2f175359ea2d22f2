"""What was evaluated: speech and trial lists in numbers, and what is unusual in them.

Conventions
-----------
* Women and men count speakers; in a trial list those who are enrolled.
* A corpus whose utterances are cut into pieces is counted in pieces.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import (
    FINDINGS,
    read_enrolments,
    read_manifest,
    read_table,
    read_trials,
)
from voiceprivacy.vocabulary import ABSENT


class Speech(NamedTuple):
    """One part of a corpus."""

    corpus: str
    part: str
    women: int
    men: int
    of_unknown_gender: int
    utterances: int
    hours: float


class TrialList(NamedTuple):
    """One trial list of a corpus."""

    corpus: str
    trials: str
    women: int
    men: int
    of_unknown_gender: int
    trial_utterances: int
    target: int
    nontarget: int


class Finding(NamedTuple):
    """Something unusual: how serious it is, where it is (file:line), and what it is."""

    level: str
    location: str
    message: str


class Corpora(NamedTuple):
    """All that the report says of the corpora; ``findings`` by corpus."""

    speech: list[Speech]
    lists: list[TrialList]
    findings: dict[str, list[Finding]]


def describe_speech(path: str | Path) -> Speech:
    """Describe the manifest CORPUS/PART/original/manifest.tsv."""
    corpus, part = Path(path).parts[-4:-2]
    utterances = read_manifest(path)
    women, men, unknown = _genders(
        {utterance.speaker: utterance.gender for utterance in utterances}
    )
    seconds = sum(utterance.duration_s for utterance in utterances)
    return Speech(corpus, part, women, men, unknown, len(utterances), seconds / 3600)


def describe_list(path: str | Path, manifest: str | Path) -> TrialList:
    """Describe the trial list CORPUS/TRIALS.tsv, its enrolments beside it.

    Parameters
    ----------
    manifest : of the corpus's enrolment part: who is a woman and who a man

    Raises
    ------
    BadInput : somebody is enrolled with an utterance that is not in the manifest
    """
    path = Path(path)
    enrolments = path.with_suffix(".enrolments.tsv")
    known = {utterance.utterance: utterance for utterance in read_manifest(manifest)}
    genders = {}
    for utterances in read_enrolments(enrolments).values():
        for name in utterances:
            if name not in known:
                raise BadInput(f"{enrolments}: utterance '{name}' is not in {manifest}")
            genders[known[name].speaker] = known[name].gender
    women, men, unknown = _genders(genders)
    trials = read_trials(path)
    labels = [trial.label for trial in trials]
    return TrialList(
        corpus=path.parent.name,
        trials=path.stem,
        women=women,
        men=men,
        of_unknown_gender=unknown,
        trial_utterances=len({trial.trial for trial in trials}),
        target=labels.count("target"),
        nontarget=labels.count("nontarget"),
    )


def read_corpora(speech: str | Path, lists: str | Path, checks: Iterable[str | Path]) -> Corpora:
    """Read what the commands describe_corpora and validate_corpus wrote.

    Parameters
    ----------
    speech, lists : tables with the fields of Speech and of TrialList
    checks : tables CORPUS.tsv with the columns FINDINGS
    """
    findings = {}
    for path in checks:
        findings[Path(path).stem] = [_finding(row) for row in read_table(path, FINDINGS)]
    return Corpora(
        _read(speech, Speech),
        _read(lists, TrialList),
        findings,
    )


def _read(path: str | Path, kind: Any) -> list[Any]:
    """A table of named tuples, with numbers as text: the page shows them as they are written."""
    return [kind(**row) for row in read_table(path, list(kind._fields))]


def _finding(row: Mapping[str, str]) -> Finding:
    location = [part for part in (row["file"], row["line"]) if part != ABSENT]
    return Finding(row["level"], ":".join(location), row["what"])


def _genders(speakers: Mapping[str, str]) -> tuple[int, int, int]:
    """How many women, men, and speakers of unknown gender: {speaker: gender}."""
    genders = list(speakers.values())
    return genders.count("f"), genders.count("m"), genders.count("-")
