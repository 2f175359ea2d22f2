"""Shards joined again, and a second run that must be another one."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from voiceprivacy.anonymise.findings import MOST_NAMED
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout import audio
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.manifests import (
    ALPHAS,
    Utterance,
    alphas_path,
    read_manifest,
    write_manifest,
)
from voiceprivacy.inout.tables import Row, read_table, write_table
from voiceprivacy.inout.writing import (
    remove_earlier,
    remove_leftovers,
)


def gather_manifests(
    original: FilePath,
    shards: Sequence[FilePath],
    manifest: FilePath,
    *,
    first_run: FilePath | None = None,
) -> list[Utterance]:
    """Write one manifest in the original's order, with its alphas beside it.

    Parameters
    ----------
    original : path
        Manifest of the original speech; speakers and genders are its own.
    shards : list of path
    manifest : path
        To be written last.
    first_run : path, optional
        Manifest of the same anonymiser's first run, if this is the second.

    Raises
    ------
    BadInput : an utterance is missing, occurs in two shards or is not of the original; only some
        utterances have an alpha; the first run is of other utterances, or its audio is the same
    """
    remove_leftovers(manifest)
    remove_earlier(alphas_path(manifest))
    originals = read_manifest(original)
    protected = _Joined(originals, original)
    for shard in shards:
        for utterance in read_manifest(shard, may_be_empty=True):
            protected.add(utterance.utterance, utterance, shard)
    joined = []
    for before, after in zip(originals, protected.in_order("shards"), strict=True):
        joined.append(before._replace(path=after.path, duration_s=after.duration_s))
    if first_run is not None:
        _refuse_identical(joined, first_run)
    alphas = _joined_alphas(shards, _Joined(originals, original))
    write_table(alphas_path(manifest), ALPHAS, [row.values() for row in alphas])
    write_manifest(manifest, joined)
    return joined


class _Joined:
    """What the shards say of each utterance: every one of the originals once, and no other."""

    def __init__(self, originals: Iterable[Utterance], original: FilePath):
        self.names = [utterance.utterance for utterance in originals]
        self.original = original
        self.rows: dict[str, Any] = {}
        self.files: dict[str, FilePath] = {}

    def add(self, name: str, row: Any, file: FilePath) -> None:
        """Take in what a file says of an utterance (its name)."""
        if name in self.rows:
            raise BadInput(f"{file}: utterance '{name}' is also in {self.files[name]}")
        self.rows[name], self.files[name] = row, file

    def in_order(self, files: str) -> list[Any]:
        """The rows in the order of the originals; ``files`` says in words what was joined."""
        known = set(self.names)
        for name, file in self.files.items():
            if name not in known:
                raise BadInput(f"{file}: utterance '{name}' is not in {self.original}")
        if missing := [name for name in self.names if name not in self.rows]:
            are = counted(len(missing), "utterance is", "utterances are")
            first = ", ".join(missing[:MOST_NAMED])
            raise BadInput(f"{self.original}: {are} in none of the {files}: {first}")
        return [self.rows[name] for name in self.names]


def _joined_alphas(shards: Sequence[FilePath], joined: _Joined) -> list[Row]:
    """The alphas of all shards in the order of the originals; none if none was drawn."""
    for path in map(alphas_path, shards):
        if path.exists():
            for row in read_table(path, ALPHAS):
                joined.add(row["utterance"], row, path)
    files = "tables of alphas, which other utterances are in"
    return joined.in_order(files) if joined.rows else []


def _refuse_identical(second: Sequence[Utterance], first_run: FilePath) -> None:
    """Refuse a second run whose samples are all those of the first: nothing was drawn anew."""
    first = {utterance.utterance: utterance.path for utterance in read_manifest(first_run)}
    for utterance in second:
        if utterance.utterance not in first:
            raise BadInput(f"{first_run}: has no utterance '{utterance.utterance}' of this run")
        pieces = audio.side_by_side(utterance.path, first[utterance.utterance])
        if not all(np.array_equal(*both) for both in pieces):
            return
    raise BadInput(
        f"{first_run}: the second run made the very same audio of all {len(second)} utterances:"
        " an anonymiser with 'runs: 2' must draw from its seed;"
        " one that draws nothing has 'runs: 1'"
    )
