"""IEMOCAP's folder as it is distributed: what the evaluators heard, and where the sentences lie.

    Session1/sentences/wav/Ses01F_impro01/Ses01F_impro01_F000.wav
    Session1/dialog/EmoEvaluation/Ses01F_impro01.txt
    Session1/dialog/transcriptions/Ses01F_impro01.txt

Its archive was packed on a Mac, so that hidden files ``._NAME`` stand beside the others.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath, read_lines
from voiceprivacy.inout.foreign import refuse_no_utf8

SESSIONS = (1, 2, 3, 4, 5)
OF_FOUR_EMOTIONS = ("ang", "hap", "exc", "neu", "sad")  # what it calls them; exc is merged into hap
# Below the folder of a session.
SPOKEN = "sentences/wav"
EVALUATED = "dialog/EmoEvaluation"
TRANSCRIBED = "dialog/transcriptions"
SENTENCES = f"{SPOKEN}/*/*.wav"
EVALUATIONS = f"{EVALUATED}/*.txt"
TRANSCRIPTIONS = f"{TRANSCRIBED}/*.txt"


class Evaluated(NamedTuple):
    """What the evaluators agreed on about an utterance, and where that is written."""

    where: str
    utterance: str
    label: str
    session: int


def files(root: FilePath, session: int, pattern: str) -> list[Path]:
    """The files of a session that match one of the patterns above, hidden ones left out."""
    paths = sorted(Path(root, f"Session{session}").glob(pattern))
    refuse_no_utf8(root, paths)
    return [path for path in paths if not path.name.startswith(".")]


def read_evaluations(root: FilePath, session: int) -> Iterator[Evaluated]:
    """What the evaluators of a session agreed on: one line for every utterance.

    Raises
    ------
    BadInput : there is no evaluation of this session
    """
    paths = files(root, session, EVALUATIONS)
    if not paths:
        raise BadInput(f"{root}: has no Session{session}/{EVALUATIONS}")
    for path in paths:
        for line, text in enumerate(read_lines(path), start=1):
            # [6.2901 - 8.2357] TAB Ses01F_impro01_F000 TAB neu TAB [2.5000, 2.5000, 2.5000]
            fields = text.split("\t")
            if text.startswith("[") and len(fields) > 2:
                yield Evaluated(f"{path}:{line}", fields[1].strip(), fields[2].strip(), session)
