"""VCTK 0.92 (wav48_silence_trimmed/p225/p225_001_mic1.flac at 48 kHz, speaker-info.txt) and 0.80
(wav48/p225/p225_001.wav, one microphone).

Every speaker reads the same 24 sentences first: the rainbow passage and the elicitation paragraph.
Then come sentences of a newspaper that differ between speakers. The VoicePrivacy Challenges try
them in separate lists: f_common and m_common have the common sentences, f and m the others. Only
the others enrol.

Yamagishi, Veaux and MacDonald, CSTR VCTK Corpus (version 0.92), University of Edinburgh, 2019.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from voiceprivacy.corpora.listing import Findings, Listed, check_names
from voiceprivacy.corpus_kinds import CorpusKind, texts_at
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import read_lines
from voiceprivacy.inout.foreign import files_below, refuse_no_utf8
from voiceprivacy.inout.placeholders import ours
from voiceprivacy.kinds import A_FOLDER, Named
from voiceprivacy.vocabulary import RECORDINGS

AUDIO_FOLDER, OLDER_FOLDER = "wav48_silence_trimmed", "wav48"  # of 0.92 and of 0.80
COMMON_SENTENCES = 24
GENDERS = ("f", "m")
SENTENCE = re.compile(r"_(\d{3})(?:_mic[12])?(?:_|$)")


def _files(options: dict[str, Any]) -> Iterator[Named]:
    root = ours(options["root"])
    yield Named(("root",), root, A_FOLDER, without_texts=True)
    yield from texts_at(f"{root}/txt", "root")


def _has_transcripts(options: dict[str, Any]) -> bool:
    return os.path.isdir(ours(f"{options['root']}/txt"))


def is_common(utterance: str) -> bool:
    """Whether the id of an utterance, or of a piece, is of a sentence that all speakers read."""
    number = SENTENCE.search(utterance)
    return number is not None and int(number.group(1)) <= COMMON_SENTENCES


KIND = CorpusKind(
    schema="""
        description: >-
          VCTK 0.92 (speaker-info.txt,
          wav48_silence_trimmed/speaker/speaker_sentence_microphone.flac) or 0.80
          (wav48/speaker/speaker_sentence.wav).
        type: object
        additionalProperties: false
        required: [root]
        properties:
          root:
            description: Folder that holds speaker-info.txt and wav48_silence_trimmed or wav48.
            type: string
            minLength: 1
          microphone:
            description: Whose recordings are taken (0.92).
            enum: [mic1, mic2]
            default: mic2
    """,
    cited="VCTK [@vctk]",
    files=_files,
    transcribed_by="the folder txt of VCTK",
    has_transcripts=_has_transcripts,
    published=lambda _: ["VCTK"],
    is_written_again=True,  # recorded at 48 kHz
)


def list_utterances(options: dict[str, Any], findings: Findings) -> list[Listed]:
    """List what one microphone recorded; a speaker without any such file is an oddity.

    Parameters
    ----------
    options : dict
        root: the folder that holds speaker-info.txt and wav48_silence_trimmed or wav48;
        microphone: mic1 or mic2, of 0.92.

    Raises
    ------
    BadInput : a folder is not there
    """
    root, folder, ending = Path(options["root"]), _folder(options), _ending(options)
    for needed in (root, folder):  # the first that is missing says most
        if not needed.is_dir():
            raise BadInput(f"{needed}: not found")
    genders = _read_genders(root / "speaker-info.txt", findings)
    utterances = []
    shown = [path for path in sorted(folder.glob("[!.]*")) if path.is_dir()]
    for speaker in shown:
        named = sorted(map(speaker.joinpath, files_below(speaker, RECORDINGS)))
        files = [path for path in named if path.stem.endswith(ending)]
        gender = genders.get(speaker.name, "-")
        if not files:
            message = f"has no file *{ending}: the speaker is left out"
            findings.oddity(speaker, "-", message)
        elif speaker.name not in genders:
            message = f"speaker '{speaker.name}' is not listed: no gender"
            findings.oddity(root / "speaker-info.txt", "-", message)
        refuse_no_utf8(folder, files)
        for path in files:  # VCTK tells of no sessions
            utterances.append(Listed(path.stem, speaker.name, gender, "", path, str(path), "-"))
    check_names(utterances, findings)
    return utterances


def read_facts(options: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Ages and accents, where speaker-info.txt has them: {attribute: {speaker: value}}."""
    facts: dict[str, dict[str, str]] = {"age": {}, "accent": {}}
    for _, _, speaker, fields in _lines(Path(options["root"], "speaker-info.txt")):
        position = next((i for i, field in enumerate(fields) if field.lower() in GENDERS), None)
        if position is None:
            continue
        # Before the gender stands the age, behind it the accent.
        if position and fields[position - 1].isdecimal():
            facts["age"][speaker] = fields[position - 1]
        accent = "".join(fields[position + 1 : position + 2])
        if accent and accent.lower() != "unknown":
            facts["accent"][speaker] = accent
    return facts


def read_transcripts(options: dict[str, Any]) -> dict[str, str]:
    """Read the files txt/p225/p225_001.txt: {utterance: text}; speaker p315 has none.

    Raises
    ------
    BadInput : there is no such file
    """
    folder, ending = Path(options["root"], "txt"), _ending(options)
    texts = {}
    for path in sorted(folder.glob("*/*.txt")):
        if not path.name.startswith("."):
            texts[f"{path.stem}{ending}"] = " ".join(read_lines(path))
    if not texts:
        raise BadInput(f"{folder}: has no speaker/sentence.txt")
    return texts


def _folder(options: dict[str, Any]) -> Path:
    """Where recordings lie: that of 0.80 only where there is no newer one."""
    newer, older = (Path(options["root"], name) for name in (AUDIO_FOLDER, OLDER_FOLDER))
    return older if older.is_dir() and not newer.is_dir() else newer


def _ending(options: dict[str, Any]) -> str:
    """How names of recordings end: with the microphone, and with nothing in VCTK 0.80."""
    folder = _folder(options)
    is_older = folder.name == OLDER_FOLDER and not any(folder.glob("*/*_mic[12].*"))
    return "" if is_older else f"_{options['microphone']}"


def _read_genders(path, findings):
    """speaker-info.txt: ID AGE GENDER ACCENTS REGION COMMENTS between spaces.

    As published, lines lack fields. The gender is the first F or M after the id, so that a missing
    age does no harm. Ids without their p get it.
    """
    genders = {}
    for line, text, speaker, fields in _lines(path):
        gender = next((field.lower() for field in fields if field.lower() in GENDERS), "-")
        if gender == "-":
            findings.oddity(path, line, f"no gender of speaker '{speaker}' in '{text}'")
        if genders.setdefault(speaker, gender) != gender:
            findings.error(path, line, f"speaker '{speaker}' has another gender in another line")
    return genders


def _lines(path: Path) -> Iterator[tuple[int, str, str, list[str]]]:
    """Number and text of every line of the table, its speaker and the further fields."""
    for line, text in enumerate(read_lines(path), start=1):
        fields = text.split()
        if not fields or fields[0].upper() == "ID":
            continue
        speaker = f"p{fields[0]}" if fields[0].isdigit() else fields[0]
        yield line, text.strip(), speaker, fields[1:]
