"""Extract the linguistic style of every utterance of a manifest from its transcript."""

import argparse

from voiceprivacy.attack.extractors import style
from voiceprivacy.inout.arrays import write_embeddings
from voiceprivacy.inout.files import counted, naming
from voiceprivacy.inout.tables import read_manifest
from voiceprivacy.running.command import run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--manifest", required=True, help="TSV: utterance speaker gender path duration_s"
    )
    parser.add_argument("--transcripts", required=True, help="TSV: utterance text")
    parser.add_argument(
        "--dictionary", help="in LIWC's .dic format; default: our own list of function words"
    )
    parser.add_argument("--embeddings", required=True, help="npz to write: ids, embeddings")
    arguments = parser.parse_args()

    dictionary = (
        style.read_dictionary(arguments.dictionary)
        if arguments.dictionary
        else style.function_words()
    )
    with naming(arguments.transcripts):
        embeddings = style.embed(
            read_manifest(arguments.manifest),
            style.read_transcripts(arguments.transcripts),
            dictionary,
        )
    write_embeddings(arguments.embeddings, embeddings)
    utterances = counted(len(embeddings.ids), "utterance")
    print(f"{utterances}, {len(style.names(dictionary))} numbers each: {arguments.embeddings}")


if __name__ == "__main__":
    run(main)
