"""Kaldi data directories, as the VoicePrivacy Challenges hand them out: wav.scp, utt2spk, spk2gender, enrolls, trials.

A path in wav.scp is absolute, or relative to the working directory, to the data directory or to the nearest folder
above it from which the first such path exists (challenge directories name files from the folder that holds data/).
"""

from pathlib import Path

from voiceprivacy.corpora.listing import Listed
from voiceprivacy.corpora.recordings import provide_audio
from voiceprivacy.files import BadInput, read_lines

__all__ = ["list_utterances", "provide_audio", "read_enrolls", "read_fields"]


def list_utterances(options, findings):
    """List the utterances of one or more data directories.

    An utterance may lie in several directories as long as they agree on its speaker and file.

    Parameters
    ----------
    options : path, or dict
        One directory; or enrolment: a directory, trial: list of directories.
    """
    directories = [Path(directory) for directory in _directories(options)]
    genders = _merged_genders(directories, findings)
    utterances = {}
    for directory in directories:
        for listed in _list_directory(directory, genders, findings):
            known = utterances.setdefault(listed.utterance, listed)
            if (known.speaker, known.audio) != (listed.speaker, listed.audio):
                place = f"{known.file}:{known.line}"
                findings.error(listed.file, listed.line, f"utterance '{listed.utterance}' differs from {place}")
    return list(utterances.values())


def enrolment_directory(options):
    """The directory whose enrolls file says who is enrolled with what."""
    return Path(options["enrolment"] if isinstance(options, dict) else options)


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
            findings.error(path, line, f"expected {count} column{'s' if count > 1 else ''}: '{text.strip()}'")


def _directories(options):
    if isinstance(options, dict):
        return [options["enrolment"], *options["trial"]]
    return [options]


def _list_directory(directory, genders, findings):
    if not directory.is_dir():
        raise BadInput(f"{directory}: not found")
    if (directory / "segments").exists():
        raise BadInput(f"{directory}/segments: recordings cut by a segments file are not supported; cut the audio")
    wav_scp, utt2spk = directory / "wav.scp", directory / "utt2spk"
    speakers = _read_map(utt2spk, "utterance", findings)
    entries = _read_map(wav_scp, "utterance", findings)
    for utterance in speakers.keys() - entries.keys():
        findings.error(utt2spk, speakers[utterance][0], f"utterance '{utterance}' is not in {wav_scp}")
    base = _base(directory, [entry for _, entry in entries.values()])
    for utterance, (line, entry) in entries.items():
        if utterance not in speakers:
            findings.error(wav_scp, line, f"utterance '{utterance}' has no speaker in {utt2spk}")
        elif entry.endswith("|"):
            findings.error(wav_scp, line, f"utterance '{utterance}' is a command (pipe), not a file: make files of it")
        else:
            speaker = speakers[utterance][1]
            yield Listed(utterance, speaker, genders.get(speaker, "-"), "", base / entry, str(wav_scp), line)


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
    for path in [directory / "spk2gender" for directory in directories if (directory / "spk2gender").exists()]:
        for speaker, (line, text) in _read_map(path, "speaker", findings).items():
            gender = text.lower()
            if gender not in ("f", "m"):
                findings.error(path, line, f"gender '{text}' of speaker '{speaker}' is neither f nor m")
            elif genders.setdefault(speaker, gender) != gender:
                findings.error(path, line, f"speaker '{speaker}' has another gender in another spk2gender")
    return genders


def _base(directory, entries):
    """The folder that relative paths start from."""
    folders = [Path(), directory, *directory.absolute().parents]
    relative = (entry for entry in entries if not Path(entry).is_absolute())
    return next((folder for entry in relative for folder in folders if (folder / entry).exists()), Path())
