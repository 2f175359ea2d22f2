"""The protocol given: trial lists that lie in Kaldi data directories, read as they are and checked.

``trials`` of a list's directory: "speaker utterance target|nontarget". ``enrolls`` (one utterance a
line), of the list's directory or of the corpus's enrolment directory, says what a speaker is
enrolled with. Without one, all utterances of a directory for enrolment enrol. Lists named f, m or
f_..., m_... are of one gender. A list can be the part of a trials file between speakers of one
gender. Of a corpus that is limited, only the trials between what is left are scored. The pieces of
an utterance stand in its place.

``options`` are {name of a list: data directory}, {name: {directory, gender}} for one gender's part,
or {name: {list}} for a trials file of any name.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.corpora.kinds import kaldi
from voiceprivacy.corpora.listing import (
    Findings,
    Listed,
    Source,
    by_speaker,
    compare_published,
    kind_of,
)
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.ids import source_of
from voiceprivacy.inout.trial_lists import Trial, headerless_trials
from voiceprivacy.vocabulary import LABELS


class _Known(NamedTuple):
    """What is known of the ids in a trial list."""

    enrolments: dict[str, set[str]]  # {speaker: ids that enrol}
    speakers: dict[str, str]  # {trial utterance: who speaks it}
    genders: dict[str, str]  # {speaker: gender}


def list_names(options: dict[str, Any]) -> list[str]:
    """Names of the trial lists."""
    return list(options)


def split(
    source: Source, options: dict[str, Any], utterances: Sequence[Listed], findings: Findings
) -> tuple[set[str], set[str]]:
    """Find the ids that enrol and those that are tried.

    Raises
    ------
    BadInput : there is no enrolls or no trials file
    """
    known = {utterance.utterance for utterance in utterances}
    enrolled: set[str] = set()
    for path in _enrolls_files(source, options):
        lines = kaldi.read_enrolls(path, findings)
        compare_published(path.parent.name, {"enrolment_utterances": len(lines)}, path, findings)
        for utterance, line in lines.items():
            if utterance not in known:
                message = f"utterance '{utterance}' is unknown: no wav.scp lists it"
                findings.error(path, line, message)
        enrolled |= lines.keys()
    passed_over = Findings()  # check_list reads the same lines and says what is wrong with them
    tried: set[str] = set()
    for name in options:
        tried |= {trial.trial for _, trial in _read_trials(options, name, passed_over)}
    return enrolled & known, tried & known


def check_list(
    options: dict[str, Any],
    name: str,
    enrolment: Sequence[Listed],
    trial: Sequence[Listed],
    findings: Findings,
) -> None:
    """Check each trial of one list against what is known of its speakers; add what is wrong.

    ``enrolment`` and ``trial`` are all of the corpus, whatever it is limited to.
    """
    path = _trials_file(options, name)
    names = list(options)
    before = [_trials_file(options, other) for other in names[: names.index(name)]]
    if path in before:
        return  # the same file, checked as a whole under its first name
    known = _known(enrolment, trial)
    labels: dict[tuple[str, str], str] = {}
    lines: dict[str, int] = {}  # what is wrong is said once, where it first occurs
    enrolled: dict[str, int] = {}  # tried utterances that enrol their speaker
    for line, tried in _read_trials(options, name, findings):
        for message in _wrong_with(tried, known, labels):
            lines.setdefault(message, line)
        if tried.trial in known.enrolments.get(known.speakers.get(tried.trial, ""), ()):
            enrolled.setdefault(tried.trial, line)
        for message in _wrong_genders(tried, known, options, name):
            lines.setdefault(message, line)
        labels.setdefault((tried.enrolment, tried.trial), tried.label)
    if enrolled:
        first, *others = enrolled
        both = f"utterance '{first}' is both enrolled and tried"
        more = f" (and {counted(len(others), 'other')})" if others else ""
        lines[f"{both}{more}"] = enrolled[first]
    for message, line in lines.items():
        findings.error(path, line, message)
    counts = {
        "enrolment_speakers": len({speaker for speaker, _ in labels}),
        "trial_utterances": len({utterance for _, utterance in labels}),
        "target_trials": list(labels.values()).count("target"),
        "nontarget_trials": list(labels.values()).count("nontarget"),
    }
    compare_published(path.parent.name, counts, path, findings)


def _known(enrolment, trial):
    enrolments = {speaker: set(names) for speaker, names in _names_of(enrolment).items()}
    speakers = {utterance.utterance: utterance.speaker for utterance in trial}
    genders = {utterance.speaker: utterance.gender for utterance in (*enrolment, *trial)}
    return _Known(enrolments, speakers, genders)


def _wrong_with(trial: Trial, known: _Known, labels: dict[tuple[str, str], str]) -> Iterator[str]:
    """What is wrong with one line of a trial list, after the pairs of ``labels``."""
    speaker, utterance, label = trial
    if label not in LABELS:
        yield f"label '{label}' is neither target nor nontarget"
    if (speaker, utterance) in labels:
        yield f"trial '{speaker} {utterance}' occurs twice"
    if speaker not in known.enrolments:
        yield f"speaker '{speaker}' is unknown: no enrolled speaker has this id"
    said = f"utterance '{utterance}'"
    if utterance not in known.speakers:
        yield f"{said} is unknown: no data directory lists it with a speaker and a file"
        return
    true_speaker = known.speakers[utterance]
    if label == "target" and true_speaker != speaker:
        yield f"{said} is labelled target of '{speaker}', but '{true_speaker}' speaks it"
    elif label == "nontarget" and true_speaker == speaker:
        yield f"{said} is labelled nontarget, but '{speaker}' speaks it"


def _wrong_genders(trial, known, options, name):
    """Who in one line of a list of one gender has another one, or none.

    A list that is a gender's part of a file leaves the others out: only those without a gender are
    wrong.
    """
    chosen = _chosen_gender(options, name)
    wanted = chosen or _gender_in(name)
    if not wanted:
        return
    for speaker in dict.fromkeys([trial.enrolment, known.speakers.get(trial.trial)]):
        gender = known.genders.get(speaker, wanted)
        if gender == "-":
            yield f"speaker '{speaker}' has no gender, but the lists are per gender"
        elif gender != wanted and not chosen:
            yield f"speaker '{speaker}' is {gender} in a list of {wanted}: a trial across genders"


def list_trials(
    source: Source,
    options: dict[str, Any],
    name: str,
    enrolment: Sequence[Any],
    trial: Sequence[Any],
    findings: Findings,
) -> tuple[list[Trial], dict[str, list[str]]]:
    """The trials of one list between the utterances (Utterance or Listed) of two parts.

    check_list says what is wrong with them.
    """
    chosen = _chosen_gender(options, name)
    enrolments = _names_of(_within(chosen, enrolment))
    pieces = _pieces_of(_within(chosen, trial), are_pieces="segments" in source)
    trials: dict[tuple[str, str], Trial] = {}
    for _, (speaker, whole, label) in _read_trials(options, name, Findings()):
        if speaker not in enrolments:  # of the other gender, or beyond the corpus's limit
            continue
        for piece in pieces.get(whole, []):
            trials[speaker, piece] = Trial(speaker, piece, label)
    named = dict.fromkeys(speaker for speaker, _ in trials)
    return list(trials.values()), {speaker: enrolments[speaker] for speaker in named}


def _pieces_of(utterances, *, are_pieces):
    """{utterance: the ids that stand in its place}: those of its pieces, else its own."""
    pieces: dict[str, list[str]] = {}
    for utterance in sorted(utterances):
        name = utterance.utterance
        whole = source_of(name) if are_pieces else name
        pieces.setdefault(whole, []).append(name)
    return pieces


def _within(gender, utterances):
    """The utterances of one gender; of None: all."""
    return [utterance for utterance in utterances if gender in (None, utterance.gender)]


def _names_of(utterances: Iterable[Any]) -> dict[str, list[str]]:
    """{speaker: [ids in their order]}."""
    groups = by_speaker(utterances).items()
    return {speaker: [utterance.utterance for utterance in own] for speaker, own in groups}


def _gender_in(name):
    """The gender of a list named f, m, f_common and so on; None of any other."""
    first = name.split("_")[0]
    return first if first in ("f", "m") else None


def _enrolls_files(source, options):
    directories = [_trials_file(options, name).parent for name in options]
    kind, own = kind_of(source)
    enrolling, *tried = kind.data_directories(own) if hasattr(kind, "data_directories") else [None]
    if enrolling:
        directories.append(Path(enrolling))
    paths = dict.fromkeys(directory / "enrolls" for directory in directories)
    files = [path for path in paths if path.is_file()]
    if not files and tried:  # who enrols is all that a directory of its own holds
        return [directories[-1] / kaldi.SPEAKERS]
    if not files:
        raise BadInput(f"{directories[-1] / 'enrolls'}: not found")
    return files


def _trials_file(options, name):
    named = options[name] if isinstance(options[name], dict) else {"directory": options[name]}
    return Path(named["list"]) if "list" in named else Path(named["directory"]) / "trials"


def _chosen_gender(options, name):
    return options[name].get("gender") if isinstance(options[name], dict) else None


def _read_trials(options, name, findings):
    """Yield (line number, Trial) of a list's file."""
    path = _trials_file(options, name)
    rows = list(kaldi.read_fields(path, 3, findings))
    yield from ((line, trial) for line, trial, _ in headerless_trials(path, rows))
