"""Damage is noticed: what a run has made is compared with its SHA-256 whenever it is read.

Beside each table, array and JSON file of a run lies ``<file>.sha256``, one line as ``sha256sum``
writes it, with the file's name relative to results/. Beside each manifest lies a table of the
manifest and of the speech that was made for it (TSV: path sha256). Whoever writes such a file
writes its checksum; whoever reads it compares the bytes that it decodes.

The names in them tie a file to its place: two files that were exchanged, each with its checksum,
are noticed, too.

Where a checksum must be
------------------------
The results of a run are a folder with the file ``format``, which holds a number. Below them every
file that we write gets a checksum, and one without is refused by whoever reads it. Only what others
write there has none: Snakemake's benchmarks, and models from elsewhere. Results that say less than
CHECKED_FORMAT are of an older version: there, and elsewhere, none need be there. Elsewhere none is
written, unless there was one.

Rules declare the checksums of scores, lists, embeddings, matrices, back-ends and speech as outputs,
so those of what is removed after use go with it. The others need no declaration: whoever misses one
says which file to remove, and the next run makes both again.
Hidden folders are scratch and count as elsewhere, and so do the checkpoints of a training, which
SpeechBrain moves and removes.
"""

import contextlib
import functools
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.inout.files import (
    BadInput,
    FilePath,
    read_bytes,
    whole_or_absent,
)
from voiceprivacy.vocabulary import CHECKED_FORMAT, FORMAT_FILE, SHARDS

TABLE = ["path", "sha256"]
TABLE_FILE, MANIFEST_FILE = "checksums.tsv", "manifest.tsv"
MOST_LEVELS = 4  # speech lies at most so many folders below its manifest
SIDECAR = ".sha256"
CHECKPOINTS = ".checkpoints"  # ending of the folder that a training goes on from
LINE = re.compile(r"(?P<digest>[0-9a-f]{64}) [ *](?P<name>.+)")
ROW = re.compile(r"(?P<name>.+)\t(?P<digest>[0-9a-f]{64})")


class Results(NamedTuple):
    """The folder of a run's results, and whether all that is read there must have a checksum."""

    folder: Path
    are_checked: bool

    def name(self, path: FilePath) -> str:
        """The name that a file has in its checksum."""
        return os.path.relpath(os.path.abspath(path), self.folder)


def results_of(path: FilePath) -> Results | None:
    """The results that a path lies in, below no folder of scratch; None elsewhere."""
    for folder in Path(os.path.abspath(path)).parents:
        if folder.name.startswith(".") or folder.name.endswith(CHECKPOINTS):
            return None
        if number := _format_of(folder):
            return Results(folder, number >= CHECKED_FORMAT)
    return None


def _format_of(folder: Path) -> int | None:
    try:
        return int((folder / FORMAT_FILE).read_bytes())
    except (OSError, ValueError):
        return None


def sha256(content: bytes) -> str:
    """SHA-256 of bytes, as hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def sha256_of(path: FilePath) -> str:
    """SHA-256 of a file that was just written."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# One file and its sidecar.


def sidecar_path(path: FilePath) -> Path:
    """Where the checksum of a file stands."""
    return Path(f"{path}{SIDECAR}")


def is_checked(path: FilePath) -> bool:
    """Whether a file has a checksum, or ought to have one."""
    return sidecar_path(path).exists() or results_of(path) is not None


def read_checked(path: FilePath, *, must_have: bool = True, beside: Path | None = None) -> bytes:
    """Read a file that a run made, and compare it with its checksum.

    Parameters
    ----------
    must_have : bool
        Refuse a file of a run that has no checksum.
    beside : path
        Where its checksum stands, if not in a file of its own.

    Raises
    ------
    BadInput : it cannot be read; it or its checksum is damaged, or is that of another file; a run
        made it, and its checksum is missing
    """
    content = read_bytes(path)
    check(path, content, must_have=must_have, beside=beside)
    return content


def check(
    path: FilePath,
    content: bytes,
    *,
    must_have: bool = True,
    beside: Path | None = None,
    made_with: Path | None = None,
) -> None:
    """Compare the bytes of a file with its checksum, as read_checked does.

    ``made_with`` is the file to remove so that this one is made again, where no rule names it.
    """
    recorded_in = beside or sidecar_path(path)
    remedy = _remedy(path, made_with)
    if not recorded_in.exists():
        results = results_of(path) if must_have else None
        if results and results.are_checked:
            raise BadInput(
                f"{path}: its checksum {recorded_in.name} is missing: {remedy}"
                " (keep files of your own elsewhere)"
            )
        return
    known = read_checksums(recorded_in)
    digest = known.digest(path)
    if digest is None:
        raise BadInput(
            f"{path}: its checksum {recorded_in.name} is that of {known.first()}:"
            f" were files exchanged? {remedy}"
        )
    if digest != sha256(content):
        raise BadInput(
            f"{path}: is damaged, or was changed by hand: its SHA-256 is not that in"
            f" {recorded_in.name}; {remedy}"
        )


class Checksums(NamedTuple):
    """What stands beside a file or a manifest: {name: SHA-256}; its own name comes first."""

    path: Path
    digests: Mapping[str, str]

    def first(self) -> str:
        """Whose checksums they are."""
        return next(iter(self.digests))

    def name(self, path: FilePath) -> str:
        """The name that a file has among them, wherever the folder was copied to."""
        results = results_of(path)
        if results:
            return results.name(path)
        below = os.path.relpath(os.path.abspath(path), os.path.abspath(self.path.parent))
        return os.path.normpath(os.path.join(os.path.dirname(self.first()), below))

    def digest(self, path: FilePath) -> str | None:
        """The SHA-256 that a file ought to have; None where they do not say it."""
        if len(self.digests) == 1 and results_of(path) is None:
            return self.digests[self.first()]  # its file may have another name elsewhere
        return self.digests.get(self.name(path))


def read_checksums(path: Path) -> Checksums:
    """Read what stands beside a file (a line of sha256sum) or a manifest (TSV: path sha256)."""
    lines = read_bytes(path).decode(errors="replace").removesuffix("\n").split("\n")
    is_table = lines[0].split("\t") == TABLE
    pattern = ROW if is_table else LINE
    digests: dict[str, str] = {}
    for text in lines[is_table:]:
        match = pattern.fullmatch(text)
        if not match:
            digests = {}
            break
        digests[match["name"]] = match["digest"]
    if not digests:
        file = path.with_name(path.name.removesuffix(SIDECAR).replace(TABLE_FILE, MANIFEST_FILE))
        raise BadInput(f"{file}: its checksum {path} is damaged: {_remedy(file)}")
    return Checksums(path, digests)


@functools.lru_cache(maxsize=8)  # every recording asks for its table
def _read_once(path: Path, changed_ns: int) -> Checksums:
    """Read checksums; the time of their last change is there for the cache."""
    return read_checksums(path)


def _remedy(path: FilePath, made_with: Path | None = None) -> str:
    if results_of(path) is None:
        return f"copy it again, or remove {sidecar_path(path)} if it was changed on purpose"
    return f"remove {made_with or path} and run again"


@contextlib.contextmanager
def whole_with_checksum(path: FilePath) -> Iterator[Path]:
    """As whole_or_absent; the checksum is written beside the file where it ought to be."""
    with whole_or_absent(path) as temporary:
        yield temporary
        digest = sha256_of(temporary) if is_checked(path) else None
        # A process that is killed from here on leaves a whole file without a checksum: with an
        # older one it would look damaged, and provenance.json would stop the next run.
        sidecar_path(path).unlink(missing_ok=True)
    if digest is not None:
        _write_sidecar(sidecar_path(path), digest, path)


def add_checksum(path: FilePath, moved_to: FilePath) -> None:
    """Write a file's checksum beside it, in a folder whose files will then move to ``moved_to``."""
    if is_checked(moved_to):
        _write_sidecar(sidecar_path(path), sha256_of(path), moved_to)


def _write_sidecar(sidecar: Path, digest: str, path: FilePath) -> None:
    results = results_of(path)
    name = results.name(path) if results else Path(path).name
    with whole_or_absent(sidecar) as temporary:
        temporary.write_text(f"{digest}  {name}\n", encoding="utf-8")


# Manifests and their speech.


def table_path(manifest: FilePath) -> Path:
    """Where the checksums of a manifest and of its speech stand.

    >>> table_path("trial/b2/manifest.tsv").name, table_path("trial/b2/shards/0.tsv").name
    ('checksums.tsv', '0.checksums.tsv')
    """
    path = Path(manifest)
    of_others = "" if path.name == MANIFEST_FILE else f"{path.stem}."
    return path.with_name(of_others + TABLE_FILE)


def refuse_unchecked(manifest: FilePath, speech: Iterable[Path]) -> None:
    """Refuse (BadInput) a manifest that names speech of its run that has no checksum."""
    results = results_of(manifest)
    if results is None or not results.are_checked:
        return
    digests = read_table_of(manifest).digests
    for path in _of_this_run(speech, results):
        if results.name(path) not in digests:
            raise BadInput(
                f"{table_path(manifest)}: has no checksum of {path}; {_remedy(manifest)}"
            )


def _of_this_run(paths: Iterable[Path], results: Results) -> Iterator[Path]:
    """The files among ``paths`` that lie in these results; others are people's own."""
    for path, lies_in in _with_results(paths):
        if lies_in == results:
            yield path


def _with_results(paths: Iterable[Path]) -> Iterator[tuple[Path, Results | None]]:
    """Every path with the results that it lies in: the disk is asked once for a folder."""
    of_folder: dict[Path, Results | None] = {}
    for path in paths:
        folder = path.parent
        if folder not in of_folder:
            of_folder[folder] = results_of(path)
        yield path, of_folder[folder]


def read_table_of(manifest: FilePath) -> Checksums:
    """Read the checksums of a manifest and its speech."""
    table = table_path(manifest)
    return _read_once(table, os.stat(table).st_mtime_ns)


def write_checksums(
    manifest: FilePath, speech: Iterable[Path], digests: Mapping[str, str] | None = None
) -> None:
    """Write the checksums of a manifest and of the speech that it names, in a run.

    Parameters
    ----------
    manifest : path, of a file that was just written
    speech : paths that it names; those of people's own files are left out
    digests : {path: SHA-256} of speech that was just made; that of other files is known already
    """
    results, table = results_of(manifest), table_path(manifest)
    if results is None and not table.exists():
        return
    known = {os.path.abspath(path): digest for path, digest in (digests or {}).items()}
    name = results.name(manifest) if results else Path(manifest).name
    rows = [(name, sha256_of(manifest))]
    if results:
        for path in _of_this_run(speech, results):
            digest = known.get(os.path.abspath(path)) or recorded(path)
            if digest:
                rows.append((results.name(path), digest))
            elif results.are_checked:
                raise BadInput(f"{path}: has no checksum: {_remedy_of_speech(path)}")
    with whole_or_absent(table) as temporary:
        lines = ["\t".join(row) for row in [tuple(TABLE), *rows]]
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")


def digests_of(paths: Iterable[Path]) -> dict[str, str]:
    """{path: SHA-256} of speech that was just made, where it will need checksums; else none."""
    return {str(path): sha256_of(path) for path, results in _with_results(paths) if results}


def digests_beside(manifests: Iterable[FilePath]) -> dict[str, str]:
    """{path: SHA-256} of the speech of several manifests in a run; none of others."""
    digests: dict[str, str] = {}
    for manifest in manifests:
        results = results_of(manifest)
        if results and table_path(manifest).exists():
            names = read_table_of(manifest).digests
            digests |= {str(results.folder / name): digest for name, digest in names.items()}
    return digests


# Speech.


def recorded(path: FilePath) -> str | None:
    """The SHA-256 that speech ought to have; None where nobody says it, as of people's files."""
    folder = os.path.abspath(path)
    for _ in range(MOST_LEVELS):
        folder = os.path.dirname(folder)
        if os.path.exists(f"{folder}/{TABLE_FILE}"):
            return read_table_of(Path(folder, MANIFEST_FILE)).digest(path)
    return None


def read_speech(path: FilePath) -> bytes | None:
    """The bytes of a recording that has a checksum, compared with it; None of any other.

    Raises
    ------
    BadInput : it is missing or damaged
    """
    digest = recorded(path)
    if digest is None:
        return None
    if not os.path.exists(path):
        raise BadInput(f"{path}: not found: {_remedy_of_speech(path)}")
    content = read_bytes(path)
    if digest != sha256(content):
        raise BadInput(
            f"{path}: is damaged, or was changed by hand: its SHA-256 is not that in the"
            f" {TABLE_FILE} of its manifest; {_remedy_of_speech(path)}"
        )
    return content


def check_speech(paths: Iterable[FilePath]) -> None:
    """Compare recordings with their checksums before a program of others reads them."""
    for path in paths:
        read_speech(path)


def _remedy_of_speech(path: FilePath) -> str:
    """What to remove so that the job that made a recording runs again."""
    path = Path(path)
    for folder in [*path.parents][:MOST_LEVELS]:
        shard = folder / SHARDS / f"{path.parent.name}.tsv"
        manifest = folder / MANIFEST_FILE
        if shard.exists():  # alone, it would not be missed: what is made of it is there
            return f"remove {shard} and {manifest} and run again"
        if manifest.exists():
            return f"remove {manifest} and run again"
    return "make it again"
