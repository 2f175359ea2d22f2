"""Anonymise a part, or one shard of it, with any anonymiser of the config; check what it made.

With --original all of the part is anonymised, and the final manifest is written. Without it
gather_manifests.py makes that of the shards.
"""

import argparse

from voiceprivacy.anonymise.part import anonymise_part, anonymise_shard
from voiceprivacy.inout.files import BadInput, counted
from voiceprivacy.inout.seeds import derive_secretly, read_secret
from voiceprivacy.running import programs
from voiceprivacy.running.command import add_json, require_at_least, run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifest", required=True, help="TSV of what is anonymised")
    parser.add_argument(
        "--original", help="TSV of the original speech, whose speakers the final manifest has"
    )
    parser.add_argument(
        "--first-run", help="manifest of the anonymiser's first run: its audio must be another"
    )
    add_json(
        parser,
        "--anonymiser",
        required=True,
        help="the config's entry as JSON: function, command or audio",
    )
    of_seed = parser.add_mutually_exclusive_group(required=True)
    of_seed.add_argument("--seed", type=int)
    of_seed.add_argument("--seed-file", help="the secret of a run, from which the seed is made")
    parser.add_argument(
        "--seed-of",
        nargs="*",
        default=[],
        help="what the seed of --seed-file is of (default: none)",
    )
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
    programs.add_limits(parser)
    arguments = parser.parse_args()
    require_at_least(
        1,
        shards=arguments.shards,
        sample_rate=arguments.sample_rate,
        threads=arguments.threads,
    )
    if arguments.first_run and not arguments.original:
        raise BadInput("--first-run: is compared where --original is given, too")
    if arguments.original and arguments.shards > 1:
        raise BadInput("--original: is of a whole part, not of one of several shards")
    options = vars(arguments)
    secret, names = options.pop("seed_file"), options.pop("seed_of")
    if secret:
        arguments.seed = derive_secretly(read_secret(secret), *names)
    arguments.anonymiser = {"mem_mb": options.pop("memory"), **arguments.anonymiser}
    if arguments.original:
        del options["shard"], options["shards"]
        joined = anonymise_part(**options)
        say(f"{counted(len(joined), 'utterance')}: {arguments.output_manifest}")
    else:
        del options["original"], options["first_run"]
        anonymise_shard(**options)


if __name__ == "__main__":
    run(main)
