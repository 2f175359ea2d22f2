"""Damage is noticed: what a run has made is compared with its SHA-256 whenever it is read.

Beside each score, list, embedding and back-end file of a run lies ``<file>.sha256``, one line as
``sha256sum`` writes it, with the file's name relative to results/. Beside each manifest lies a
table of the manifest and of the speech that was made for it (TSV: path sha256). Whoever writes such
a file writes its checksum; whoever reads it compares the bytes that it decodes.

The names in them tie a file to its place: two files that were exchanged, each with its checksum,
are noticed, too.

Where a checksum must be
------------------------
The results of a run are a folder with the file ``format``, which holds a number. Below them every
such file gets a checksum, and one without it is refused. Results that say less than CHECKED_FORMAT
are of an older version: there, and elsewhere, a checksum that is there is checked, but need not be
there. Elsewhere none is written, unless there was one. Hidden folders are scratch and count as
elsewhere.
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
from voiceprivacy.vocabulary import CHECKED_FORMAT, FORMAT_FILE

TABLE = ["path", "sha256"]
TABLE_FILE, MANIFEST_FILE = "checksums.tsv", "manifest.tsv"
MOST_LEVELS = 4  # speech lies at most so many folders below its manifest
SIDECAR = ".sha256"
DIGEST = re.compile(r"[0-9a-f]{64}")
LINE = re.compile(r"([0-9a-f]{64}) [ *](.+)\n")


class Results(NamedTuple):
    """The folder of a run's results, and whether all that is read there must have a checksum."""

    folder: Path
    are_checked: bool

    def name(self, path: FilePath) -> str:
        """The name that a file has in its checksum."""
        return os.path.relpath(os.path.abspath(path), self.folder)


def results_of(path: FilePath) -> Results | None:
    """The results that a path lies in, below no hidden folder; None elsewhere."""
    for folder in Path(os.path.abspath(path)).parents:
        if folder.name.startswith("."):
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


def read_checked(path: FilePath) -> bytes:
    """Read a file that a run made, and compare it with its checksum.

    Raises
    ------
    BadInput : it cannot be read; it or its checksum is damaged, or is that of another file; a run
        made it, and its checksum is missing
    """
    content = read_bytes(path)
    check(path, content)
    return content


def check(path: FilePath, content: bytes) -> None:
    """Compare the bytes of a file with its checksum, as read_checked does."""
    results, sidecar = results_of(path), sidecar_path(path)
    if not sidecar.exists():
        if results and results.are_checked:
            raise BadInput(
                f"{path}: its checksum {sidecar.name} is missing: {_remedy(path)}"
                " (keep files of your own elsewhere)"
            )
        return
    line = LINE.fullmatch(read_bytes(sidecar).decode(errors="replace"))
    if not line:
        raise BadInput(f"{path}: its checksum {sidecar} is damaged: {_remedy(path)}")
    digest, name = line.groups()
    if digest != sha256(content):
        raise BadInput(
            f"{path}: is damaged, or was changed by hand: its SHA-256 is not that in"
            f" {sidecar.name}; {_remedy(path)}"
        )
    if results and name != results.name(path):
        raise BadInput(
            f"{path}: its checksum {sidecar.name} is that of {name}: were files exchanged?"
            f" {_remedy(path)}"
        )


def _remedy(path: FilePath) -> str:
    if results_of(path) is None:
        return f"copy it again, or remove {sidecar_path(path)} if it was changed on purpose"
    return f"remove {path} and run again"


@contextlib.contextmanager
def whole_with_checksum(path: FilePath) -> Iterator[Path]:
    """As whole_or_absent; the checksum is written beside the file where it ought to be."""
    with whole_or_absent(path) as temporary:
        yield temporary
        digest = sha256_of(temporary) if is_checked(path) else None
    # A process that is killed here leaves a file with an older checksum: it is refused.
    if digest is not None:
        results = results_of(path)
        name = results.name(path) if results else Path(path).name
        with whole_or_absent(sidecar_path(path)) as temporary:
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


class Checksums(NamedTuple):
    """The table beside a manifest: {name: SHA-256}; the manifest's own name comes first."""

    path: Path
    digests: Mapping[str, str]

    def name(self, path: FilePath) -> str:
        """The name that a file has in the table, wherever the folder was copied to."""
        results = results_of(path)
        if results:
            return results.name(path)
        below = os.path.relpath(os.path.abspath(path), os.path.abspath(self.path.parent))
        home = os.path.dirname(next(iter(self.digests), ""))
        return os.path.normpath(os.path.join(home, below))


def read_checked_manifest(manifest: FilePath) -> bytes:
    """Read a manifest, and compare it with its checksum.

    Raises
    ------
    BadInput : it cannot be read; it or its table is damaged, or is that of another manifest; a run
        made it, and its table is missing
    """
    content = read_bytes(manifest)
    results, table = results_of(manifest), table_path(manifest)
    if not table.exists():
        if results and results.are_checked:
            raise BadInput(f"{manifest}: its {table.name} is missing: {_remedy(manifest)}")
        return content
    known = read_table_of(manifest)
    digest = known.digests.get(known.name(manifest))
    if digest is None:
        raise BadInput(
            f"{manifest}: {table.name} has no checksum of it, and is that of"
            f" {next(iter(known.digests), 'nothing')}; {_remedy(manifest)}"
        )
    if digest != sha256(content):
        raise BadInput(
            f"{manifest}: is damaged, or was changed by hand: its SHA-256 is not that in"
            f" {table.name}; {_remedy(manifest)}"
        )
    return content


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
    lies_there: dict[Path, bool] = {}
    for path in paths:
        if path.parent not in lies_there:  # asks the disk: once for a folder
            lies_there[path.parent] = results_of(path) == results
        if lies_there[path.parent]:
            yield path


def read_table_of(manifest: FilePath) -> Checksums:
    """Read the checksums of a manifest and its speech."""
    table = table_path(manifest)
    return _read_table(str(table), os.stat(table).st_mtime_ns)


@functools.lru_cache(maxsize=8)  # every recording asks for its table
def _read_table(path: str, changed_ns: int) -> Checksums:
    """Read a table; the time of its last change is there for the cache."""
    header, *rows = read_bytes(path).decode(errors="replace").removesuffix("\n").split("\n")
    digests = {}
    for text in rows:
        name, _, digest = text.partition("\t")
        digests[name] = digest
    if header.split("\t") != TABLE or not all(map(DIGEST.fullmatch, digests.values())):
        remedy = _remedy(Path(path).with_name(MANIFEST_FILE))
        raise BadInput(f"{path}: is damaged: it must hold paths and SHA-256; {remedy}")
    return Checksums(Path(path), digests)


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
    digests = {}
    for path in paths:
        if results_of(path):
            digests[str(path)] = sha256_of(path)
    return digests


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
    for folder in [*Path(os.path.abspath(path)).parents][:MOST_LEVELS]:
        if (folder / TABLE_FILE).exists():
            known = read_table_of(folder / MANIFEST_FILE)
            return known.digests.get(known.name(path))
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
        shard = folder / "shards" / f"{path.parent.name}.tsv"
        manifest = folder / MANIFEST_FILE
        if shard.exists():  # alone, it would not be missed: what is made of it is there
            return f"remove {shard} and {manifest} and run again"
        if manifest.exists():
            return f"remove {manifest} and run again"
    return "make it again"
