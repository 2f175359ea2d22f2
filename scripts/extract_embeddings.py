"""Extract one speaker embedding for every utterance of a manifest."""

import argparse

from voiceprivacy.arrays import write_embeddings
from voiceprivacy.attack.extractors import embed_manifest
from voiceprivacy.attack.hub import local_folder
from voiceprivacy.command import run
from voiceprivacy.tables import read_manifest


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifest", required=True, help="TSV: utterance speaker gender path duration_s")
    parser.add_argument("--model", required=True, help="SpeechBrain speaker folder, or its name on the hub")
    parser.add_argument("--revision", help="commit of the hub model")
    parser.add_argument(
        "--embeddings", required=True, help="npz to write: ids, embeddings (one row per utterance, raw)"
    )
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--threads", type=int, default=1, help="processes on a CPU; the result does not depend on it")
    arguments = parser.parse_args()

    utterances = read_manifest(arguments.manifest)
    folder = local_folder(arguments.model, revision=arguments.revision)
    embeddings = embed_manifest(utterances, folder=folder, device=arguments.device, threads=arguments.threads)
    write_embeddings(arguments.embeddings, embeddings)
    n_utterances, dimensions = embeddings.embeddings.shape
    print(f"{n_utterances} utterances, {dimensions} dimensions: {arguments.embeddings}")


if __name__ == "__main__":
    run(main)
