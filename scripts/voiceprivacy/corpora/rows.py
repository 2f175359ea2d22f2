"""What a recording is: a file, what a command writes, a stretch or a channel of either."""

import contextlib
import math
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias


class Pipe(NamedTuple):
    """A shell command without its ``|``, and the folder that its relative paths start from."""

    command: str
    folder: Path

    def __str__(self) -> str:
        return f"{self.command} |"

    def words(self) -> list[str]:
        """The words of the command, which may be paths."""
        with contextlib.suppress(ValueError):  # an open quote: the shell will say so
            return shlex.split(self.command)
        return []


class Cut(NamedTuple):
    """A stretch of a recording in seconds; an end of -1 is that of the recording, as in Kaldi."""

    recording: Path | Pipe
    start_s: float
    end_s: float

    def __str__(self) -> str:
        return f"{self.recording} from {self.start_s:g} to {self.end_s:g} s"


class Joined(NamedTuple):
    """Stretches of a recording, each from its start to its end in seconds, one after the other."""

    recording: Path | Pipe
    stretches: tuple[tuple[float, float], ...]

    def __str__(self) -> str:
        return f"{self.recording}, {len(self.stretches)} stretches from {self.stretches[0][0]:g} s"


class Channel(NamedTuple):
    """One channel of a recording, from 1."""

    recording: "Recording"
    number: int

    def __str__(self) -> str:
        return f"{self.recording} channel {self.number}"


Recording: TypeAlias = Path | Pipe | Cut | Joined | Channel


def whole(recording: Recording | None) -> Path | Pipe | None:
    """The recording that a cut or a channel is of; any other is whole."""
    while isinstance(recording, Cut | Joined | Channel):
        recording = recording.recording
    return recording


def stretches(recording: Recording | None) -> Sequence[tuple[float, float]]:
    """Where a recording starts and ends in the whole one, in seconds; none of speech to be made."""
    while isinstance(recording, Channel):
        recording = recording.recording
    if isinstance(recording, Joined):
        return recording.stretches
    if isinstance(recording, Cut):
        return [(recording.start_s, math.inf if recording.end_s == -1 else recording.end_s)]
    return [(0.0, math.inf)] if recording else []
