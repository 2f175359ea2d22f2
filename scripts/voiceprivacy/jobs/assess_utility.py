"""Average the utility measures of a corpus by anonymiser and trial list, and compare anonymisers.

Intervals, and those of differences, come from drawing speakers anew.
"""

import argparse
from pathlib import Path

from voiceprivacy.inout.tables import read_manifest, read_trials, write_table
from voiceprivacy.privacy.uncertainty.interval_files import Estimate
from voiceprivacy.privacy.uncertainty.paired import compare_utility
from voiceprivacy.running.command import add_json, require_at_least, run, say
from voiceprivacy.utility.speakers import word_errors_of_speakers
from voiceprivacy.utility.summary import Key, Summary, summarise, write_replicates, write_summary
from voiceprivacy.vocabulary import ABSENT, SpeakerWords, UtilityPair


def main() -> None:
    arguments = parse()
    lists = {path.stem: ids_of(path) for path in arguments.trials}
    utterances = read_manifest(arguments.manifest)
    summary = summarise(
        arguments.measures,
        utterances,
        lists,
        options=arguments.options,
        n_replicates=arguments.bootstrap,
        seed=arguments.seed,
    )
    write_summary(arguments.metrics, summary.numbers)
    if arguments.replicates:
        write_replicates(arguments.replicates, summary.replicates)
    if arguments.comparisons:
        write_table(arguments.comparisons, UtilityPair._fields, compared(summary))
    if arguments.words:
        errors = word_errors_of_speakers(
            arguments.measures, utterances, options=arguments.options, seed=arguments.seed
        )
        write_table(arguments.words, SpeakerWords._fields, errors)
    for number in summary.numbers:
        if number.trials == ABSENT:  # of all utterances; the lists are in the table
            value, low, high = map(shown, (number.value, number.ci_low, number.ci_high))
            say(f"{number.anonymiser:<16}{number.metric:<24}{value:>12}  [{low}, {high}]")


def parse() -> argparse.Namespace:
    """The arguments of the command line."""
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
    add_json(
        parser,
        "--options",
        default={},
        help='JSON: {NAME: {"better": "lower", "weight": METRIC}}',
    )
    parser.add_argument(
        "--bootstrap", type=int, default=1000, help="replicates of intervals (default 1000)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the draws of speakers (default 0)")
    parser.add_argument("--metrics", required=True, help="TSV to write")
    parser.add_argument("--replicates", help="npz to write: METRIC/ANONYMISER of all utterances")
    parser.add_argument(
        "--comparisons", help=f"TSV to write: {' '.join(UtilityPair._fields)} of each two"
    )
    parser.add_argument("--words", help=f"TSV to write: {' '.join(SpeakerWords._fields)}")
    arguments = parser.parse_args()
    require_at_least(0, bootstrap=arguments.bootstrap)
    return arguments


def compared(summary: Summary) -> list[UtilityPair]:
    """Every two anonymisers by every measure on every list."""
    systems: dict[tuple[str, str, str], dict[str, Estimate]] = {}
    for number in summary.numbers:
        if number.metric not in summary.weights:
            key = Key(number.trials, number.metric, number.anonymiser)
            drawn = Estimate(number.value, summary.replicates[key], number.n_speakers)
            measured = systems.setdefault((number.trials, number.metric, number.better), {})
            measured[number.anonymiser] = drawn
    pairs = []
    for (trials, metric, better), estimates in systems.items():
        more_is_better = None if better == ABSENT else better == "higher"
        pairs += compare_utility(
            estimates, trials=trials, metric=metric, more_is_better=more_is_better
        )
    return pairs


def ids_of(path: Path) -> set[str]:
    """All ids of a trial list, of enrolments and of trials."""
    ids: set[str] = set()
    for trial in read_trials(path):
        ids.update((trial.enrolment, trial.trial))
    return ids


def shown(value: float | str) -> str:
    """A number with four digits; a word as it is."""
    return f"{value:.4g}" if isinstance(value, float) else value


if __name__ == "__main__":
    run(main)
