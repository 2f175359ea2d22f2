"""The job anonymise_mcadams."""

import functools
from pathlib import Path
from typing import Annotated

from tqdm import tqdm

from voiceprivacy.anonymise.functions import mcadams
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.manifests import (
    Utterance,
    positions_path,
    read_manifest,
    read_positions,
    write_manifest,
)
from voiceprivacy.inout.writing import added_or_absent
from voiceprivacy.running import pools
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import require_at_least, say


def anonymise_mcadams(
    *,
    manifest: str,
    seed: int,
    audio_dir: Path,
    output_manifest: str,
    alpha: tuple[float, ...] = (0.8,),
    level: Annotated[str, mcadams.LEVELS] = "speaker",
    variant: Annotated[str, mcadams.VARIANTS] = "vpc2020",
    draw: Annotated[str, mcadams.DRAWS] = "ours",
    threads: int = 1,
) -> None:
    """Anonymise the speech of a manifest by the McAdams coefficient (challenge baseline B2).

    Parameters
    ----------
    manifest : TSV: utterance speaker gender path duration_s
    seed : with the ids it decides every draw of --draw ours
    audio_dir : folder for <utterance>.flac, 16 bit
    output_manifest : TSV to write; the alphas go beside it (.alphas.tsv)
    alpha : one value or a range
    level : whose utterances share one value
    variant : vpc2024: all frames, no clip
    draw : vpc2024 is that year's published rule, for comparisons only. It ignores --seed: attacker
        and user draw the same alpha for a speaker. Per utterance, the i-th utterance of every data
        directory gets the same alpha; positions.tsv beside the manifest counts them.
    threads : threads that work at the same time
    """
    require_at_least(1, threads=threads)
    utterances = read_manifest(manifest)
    is_counted = (draw, level) == ("vpc2024", "utterance")
    alphas = mcadams.draw_alphas(
        utterances,
        alpha,
        level=level,
        draw=draw,
        seed=seed,
        positions=positions_of(utterances, positions_path(manifest)) if is_counted else None,
    ).tolist()
    protected = protect(
        list(zip(utterances, alphas, strict=True)), audio_dir, variant=variant, threads=threads
    )
    # The manifest comes last: where it is, everything is.
    mcadams.write_alphas(output_manifest, utterances, alphas)
    write_manifest(output_manifest, protected)
    drawn = f"alpha {min(alphas):.4f} to {max(alphas):.4f}"
    say(f"{counted(len(protected), 'utterance')}, {drawn}: {output_manifest}")


def positions_of(utterances: list[Utterance], path: Path) -> list[int] | None:
    """Which utterance of its data directory each one is; None where no table says it."""
    if not path.exists():
        return None
    positions = read_positions(path)
    for utterance in utterances:
        if utterance.utterance not in positions:
            raise BadInput(f"{path}: utterance '{utterance.utterance}' is missing")
    return [positions[utterance.utterance] for utterance in utterances]


def protect(
    jobs: list[tuple[Utterance, float]], audio_dir: Path, *, variant: str, threads: int
) -> list[Utterance]:
    """Protect all utterances; the folder gets their files once all of them are there."""
    with added_or_absent(audio_dir) as scratch:
        call = functools.partial(mcadams.anonymise_file, variant=variant, audio_dir=scratch)
        with pools.in_threads(call, jobs, threads=threads) as results:
            protected = list(tqdm(results, total=len(jobs), unit="utterance", mininterval=1.0))
    return [line._replace(path=audio_dir / line.path.name) for line in protected]


if __name__ == "__main__":
    run(anonymise_mcadams)
