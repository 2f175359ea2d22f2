"""What people's files hold now, without reading again what cannot have changed.

.snakemake/sources.json keeps what was seen of every file: size, times and inode, SHA-256, and its
state. The state is what fingerprints of sources are made of. It changes if and only if the content
does, so a new time alone changes nothing:

* A file that is read has its SHA-256 as its state.
* Of many hours of speech, reading all would take longer than planning. So such a file's first state
  is what was seen of it. Jobs that read it note its SHA-256 (inout/stamps.py). With a new time, it
  is read and compared; until it was read once, a new time is a new state.

An edit within two seconds before a file was read may leave its times as they are, because many
disks write down coarse times. So such a file is read once more at the next look.
"""

import contextlib
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.inout.checksums import sha256_of
from voiceprivacy.inout.files import BadInput, whole_or_absent
from voiceprivacy.inout.stamps import Look, look
from voiceprivacy.running.pools import in_threads

CACHE = Path(".snakemake", "sources.json")
NOTED = Path(".snakemake", "read")  # where jobs note what they have read
JUST_NOW_NS = 2_000_000_000
THREADS = 4  # a network's disk answers several questions at once
MANY_BYTES = 1e9  # more than this is announced, because planning seems to hang
NOTHING, TOO_EARLY = Look(-1, 0, 0, 0), Look(-2, 0, 0, 0)  # of no file; looked at too early


class Known(NamedTuple):
    """What was seen of a file; ``digest`` is None until somebody has read it."""

    look: Look
    digest: str | None
    state: str


@dataclass(slots=True)
class File:
    """A file as it is now, and what was known of it before."""

    path: str
    look: Look
    before: Known | None
    digest: str | None
    state: str

    @property
    def is_there(self) -> bool:
        """Whether it is a regular file that can be reached."""
        return self.look is not NOTHING

    @property
    def was_there(self) -> bool:
        """Whether it was one before."""
        return self.before is not None and self.before.look != NOTHING

    @property
    def is_new(self) -> bool:
        """Whether it is not what was seen before."""
        return self.before is None or self.before.look != self.look

    @property
    def has_changed(self) -> bool:
        """Whether its content is another one than before, as far as that is known."""
        return self.before is None or self.before.state != self.state

    @property
    def may_have_changed(self) -> bool:
        """Whether only its content tells if it has changed."""
        was_read = self.before is not None and self.before.digest is not None
        return self.is_there and self.digest is None and was_read

    def hold(self, digest: str) -> None:
        """Note what it holds; its state stays if that is what it held before."""
        before = self.before
        is_first = before is not None and before.digest is None and before.look == self.look
        is_same = before is not None and before.digest == digest
        self.state = before.state if before and (is_first or is_same) else digest
        self.digest = digest

    def known(self) -> Known:
        """What may be relied on later: not the look at what was read just after an edit."""
        if self.digest is None or self.look.changed < time.time_ns() - JUST_NOW_NS:
            return Known(self.look, self.digest, self.state)
        return Known(TOO_EARLY, self.digest, self.state)


class Files:
    """Files as they are now, and what was known of them before."""

    def __init__(self) -> None:
        self._cached = _read_cache()
        self._known = _with_notes(self._cached)
        self._now: dict[str, File] = {}

    def look_at(self, path: str) -> File:
        """What is seen of a file, once in a run."""
        absolute = os.path.abspath(path)
        file = self._now.get(absolute)
        if file is None:
            file = self._now[absolute] = self._seen(path, self._known.get(absolute))
        return file

    def _seen(self, path: str, before: Known | None) -> File:
        try:
            seen = look(path)
        except (OSError, ValueError):
            seen = None
        if seen is None:
            return File(path, NOTHING, before, None, "absent")
        if before and before.look == seen:
            return File(path, seen, before, before.digest, before.state)
        return File(path, seen, before, None, " ".join(map(str, seen)))

    def was_filled(self, folder: str) -> bool:
        """Whether there were files below a folder before."""
        start = os.path.join(os.path.abspath(folder), "")
        return any(
            path.startswith(start) and file.look != NOTHING for path, file in self._known.items()
        )

    def keep(self) -> None:
        """Write what is known now; what other configs know of other files stays."""
        self._write(self._known | {path: file.known() for path, file in self._now.items()})
        for path in NOTED.glob("*"):
            path.unlink()

    def take_back(self) -> None:
        """Write what was known before, with what jobs have noted."""
        self._write(self._known)

    def _write(self, files: dict[str, Known]) -> None:
        if files == self._cached:
            return
        cached = {path: [*file.look, file.digest, file.state] for path, file in files.items()}
        with whole_or_absent(CACHE) as temporary:
            temporary.write_text(json.dumps(cached))
        self._cached = files


def read(files: Sequence[File], *, say: Callable[[str], object]) -> None:
    """Read files that are there; ``say`` tells of many bytes.

    Raises
    ------
    BadInput : a file cannot be read
    """
    n_bytes = sum(file.look.size for file in files)
    if n_bytes < MANY_BYTES:  # threads take longer than that
        digests = [_digest(file.path) for file in files]
    else:
        say(f"reading {n_bytes / 1e9:.1f} GB, to see whether they have changed")
        paths = [file.path for file in files]
        with in_threads(_digest, paths, threads=THREADS) as in_order:
            digests = list(in_order)
    for file, digest in zip(files, digests, strict=True):
        file.hold(digest)


def _digest(path: str) -> str:
    try:
        return sha256_of(path)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from None


def _read_cache() -> dict[str, Known]:
    """What the last runs saw, by absolute path; nothing of a file that cannot be used."""
    try:
        cached = json.loads(CACHE.read_text())
        return {
            path: Known(Look(*seen), digest, state)
            for path, (*seen, digest, state) in cached.items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _with_notes(known: dict[str, Known]) -> dict[str, Known]:
    """What was known, with SHA-256 of files that jobs have read since and nobody before."""
    merged = dict(known)
    for path in NOTED.glob("[0-9a-f]*"):
        with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
            for absolute, (*seen, digest) in json.loads(path.read_text()).items():
                file = merged.get(absolute)
                if file and file.digest is None and file.look == Look(*seen):
                    merged[absolute] = file._replace(digest=digest)
    return merged
