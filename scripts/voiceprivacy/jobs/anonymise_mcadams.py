"""Anonymise the speech of a manifest by the McAdams coefficient (challenge baseline B2)."""

import argparse
import functools
from pathlib import Path

import numpy as np
from tqdm import tqdm

from voiceprivacy.anonymise.functions import mcadams
from voiceprivacy.inout.files import BadInput, added_or_absent, counted
from voiceprivacy.inout.tables import (
    ALPHAS,
    Utterance,
    alphas_path,
    positions_path,
    read_manifest,
    read_positions,
    write_manifest,
    write_table,
)
from voiceprivacy.running import pools
from voiceprivacy.running.command import require_at_least, run, say


def main() -> None:
    arguments = parse()
    low, high = arguments.alpha[0], arguments.alpha[-1]
    if len(arguments.alpha) > 2 or not 0 < low <= high < np.inf:
        raise BadInput(
            "--alpha: give one number above 0, or the lower and the upper end of a range"
        )
    require_at_least(1, threads=arguments.threads)
    utterances = read_manifest(arguments.manifest)
    alphas = mcadams.draw_alphas(
        utterances,
        low,
        high,
        level=arguments.level,
        draw=arguments.draw,
        seed=arguments.seed,
        positions=positions_of(utterances, positions_path(arguments.manifest)),
    ).tolist()
    protected = protect(utterances, alphas, arguments)
    # The manifest comes last: where it is, everything is.
    rows = []
    for utterance, alpha in zip(utterances, alphas, strict=True):
        rows.append((utterance.utterance, utterance.speaker, alpha))
    write_table(alphas_path(arguments.output_manifest), ALPHAS, rows)
    write_manifest(arguments.output_manifest, protected)
    drawn = f"alpha {min(alphas):.4f} to {max(alphas):.4f}"
    say(f"{counted(len(protected), 'utterance')}, {drawn}: {arguments.output_manifest}")


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
    utterances: list[Utterance], alphas: list[float], arguments: argparse.Namespace
) -> list[Utterance]:
    """Protect all utterances; the folder gets their files once all of them are there."""
    audio_dir = Path(arguments.audio_dir)
    jobs = list(zip(utterances, alphas, strict=True))
    with added_or_absent(audio_dir) as scratch:
        call = functools.partial(
            mcadams.anonymise_file, variant=arguments.variant, audio_dir=scratch
        )
        with pools.in_threads(call, jobs, threads=arguments.threads) as results:
            protected = list(tqdm(results, total=len(jobs), unit="utterance", mininterval=1.0))
    return [line._replace(path=audio_dir / line.path.name) for line in protected]


def parse() -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--manifest", required=True, help="TSV: utterance speaker gender path duration_s"
    )
    parser.add_argument(
        "--seed", type=int, required=True, help="with the ids it decides every draw of --draw ours"
    )
    parser.add_argument("--audio-dir", required=True, help="folder for <utterance>.flac, 16 bit")
    parser.add_argument(
        "--output-manifest",
        required=True,
        help="TSV to write; the alphas go beside it (.alphas.tsv)",
    )
    parser.add_argument(
        "--alpha", type=float, nargs="+", default=[0.8], help="one value or a range (default: 0.8)"
    )
    parser.add_argument(
        "--level",
        choices=["speaker", "utterance", "corpus"],
        default="speaker",
        help="who has one (default: speaker)",
    )
    parser.add_argument(
        "--variant",
        choices=mcadams.VARIANTS,
        default="vpc2020",
        help="vpc2024: all frames, no clip",
    )
    parser.add_argument(
        "--draw",
        choices=list(mcadams.DRAWS),
        default="ours",
        help="vpc2024 is that year's published rule, for comparisons only. It ignores --seed: "
        "attacker and user draw the same alpha for a speaker. Per utterance, the i-th utterance of "
        "every data directory gets the same alpha; positions.tsv beside the manifest counts them.",
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="threads that work at the same time (default: 1)"
    )
    return parser.parse_args()


if __name__ == "__main__":
    run(main)
