"""Prepare one part of a corpus: its manifest, with audio at the corpus's rate.

Beside it lies positions.tsv: which utterance of its data directory each one is, for anonymisers
that draw in that order. Beside the manifest of the part train lies pseudo_manifest.tsv, in which
every utterance has a speaker of its own.
"""

import argparse
import os
from pathlib import Path

from tqdm import tqdm

from voiceprivacy.corpora import parts
from voiceprivacy.inout.tables import (
    POSITIONS,
    Utterance,
    positions_path,
    write_manifest,
    write_table,
)
from voiceprivacy.running.command import add_json, run
from voiceprivacy.vocabulary import PARTS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_json(parser, "--source", required=True, help='JSON {"kind": options}, as in the config')
    add_json(parser, "--protocol", default={}, help='JSON {"protocol": options}; none for train')
    parser.add_argument("--part", required=True, choices=PARTS)
    parser.add_argument(
        "--excluded", help="TSV of validate_corpus: utterances that are left out (default: none)"
    )
    parser.add_argument("--sample-rate", default=16000, type=int, help="Hz (default 16000)")
    parser.add_argument(
        "--manifest",
        required=True,
        type=Path,
        help="TSV to write, last: utterance speaker gender path duration_s",
    )
    parser.add_argument(
        "--audio-dir", required=True, help="folder for audio that has to be made or converted"
    )
    parser.add_argument("--threads", default=1, type=int)
    arguments = parser.parse_args()

    # The threads are ours: torch, where audio is resampled, takes one for each.
    os.environ["OMP_NUM_THREADS"] = "1"
    utterances = provide(arguments)
    # The pseudo-speakers are what an anonymiser sees of training speech.
    if arguments.part == "train":
        pseudo_manifest = arguments.manifest.with_name("pseudo_manifest.tsv")
        pseudo_speakers = parts.with_pseudo_speakers(utterances)
        write_manifest(pseudo_manifest, pseudo_speakers)
    write_manifest(arguments.manifest, utterances)


def provide(arguments: argparse.Namespace) -> list[Utterance]:
    """The utterances or pieces of the part, with their audio."""
    excluded = parts.read_excluded(arguments.excluded) if arguments.excluded else {}
    source, part = arguments.source, arguments.part
    listed = parts.list_part(source, arguments.protocol, part, excluded=excluded)
    provided = parts.provide_audio(
        source,
        listed,
        audio_dir=arguments.audio_dir,
        sample_rate=arguments.sample_rate,
        threads=arguments.threads,
    )
    prepared: list[Utterance] = []
    positions, rows = parts.positions_of(source, part, listed), []
    progress = tqdm(provided, desc=part, total=len(listed), unit=" utterances", mininterval=1)
    for whole, pieces in zip(listed, progress, strict=True):
        prepared += pieces
        rows += [(piece.utterance, positions[whole.utterance]) for piece in pieces]
    write_table(positions_path(arguments.manifest), POSITIONS, rows)
    return prepared


if __name__ == "__main__":
    run(main)
