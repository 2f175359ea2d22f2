"""Measure the utility of protected speech by a command of one's own, and check what it wrote."""

import argparse
from pathlib import Path

from voiceprivacy.running import programs
from voiceprivacy.running.command import require_at_least, run, say
from voiceprivacy.utility.measures import run_measure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--command",
        required=True,
        help="called as <command> --manifest IN.tsv --original ORIGINAL.tsv --output OUT.tsv",
    )
    parser.add_argument("--manifest", required=True, type=Path, help="TSV of the protected speech")
    parser.add_argument("--original", required=True, type=Path, help="TSV of the original speech")
    parser.add_argument(
        "--output", required=True, type=Path, help="TSV to write: utterance metric value"
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="what {threads} in the command is (default: 1)"
    )
    parser.add_argument(
        "--utterances", type=int, help="at most so many of each speaker (default: all)"
    )
    parser.add_argument("--seed", type=int, default=0, help="by which they are drawn (default: 0)")
    programs.add_limits(parser)
    programs.add_sandbox(parser)
    arguments = parser.parse_args()
    require_at_least(1, threads=arguments.threads, utterances=arguments.utterances or 1)

    arguments.sandbox = programs.sandbox_of(arguments)
    options = vars(arguments)
    del options["memory"]  # stands in sandbox
    measured = run_measure(**options)
    utterances = {line.utterance for line in measured}
    metrics = sorted({line.metric for line in measured})
    say(f"{len(utterances)} utterances, {', '.join(metrics)}: {arguments.output}")


if __name__ == "__main__":
    run(main)
