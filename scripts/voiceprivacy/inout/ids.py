"""The ids of utterances, speakers and enrolments: what they may look like, and how pieces of an utterance are named."""

import re

from voiceprivacy.inout.files import BadInput

UNSAFE = re.compile(r"^[-.]|[\s/\\\x00-\x1f\x7f-\x9f\ud800-\udfff]")
PIECE = re.compile(r"_seg\d{3,}$")


def safe_id(text, path, line):
    """An id that can be a file name and a command's argument."""
    if not text or UNSAFE.search(text) or len(text.encode()) > 200:
        shown = text[:60].encode(errors="replace").decode() + "..." * (len(text) > 60)
        raise BadInput(
            f"{path}:{line}: '{shown}' cannot be an id: 1 to 200 bytes, no space or slash, no leading - or ."
        )
    return text


def refuse_hidden_spaces(row, path, line):
    """Refuse ids that begin or end with a space: they are others than they seem."""
    for column, text in row.items():
        if text != text.strip() and column != "score":
            raise BadInput(f"{path}:{line}: '{text}' has a space at its beginning or end")


def piece_id(source, number):
    """The id of one piece of an utterance; source_of is the way back."""
    return f"{source}_seg{number:03d}"


def source_of(utterance):
    """The utterance that a piece was cut from, by its id (u_seg007 is a piece of u); any other is its own source."""
    return PIECE.sub("", utterance)
