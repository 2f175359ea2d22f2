"""What was evaluated: speech and trial lists in numbers, and what is unusual in them.

Conventions
-----------
* Women and men count speakers; in a trial list those who are enrolled.
* A corpus whose utterances are cut into pieces is counted in pieces.
"""

from pathlib import Path
from typing import NamedTuple

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import read_enrolments, read_manifest, read_table, read_trials

FINDING = ["level", "file", "line", "what"]


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


class Corpora(NamedTuple):
    """All that the report says of the corpora: lists of Speech and TrialList, and {corpus: [(level, place, what)]}."""

    speech: list
    lists: list
    findings: dict


def describe_speech(path):
    """Describe the manifest CORPUS/PART/original/manifest.tsv as Speech."""
    corpus, part = Path(path).parts[-4:-2]
    utterances = read_manifest(path)
    genders = _genders({of.speaker: of.gender for of in utterances})
    return Speech(
        corpus, part, *genders, len(utterances), sum(of.duration_s for of in utterances) / 3600
    )


def describe_list(path, manifest):
    """Describe the trial list CORPUS/TRIALS.tsv, its enrolments beside it, as TrialList.

    Parameters
    ----------
    path : path
    manifest : path
        The manifest of the corpus's enrolment part: who is a woman and who a man.
    """
    path = Path(path)
    known = {of.utterance: of for of in read_manifest(manifest)}
    enrolments = read_enrolments(path.with_suffix(".enrolments.tsv"))
    try:
        enrolled = [
            known[utterance] for utterances in enrolments.values() for utterance in utterances
        ]
    except KeyError as error:
        raise BadInput(
            f"{path.with_suffix('.enrolments.tsv')}: utterance {error} is not in {manifest}"
        ) from None
    trials = read_trials(path)
    labels = [of.label for of in trials]
    return TrialList(
        path.parent.name,
        path.stem,
        *_genders({of.speaker: of.gender for of in enrolled}),
        len({of.trial for of in trials}),
        labels.count("target"),
        labels.count("nontarget"),
    )


def read_corpora(speech, lists, checks):
    """Read what the commands describe_corpora and validate_corpus wrote.

    Parameters
    ----------
    speech, lists : paths of tables with the fields of Speech and of TrialList
    checks : paths of CORPUS.tsv (level file line what)

    Returns
    -------
    Corpora
    """
    return Corpora(
        [Speech(**row) for row in read_table(speech, list(Speech._fields))],
        [TrialList(**row) for row in read_table(lists, list(TrialList._fields))],
        {Path(path).stem: [_finding(row) for row in read_table(path, FINDING)] for path in checks},
    )


def _finding(row):
    place = ":".join(of for of in (row["file"], row["line"]) if of != "-")
    return row["level"], place, row["what"]


def _genders(speakers):
    """How many women, men, and speakers of unknown gender: {speaker: gender}."""
    genders = list(speakers.values())
    return tuple(genders.count(gender) for gender in ("f", "m", "-"))
