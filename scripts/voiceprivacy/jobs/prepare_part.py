"""The job prepare_part."""

import os
from pathlib import Path
from typing import Annotated

from tqdm import tqdm

from voiceprivacy.corpora import parts, recordings
from voiceprivacy.inout.manifests import POSITIONS, Utterance, positions_path, write_manifest
from voiceprivacy.inout.tables import write_table
from voiceprivacy.running.adapter import run
from voiceprivacy.vocabulary import PARTS


def prepare_part(
    *,
    source: dict,
    protocol: dict | None = None,
    part: Annotated[str, PARTS],
    excluded: str | None = None,
    sample_rate: int = 16000,
    manifest: Path,
    audio_dir: str,
    threads: int = 1,
) -> None:
    """Prepare one part of a corpus: its manifest, with audio at the corpus's rate.

    Beside it lies positions.tsv: which utterance of its data directory each one is, for anonymisers
    that draw in that order. Beside the manifest of the part train lies pseudo_manifest.tsv, in
    which every utterance has a speaker of its own.

    Parameters
    ----------
    source : JSON {"kind": options}, as in the config
    protocol : JSON {"protocol": options}; none for train
    part : which part
    excluded : TSV of validate_corpus: utterances that are left out (default: none)
    sample_rate : in Hz
    manifest : TSV to write, last: utterance speaker gender path duration_s; its folder is for one
        part
    audio_dir : folder for audio that has to be made or converted
    threads : threads that convert audio
    """
    # The threads are ours: torch, where audio is resampled, takes one for each.
    os.environ["OMP_NUM_THREADS"] = "1"
    left_out = parts.read_excluded(excluded) if excluded else {}
    listed = parts.list_part(source, protocol or {}, part, excluded=left_out)
    provided = recordings.provide_part(
        source, listed, audio_dir=audio_dir, sample_rate=sample_rate, threads=threads
    )
    utterances: list[Utterance] = []
    positions, rows = parts.positions_of(source, part, listed), []
    progress = tqdm(provided, desc=part, total=len(listed), unit=" utterances", mininterval=1)
    for whole, pieces in zip(listed, progress, strict=True):
        utterances += pieces
        rows += [(piece.utterance, positions[whole.utterance]) for piece in pieces]
    write_table(positions_path(manifest), POSITIONS, rows)
    # The pseudo-speakers are what an anonymiser sees of training speech.
    if part == "train":
        pseudo_manifest = manifest.with_name("pseudo_manifest.tsv")
        pseudo_speakers = parts.with_pseudo_speakers(utterances)
        write_manifest(pseudo_manifest, pseudo_speakers)
    write_manifest(manifest, utterances)


if __name__ == "__main__":
    run(prepare_part)
