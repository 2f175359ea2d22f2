"""Make the back-ends of workflow/resources/conversions, which know what our anonymisers do.

    python tests/nightly/conversions.py --results .zoo/results --output FOLDER

Embeddings are those of a finished run of config/zoo.yaml (make zoo): 251 speakers, unprotected and
as every anonymiser of that config protects them. README.md beside the back-ends is their card.
"""

import argparse
from pathlib import Path

import numpy as np

from voiceprivacy.attack.backends.learning import Learning, spoken
from voiceprivacy.attack.backends.recipes import Recipe, arrays_of
from voiceprivacy.attack.held_out import Spoken
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.arrays import write_npz
from voiceprivacy.inout.ids import hashed_speaker
from voiceprivacy.inout.manifests import Utterance, read_manifest
from voiceprivacy.running.command import run, say
from voiceprivacy.vocabulary import ORIGINAL, SPEAKERS_LEARNT

PARTS = ("pieces/enrolment", "pieces/trial", "train_clean_100/train")
EXTRACTORS = ("resemblyzer", "campplus")
LEARNING = Learning("plda", None, "kaldi", centre=True, shrinkage=0.1, rank=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help="results/ of make zoo")
    parser.add_argument("--output", type=Path, required=True, help="folder to write to")
    arguments = parser.parse_args()
    for extractor in EXTRACTORS:
        systems, recipe, utterances = learnt(arguments.results, extractor)
        path = arguments.output / f"{extractor}.npz"
        write(path, recipe, utterances)
        say(f"{path}: from {counted(len(systems), 'system')}, {', '.join(systems)}")


def learnt(results: Path, extractor: str) -> tuple[list[str], Recipe, list[Utterance]]:
    """What a back-end learns from all speech of all systems: their names, it, and the originals."""
    heard: list[Spoken] = []
    utterances: list[Utterance] = []
    folders = sorted((results / "embeddings" / PARTS[0]).iterdir())
    systems = sorted((folder.name for folder in folders), key=lambda name: name != ORIGINAL)
    for part in PARTS:
        listed = read_manifest(results / "audio" / part / ORIGINAL / "manifest.tsv")
        utterances += listed
        for system in systems:
            path = results / "embeddings" / part / system / f"{extractor}.npz"
            heard.append(spoken(path, listed))
    embeddings = np.concatenate([one.embeddings for one in heard])
    speakers = [name for one in heard for name in one.speakers]
    return systems, LEARNING.recipe(embeddings, speakers), utterances


def write(path: Path, recipe: Recipe, utterances: list[Utterance]) -> None:
    """Write a back-end in single precision, with hashes of the speakers that it knows."""
    arrays = {
        name: array.astype(np.float32) if isinstance(array, np.ndarray) else array
        for name, array in arrays_of(recipe).items()
    }
    known = {hashed_speaker(one.utterance) for one in utterances}
    if None in known:
        raise BadInput(f"{path}: learnt from an utterance whose name is not LibriSpeech's")
    arrays[SPEAKERS_LEARNT] = np.array(sorted(filter(None, known)))
    write_npz(path, arrays, compressed=True)


if __name__ == "__main__":
    run(main)
