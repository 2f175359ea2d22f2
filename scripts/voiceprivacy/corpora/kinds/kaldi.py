"""Kaldi data directories, as the VoicePrivacy Challenges hand them out: wav.scp, utt2spk, spk2gender, enrolls, trials.

A path in wav.scp is absolute, or relative to the given root; without one to the working directory, to the data
directory or to the nearest folder above it from which the first such path exists (challenge directories name files
from the folder that holds data/). A pipe ("sox a.flac -t wav - |") runs in that folder, where the config allows it.
"""

import os
from pathlib import Path

from voiceprivacy.corpora.listing import Listed
from voiceprivacy.corpora.recordings import Pipe, provide_audio
from voiceprivacy.inout.files import BadInput, read_lines

__all__ = [
    "data_directories",
    "list_utterances",
    "provide_audio",
    "read_enrolls",
    "read_fields",
    "read_text",
]


def list_utterances(options, findings):
    """List the utterances of one or more data directories.

    An utterance may lie in several directories as long as they agree on its speaker and file.

    Parameters
    ----------
    options : path, or dict
        One directory; or directory; or enrolment: a directory, trial: list of directories. A dict may have root: where
        relative paths start.
    """
    directories = [Path(directory) for directory in data_directories(options)]
    root = options.get("root") if isinstance(options, dict) else None
    genders = _merged_genders(directories, findings)
    utterances = {}
    for directory in directories:
        for listed in _list_directory(directory, root, genders, findings):
            known = utterances.setdefault(listed.utterance, listed)
            if (known.speaker, known.audio) != (listed.speaker, listed.audio):
                place = f"{known.file}:{known.line}"
                findings.error(
                    listed.file, listed.line, f"utterance '{listed.utterance}' differs from {place}"
                )
    return list(utterances.values())


def data_directories(options):
    """All data directories of a corpus; the one that enrols is the first."""
    if not isinstance(options, dict):
        return [options]
    return (
        [options["directory"]]
        if "directory" in options
        else [options["enrolment"], *options["trial"]]
    )


def read_text(path, findings):
    """Read a text file (utterance, then what is said, which may be nothing): {utterance: (line number, words)}."""
    said = {}
    for line, text in enumerate(read_lines(path), start=1):
        utterance, *words = text.split(maxsplit=1)[:2] or [""]
        if utterance in said:
            findings.error(path, line, f"utterance '{utterance}' occurs twice")
        elif utterance:
            said[utterance] = (line, "".join(words).strip())
    return said


def read_enrolls(path, findings):
    """Read an enrolls file (one utterance a line): {utterance: line number}."""
    utterances = {}
    for line, (utterance,) in read_fields(path, 1, findings):
        if utterance in utterances:
            findings.error(path, line, f"utterance '{utterance}' occurs twice")
        utterances.setdefault(utterance, line)
    return utterances


def read_fields(path, count, findings):
    """Yield (line number, fields) of a headerless table; no empty lines; the second of two fields may hold spaces."""
    for line, text in enumerate(read_lines(path), start=1):
        fields = text.strip().split(maxsplit=count - 1)
        if len(fields) == count and (count == 2 or len(text.split()) == count):
            yield line, fields
        elif fields:
            findings.error(
                path, line, f"expected {count} column{'s' if count > 1 else ''}: '{text.strip()}'"
            )


def _list_directory(directory, root, genders, findings):
    if not directory.is_dir():
        raise BadInput(f"{directory}: not found")
    if (directory / "segments").exists():
        raise BadInput(
            f"{directory}/segments: recordings cut by a segments file are not supported; cut the audio"
        )
    wav_scp, utt2spk, text = (directory / name for name in ("wav.scp", "utt2spk", "text"))
    speakers = _read_map(utt2spk, "utterance", findings)
    entries = _read_map(wav_scp, "utterance", findings)
    for utterance in speakers.keys() - entries.keys():
        findings.error(
            utt2spk, speakers[utterance][0], f"utterance '{utterance}' is not in {wav_scp}"
        )
    for utterance, (line, _) in read_text(text, findings).items() if text.exists() else ():
        if utterance not in entries:
            findings.oddity(text, line, f"utterance '{utterance}' is not in {wav_scp}")
    base = Path(root) if root else _base(directory, [entry for _, entry in entries.values()])
    for utterance, (line, entry) in entries.items():
        if utterance not in speakers:
            findings.error(wav_scp, line, f"utterance '{utterance}' has no speaker in {utt2spk}")
        else:
            speaker = speakers[utterance][1]
            gender, session = genders.get(speaker, "-"), _session(utterance, speaker)
            yield Listed(
                utterance, speaker, gender, session, _audio(entry, base), str(wav_scp), line
            )


def _audio(entry, base):
    return Pipe(entry[:-1].strip(), base) if entry.endswith("|") else base / entry


def _session(utterance, speaker):
    """The chapter in an id as LibriSpeech has them, speaker-chapter-number; no other id tells of a session."""
    fields = utterance.split("-")
    return fields[1] if len(fields) == 3 and fields[0] == speaker else ""


def _read_map(path, what, findings):
    """A two-column table: {key: (line number, value)}; the first of two lines of one key counts."""
    entries = {}
    for line, (key, value) in read_fields(path, 2, findings):
        if key in entries:
            findings.error(path, line, f"{what} '{key}' occurs twice")
        entries.setdefault(key, (line, value))
    return entries


def _merged_genders(directories, findings):
    """The genders of all spk2gender files: a directory without one relies on the others."""
    genders = {}
    for path in [
        directory / "spk2gender" for directory in directories if (directory / "spk2gender").exists()
    ]:
        for speaker, (line, text) in _read_map(path, "speaker", findings).items():
            gender = text.lower()
            if gender not in ("f", "m"):
                findings.error(
                    path, line, f"gender '{text}' of speaker '{speaker}' is neither f nor m"
                )
            elif genders.setdefault(speaker, gender) != gender:
                findings.error(
                    path, line, f"speaker '{speaker}' has another gender in another spk2gender"
                )
    return genders


def _base(directory, entries):
    """The folder that relative paths start from."""
    folders = [Path(), directory, *directory.absolute().parents]
    paths = (path for entry in entries for path in _paths(entry) if not Path(path).is_absolute())
    return next(
        (folder for path in paths for folder in folders if os.path.exists(folder / path)), Path()
    )


def _paths(entry):
    """What may be a path in an entry: all of it, or the words after a pipe's program that have a slash."""
    words = Pipe(entry[:-1], Path()).words() if entry.endswith("|") else None
    return [entry] if words is None else [word for word in words[1:] if "/" in word]
