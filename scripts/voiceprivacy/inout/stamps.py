"""Whether the recordings that a manifest names are still those it was made from.

stamps.tsv beside a manifest has size and time of change of every file that lies elsewhere, which
others may change during a run of hours. What lies below the manifest's folder is the workflow's
own. Whoever has read the audio of the manifest compares the stamps afterwards.

That takes one look at every file and reads none: one to two seconds for 100,000 on a local disk.
A change that keeps both size and time is not seen; checksums would read everything once more.
"""

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from voiceprivacy.inout.files import BadInput, FilePath
from voiceprivacy.inout.tables import Utterance, read_manifest, read_table, write_table

STAMPS = ["utterance", "bytes", "modified_ns"]


def stamps_path(manifest: FilePath) -> Path:
    """Where the stamps of a manifest stand."""
    return Path(manifest).with_name("stamps.tsv")


def write_stamps(manifest: FilePath, utterances: Iterable[Utterance]) -> None:
    """Write stamps.tsv beside a manifest of ``utterances``."""
    folder = os.path.abspath(Path(manifest).parent)
    rows = []
    for utterance in utterances:
        if not Path(os.path.abspath(utterance.path)).is_relative_to(folder):
            rows.append((utterance.utterance, *_stamp(utterance.path)))
    write_table(stamps_path(manifest), STAMPS, rows)


@contextlib.contextmanager
def watched(manifest: FilePath) -> Iterator[list[Utterance]]:
    """Give the utterances of a manifest to a block that reads their audio; compare stamps after."""
    utterances = read_manifest(manifest)
    yield utterances
    refuse_changed(manifest, utterances)


def refuse_changed(manifest: FilePath, utterances: Iterable[Utterance]) -> None:
    """Compare the files of ``utterances`` with the stamps beside their manifest, if it has some.

    Raises
    ------
    BadInput : a file is gone or not what it was
    """
    if not stamps_path(manifest).exists():
        return
    stamps = {}
    for row in read_table(stamps_path(manifest), STAMPS):
        stamps[row["utterance"]] = (row["bytes"], row["modified_ns"])
    for utterance in utterances:
        then = stamps.get(utterance.utterance)
        if then and _stamp(utterance.path) != then:
            raise BadInput(
                f"{utterance.path}: has changed since {manifest} was made"
                f" (utterance '{utterance.utterance}'): remove that manifest"
                " and run again, so that everything is made from the same speech"
            )


def _stamp(path: FilePath) -> tuple[str, str]:
    """Size and time of change of a file, as they stand in the table."""
    try:
        status = Path(path).stat()
    except OSError:
        return "gone", "-"
    return str(status.st_size), str(status.st_mtime_ns)
