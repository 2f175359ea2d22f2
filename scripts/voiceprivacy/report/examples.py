"""The file of clips to listen to: what embed_audio hands to the page."""

from typing import NamedTuple

from voiceprivacy.files import read_json, write_json


class Clip(NamedTuple):
    """One version of an utterance: who protected it, and sound and picture as data URLs."""

    anonymiser: str
    sound: str
    picture: str


class Example(NamedTuple):
    """One utterance of a trial list and all its versions, the original first; ``cut`` if it goes on after the clip."""

    corpus: str
    trials: str
    utterance: str
    speaker: str
    gender: str
    cut: bool
    clips: list


def write_examples(path, found):
    """Write a list of Example as JSON."""
    rows = [of._asdict() | {"clips": [clip._asdict() for clip in of.clips]} for of in found]
    write_json(path, {"examples": rows})


def read_examples(paths):
    """Read what write_examples wrote: list of Example."""
    rows = [row for path in paths for row in read_json(path)["examples"]]
    return [Example(**row | {"clips": [Clip(**clip) for clip in row["clips"]]}) for row in rows]
