"""Kaldi data directories, as the VoicePrivacy Challenges hand them out.

Their files are wav.scp, utt2spk, spk2gender, text, enrolls and trials, and perhaps segments: then
wav.scp names recordings, of which each utterance is a stretch. With ``windows`` these stretches are
turns: those of a speaker whose centres lie in the same stretch of so many seconds of a recording
are joined, in the order of time, to one utterance with the words of all.

A path in wav.scp is absolute, or relative to the given root. Without a root it is relative to the
first of these folders from which the first such path exists: the working directory, the data
directory, the folders above it. (Challenge directories name files from the folder that holds
data/.) A pipe ("sox a.flac -t wav - |") runs in that folder, where the config allows it.
"""

import contextlib
import functools
import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.corpora.listing import Findings, Listed, note_gender
from voiceprivacy.corpora.rows import Cut, Joined, Pipe, Recording
from voiceprivacy.corpus_kinds import CorpusKind, data_directory
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.files import base_of, name_too_long, read_lines
from voiceprivacy.inout.foreign import composed
from voiceprivacy.inout.manifests import seconds_of
from voiceprivacy.inout.placeholders import ours
from voiceprivacy.kinds import A_FOLDER, Named

SPEAKERS = "utt2spk"
# What the one channel of a recording is called in segments: Kaldi counts from 0, others do not.
ONLY_CHANNEL = ("0", "1", "A")
ONE_A_FILE = "cannot be told from the others: write it to a file of its own (sox ... remix 1)"


class Value(NamedTuple):
    """The value of an id in a table, and the line where it stands."""

    line: int
    text: str


class _Heard(NamedTuple):
    """The recording of an utterance, and the line that names it."""

    line: int
    audio: Recording


def data_directories(options: Any) -> list[str]:
    """All data directories of a corpus; the one that enrols is the first."""
    if not isinstance(options, dict):
        return [options]
    if "directory" in options:
        return [options["directory"]]
    return [options["enrolment"], *options.get("trial", [])]


def _is_divided(options: Any) -> bool:
    """Whether a directory of its own enrols."""
    return isinstance(options, dict) and "enrolment" in options


def _files(options: Any) -> Iterator[Named]:
    root = ours(options["root"]) if isinstance(options, dict) and "root" in options else None
    if root is not None:  # it only has to be there: the files are named by wav.scp
        yield Named((), root, A_FOLDER, endings=())
    for directory in data_directories(options):
        yield from data_directory(ours(directory), root)


def _has_transcripts(options: Any) -> bool:
    """Whether any directory has them that is tried."""
    first, *others = data_directories(options)
    return any(os.path.exists(ours(f"{directory}/text")) for directory in others or [first])


def _protocol(options: Any) -> dict[str, Any] | None:
    """The trials of the one directory; those of several have no name."""
    return None if _is_divided(options) else {"given": {"all": data_directories(options)[0]}}


def _data_sets(options: Any, part: str) -> list[str]:
    first, *others = data_directories(options)
    is_other = part == "trial" and _is_divided(options)
    return [Path(path).name for path in (others if is_other else [first])]


KIND = CorpusKind(
    schema="""
        description: >-
          A data directory (wav.scp, utt2spk, spk2gender, enrolls, trials, perhaps segments); or
          directory, one with more to say of it; or enrolment, one that enrols, and trial, some to
          be tried. root - where relative paths in wav.scp start.
        type: [string, object]
        minLength: 1
        if: {type: object}
        then:
          additionalProperties: false
          oneOf:
            - required: [directory]
            - required: [enrolment, trial]
          properties:
            directory:
              description: A data directory that enrols and is tried.
              type: string
              minLength: 1
            enrolment:
              description: The data directory that enrols.
              type: string
              minLength: 1
            trial:
              description: The data directories that are tried.
              type: array
              minItems: 1
              items: {type: string, minLength: 1}
            windows:
              description: >-
                Join the turns (segments) of a speaker whose centres lie in the same so many seconds
                of a recording to one utterance.
              type: number
              exclusiveMinimum: 0
            root:
              description: >-
                Where relative paths in wav.scp start; default - the working directory, the data
                directory or the nearest folder above it from which they exist.
              type: string
              minLength: 1
    """,
    cited="a data directory in Kaldi's format",
    files=_files,
    transcribed_by="the file text of a data directory",
    has_transcripts=_has_transcripts,
    protocol=_protocol,
    data_sets=_data_sets,
)


def list_utterances(options: Any, findings: Findings) -> list[Listed]:
    """List the utterances of one or more data directories.

    An utterance may lie in several directories as long as they agree on its speaker and file.

    Parameters
    ----------
    options : path, or dict
        One directory; or directory; or enrolment: a directory, trial: list of directories. A dict
        may have root: where relative paths start; and windows: seconds of a window.

    Raises
    ------
    BadInput : a directory or a file is not there
    """
    directories = [Path(directory) for directory in data_directories(options)]
    root = options.get("root") if isinstance(options, dict) else None
    # First of all directories: the trial directory may rely on the genders of the enrolment's.
    genders = _merged_genders(directories, findings)
    utterances: dict[str, Listed] = {}
    for directory in directories:
        for listed in _list_directory(directory, root, genders, findings):
            known = utterances.setdefault(listed.utterance, listed)
            if (known.speaker, known.audio) != (listed.speaker, listed.audio):
                message = f"utterance '{listed.utterance}' differs from {known.file}:{known.line}"
                findings.error(listed.file, listed.line, message)
    windows = _windows(options)
    return list(_joined(utterances, windows)) if windows else list(utterances.values())


def positions_of_part(options: Any, part: str) -> dict[str, int]:
    """Count the utterances of a part in the order of wav.scp, from 0 in every data directory."""
    directories = list(map(Path, data_directories(options)))
    if part == "trial":  # an utterance that enrols, too, is drawn for in the directory of trials
        directories = [*directories[1:], directories[0]]
    positions: dict[str, int] = {}
    for directory in directories:
        has_segments = (directory / "segments").exists()
        table = directory / ("segments" if has_segments else "wav.scp")
        names = dict.fromkeys(
            composed(line.split()[0]) for line in read_lines(table) if line.strip()
        )
        for position, name in enumerate(names):
            positions.setdefault(name, position)
    return positions


def read_transcripts(options: Any) -> dict[str, str]:
    """Read the files text of all data directories: {utterance: words}.

    A directory without one is passed over, unless none has one.
    """
    texts, findings = {}, Findings()
    files = [Path(directory, "text") for directory in data_directories(options)]
    for path in [path for path in files if path.exists()] or files[:1]:
        for utterance, words in read_text(path, findings).items():
            texts[utterance] = words.text
    findings.refuse_errors()
    if windows := _windows(options):
        turns: dict[str, list[str]] = {}
        for utterance, window in windows.items():
            turns.setdefault(window, []).append(texts.get(utterance, ""))
        return {window: " ".join(filter(None, own)) for window, own in turns.items()}
    return texts


def read_text(path: Path, findings: Findings) -> dict[str, Value]:
    """Read a file text: an utterance, then what is said in it, which may be nothing."""
    said: dict[str, Value] = {}
    for line, text in enumerate(read_lines(path), start=1):
        utterance, *words = text.split(maxsplit=1) or [""]
        utterance = composed(utterance)
        if utterance in said:
            findings.error(path, line, f"utterance '{utterance}' occurs twice")
        elif utterance:
            said[utterance] = Value(line, "".join(words).strip())
    return said


def read_enrolls(path: Path, findings: Findings) -> dict[str, int]:
    """Read the utterances of an enrolls file (one a line), or of utt2spk: {utterance: line}."""
    lines: dict[str, int] = {}
    n_columns = 2 if path.name == SPEAKERS else 1
    for line, (utterance, *_) in read_fields(path, n_columns, findings):
        if utterance in lines:
            findings.error(path, line, f"utterance '{utterance}' occurs twice")
        lines.setdefault(utterance, line)
    return lines


def read_fields(
    path: Path, count: int, findings: Findings, *, most: int | None = None
) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, fields) of a headerless table, without empty lines.

    The second of two fields may hold spaces. ``most`` is how many there may be, if not ``count``.
    """
    for line, text in enumerate(read_lines(path), start=1):
        may_hold_spaces = count == 2  # a path or a command, after the id
        fields = text.strip().split(maxsplit=1) if may_hold_spaces else text.split()
        n_names = 1 if path.name == "wav.scp" else len(fields)  # what follows there is a path
        fields = [*map(composed, fields[:n_names]), *fields[n_names:]]
        if count <= len(fields) <= (most or count):
            yield line, fields
        elif fields:
            findings.error(path, line, f"expected {counted(count, 'column')}: '{text.strip()}'")


def _list_directory(directory, root, genders, findings):
    if not directory.is_dir():
        raise BadInput(f"{directory}: not found")
    wav_scp, utt2spk = directory / "wav.scp", directory / SPEAKERS
    speakers = _read_map(utt2spk, "utterance", findings)
    recordings = _read_map(wav_scp, "utterance", findings)
    if not root:
        texts = [recording.text for recording in recordings.values()]
        root = base_of(directory, chain.from_iterable(map(_paths, texts)))
    table, utterances = wav_scp, {}
    for name, recording in recordings.items():
        audio = _audio(recording.text, Path(root))
        if isinstance(audio, Path) and (too_long := name_too_long(recording.text)):
            findings.error(wav_scp, recording.line, too_long)
        utterances[name] = _Heard(recording.line, audio)
    if (directory / "segments").exists():
        table = directory / "segments"
        utterances = _cuts(table, wav_scp, utterances, findings)
    for utterance in sorted(speakers.keys() - utterances.keys()):
        message = f"utterance '{utterance}' is not in {table}"
        findings.error(utt2spk, speakers[utterance].line, message)
    for utterance, recording in utterances.items():
        if utterance not in speakers:
            message = f"utterance '{utterance}' has no speaker in {utt2spk}"
            findings.error(table, recording.line, message)
            continue
        speaker = speakers[utterance].text
        yield Listed(
            utterance,
            speaker,
            genders.get(speaker, "-"),
            _session(utterance, speaker),
            recording.audio,
            str(table),
            recording.line,
        )


def _cuts(path, wav_scp, recordings, findings):
    """{utterance: _Heard} of a file segments: an utterance, its recording, start and end in s.

    A fifth field is the channel.
    """
    cuts = {}
    channels_of = functools.cache(_channels_of)
    for line, fields in read_fields(path, 4, findings, most=5):
        utterance, recording, start, end, *channel = fields
        if utterance in cuts:
            findings.error(path, line, f"utterance '{utterance}' occurs twice")
        elif recording not in recordings:
            findings.error(path, line, f"recording '{recording}' is not in {wav_scp}")
        elif (times := seconds_of(start, end)) is None:
            findings.error(path, line, f"'{start} {end}' is no stretch of time in seconds")
        elif channel and channel[0] not in ONLY_CHANNEL:
            findings.error(path, line, f"channel '{channel[0]}' of '{recording}' {ONE_A_FILE}")
        elif channel and (number := channels_of(recordings[recording].audio)) > 1:
            message = f"recording '{recording}' has {number} channels, of which one"
            findings.error(path, line, f"{message} {ONE_A_FILE}")
        else:
            cuts[utterance] = _Heard(line, Cut(recordings[recording].audio, *times))
    return cuts


def _windows(options):
    """{turn: id of its window}, in the order of time; empty without ``windows``."""
    seconds = options.get("windows") if isinstance(options, dict) else None
    turns, findings = [], Findings()
    for directory in map(Path, data_directories(options) if seconds else ()):
        path, speakers = directory / "segments", _read_map(directory / SPEAKERS, "", findings)
        for line, (utterance, recording, *times) in read_fields(path, 4, findings, most=5):
            start_s, end_s = seconds_of(*times[:2]) or (0, 0)  # what is wrong, _cuts says
            if end_s < 0:
                raise BadInput(f"{path}:{line}: windows need the end of turn '{utterance}'")
            if utterance in speakers:
                number = int((start_s + end_s) / 2 // seconds)
                window = f"{speakers[utterance].text}-{recording}-{number:03d}"
                turns.append((start_s, utterance, window))
    return {utterance: window for _, utterance, window in sorted(turns)}


def _joined(turns, windows):
    """Yield the turns {utterance: Listed} of each window as one utterance."""
    by_window = {}
    for utterance, window in windows.items():
        if utterance in turns:
            by_window.setdefault(window, []).append(turns[utterance])
    for window, own in by_window.items():
        stretches = tuple((turn.audio.start_s, turn.audio.end_s) for turn in own)
        joined = Joined(own[0].audio.recording, stretches)
        yield own[0]._replace(utterance=window, audio=joined)


def _channels_of(recording):
    """Return how many channels a file has; 1 where it is unknown, as of a pipe."""
    from voiceprivacy.inout import audio

    with contextlib.suppress(BadInput):  # the reader of the file says why
        return 1 if isinstance(recording, Pipe) else audio.header(recording).channels
    return 1


def _audio(text, base):
    return Pipe(text[:-1].strip(), base) if text.endswith("|") else base / text


def _session(utterance, speaker):
    """The chapter in an id as LibriSpeech has them: speaker-chapter-number.

    No other id tells of a session.
    """
    fields = utterance.split("-")
    return fields[1] if len(fields) == 3 and fields[0] == speaker else ""


def _read_map(path, column, findings):
    """A two-column table: {key: Value}; the first of two lines of one key counts."""
    values = {}
    for line, (key, text) in read_fields(path, 2, findings):
        if key in values:
            findings.error(path, line, f"{column} '{key}' occurs twice")
        values.setdefault(key, Value(line, text))
    return values


def _merged_genders(directories, findings):
    """The genders of all spk2gender files: a directory without one relies on the others."""
    genders = {}
    for directory in directories:
        path = directory / "spk2gender"
        if not path.exists():
            continue
        for speaker, written in _read_map(path, "speaker", findings).items():
            note_gender(genders, speaker, written.text, path, written.line, findings)
    return genders


def _paths(text):
    """What may be a path: all of the text, or the words after a pipe's program with a slash."""
    if not text.endswith("|"):
        return [text]
    words = Pipe(text[:-1], Path()).words()
    return [word for word in words[1:] if "/" in word]  # the first is the program
