"""The protocol given: trial lists that lie in Kaldi data directories, read as they are and checked.

``trials`` of a list's directory: "speaker utterance target|nontarget". ``enrolls`` (one utterance a
line), of the list's directory or of the corpus's enrolment directory, says what a speaker is
enrolled with. Without one, all utterances of a directory for enrolment enrol. Lists named f, m or
f_..., m_... are of one gender. A list can be the part of a trials file between speakers of one
gender. Of a corpus that is limited, only the trials between what is left are scored. The pieces of
an utterance stand in its place.

``options`` are {name of a list: data directory}, or {name: fields} with the fields

* ``directory``, and perhaps ``gender`` for one gender's part;
* ``list``: a trials file of any name, or several that are one list;
* ``repeats: last``: the last line of a pair counts, and a trial whose enrolment or utterance is not
  there is left out, as the scorer of the VoicePrivacy Challenge 2026 reads a list;
* ``cross_gender``, a seed: trials across genders are drawn besides (``across_genders``).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy import seeds
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

# Lines of a list whose last line of a pair counts: what is said of them.
ODD = (
    "lines that repeat a pair",
    "that contradict the one before",
    "that name no enrolled speaker or no utterance that is there",
)
AS_THE_SCORER = "the last line counts and what is not there is left out, as for the challenge"


class _List(NamedTuple):
    """One entry of the options; ``repeats`` is whether the last line of a pair counts."""

    files: list[Path]
    gender: str | None
    repeats: bool
    cross_gender: int | None


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
        tried |= {trial.trial for _, _, trial in _read_trials(options, name, passed_over)}
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
    listed = _list(options, name)
    names = list(options)
    if listed.files in [_list(options, other).files for other in names[: names.index(name)]]:
        return  # the same files, checked as a whole under their first name
    known = _known(enrolment, trial)
    labels: dict[tuple[str, str], str] = {}
    wrong: dict[str, tuple[Path, int]] = {}  # what is wrong is said once, where it first occurs
    enrolled: dict[str, tuple[Path, int]] = {}  # tried utterances that enrol their speaker
    for path, line, tried in _read_trials(options, name, findings):
        at, pair = (path, line), (tried.enrolment, tried.trial)
        messages = _wrong_label(tried) if listed.repeats else _wrong_with(tried, known, labels)
        for message in (*messages, *_wrong_genders(tried, known, options, name)):
            wrong.setdefault(message, at)
        if tried.trial in known.enrolments.get(known.speakers.get(tried.trial, ""), ()):
            enrolled.setdefault(tried.trial, at)
        if listed.repeats:
            labels[pair] = tried.label
        else:
            labels.setdefault(pair, tried.label)
    if enrolled:
        first, *others = enrolled
        both = f"utterance '{first}' is both enrolled and tried"
        more = f" (and {counted(len(others), 'other')})" if others else ""
        wrong[f"{both}{more}"] = enrolled[first]
    for message, (path, line) in wrong.items():
        findings.error(path, line, message)
    path = listed.files[0]
    if listed.repeats and (said := repeated_lines(options, name, known)):
        findings.oddity(path, "-", said)
    counts = {
        "enrolment_speakers": len({speaker for speaker, _ in labels}),
        "trial_utterances": len({utterance for _, utterance in labels}),
        "target_trials": list(labels.values()).count("target"),
        "nontarget_trials": list(labels.values()).count("nontarget"),
    }
    compare_published(path.parent.name, counts, path, findings)
    if listed.cross_gender is not None:
        across = _drawn(options, name, enrolment, trial)
        findings.oddity(path, "-", own_list(listed.cross_gender, len(across)))


def own_list(seed: int, n_trials: int) -> str:
    """What is said of a list whose trials across genders are drawn here."""
    return (
        f"own cross-gender list, seed {seed}: {n_trials:,} trials across genders are drawn, so its"
        " rates can be compared with those of the organisers' list and are not equal"
    )


def _known(enrolment, trial):
    enrolments = {speaker: set(names) for speaker, names in _names_of(enrolment).items()}
    speakers = {utterance.utterance: utterance.speaker for utterance in trial}
    genders = {utterance.speaker: utterance.gender for utterance in (*enrolment, *trial)}
    return _Known(enrolments, speakers, genders)


def repeated_lines(options: dict[str, Any], name: str, known: _Known | None = None) -> str:
    """How many lines of a list repeat and contradict others, in a sentence; empty if none does.

    With what is ``known`` of the corpus, also how many name what is not there.
    """
    labels: dict[tuple[str, str], str] = {}
    counts: Counter[str] = Counter()
    for _, _, (speaker, utterance, label) in _read_trials(options, name, Findings()):
        if known and (speaker not in known.enrolments or utterance not in known.speakers):
            counts[ODD[2]] += 1
            continue
        earlier = labels.get((speaker, utterance))
        counts[ODD[0]] += earlier is not None
        counts[ODD[1]] += earlier not in (None, label)
        labels[speaker, utterance] = label
    said = ", ".join(f"{kind}: {counts[kind]:,}" for kind in ODD if counts[kind])
    return f"{said}; {AS_THE_SCORER}" if said else ""


def _wrong_label(trial: Trial) -> Iterator[str]:
    if trial.label not in LABELS:
        yield f"label '{trial.label}' is neither target nor nontarget"


def _wrong_with(trial: Trial, known: _Known, labels: dict[tuple[str, str], str]) -> Iterator[str]:
    """What is wrong with one line of a trial list, after the pairs of ``labels``."""
    speaker, utterance, label = trial
    yield from _wrong_label(trial)
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
    chosen = _list(options, name).gender
    wanted = chosen or _gender_in(name)
    if not wanted:
        return
    for speaker in dict.fromkeys([trial.enrolment, known.speakers.get(trial.trial)]):
        gender = known.genders.get(speaker, wanted)
        if gender == "-":
            other = "leave `gender` out" if chosen else "call it neither f nor m"
            yield f"speaker '{speaker}' is neither f nor m in a list of {wanted} alone: {other}"
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
    listed = _list(options, name)
    enrolments = _names_of(_within(listed.gender, enrolment))
    pieces = _pieces_of(_within(listed.gender, trial), are_pieces="segments" in source)
    trials: dict[tuple[str, str], Trial] = {}
    across = [] if listed.cross_gender is None else _drawn(options, name, enrolment, trial)
    in_files = (tried for _, _, tried in _read_trials(options, name, Findings()))
    for speaker, whole, label in chain(across, in_files):
        if speaker not in enrolments:  # of the other gender, or beyond the corpus's limit
            continue
        for piece in pieces.get(whole, []):
            trials[speaker, piece] = Trial(speaker, piece, label)
    named = dict.fromkeys(speaker for speaker, _ in trials)
    return list(trials.values()), {speaker: enrolments[speaker] for speaker in named}


def _drawn(options, name, enrolment, trial):
    """The trials across genders of a list that asks for them."""
    genders = {utterance.speaker: utterance.gender for utterance in (*enrolment, *trial)}
    speakers = {source_of(one.utterance): one.speaker for one in trial}
    speakers |= {one.utterance: one.speaker for one in trial}
    trials = {
        (tried.enrolment, tried.trial): tried
        for _, _, tried in _read_trials(options, name, Findings())
    }
    enrolled = sorted({utterance.speaker for utterance in enrolment})
    return across_genders(
        trials.values(),
        {sex: [one for one in enrolled if genders[one] == sex] for sex in "fm"},
        {utterance: genders[speaker] for utterance, speaker in speakers.items()},
        seed=_list(options, name).cross_gender,
    )


def across_genders(
    trials: Iterable[Trial],
    enrolled: Mapping[str, Sequence[str]],
    genders: Mapping[str, str],
    *,
    seed: int,
) -> list[Trial]:
    """Nontarget trials across genders, as plan 2.0 of the challenge of 2026 has them.

    Each utterance of one gender is tried against as many speakers of the other as it has nontarget
    trials on average (rounded), at most all. Whom is drawn from the seed and the utterance's id,
    without replacement; the published program has no seed.

    Parameters
    ----------
    trials : trials within genders
    enrolled : {f or m: enrolled speakers}, sorted
    genders : {utterance: f or m}
    seed : int

    Returns
    -------
    list of Trial : men against utterances of women, then women against utterances of men
    """
    drawn = []
    for own, other in (("f", "m"), ("m", "f")):
        within = [one for one in trials if genders.get(one.trial) == own]
        utterances = sorted({one.trial for one in within})
        n_nontarget = sum(one.label == LABELS[1] for one in within)
        count = round(n_nontarget / len(utterances)) if utterances else 0
        speakers = enrolled[other]
        for utterance in utterances:
            generator = seeds.generator(seed, "cross_gender", utterance)
            order = generator.permutation(len(speakers))[:count]
            drawn += [Trial(speakers[index], utterance, LABELS[1]) for index in order]
    return drawn


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
    files = chain.from_iterable(_list(options, name).files for name in options)
    directories = [file.parent for file in files]
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


def _list(options, name):
    """An entry of the options, with its files."""
    given = options[name] if isinstance(options[name], dict) else {"directory": options[name]}
    named = given.get("list") or f"{given['directory']}/trials"
    return _List(
        [Path(file) for file in (named if isinstance(named, list) else [named])],
        given.get("gender"),
        given.get("repeats") == "last",
        given.get("cross_gender"),
    )


def _read_trials(options, name, findings):
    """Yield (file, line number, Trial) of a list's files."""
    for path in _list(options, name).files:
        rows = list(kaldi.read_fields(path, 3, findings))
        yield from ((path, line, trial) for line, trial, _ in headerless_trials(path, rows))
