"""Give every utterance of a manifest a speaker of its own, for an attacker who trains on protected speech."""

import argparse

from voiceprivacy.corpora.parts import with_pseudo_speakers
from voiceprivacy.inout.tables import read_manifest, write_manifest
from voiceprivacy.running.command import run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--manifest", required=True, help="TSV: utterance speaker gender path duration_s"
    )
    parser.add_argument("--pseudo-manifest", required=True, help="TSV to write")
    arguments = parser.parse_args()

    utterances = with_pseudo_speakers(read_manifest(arguments.manifest))
    write_manifest(arguments.pseudo_manifest, utterances)
    print(f"{len(utterances)} pseudo-speakers: {arguments.pseudo_manifest}")


if __name__ == "__main__":
    run(main)
