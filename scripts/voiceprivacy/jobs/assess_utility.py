"""The job assess_utility."""

from collections.abc import Sequence
from pathlib import Path

from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.inout.trial_lists import read_trials
from voiceprivacy.inout.typed_tables import write_typed
from voiceprivacy.privacy.rows import UtilityPair
from voiceprivacy.privacy.uncertainty.interval_files import Estimate
from voiceprivacy.privacy.uncertainty.paired import compare_utility
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import require_replicates, say
from voiceprivacy.utility.rows import SpeakerWords, UtilityMean
from voiceprivacy.utility.speaker_words import word_errors_of_speakers
from voiceprivacy.utility.summary import Key, Summary, summarise, write_replicates
from voiceprivacy.vocabulary import ABSENT, N_REPLICATES


def assess_utility(
    *,
    measures: list[Path],
    manifest: str,
    trials: Sequence[Path] = (),
    options: dict[str, dict] | None = None,
    bootstrap: int = N_REPLICATES,
    seed: int = 0,
    metrics: str,
    replicates: str | None = None,
    comparisons: str | None = None,
    words: str | None = None,
) -> None:
    """Average the utility measures of a corpus by anonymiser and list, and compare anonymisers.

    Intervals, and those of differences, come from drawing speakers anew.

    Parameters
    ----------
    measures : TSVs CORPUS/PART/ANONYMISER/NAME.tsv: utterance metric value
    manifest : TSV of the original speech: who speaks
    trials : trial lists of the corpus
    options : JSON: {NAME: {"better": "lower", "weight": METRIC}}
    bootstrap : replicates of intervals; 0 for none
    seed : of the draws of speakers
    metrics : TSV to write
    replicates : npz to write: METRIC/ANONYMISER of all utterances
    comparisons : TSV to write: trials metric anonymiser_a anonymiser_b value_a value_b difference
        ci_low ci_high share_a_better p_value p_holm verdict of each two
    words : TSV to write: anonymiser measure speaker n_utterances n_words substitutions insertions
        deletions wer_percent
    """
    require_replicates(bootstrap)
    weights = options or {}
    lists = {path.stem: ids_of(path) for path in trials}
    utterances = read_manifest(manifest)
    summary = summarise(
        measures, utterances, lists, options=weights, n_replicates=bootstrap, seed=seed
    )
    write_typed(metrics, UtilityMean, summary.numbers)
    if replicates:
        write_replicates(replicates, summary.replicates)
    if comparisons:
        write_typed(comparisons, UtilityPair, compared(summary))
    if words:
        errors = word_errors_of_speakers(measures, utterances, options=weights, seed=seed)
        write_typed(words, SpeakerWords, errors)
    for number in summary.numbers:
        if number.trials == ABSENT:  # of all utterances; the lists are in the table
            value, low, high = map(shown, (number.value, number.ci_low, number.ci_high))
            say(f"{number.anonymiser:<16}{number.metric:<24}{value:>12}  [{low}, {high}]")


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


def shown(value: float | str | None) -> str:
    """A number with four digits; a word as it is; a dash for a limit that does not exist."""
    return f"{value:.4g}" if isinstance(value, float) else value or ABSENT


if __name__ == "__main__":
    run(assess_utility)
