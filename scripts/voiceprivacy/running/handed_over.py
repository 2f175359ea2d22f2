"""What a program in a box is given, and what is taken back from it.

* Given: copies of the recordings, which have nobody else's files beside them.
* Taken back: plain files. A link would be followed to somebody else's file, and a pipe never ends.
"""

import os
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.manifests import Utterance, write_manifest

HOME, GIVEN = "home", "given"  # in the folder of a box; given cannot be written to
SHOWN_HOME = "/box"  # of a program; short, since sockets in it have short names


def hand_over(
    utterances: Sequence[Utterance], folder: Path, kind: str = "input", *, to_box: bool
) -> Path:
    """Give recordings to a program: a manifest of them, and to a box copies, named after them.

    Parameters
    ----------
    utterances : list of Utterance
    folder : path
        The one that the program can write to.
    kind : str
        What they are; the name of their manifest.
    to_box : bool
        Whether it runs in a box, and sees no recordings but copies.

    Returns
    -------
    path : the manifest, with absolute paths
    """
    manifest, listed = folder / f"{kind}.tsv", list(utterances)
    if to_box:
        speech, manifest = folder / GIVEN / kind, folder / GIVEN / "manifests" / manifest.name
        speech.mkdir(parents=True)
        manifest.parent.mkdir(exist_ok=True)
        for index, utterance in enumerate(utterances):
            path = speech / f"{utterance.utterance}{utterance.path.suffix}"
            listed[index] = utterance._replace(path=shutil.copyfile(utterance.path, path))
    write_manifest(manifest, listed)
    return manifest


def take_back(folder: Path, name: str) -> None:
    """Remove the home of a program, and refuse whatever else than plain files it has left.

    Raises
    ------
    BadInput : it left a link, a pipe or a device; the message names the program and the file
    """
    shutil.rmtree(folder / HOME, ignore_errors=True)
    for parent, folders, files in os.walk(folder):
        for path in (Path(parent, file) for file in [*folders, *files]):
            mode = path.lstat().st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                kind = "a link" if stat.S_ISLNK(mode) else "a pipe, a socket or a device"
                raise BadInput(f"{name} left what is not read: {path.relative_to(folder)}: {kind}")
