"""The job anonymise_part."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from voiceprivacy.anonymise import part
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.secret_seeds import derive_secretly, read_secret
from voiceprivacy.running import boxes
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import require_at_least, say


def anonymise_part(
    *,
    manifest: str,
    original: str | None = None,
    first_run: str | None = None,
    anonymiser: dict,
    seed: int | None = None,
    seed_file: str | None = None,
    seed_of: Sequence[str] = (),
    shard: int = 0,
    shards: int = 1,
    sample_rate: int = 16000,
    audio_dir: Path,
    output_manifest: Path,
    threads: int = 1,
    runtime: float | None = None,
    memory: int = boxes.MEMORY_MB,
) -> None:
    """Anonymise a part, or one shard of it, with any anonymiser of the config; check what it made.

    With --original all of the part is anonymised, and the final manifest is written. Without it
    gather_manifests.py makes that of the shards.

    Parameters
    ----------
    manifest : TSV of what is anonymised
    original : TSV of the original speech, whose speakers the final manifest has
    first_run : manifest of the anonymiser's first run: its audio must be another
    anonymiser : the config's entry as JSON: function, command or audio
    seed : of all that the anonymiser draws
    seed_file : instead of --seed: the secret of a run, from which the seed is made
    seed_of : what the seed of --seed-file is of
    shard : which shard, from 0
    shards : of how many
    sample_rate : of the corpus, in Hz
    audio_dir : folder to make for the protected files
    output_manifest : TSV to write, last; coefficients that were drawn go beside it (.alphas.tsv)
    threads : processes that work at the same time
    runtime : minutes after which the program is ended (default: none)
    memory : MB that each process in a box may use
    """
    if (seed is None) == (seed_file is None):
        raise BadInput("give one of --seed, --seed-file")
    require_at_least(1, shards=shards, sample_rate=sample_rate, threads=threads)
    options: dict[str, Any] = {
        "anonymiser": {"mem_mb": memory, **anonymiser},
        "seed": derive_secretly(read_secret(seed_file), *seed_of) if seed_file else seed,
        "sample_rate": sample_rate,
        "audio_dir": audio_dir,
        "output_manifest": output_manifest,
        "threads": threads,
        "runtime": runtime,
    }
    if original:
        joined = part.anonymise_part(manifest, original=original, first_run=first_run, **options)
        say(f"{counted(len(joined), 'utterance')}: {output_manifest}")
    else:
        part.anonymise_shard(manifest, shard=shard, shards=shards, **options)


if __name__ == "__main__":
    run(anonymise_part)
