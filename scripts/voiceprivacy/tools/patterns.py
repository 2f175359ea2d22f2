"""Guess from the names of audio files who speaks: a pattern for the corpus kind ``folder``.

Conventions
-----------
* A path is relative to the corpus's folder, with / between folders; its stem is the file's name without ending.
* What is guessed must be plausible: it fits nearly all files, there are two speakers or more, and most of them have two
  utterances or more. The first plausible guess, from the most to the least specific, is taken.
"""

import os
import re
import statistics
from collections import Counter
from pathlib import PurePosixPath

from voiceprivacy.corpora.kinds.folder import compile_pattern
from voiceprivacy.inout.files import BadInput

ENDINGS = (".wav", ".flac", ".ogg", ".opus", ".mp3")
NEARLY_ALL = 0.95
SPEAKER_NAME = re.compile(r"(id|spk|spkr|speaker|subj|subject|vp)[-_]?\d+|p\d{3}", re.IGNORECASE)
LIBRISPEECH_NAME = re.compile(r"\d+-\d+-\d+")
SEPARATOR = re.compile(r"[-_.]")
GENDERS = {"f", "m", "F", "M"}
NO_SPEAKERS = {
    "train",
    "dev",
    "test",
    "eval",
    "wav",
    "wavs",
    "flac",
    "audio",
    "data",
    "enrolment",
    "enroll",
    "trial",
}
NO_SPEAKERS |= {"trials", "f", "m", "female", "male", "women", "men", "clean", "other", "original"}


def audio_files(root):
    """Relative paths of all audio files below a folder, sorted; links are followed, hidden files left out."""
    if not os.path.isdir(root):
        raise BadInput(
            f"{root}: not found" if not os.path.exists(root) else f"{root}: is no folder"
        )
    found = []
    for folder, folders, names in os.walk(root, followlinks=True):
        folders[:] = [name for name in folders if not name.startswith(".")]
        below = os.path.relpath(folder, root)
        prefix = "" if below == "." else f"{below}/"
        found += [
            prefix + name
            for name in names
            if name.lower().endswith(ENDINGS) and not name.startswith(".")
        ]
    if not found:
        raise BadInput(f"{root}: there is no audio below it ({' '.join(ENDINGS)})")
    return sorted(found)


def guess_pattern(paths):
    """The pattern of most of the paths, such as {speaker}/{session}/{utterance}.flac.

    Raises
    ------
    BadInput : no guess is plausible
    """
    ending = _most_common(PurePosixPath(path).suffix for path in paths)
    of_ending = [path for path in paths if path.endswith(ending)]
    depth = _most_common(path.count("/") for path in of_ending)
    usual = [path.removesuffix(ending) for path in of_ending if path.count("/") == depth]
    for guess in _guesses(usual):
        if _is_plausible(guess, usual):
            return guess + ending
    examples = " and ".join(dict.fromkeys([paths[0], paths[-1]]))
    raise BadInput(
        f"cannot tell the speaker from names such as {examples}: say it with --pattern, such as "
        "--pattern '{speaker}/{utterance}.wav' or --pattern '{speaker}_{utterance}.wav' (* is anything)"
    )


def _guesses(paths):
    """Patterns without ending, the most specific first."""
    parts = [path.split("/") for path in paths]
    columns, stems = list(zip(*parts, strict=True))[:-1], [part[-1] for part in parts]
    for column in _speaker_columns(columns, stems):
        yield _nested(columns, column)
    folders = "".join(f"{_whole_column(column)}/" for column in columns)
    if all(map(LIBRISPEECH_NAME.fullmatch, stems)):
        yield folders + "{speaker}-{session}-{utterance}"
    if flat := _flat(stems):
        yield folders + flat


def _speaker_columns(columns, stems):
    """Which level of folders may be the speakers', the likeliest first."""
    for number, column in enumerate(
        columns
    ):  # p225/p225_001.wav, 1688/142285/1688-142285-0000.flac
        if _share(
            stem.startswith(tuple(f"{name}{of}" for of in "-_."))
            for name, stem in _pairs(column, stems)
        ):
            yield number
    for number, column in enumerate(columns):  # id10270/5r0dWxy17C8/00001.wav
        if _share(SPEAKER_NAME.fullmatch(name) for name in column):
            yield number
    for number, column in enumerate(columns):
        if len(set(column)) > 1 and not {name.lower() for name in column} <= NO_SPEAKERS:
            yield number


def _nested(columns, speaker):
    """Folders with the speaker's at this level, those above it a gender, a constant or anything, below it sessions."""
    above = [_whole_column(column) for column in columns[:speaker]]
    below = [_whole_column(column) for column in columns[speaker + 1 :]]
    if "*" in below:
        below[below.index("*")] = "{session}"
    if (genders := [set(column) for column in columns[:speaker]]).count(set()) == 0:
        for level, names in enumerate(genders):
            if len(names) > 1 and names <= GENDERS and "{gender}" not in above:
                above[level] = "{gender}"
    return "/".join([*above, "{speaker}", *below, "{utterance}"])


def _flat(stems):
    """Pattern of names that begin with the speaker, perhaps behind something that is the same in all of them."""
    constant, rest = "", stems
    while True:
        found = [match.group() for match in map(SEPARATOR.search, rest) if match]
        if len(found) < NEARLY_ALL * len(rest):
            return None
        separator = _most_common(found)
        first = {text.partition(separator)[0] for text in rest}
        if len(first) > 1:
            return f"{constant}{{speaker}}{separator}{{utterance}}"
        constant += first.pop() + separator
        rest = [text.partition(separator)[2] for text in rest]


def _is_plausible(pattern, paths):
    matches = [match for match in map(compile_pattern(pattern).fullmatch, paths) if match]
    counts = Counter(match["speaker"] for match in matches)
    enough = len(matches) >= NEARLY_ALL * len(paths) and len(counts) > 1
    return enough and statistics.median(counts.values()) >= 2


def _whole_column(column):
    """What a level of folders is in a pattern: its name where there is only one, else anything."""
    return column[0] if len(set(column)) == 1 else "*"


def _share(truths):
    truths = list(map(bool, truths))
    return sum(truths) >= NEARLY_ALL * len(truths)


def _pairs(column, stems):
    return zip(column, stems, strict=True)


def _most_common(values):
    return min(Counter(values).items(), key=lambda item: (-item[1], item[0]))[0]
