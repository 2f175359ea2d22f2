"""Prepare one part of a corpus: its manifest, with audio at the corpus's rate."""

import argparse
import json
import os

from tqdm import tqdm

from voiceprivacy.corpora import parts
from voiceprivacy.corpora.checks import read_excluded
from voiceprivacy.inout.stamps import write_stamps
from voiceprivacy.inout.tables import write_manifest
from voiceprivacy.running.command import run
from voiceprivacy.vocabulary import PARTS


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--source", required=True, type=json.loads, help='JSON {"kind": options}, as in the config'
    )
    parser.add_argument(
        "--protocol", default={}, type=json.loads, help='JSON {"protocol": options}; none for train'
    )
    parser.add_argument("--part", required=True, choices=PARTS)
    parser.add_argument(
        "--excluded", help="TSV of validate_corpus: utterances that are left out (default: none)"
    )
    parser.add_argument("--sample-rate", default=16000, type=int, help="Hz (default 16000)")
    parser.add_argument(
        "--manifest", required=True, help="TSV to write: utterance speaker gender path duration_s"
    )
    parser.add_argument(
        "--audio-dir", required=True, help="folder for audio that has to be made or converted"
    )
    parser.add_argument("--threads", default=1, type=int)
    arguments = parser.parse_args()

    os.environ["OMP_NUM_THREADS"] = (
        "1"  # the threads are ours: torch, where audio is resampled, takes one each
    )
    excluded = read_excluded(arguments.excluded) if arguments.excluded else {}
    listed = parts.list_part(
        arguments.source, arguments.protocol, arguments.part, excluded=excluded
    )
    utterances = parts.provide_audio(
        arguments.source,
        listed,
        audio_dir=arguments.audio_dir,
        sample_rate=arguments.sample_rate,
        threads=arguments.threads,
    )
    progress = tqdm(
        utterances, desc=arguments.part, total=len(listed), unit=" utterances", mininterval=1
    )
    utterances = [piece for pieces in progress for piece in pieces]
    write_stamps(arguments.manifest, utterances)
    write_manifest(arguments.manifest, utterances)


if __name__ == "__main__":
    run(main)
