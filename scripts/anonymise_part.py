"""Anonymise one shard of a part with any anonymiser of the config, and check what it made."""

import argparse

from voiceprivacy.anonymise.part import anonymise_part
from voiceprivacy.running.command import add_json, require_at_least, run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifest", required=True, help="TSV of the original speech")
    add_json(
        parser,
        "--anonymiser",
        required=True,
        help="the config's entry as JSON: function, command or audio",
    )
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--shard", type=int, default=0, help="which shard, from 0 (default: 0)")
    parser.add_argument("--shards", type=int, default=1, help="of how many (default: 1)")
    parser.add_argument(
        "--sample-rate", type=int, default=16000, help="of the corpus, in Hz (default: 16000)"
    )
    parser.add_argument("--audio-dir", required=True, help="folder to make for the protected files")
    parser.add_argument(
        "--output-manifest",
        required=True,
        help="TSV to write, last; coefficients that were drawn go beside it (.alphas.tsv)",
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="processes that work at the same time (default: 1)"
    )
    parser.add_argument(
        "--runtime", type=float, help="minutes after which the plug-in is ended (default: none)"
    )
    arguments = parser.parse_args()
    require_at_least(
        1,
        shards=arguments.shards,
        sample_rate=arguments.sample_rate,
        threads=arguments.threads,
    )
    anonymise_part(**vars(arguments))


if __name__ == "__main__":
    run(main)
