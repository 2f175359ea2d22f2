"""Ids of utterances, speakers and enrolments: what they may look like, and what they show.

Ids become names of files and arguments of commands.
"""

import hashlib
import re
from collections.abc import Callable, Collection
from functools import partial

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.foreign import matching

GENDERS = {"f": "f", "female": "f", "woman": "f", "m": "m", "male": "m", "man": "m"}
GENDERS |= {"female_feminine": "f", "male_masculine": "m"}  # Common Voice
SEX_WORDS = "|".join(GENDERS)
GENDERS |= dict.fromkeys(("d", "x", "diverse", "nonbinary", "non-binary", "other"), "-")
# BIO01F, p_m_01: a word by itself, or behind the number of a speaker.
SEX = re.compile(rf"(?:^|[\W\d_])({SEX_WORDS})(?=$|[\W_])")
# What no id may hold: spaces, slashes, control characters, half a character; - and . in front.
UNSAFE = re.compile(r"^[-.]|[\s/\\\x00-\x1f\x7f-\x9f\ud800-\udfff]")
MOST_BYTES = 200  # a file name may have 255, of which endings and numbers of pieces need some
LIBRISPEECH = re.compile(r"(\d+)-\d+-\d{4}(?!\d)")  # speaker, chapter, number
HASH_DIGITS = 16
PIECE = re.compile(r"_seg\d{3,}$")
SPACE_AROUND = "has a space at its beginning or end"


def sexes_in(name: str) -> set[str]:
    """The sexes, f and m, that the name of a file or a speaker seems to show.

    >>> sexes_in("BIO01F"), sexes_in("p_male_01"), sexes_in("fm3_x_other")
    ({'f'}, {'m'}, set())
    """
    return {GENDERS[word] for word in SEX.findall(name.lower())}


def hashed_speaker(utterance: str) -> str | None:
    """Who speaks in an utterance of LibriSpeech, or a piece of one, by its name, as a hash.

    None where the name is no such one. The hash is the beginning of a SHA-256.
    """
    name = LIBRISPEECH.match(utterance)
    if name is None:
        return None
    return hashlib.sha256(f"LibriSpeech {name[1]}".encode()).hexdigest()[:HASH_DIGITS]


def safe_id(text: str, path: FilePath, line: int) -> str:
    """Check that an id can be a file name and a command's argument, and return it.

    Parameters
    ----------
    text : str
    path, line : path, int
        The line that has it.
    """
    if not text or UNSAFE.search(text) or len(text.encode()) > MOST_BYTES:
        shown = text[:60].encode(errors="replace").decode() + "..." * (len(text) > 60)
        raise BadInput(
            f"{path}:{line}: '{shown}' cannot be an id: 1 to {MOST_BYTES} bytes,"
            " no space or slash, no leading - or ."
        )
    return text


def refuse_hidden_spaces(row: dict[str, str], path: FilePath, line: int) -> None:
    """Refuse ids that begin or end with a space: they are others than they seem."""
    for column, text in row.items():
        if text != text.strip() and column != "score":
            raise BadInput(f"{path}:{line}: '{text}' {SPACE_AROUND}")


def piece_id(source: str, number: int) -> str:
    """The id of one piece of an utterance; source_of is the way back."""
    return f"{source}_seg{number:03d}"


def source_of(utterance: str) -> str:
    """The id of the utterance that a piece was cut from; any other is its own source.

    >>> source_of("u_seg007"), source_of("u")
    ('u', 'u')
    """
    return PIECE.sub("", utterance)


def recordings_of(utterances: Collection[str], pattern: str | None = None) -> list[str]:
    """The recordings, or sessions, that utterances are of: their sources, or what a pattern says.

    >>> recordings_of(["84-121123-0001_seg002"]), recordings_of(["84-121123-0001"], "^(.+)-")
    (['84-121123-0001'], ['84-121123'])

    Parameters
    ----------
    pattern : regular expression
        Its first group, in an utterance's id, names the recording.
    """
    sources = list(map(source_of, utterances))
    if not pattern:
        return sources
    recordings = []
    with matching(pattern, len(sources)):
        if not re.compile(pattern).groups:
            raise BadInput(f"{pattern}: has no group, (...), which finds the recording")
        for source in sources:
            match = re.search(pattern, source)
            recordings.append(match[1] or source if match else source)
    return recordings


def namer_of_sessions(pattern: str | None) -> Callable[[list[str]], list[str]] | None:
    """The function that names the sessions of utterances by a pattern; None without one."""
    return partial(recordings_of, pattern=pattern) if pattern else None
