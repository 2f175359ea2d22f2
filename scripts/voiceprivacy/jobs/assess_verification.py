"""The job assess_verification."""

import sys

from voiceprivacy.inout.json_files import write_json
from voiceprivacy.privacy.scores import verification
from voiceprivacy.privacy.scores.score_files import read_score_file
from voiceprivacy.privacy.uncertainty.interval_files import (
    Draws,
    flat_unless_labelled,
    print_metrics,
    resampled_trials,
    with_limits,
    write_intervals,
)
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import label_inputs, say
from voiceprivacy.vocabulary import N_REPLICATES, P_TARGET


def assess_verification(
    *,
    scores: list[str],
    label: list[str] | None = None,
    trials: str | None = None,
    p_target: float = P_TARGET,
    metrics: str | None = None,
    table: str | None = None,
    speakers: str | None = None,
    bootstrap: int = N_REPLICATES,
    seed: int = 0,
) -> None:
    """Assess score files: how well can the attacker still tell speakers apart?

    Parameters
    ----------
    scores : TSV or CSV: enrolment trial label score; or Kaldi scores
    label : a name for each score file
    trials : key of Kaldi scores: enrolment trial target|nontarget; or the trial list of ours
    p_target : prior of min_dcf
    metrics : JSON to write
    table : the same metrics as a table to write: tsv, md or tex
    speakers : TSV or CSV: id speaker, of enrolments and trials; adds intervals
    bootstrap : replicates of intervals; 0 for none
    seed : of the draws of speakers
    """
    draws = Draws.of(bootstrap, seed)
    numbers, resampled = {}, {}
    for name, path in label_inputs(scores, label).items():
        given, arranged = read_score_file(
            path, key=trials, speaker_map=speakers if draws.n_replicates else None
        )
        numbers[name] = verification.assess(**given, p_target=p_target)
        if arranged:
            measure = verification.resampled_metrics(**given)
            resampled[name] = resampled_trials(arranged, measure, draws)
        warning = verification.warning_of_ties(**given)
        if warning:
            say(f"warning: {path}: {warning}", file=sys.stderr)
    if table:
        from voiceprivacy.report import paper_tables, typeset

        rows = with_limits(numbers, resampled)
        typeset.write(table, paper_tables.of_scores(rows, "verification"))
    if metrics:
        write_json(metrics, flat_unless_labelled(numbers, label))
    print_metrics(write_intervals(metrics, numbers, resampled, label))


if __name__ == "__main__":
    run(assess_verification)
