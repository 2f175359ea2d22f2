"""The ids of utterances, speakers and enrolments: what they may look like.

Also how pieces of an utterance are named.
"""

import re

from voiceprivacy.inout.files import BadInput, FilePath

UNSAFE = re.compile(r"^[-.]|[\s/\\\x00-\x1f\x7f-\x9f\ud800-\udfff]")
MOST_BYTES = 200  # a file name may have 255, of which endings and numbers of pieces need some
PIECE = re.compile(r"_seg\d{3,}$")


def safe_id(text: str, path: FilePath, line: int) -> str:
    """Check that an id can be a file name and a command's argument, and return it.

    Parameters
    ----------
    text : str
    path, line : path, int
        Where it stands.
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
            raise BadInput(f"{path}:{line}: '{text}' has a space at its beginning or end")


def piece_id(source: str, number: int) -> str:
    """The id of one piece of an utterance; source_of is the way back."""
    return f"{source}_seg{number:03d}"


def source_of(utterance: str) -> str:
    """The id of the utterance that a piece was cut from; any other is its own source.

    >>> source_of("u_seg007"), source_of("u")
    ('u', 'u')
    """
    return PIECE.sub("", utterance)
