"""Extract the histogram of the fundamental frequency of every utterance of a manifest."""

import argparse

from voiceprivacy.attack.extractors import histograms
from voiceprivacy.attack.extractors.histograms import embed_each
from voiceprivacy.inout.arrays import write_embeddings
from voiceprivacy.inout.files import counted
from voiceprivacy.inout.stamps import watched
from voiceprivacy.running.command import run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--manifest", required=True, help="TSV: utterance speaker gender path duration_s"
    )
    parser.add_argument(
        "--embeddings", required=True, help="npz to write: ids, embeddings (one histogram each)"
    )
    arguments = parser.parse_args()

    with watched(arguments.manifest) as utterances:
        embeddings = embed_each(utterances, histograms.histogram)
    write_embeddings(arguments.embeddings, embeddings)
    utterances = counted(len(embeddings.ids), "utterance")
    print(f"{utterances}, {embeddings.embeddings.sum():.0f} voiced frames: {arguments.embeddings}")


if __name__ == "__main__":
    run(main)
