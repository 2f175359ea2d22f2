"""Train the codebook of vector-quantised frames on training speech."""

import argparse

from voiceprivacy.attack.extractors import histograms
from voiceprivacy.inout.files import naming
from voiceprivacy.inout.tables import read_manifest
from voiceprivacy.models.encoders import Encoder
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifest", required=True, help="TSV of the part train")
    parser.add_argument(
        "--seed", type=int, default=0, help="of the frames that are used and of the first centres"
    )
    parser.add_argument(
        "--encoder", help="folder of wav2vec 2.0, HuBERT or WavLM whose frames are taken, not MFCC"
    )
    parser.add_argument("--codebook", required=True, help="npz to write: scale, centres")
    arguments = parser.parse_args()

    encoder = Encoder(arguments.encoder) if arguments.encoder else None
    utterances = read_manifest(arguments.manifest)
    with naming(arguments.manifest):
        codebook = histograms.train_codebook(utterances, seed=arguments.seed, encoder=encoder)
    histograms.write_codebook(arguments.codebook, codebook)
    say(f"{len(codebook.centres)} units: {arguments.codebook}")


if __name__ == "__main__":
    run(main)
