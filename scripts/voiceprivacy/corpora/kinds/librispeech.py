"""LibriSpeech as it is published: subset/speaker/chapter/utterance.flac, and SPEAKERS.TXT with everybody's gender.

Panayotov et al., Librispeech: an ASR corpus based on public domain audio books, ICASSP 2015.
"""

from pathlib import Path

from voiceprivacy.corpora import checks
from voiceprivacy.corpora.listing import Listed
from voiceprivacy.corpora.recordings import AUDIO, provide_audio
from voiceprivacy.inout.files import BadInput, read_lines

__all__ = ["list_utterances", "provide_audio"]


def list_utterances(options, findings):
    """List the utterances of some subsets; the chapter is the session.

    Parameters
    ----------
    options : dict
        root: the folder that holds SPEAKERS.TXT and the subsets; subsets: names of folders there.
    """
    root = Path(options["root"])
    if not root.is_dir():
        raise BadInput(f"{root}: not found")
    genders = _read_genders(root / "SPEAKERS.TXT", findings)
    utterances = {}
    for subset in options["subsets"]:
        files = _audio_files(root / subset, findings)
        checks.compare(subset, {"utterances": len(files)}, root / subset, findings)
        for path in files:
            listed = _listed(path, genders)
            known = utterances.setdefault(listed.utterance, listed)
            if known is not listed:
                findings.error(path, "-", f"utterance '{listed.utterance}' is also {known.audio}")
    for speaker in sorted({of.speaker for of in utterances.values()} - genders.keys()):
        findings.error(
            root / "SPEAKERS.TXT", "-", f"speaker '{speaker}' of the subsets is not listed"
        )
    return list(utterances.values())


def _audio_files(folder, findings):
    """The audio files subset/speaker/chapter/*, in the order of their names."""
    if not folder.is_dir():
        raise BadInput(f"{folder}: not found")
    files = sorted(
        path
        for path in folder.glob("*/*/*")
        if path.suffix in AUDIO and not path.name.startswith(".")
    )
    if not files:
        findings.error(folder, "-", "no audio file speaker/chapter/utterance.flac in it")
    return files


def _listed(path, genders):
    chapter = path.parent
    speaker = chapter.parent.name
    return Listed(path.stem, speaker, genders.get(speaker, "-"), chapter.name, path, str(path), "-")


def _read_genders(path, findings):
    """SPEAKERS.TXT: ID | SEX | SUBSET | MINUTES | NAME, comments start with a semicolon."""
    genders = {}
    for line, text in enumerate(read_lines(path), start=1):
        fields = [field.strip() for field in text.split("|")]
        if text.startswith(";") or not text.strip():
            continue
        if len(fields) < 2 or fields[1] not in ("F", "M"):
            findings.error(path, line, "expected a speaker and F or M, separated by |")
        elif fields[0] in genders:
            findings.error(path, line, f"speaker '{fields[0]}' occurs twice")
        else:
            genders[fields[0]] = fields[1].lower()
    return genders
