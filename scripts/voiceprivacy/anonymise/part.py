"""One part of a corpus, anonymised: at once or shard by shard, checked, and joined again.

Beside a manifest lies the table of the McAdams coefficients (alphas) that were drawn for it. The
table is empty where the anonymiser draws none.
"""

import math
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from voiceprivacy.anonymise import plugins
from voiceprivacy.anonymise.findings import check_all
from voiceprivacy.anonymise.joining import gather_manifests
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout import audio
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.inputs import note_input
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.inout.manifests import (
    ALPHAS,
    Utterance,
    alphas_path,
    positions_path,
    read_manifest,
    write_manifest,
)
from voiceprivacy.inout.tables import write_table
from voiceprivacy.inout.writing import (
    remove_earlier,
    remove_leftovers,
    scratch_folder,
    whole_folder_or_absent,
    whole_or_absent,
)
from voiceprivacy.running.command import say
from voiceprivacy.vocabulary import FREE, STREAMED


def anonymise_part(
    manifest: FilePath,
    anonymiser: dict[str, Any],
    *,
    original: FilePath,
    first_run: FilePath | None = None,
    seed: int,
    sample_rate: int,
    audio_dir: FilePath,
    output_manifest: FilePath,
    threads: int,
    runtime: float | None = None,
) -> list[Utterance]:
    """Protect all utterances of a part as its only shard, and gather them.

    The parameters are those of anonymise_shard and of gather_manifests.

    Returns
    -------
    list of Utterance : the lines of ``output_manifest``, which is written last

    Raises
    ------
    BadInput : as these
    """
    audio_dir, output_manifest = Path(audio_dir), Path(output_manifest)
    scratch_name = output_manifest.with_name("shards")
    remove_leftovers(scratch_name)
    _remove_earlier(manifest, output_manifest, audio_dir)
    with scratch_folder(scratch_name) as scratch:
        shard = scratch / "0.tsv"
        anonymise_shard(
            manifest,
            anonymiser,
            seed=seed,
            sample_rate=sample_rate,
            audio_dir=audio_dir,
            output_manifest=shard,
            threads=threads,
            runtime=runtime,
        )
        return gather_manifests(original, [shard], output_manifest, first_run=first_run)


def anonymise_shard(
    manifest: FilePath,
    anonymiser: dict[str, Any],
    *,
    seed: int,
    sample_rate: int,
    shard: int = 0,
    shards: int = 1,
    audio_dir: FilePath,
    output_manifest: FilePath,
    threads: int,
    runtime: float | None = None,
) -> None:
    """Protect the utterances of one shard; nothing is written unless all of them are good.

    Parameters
    ----------
    manifest : path
        The original speech.
    anonymiser : dict
        Its entry in the config; ``resample`` (bool, default False) allows another sample rate,
        ``lengths`` ("free") other lengths than those of the originals.
    seed : int
    shard, shards : int
        Which of how many, from 0; the audio is the same for any number of shards.
    sample_rate : int, Hz
        The corpus's; every file that the output manifest names is mono, 16 bits, at this rate.
    audio_dir : path
        Becomes the folder of the files that are not used where they are.
    output_manifest : path
        Is written last; the coefficients of a command that draws some go beside it.
    threads : int
    runtime : float, optional
        Minutes after which the plug-in is ended.

    Raises
    ------
    BadInput : the plug-in fails, or what it made is unusable
    """
    audio_dir, output_manifest = Path(audio_dir), Path(output_manifest)
    _remove_earlier(manifest, output_manifest, audio_dir)
    utterances = select_shard(read_manifest(manifest), shard, shards)
    with scratch_folder(audio_dir) as scratch:
        protected = {}
        if utterances:
            protected = plugins.protect(
                anonymiser,
                utterances,
                seed=seed,
                positions=positions_path(manifest),
                scratch=scratch,
                threads=threads,
                minutes=runtime,
            )
        with whole_folder_or_absent(audio_dir) as folder:
            allowed_rate = None if anonymiser.get("resample") else sample_rate
            check_all(
                utterances,
                protected,
                allowed_rate,
                scratch=scratch,
                mixed_down="audio" in anonymiser,
                free_length=anonymiser.get("lengths") == FREE,
            )
            files = _keep(utterances, protected, sample_rate, folder=folder, scratch=scratch)
            lasts = {name: audio.header(folder / file).duration_s for name, file in files.items()}
            _keep_latency(scratch / STREAMED, folder / STREAMED)
        _keep_alphas(alphas_path(scratch / "output.tsv"), alphas_path(output_manifest))
    lines = []
    for line in utterances:
        name = line.utterance
        lines.append(line._replace(path=audio_dir / files[name], duration_s=lasts[name]))
    write_manifest(output_manifest, lines)


def _remove_earlier(manifest: FilePath, output_manifest: Path, audio_dir: Path) -> None:
    """Remove what an earlier run of the same job wrote, or left when it was killed."""
    note_input(manifest)
    for path in (output_manifest, alphas_path(output_manifest)):
        remove_earlier(path)
    remove_leftovers(audio_dir)


def select_shard(utterances: Sequence[Utterance], shard: int, shards: int) -> list[Utterance]:
    """The utterances of a shard, in their order.

    They are every ``shards``-th of the sorted ids, so they depend on the ids only.
    """
    if not 0 <= shard < shards:
        raise BadInput(f"--shard {shard}: must be from 0 to {shards - 1}")
    chosen = set(sorted(utterance.utterance for utterance in utterances)[shard::shards])
    return [utterance for utterance in utterances if utterance.utterance in chosen]


def _keep_latency(written: Path, kept: Path) -> None:
    """Keep what was found of a stream (the plug-in may be somebody else's) beside its speech."""
    if written.exists():
        measured = read_json(written)
        latency = measured.get("latency_ms") if isinstance(measured, dict) else None
        if not isinstance(latency, int | float) or not 0 <= latency < math.inf:
            raise BadInput(f"{written.name}: has no latency_ms")
        write_json(kept, {"latency_ms": latency})


def _keep_alphas(written: Path, kept: Path) -> None:
    if not written.exists():
        write_table(kept, ALPHAS, [])
        return
    with whole_or_absent(kept) as temporary:
        shutil.copy(written, temporary)


# What must hold for every protected utterance: a broken anonymiser fails here, not as an odd EER.


def _keep(
    utterances: Sequence[Utterance],
    protected: plugins.ProtectedPaths,
    sample_rate: int,
    *,
    folder: Path,
    scratch: Path,
) -> dict[str, str | Path]:
    """Move or convert into ``folder`` what cannot be used where it is: {utterance id: file}."""
    files: dict[str, str | Path] = {}
    rates: Counter[int] = Counter()  # of the files that were converted
    n_mixed = 0
    for name in (utterance.utterance for utterance in utterances):
        path = protected[name].resolve()
        if not audio.is_16_bit_mono(path, sample_rate):
            n_mixed += audio.header(path).channels > 1
            samples, its_rate = audio.read(path)
            rates[its_rate] += 1
            samples = audio.resample(samples, source_rate=its_rate, target_rate=sample_rate)
            audio.write(folder / f"{name}.flac", audio.fitted(samples), sample_rate)
            files[name] = f"{name}.flac"
        elif path.is_relative_to(scratch.resolve()):
            files[name] = f"{name}{path.suffix}"
            path.rename(folder / files[name])
        else:
            files[name] = path
    for its_rate in sorted(rates.keys() - {sample_rate}):
        n_files = counted(rates[its_rate], "file")
        say(f"note: {n_files} resampled from {its_rate} to {sample_rate} Hz", file=sys.stderr)
    if n_mixed:
        have = counted(n_mixed, "file has", "files have")
        say(f"warning: {have} several channels, which were mixed down to one", file=sys.stderr)
    return files


# Shards joined again, and a second run that must be another one.
