"""Measure the utility of protected speech by commands, and check what they wrote.

Several commands are called one after another; each has an --output, in the same order.
"""

import argparse
from pathlib import Path

from voiceprivacy.inout.files import BadInput
from voiceprivacy.running import programs
from voiceprivacy.running.command import require_at_least, run, say
from voiceprivacy.utility.measures import run_measure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--command",
        required=True,
        nargs="+",
        help="called as <command> --manifest IN.tsv --original ORIGINAL.tsv --output OUT.tsv",
    )
    parser.add_argument("--manifest", required=True, type=Path, help="TSV of the protected speech")
    parser.add_argument("--original", required=True, type=Path, help="TSV of the original speech")
    parser.add_argument(
        "--output",
        required=True,
        nargs="+",
        type=Path,
        help="TSV to write: utterance metric value",
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="what {threads} in the command is (default: 1)"
    )
    parser.add_argument(
        "--utterances",
        type=int,
        nargs="+",
        help="at most so many of each speaker, by each command (default, and 0: all)",
    )
    parser.add_argument("--seed", type=int, default=0, help="by which they are drawn (default: 0)")
    programs.add_limits(parser)
    programs.add_sandbox(parser)
    arguments = parser.parse_args()
    commands, outputs = arguments.command, arguments.output
    numbers = arguments.utterances or [0] * len(commands)
    require_at_least(1, threads=arguments.threads)
    require_at_least(0, utterances=min(numbers))
    if not len(commands) == len(outputs) == len(numbers):
        raise BadInput("each --command needs an --output and, if one has, --utterances")

    sandbox = programs.sandbox_of(arguments)
    for command, output, at_most in zip(commands, outputs, numbers, strict=True):
        measured = run_measure(
            command,
            manifest=arguments.manifest,
            original=arguments.original,
            threads=arguments.threads,
            output=output,
            utterances=at_most or None,
            seed=arguments.seed,
            runtime=arguments.runtime,
            sandbox=sandbox,
        )
        utterances = {line.utterance for line in measured}
        metrics = sorted({line.metric for line in measured})
        say(f"{len(utterances)} utterances, {', '.join(metrics)}: {output}")


if __name__ == "__main__":
    run(main)
