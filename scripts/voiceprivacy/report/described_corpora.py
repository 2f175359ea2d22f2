"""The corpora on the page: speech and trial lists in numbers, and what is unusual in them.

Women and men count speakers; in a trial list those who are enrolled. A corpus whose utterances are
cut into pieces is counted in pieces.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.enrolments import read_enrolments
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.inout.tables import FINDINGS, read_table
from voiceprivacy.inout.trial_lists import read_trials
from voiceprivacy.inout.typed_tables import Name, read_typed
from voiceprivacy.layout import Spoken
from voiceprivacy.vocabulary import ABSENT


class PartOfCorpus(NamedTuple):
    """One part of a corpus; ``names_show`` is what names of utterances show: speaker, sex."""

    corpus: Name
    part: Name
    women: int
    men: int
    of_unknown_gender: int
    utterances: int
    hours: float
    names_show: str = ABSENT


class DescribedList(NamedTuple):
    """One trial list of a corpus."""

    corpus: Name
    trials: Name
    women: int
    men: int
    of_unknown_gender: int
    trial_utterances: int
    target: int
    nontarget: int


class Finding(NamedTuple):
    """Something unusual: how serious it is, where it is (file:line), and what it is.

    ``sound`` is what it says of the sound of recordings, without any name.
    """

    level: str
    location: str
    message: str
    sound: str = ABSENT


class Corpora(NamedTuple):
    """All that the report says of the corpora; ``findings`` by corpus, or only how many."""

    speech: list[PartOfCorpus]
    lists: list[DescribedList]
    findings: dict[str, list[Finding]]
    are_shown: bool = True


def describe_speech(path: FilePath) -> PartOfCorpus:
    """Describe the manifest CORPUS/PART/original/manifest.tsv."""
    spoken = Spoken.of(path)
    utterances = read_manifest(path)
    women, men, unknown = _genders(
        {utterance.speaker: utterance.gender for utterance in utterances}
    )
    hours = sum(utterance.duration_s for utterance in utterances) / 3600
    shown = set().union(*(utterance.shown_by_name for utterance in utterances))
    names_show = " and the ".join(sorted(shown, reverse=True)) or ABSENT
    counts = (women, men, unknown, len(utterances))
    return PartOfCorpus(spoken.corpus, spoken.part, *counts, hours, names_show)


def describe_list(path: FilePath, manifest: FilePath) -> DescribedList:
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
    genders = {}  # of speakers, not of enrolments: somebody can be enrolled more than once
    for utterances in read_enrolments(enrolments).values():
        for name in utterances:
            if name not in known:
                raise BadInput(f"{enrolments}: utterance '{name}' is not in {manifest}")
            genders[known[name].speaker] = known[name].gender
    women, men, unknown = _genders(genders)
    trials = read_trials(path)
    labels = [trial.label for trial in trials]
    return DescribedList(
        corpus=path.parent.name,
        trials=path.stem,
        women=women,
        men=men,
        of_unknown_gender=unknown,
        trial_utterances=len({trial.trial for trial in trials}),
        target=labels.count("target"),
        nontarget=labels.count("nontarget"),
    )


def read_corpora(speech: FilePath, lists: FilePath, checks: Iterable[FilePath]) -> Corpora:
    """Read what the commands describe_corpora and validate_corpus wrote.

    Parameters
    ----------
    speech, lists : tables with the fields of PartOfCorpus and of DescribedList
    checks : tables CORPUS.tsv with the columns FINDINGS, of a corpus one or several
    """
    findings: dict[str, list[Finding]] = {}
    for path in checks:
        rows = map(_finding, read_table(path, FINDINGS))
        findings.setdefault(Path(path).stem, []).extend(rows)
    return Corpora(read_typed(PartOfCorpus, speech), read_typed(DescribedList, lists), findings)


def unnamed(corpora: Corpora) -> Corpora:
    """The same without places and names; of findings about sound their words remain."""
    findings = {}
    for corpus, rows in corpora.findings.items():
        findings[corpus] = [Finding(row.level, ABSENT, row.sound) for row in rows]
    return corpora._replace(findings=findings, are_shown=False)


def _finding(row: Mapping[str, str]) -> Finding:
    location = [part for part in (row["file"], row["line"]) if part != ABSENT]
    return Finding(row["level"], ":".join(location), row["what"], row["sound"])


def _genders(speakers: Mapping[str, str]) -> tuple[int, int, int]:
    """How many women, men, and speakers of unknown gender: {speaker: gender}."""
    genders = list(speakers.values())
    return genders.count("f"), genders.count("m"), genders.count("-")
