"""Manifests, which list the recordings of a part, and the tables that lie beside them.

A mistake in one raises BadInput with the file, the line and the reason.
"""

import math
import os
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.ids import safe_id, sexes_in
from voiceprivacy.inout.inputs import note_listed
from voiceprivacy.inout.tables import Row, number, number_in, read_rows, write_table
from voiceprivacy.vocabulary import SHARDS

MANIFEST = ["utterance", "speaker", "gender", "path", "duration_s"]
TRANSCRIPTS = ["utterance", "text"]
ALPHAS = ["utterance", "speaker", "alpha"]
POSITIONS = ["utterance", "position"]
WHOLE_NUMBER = r"(?!(?<=\d)\d)"  # between two characters, of which one at most is a digit
ABOVE = "../"


class Utterance(NamedTuple):
    """One line of a manifest; ``path`` is resolved, ``gender`` is f, m or -."""

    utterance: str
    speaker: str
    gender: str
    path: Path
    duration_s: float

    @property
    def shown_by_name(self) -> set[str]:
        """What its name shows: speaker, sex, both or nothing."""
        # Of numbers all digits: speaker 1 speaks in utt_1 and utt_01, not in utt_21.
        speaker = rf"{WHOLE_NUMBER}0*{re.escape(self.speaker)}{WHOLE_NUMBER}"
        shown = {"speaker"} if re.search(speaker, self.utterance, re.IGNORECASE) else set()
        return shown | ({"sex"} if self.gender in sexes_in(self.utterance) else set())


def read_manifest(path: FilePath, *, may_be_empty: bool = False) -> list[Utterance]:
    """Read a manifest (TSV: utterance speaker gender path duration_s)."""
    utterances: dict[str, Utterance] = {}
    for line, row in read_rows(path, MANIFEST):
        name = safe_id(row["utterance"], path, line)
        if name in utterances:
            raise BadInput(f"{path}:{line}: utterance '{name}' occurs twice")
        utterances[name] = _utterance(name, row, path, line)
    if not utterances and not may_be_empty:
        raise BadInput(f"{path}: lists no utterance")
    note_listed(utterance.path for utterance in utterances.values())
    return list(utterances.values())


def _utterance(name: str, row: Row, path: FilePath, line: int) -> Utterance:
    if not row["speaker"]:
        raise BadInput(f"{path}:{line}: utterance '{name}' has no speaker")
    if row["gender"] not in ("f", "m", "-"):
        raise BadInput(f"{path}:{line}: gender '{row['gender']}' is not f, m or -")
    if not row["path"]:
        raise BadInput(f"{path}:{line}: utterance '{name}' has no path")
    speaker = safe_id(row["speaker"], path, line)
    audio = Path(path).parent / row["path"]
    if row["path"].startswith(ABOVE):
        audio = Path(os.path.normpath(audio))
    duration_s = number(row["duration_s"], path, line)
    if not 0 <= duration_s < math.inf:
        raise BadInput(f"{path}:{line}: utterance '{name}' lasts {row['duration_s']} s")
    return Utterance(name, speaker, row["gender"], audio, duration_s)


def write_manifest(path: FilePath, utterances: Iterable[Utterance]) -> None:
    """Write a manifest; audio below the manifest's own folder gets a relative path.

    So does audio that lies beside the manifests of its shards: <folder>/shards/0.tsv.
    """
    folder = Path(path).parent.absolute()
    above = ABOVE if folder.name == SHARDS else ""
    own = os.path.join(folder.parent if above else folder, "")
    rows = []
    for utterance in utterances:  # relative paths survive when results are moved
        audio = str(Path(utterance.path).absolute())
        if audio.startswith(own):
            audio = above + audio.removeprefix(own)
        rows.append(utterance._replace(path=Path(audio)))
    write_table(path, MANIFEST, rows)


def mean_seconds(groups: Collection[Iterable[str]], utterances: Iterable[Utterance]) -> float:
    """Seconds that the recordings of a group last together, on average over the groups.

    Parameters
    ----------
    groups : ids of the utterances of each group; at least one group
    utterances : of manifests, in any order

    Raises
    ------
    BadInput : an id that is not in the manifests
    """
    lasts = {utterance.utterance: utterance.duration_s for utterance in utterances}
    seconds = []
    for names in groups:
        for name in names:
            if name not in lasts:
                raise BadInput(f"utterance '{name}' is not in the manifest")
        seconds.append(math.fsum(lasts[name] for name in names))
    return fmean(seconds)


def seconds_of(start: str, end: str) -> tuple[float, float] | None:
    """The start and the end of a stretch of time as Kaldi's segments say it; None of no stretch.

    An end of -1 is that of the recording.

    >>> seconds_of("0.5", "2"), seconds_of("2", "0.5"), seconds_of("2", "-1")
    ((0.5, 2.0), None, (2.0, -1.0))
    >>> seconds_of("1_0", "20")
    """
    first, last = number_in(start), number_in(end)
    is_stretch = 0 <= first < math.inf and (first < last < math.inf or last == -1)
    return (first, last) if is_stretch else None


def alphas_path(manifest: FilePath) -> Path:
    """Where the McAdams coefficients of a manifest stand: <manifest without .tsv>.alphas.tsv."""
    return Path(str(manifest).removesuffix(".tsv") + ".alphas.tsv")


def positions_path(manifest: FilePath) -> Path:
    """Where a part's manifest has the positions of its utterances: positions.tsv beside it."""
    return Path(manifest).with_name("positions.tsv")


def read_positions(path: FilePath) -> dict[str, int]:
    """Read which utterance of its data directory each one is: {utterance: position from 0}."""
    positions = {}
    for line, row in read_rows(path, POSITIONS):
        if not re.fullmatch(r"\d{1,7}", row["position"], re.ASCII):
            raise BadInput(f"{path}:{line}: position '{row['position']}' is no whole number")
        positions[row["utterance"]] = int(row["position"])
    return positions


def read_transcripts(path: FilePath) -> dict[str, str]:
    """Read what was said (TSV: utterance text): {utterance: text}."""
    texts: dict[str, str] = {}
    for line, row in read_rows(path, TRANSCRIPTS):
        if row["utterance"] in texts:
            raise BadInput(f"{path}:{line}: utterance '{row['utterance']}' occurs twice")
        texts[row["utterance"]] = row["text"]
    return texts
