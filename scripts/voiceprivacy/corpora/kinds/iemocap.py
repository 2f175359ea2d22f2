"""IEMOCAP as it is distributed: Session1/sentences/wav/Ses01F_impro01/Ses01F_impro01_F000.wav.

Ten people play in pairs, a woman and a man in each of five sessions. The last part of an
utterance's id says who of the two speaks. Ses01F_impro01_M003 is said by the man of session 1: the
letter before says only whose face was recorded.

The VoicePrivacy Challenges measure with it which emotions are still heard, and attack nobody in it:
a corpus of this kind is there for utility (``use: utility``) unless it has a protocol. They take
the 5,531 utterances that the evaluators called angry, happy, excited, neutral or sad.

Busso et al., IEMOCAP: Interactive emotional dyadic motion capture database, Language Resources and
Evaluation 42, 2008.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from voiceprivacy.corpora.listing import Findings, Listed, compare_published
from voiceprivacy.corpus_kinds import CorpusKind, texts_at
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.files import read_lines
from voiceprivacy.inout.iemocap import (
    EVALUATED,
    OF_FOUR_EMOTIONS,
    SENTENCES,
    SESSIONS,
    SPOKEN,
    TRANSCRIBED,
    TRANSCRIPTIONS,
    files,
    read_evaluations,
)
from voiceprivacy.inout.placeholders import ours
from voiceprivacy.kinds import A_FOLDER, TEXTS, Named
from voiceprivacy.vocabulary import UTILITY_ALONE

PUBLISHED = "IEMOCAP"  # in the table of published counts
UTTERANCE = re.compile(r"(Ses\d\d)[FM]_.+_([FM])[^_]*")
# Ses01F_impro01_F000 [006.2901-008.2357]: Excuse me.
WORDS_SPOKEN = re.compile(r"(\S+) \[[\d.]+-[\d.]+\]: ?(.*)")
NO_WORDS = re.compile(r"\[[^\]]*\]")  # [LAUGHTER], [BREATHING], [GARBAGE]
FOUR, ALL = "four", "all"  # which emotions are taken


def _folders(options: dict[str, Any]) -> list[str]:
    return [f"{ours(options['root'])}/Session{session}" for session in options["sessions"]]


def _files(options: dict[str, Any]) -> Iterator[Named]:
    """Only what is read of it: videos and tracks of faces are thirty times as much."""
    for folder in _folders(options):
        yield Named(("root",), f"{folder}/{SPOKEN}", A_FOLDER)
        yield Named(("root",), f"{folder}/{EVALUATED}", A_FOLDER, endings=TEXTS)
        yield from texts_at(f"{folder}/{TRANSCRIBED}", "root")


def _has_transcripts(options: dict[str, Any]) -> bool:
    return all(os.path.isdir(f"{folder}/{TRANSCRIBED}") for folder in _folders(options))


KIND = CorpusKind(
    schema="""
        description: >-
          IEMOCAP as it is distributed (Session1/sentences/wav/dialogue/utterance.wav,
          dialog/EmoEvaluation, dialog/transcriptions).
        type: object
        additionalProperties: false
        required: [root]
        properties:
          root:
            description: Folder that holds Session1 to Session5.
            type: string
            minLength: 1
          emotions:
            description: >-
              four - only utterances that the evaluators called angry, happy, excited, neutral or
              sad, as the challenges have them; all - the others too.
            enum: [four, all]
            default: four
          sessions:
            description: Numbers of those that are taken.
            type: array
            minItems: 1
            uniqueItems: true
            items: {type: integer, minimum: 1, maximum: 5}
            default: [1, 2, 3, 4, 5]
    """,
    cited="IEMOCAP [@iemocap]",
    files=_files,
    transcribed_by=f"{TRANSCRIBED} of IEMOCAP",
    has_transcripts=_has_transcripts,
    use=UTILITY_ALONE,
)


def list_utterances(options: dict[str, Any], findings: Findings) -> list[Listed]:
    """List the sentences of the sessions that are wanted.

    Parameters
    ----------
    options : dict
        root: the folder that holds Session1 to Session5; emotions: four, only what the evaluators
        called angry, happy, excited, neutral or sad, or all; sessions: their numbers.

    Raises
    ------
    BadInput : a folder is not there
    """
    root = Path(options["root"])
    if not root.is_dir():
        raise BadInput(f"{root}: not found")
    utterances = []
    for session in options["sessions"]:
        listed = list(_of_session(root, session, findings))
        if options["emotions"] == FOUR:
            listed = _of_four_emotions(root, session, listed, findings)
        utterances += listed
    if sorted(options["sessions"]) == list(SESSIONS):
        name = "utterances_of_four_emotions" if options["emotions"] == FOUR else "utterances"
        compare_published(PUBLISHED, {name: len(utterances)}, root, findings)
    return utterances


def read_transcripts(options: dict[str, Any]) -> dict[str, str]:
    """What is said, without [LAUGHTER] and other notes of sounds: {utterance: text}.

    Raises
    ------
    BadInput : a session has no transcriptions
    """
    texts = {}
    for session in options["sessions"]:
        paths = files(options["root"], session, TRANSCRIPTIONS)
        if not paths:
            raise BadInput(f"{options['root']}: has no Session{session}/{TRANSCRIPTIONS}")
        for path in paths:
            for line in read_lines(path):
                # Other lines are of what is not among the sentences, such as "M: Hello."
                if match := WORDS_SPOKEN.fullmatch(line.strip()):
                    texts[match[1]] = " ".join(NO_WORDS.sub(" ", match[2]).split())
    return texts


def _of_session(root, session, findings):
    """The sentences of a session; its number is that of the recording session, too."""
    paths = files(root, session, SENTENCES)
    if not paths:
        findings.error(root, "-", f"has no Session{session}/{SENTENCES}")
    for path in paths:
        match = UTTERANCE.fullmatch(path.stem)
        if match is None:
            findings.oddity(path, "-", "its name does not say who speaks: left out")
            continue
        speaker = f"{match[1]}{match[2]}"
        yield Listed(path.stem, speaker, match[2].lower(), path.parent.name, path, str(path), "-")


def _of_four_emotions(root, session, utterances, findings):
    """Those of the utterances that have one of the four emotions; one without audio is odd."""
    called = {
        evaluated.utterance
        for evaluated in read_evaluations(root, session)
        if evaluated.label in OF_FOUR_EMOTIONS
    }
    missing = sorted(called - {utterance.utterance for utterance in utterances})
    if missing:
        number = counted(len(missing), "utterance has", "utterances have")
        message = f"{number} an emotion and no audio, such as '{missing[0]}'"
        findings.oddity(root / f"Session{session}", "-", message)
    return [utterance for utterance in utterances if utterance.utterance in called]
