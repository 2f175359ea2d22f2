"""The job score_trials."""

import sys
from collections.abc import Sequence
from typing import Literal

from voiceprivacy.attack.backends import backends
from voiceprivacy.errors import counted
from voiceprivacy.inout.scored_trials import ScoredTrials, warning_of_itself, write_scores
from voiceprivacy.inout.trial_lists import read_trials
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def score_trials(
    *,
    enrolment: str,
    trial: str,
    trials: str,
    enrolments: str | None = None,
    backend: str,
    protected: Sequence[Literal["enrolment", "trial"]] = (),
    scores: str,
) -> None:
    """Score every trial of a list; higher means more likely the same speaker.

    Parameters
    ----------
    enrolment : npz: embeddings of the enrolment utterances
    trial : npz: embeddings of the trial utterances
    trials : TSV: enrolment trial label
    enrolments : TSV: enrolment utterance; without it an enrolment id is an utterance id
    backend : cosine, jensen_shannon (histograms), vpc2026_june, vpc2026_september (its cosines), or
        the npz of a trained back-end
    protected : which of them is protected speech; only a Procrustes back-end asks
    scores : TSV to write: enrolment trial label score
    """
    trial_list = read_trials(trials)
    lists = backends.read_enrolments(enrolments) if enrolments else None
    sides = {"enrolment": enrolment, "trial": trial}
    galleries = backends.read_galleries(sides, backend=backend, protected=protected)
    for path, gallery in zip((enrolment, trial), galleries.values(), strict=True):
        zero = [name for name, row in gallery.rows.items() if not gallery.embeddings[row].any()]
        if zero:
            are = counted(len(zero), "embedding is", "embeddings are")
            say(f"warning: {path}: {are} all zero, such as that of '{zero[0]}'", file=sys.stderr)
    score = backends.scorer(backend)
    llrs = backends.score_trials(score, trial_list, **galleries, enrolments=lists)
    scored = ScoredTrials.of(zip(trial_list, llrs, strict=True))
    if warning := warning_of_itself(scored, lists):
        say(f"warning: {trials}: {warning}", file=sys.stderr)
    write_scores(scores, trial_list, llrs)
    for label, values in scored.classes.items():
        if len(values):
            count = counted(len(values), "trial")
            say(f"{label:<10}{count:>17}, mean score {values.mean():>12.6g}")


if __name__ == "__main__":
    run(score_trials)
