"""What is wrong with what a person gave us, in one line that no foreign name can spoil."""

import re

MOST_SHOWN = 300  # characters of one foreign value, so that a message has at most 500
MOST_OF_LINE = 4000
LONG = re.compile(rf"(?<=')[^']{{{MOST_SHOWN + 1},}}(?=')|\S{{{MOST_SHOWN + 1},}}")


class BadInput(Exception):
    """Something a person gave us is wrong.

    The message is one line. It names the file, the line and what to do.
    """

    def __str__(self) -> str:
        return shown(super().__str__())


def shown(text: object) -> str:
    """A text as one line for a screen or a log: the only way of foreign names there.

    Control characters, those that turn the direction of writing and line ends are spelled out. Of a
    word, or of what stands in quotes, at most MOST_SHOWN characters are left.
    """
    cut = LONG.sub(lambda match: f"{match[0][: MOST_SHOWN - 3]}...", str(text))
    if len(cut) > MOST_OF_LINE:
        cut = f"{cut[: MOST_OF_LINE - 3]}..."
    return printable(cut)


def printable(text: object) -> str:
    """A text as one line; control characters of somebody's ids and paths are spelled out."""
    characters = []
    for character in str(text):
        if "\udc80" <= character <= "\udcff":  # a byte of a file's name that is not UTF-8
            character = f"\\x{ord(character) - 0xDC00:02x}"
        elif not character.isprintable():
            character = character.encode("unicode_escape").decode()
        characters.append(character)
    return "".join(characters)


def counted(number: int, one: str, several: str | None = None) -> str:
    """A number of things in words.

    >>> counted(1, "file"), counted(2, "file"), counted(2, "oddity", "oddities")
    ('1 file', '2 files', '2 oddities')
    """
    return f"{number} {one if number == 1 else several or f'{one}s'}"
