"""How a file is spoilt: each of these gives a function of its path."""

import json
import os
import re
import shutil

import numpy as np
import soundfile

from support.world import CONFIG, RATE

# What Python's float() reads and nobody else, or what looks like a number and is none. The digits
# are Arabic, of double width, a superscript and a half.
NO_NUMBERS = (
    *("1_000", "\u0661\u0662", "\uff11", "1\u0661", "\u00b2", "\u00bd", "\u22121"),
    *("0x10", "1e", "1,5", "9" * 5000, "1e999"),
)


def edit(old, new, count=1):
    """Replace the first ``count`` places of a text (-1: all)."""

    def change(path):
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{path} has no {old!r}"
        path.write_text(text.replace(old, new, count), encoding="utf-8", newline="")

    return change


def matching(pattern, new):
    """Replace the first place that a regular expression finds."""

    def change(path):
        text, count = re.subn(pattern, new, path.read_text(), count=1, flags=re.M)
        assert count, f"{path} has no {pattern!r}"
        path.write_text(text)

    return change


def write(content):
    content = content if isinstance(content, bytes) else content.encode()
    return lambda path: path.write_bytes(content)


def append(text):
    return lambda path: path.write_bytes(path.read_bytes() + text.encode())


def line(number, text):
    """Put a text in the place of a line, by its number."""

    def change(path):
        lines = path.read_text().split("\n")
        lines[number - 1] = text
        path.write_text("\n".join(lines))

    return change


def repeat(number):
    """Repeat a line at the end."""
    return lambda path: append(path.read_text().split("\n")[number - 1] + "\n")(path)


def cut(share):
    return lambda path: path.write_bytes(path.read_bytes()[: round(share * path.stat().st_size)])


def remove(path):
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def into_folder(path):
    path.unlink()
    path.mkdir()


def into_pipe(path):
    """A named pipe in the place of a file, into which nobody writes."""
    path.unlink()
    os.mkfifo(path)


def huge(path):
    """A terabyte of nothing that takes no room on the disk."""
    with open(path, "wb") as file:
        file.truncate(2**40)


def sound(samples, rate=RATE, **encoding):
    """Audio of other samples, of a rate or in an encoding of soundfile's."""
    return lambda path: soundfile.write(path, samples, rate, **encoding)


def arrays(**changes):
    """Change arrays of an npz: None removes one, a function makes it from the old one."""

    def change(path):
        with np.load(path, allow_pickle=False) as file:
            old = dict(file)
        new = {
            name: value(old.get(name)) if callable(value) else value
            for name, value in changes.items()
        }
        np.savez(path, **{name: value for name, value in (old | new).items() if value is not None})

    return change


def config(**sections):
    return write(json.dumps(CONFIG | sections))
