"""Whether the files of a finished run are still those that its provenance.json lists."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.checksums import sha256_of
from voiceprivacy.provenance.record import (
    NOT_FOUND,
    PROVENANCE,
    hash_now,
    outputs_of,
    read_provenance,
)
from voiceprivacy.vocabulary import SECOND_RUN


def changes(results: Path) -> Iterator[str]:
    """What differs from provenance.json, a line a file.

    A file of the run may differ, be missing, or not be listed. An input of the run may differ; one
    that is not there any more is no part of the results.

    Raises
    ------
    BadInput : provenance.json is missing, or is of an older version, which listed no outputs
    """
    record = results / PROVENANCE
    provenance = read_provenance(record)
    if "outputs" not in provenance:
        raise BadInput(
            f"{record}: lists no outputs, so it does not describe a finished run of this version"
        )
    listed, made = provenance["outputs"], outputs_of(results)
    for name in sorted(listed.keys() | made.keys()):
        if name not in made:
            yield f"{results / name}: is missing"
        elif name not in listed:
            yield f"{results / name}: is not listed in {record}"
        elif sha256_of(made[name]) != listed[name]:
            yield f"{results / name}: differs from what {record} lists"
    for path, digest in provenance.get("sha256", {}).items():
        now = hash_now(results.absolute().parent, path)
        if now not in (digest, NOT_FOUND) and not path.startswith("results/"):
            yield f"{path}: differs from what {record} lists, an input of the run"


def refuse_changed(results: Path) -> None:
    """Refuse (BadInput) results that are not those that their run has made."""
    for change in changes(results):
        raise BadInput(f"{change}; voiceprivacy verify {results} lists all that differs")


def refuse_public_seed(results: Path, anonymisers: Iterable[str]) -> None:
    """Refuse (BadInput) protected speech whose draws anybody can repeat by a seed of the config."""
    config = read_provenance(results / PROVENANCE)["config"]
    for name in anonymisers:
        options = config.get("anonymisers", {}).get(name.removesuffix(SECOND_RUN))
        if "seed" in config and options and "audio" not in options:  # that was made elsewhere
            raise BadInput(
                f"{results}: the seed of '{name}' is written in the config, so that anybody can"
                " repeat its draws: run without 'seed:' in a new directory, or give --public-seed"
            )


def results_of(manifest: Path) -> Path | None:
    """The results of a finished run that a manifest of speech lies in; None elsewhere.

    >>> results_of(Path("nowhere/audio/corpus/trial/b2/manifest.tsv"))
    """
    folder = Path(os.path.abspath(manifest)).parents[4:5]
    return folder[0] if folder and (folder[0] / PROVENANCE).exists() else None
