"""Average the utility measures of a corpus by anonymiser and trial list, with intervals from drawing speakers anew."""

import argparse
import json
from pathlib import Path

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import read_manifest, read_trials
from voiceprivacy.running.command import require_at_least, run
from voiceprivacy.utility.summary import summarise, write_summary
from voiceprivacy.vocabulary import ABSENT


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--measures",
        nargs="+",
        required=True,
        type=Path,
        help="TSVs CORPUS/PART/ANONYMISER/NAME.tsv: utterance metric value",
    )
    parser.add_argument("--manifest", required=True, help="TSV of the original speech: who speaks")
    parser.add_argument(
        "--trials", nargs="*", default=[], type=Path, help="trial lists of the corpus"
    )
    parser.add_argument(
        "--options", default="{}", help='JSON: {NAME: {"better": "lower", "weight": METRIC}}'
    )
    parser.add_argument(
        "--bootstrap", type=int, default=1000, help="replicates of intervals (default 1000)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the draws of speakers (default 0)")
    parser.add_argument("--metrics", required=True, help="TSV to write")
    arguments = parser.parse_args()
    require_at_least(0, bootstrap=arguments.bootstrap)
    try:
        options = json.loads(arguments.options)
    except json.JSONDecodeError as error:
        raise BadInput(f"--options: not JSON ({error})") from None

    found = summarise(
        arguments.measures,
        read_manifest(arguments.manifest),
        {
            path.stem: {name for trial in read_trials(path) for name in trial[:2]}
            for path in arguments.trials
        },
        options=options,
        n_replicates=arguments.bootstrap,
        seed=arguments.seed,
    )
    write_summary(arguments.metrics, found)
    for of in found:
        if of.trials == ABSENT:
            numbers = (of.value, of.ci_low, of.ci_high)
            value, low, high = (
                f"{number:.4g}" if isinstance(number, float) else number for number in numbers
            )
            print(f"{of.anonymiser:<16}{of.metric:<24}{value:>12}  [{low}, {high}]")


if __name__ == "__main__":
    run(main)
