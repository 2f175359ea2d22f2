"""Whether recordings are still what they were: while jobs read them, and before the next run.

stamps.tsv beside a manifest has size, time of change and SHA-256 of every file that lies elsewhere,
which others may change during a run of hours. What lies below the manifest's folder is the
workflow's own. Whoever has read the audio of the manifest compares the stamps afterwards. That
takes one look at every file, and reads only those with a new time: one to two seconds for 100,000
on a local disk. A change that keeps both size and time is not seen.

Jobs of a run that read whole recordings also note what these hold. The next run then knows whether
a file with a new time is a new file, and did not have to read hours of speech before the first one.
"""

import contextlib
import json
import os
import stat
import uuid
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.inout.checksums import sha256_of
from voiceprivacy.inout.files import BadInput, FilePath, whole_or_absent
from voiceprivacy.inout.tables import Row, Utterance, read_manifest, read_table, write_table

STAMPS = ["utterance", "bytes", "modified_ns", "sha256"]
THREADS = 4  # a network's disk answers several questions at once
NOTES = "VOICEPRIVACY_NOTES"  # environment: the folder of a run where its jobs note what they read


class Look(NamedTuple):
    """What is seen of a file without reading it: bytes, times of its change (ns) and inode."""

    size: int
    modified: int
    changed: int
    inode: int


def look(path: FilePath) -> Look | None:
    """Look at a regular file, links followed; None for anything else.

    Raises
    ------
    OSError, ValueError : there is nothing, or it cannot be reached
    """
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        return None
    return Look(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


class _Contents:
    """What files hold, {absolute path: (Look, SHA-256)}: each is read once by a job."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Look, str]] = {}

    def of_all(self, paths: Iterable[FilePath]) -> dict[str, tuple[Look, str]]:
        """Of files that are there, and that do not change meanwhile."""
        wanted = list(dict.fromkeys(map(os.path.abspath, paths)))
        unread = [path for path in wanted if path not in self._known]
        with ThreadPoolExecutor(THREADS) as threads:
            for path, content in zip(unread, threads.map(_content, unread), strict=True):
                if content:
                    self._known[path] = content
        return {path: self._known[path] for path in wanted if path in self._known}


_contents = _Contents()


def _content(path: str) -> tuple[Look, str] | None:
    with contextlib.suppress(OSError, ValueError):
        before = look(path)
        digest = sha256_of(path) if before else ""
        if before and look(path) == before:
            return before, digest
    return None


def note_contents(paths: Iterable[FilePath]) -> None:
    """Note what files hold that a job has read; nothing happens outside a workflow's run.

    The notes are {absolute path: [*Look, SHA-256]} in a file of the job's own. Whatever is lost is
    only read once more.
    """
    folder = os.environ.get(NOTES)
    if not folder:
        return
    contents = _contents.of_all(paths)
    notes = {path: [*seen, digest] for path, (seen, digest) in contents.items()}
    with contextlib.suppress(OSError), whole_or_absent(Path(folder, uuid.uuid4().hex)) as temporary:
        temporary.write_text(json.dumps(notes))


def stamps_path(manifest: FilePath) -> Path:
    """Where the stamps of a manifest stand."""
    return Path(manifest).with_name("stamps.tsv")


def write_stamps(manifest: FilePath, utterances: Iterable[Utterance]) -> None:
    """Write stamps.tsv beside a manifest of ``utterances``."""
    folder = os.path.join(os.path.abspath(Path(manifest).parent), "")
    elsewhere = [
        utterance
        for utterance in utterances
        if not os.path.abspath(utterance.path).startswith(folder)
    ]
    contents = _contents.of_all(utterance.path for utterance in elsewhere)
    rows = []
    for utterance in elsewhere:
        _, digest = contents.get(os.path.abspath(utterance.path), (None, "-"))
        rows.append((utterance.utterance, *_stamp(utterance.path), digest))
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
    stamps = {row["utterance"]: row for row in read_table(stamps_path(manifest), STAMPS)}
    for utterance in utterances:
        then = stamps.get(utterance.utterance)
        if then and _has_changed(utterance.path, then):
            raise BadInput(
                f"{utterance.path}: has changed since {manifest} was made"
                f" (utterance '{utterance.utterance}'): remove that manifest"
                " and run again, so that everything is made from the same speech"
            )


def _has_changed(path: FilePath, then: Row) -> bool:
    """Whether a file holds something else; its content counts where its time is another."""
    size, modified = _stamp(path)
    if (size, modified) == (then["bytes"], then["modified_ns"]):
        return False
    return size != then["bytes"] or sha256_of(path) != then["sha256"]


def _stamp(path: FilePath) -> tuple[str, str]:
    """Size and time of change of a file, as they stand in the table."""
    try:
        status = os.stat(path)
    except OSError:
        return "gone", "-"
    return str(status.st_size), str(status.st_mtime_ns)
