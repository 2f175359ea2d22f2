"""The job assess_zebra."""

from typing import Literal

from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.tables import write_curves
from voiceprivacy.privacy import Classes
from voiceprivacy.privacy.scores import lr_limits, zebra
from voiceprivacy.privacy.scores.calibration import oracle_blocks
from voiceprivacy.privacy.scores.samples import SpeakerTrials
from voiceprivacy.privacy.scores.score_files import read_score_file, warning_of_reversed
from voiceprivacy.privacy.scores.tags import read_tags
from voiceprivacy.privacy.scores.verification import eer_percent
from voiceprivacy.privacy.uncertainty import null
from voiceprivacy.privacy.uncertainty.bootstrap import intervals
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
from voiceprivacy.vocabulary import N_REPLICATES


def assess_zebra(
    *,
    scores: list[str],
    label: list[str] | None = None,
    trials: str | None = None,
    tags: str | None = None,
    metrics: str | None = None,
    curves: str | None = None,
    table: str | None = None,
    plot: str | None = None,
    over: Literal["log_odds", "prior"] = "log_odds",
    speakers: str | None = None,
    bootstrap: int = N_REPLICATES,
    seed: int = 0,
) -> None:
    """Assess score files with ZEBRA: how much do they disclose, on average and at worst?

    The tag is what a list of this size can show. Beside it are the limits of likelihood ratios
    that the list supports.

    Parameters
    ----------
    scores : TSV or CSV: enrolment trial label score; or Kaldi scores
    label : a name for each score file
    trials : key of Kaldi scores: enrolment trial target|nontarget; or the trial list of ours
    tags : YAML with tags of your own: {tag: {from_log10: 1, meaning: ...}}
    metrics : JSON to write
    curves : TSV to write: label prior_log_odds ece_bit ece_default_bit
    table : the same metrics as a table to write: tsv, md or tex
    plot : picture of the ECE profiles to write: svg, pdf or png
    over : x-axis of the picture
    speakers : TSV or CSV: id speaker, of enrolments and trials; adds intervals
    bootstrap : replicates of intervals; 0 for none
    seed : of the draws of speakers
    """
    draws = Draws.of(bootstrap, seed)
    own_tags = read_tags(tags)
    numbers, profiles, resampled, reversed_scores, eers = {}, {}, {}, set(), {}
    limits: dict[str, str] = {}
    for name, path in label_inputs(scores, label).items():
        given, arranged = read_score_file(
            path, key=trials, speaker_map=speakers if draws.n_replicates else None
        )
        numbers[name], profiles[name] = zebra.assess(**given, tags=own_tags)
        if warning_of_reversed(**given):
            reversed_scores.add(name)
        limits[name] = _limits(given, arranged, draws)
        if arranged:
            eers[name] = eer_percent(**given)
            resampled[name] = resampled_trials(arranged, zebra.sample_metrics, draws)
            numbers[name] |= null.assess(arranged, **draws._asdict())
    if plot:  # matplotlib takes long to import
        from voiceprivacy.report.plots import drawing
        from voiceprivacy.report.plots.evidence import profiles_picture

        picture = profiles_picture(curves=profiles, metrics=numbers, over=over)
        drawing.save(picture, plot)
    if table:
        from voiceprivacy.report import paper_tables, typeset

        with_eers = {
            name: own | ({"eer_percent": eers[name]} if name in eers else {})
            for name, own in numbers.items()
        }
        typeset.write(table, paper_tables.of_scores(with_limits(with_eers, resampled)))
    if curves:
        write_curves(curves, profiles)
    if metrics:
        write_json(metrics, flat_unless_labelled(numbers, label))
    print_metrics(write_intervals(metrics, numbers, resampled, label, eers))
    for name, values in numbers.items():
        say(f"{name}: {zebra.describe(values, own_tags)}")
        say(f"{name}: {limits[name]}")
        if name in reversed_scores:  # zero evidence is what they show, and not what they hold
            say(f"{name}: the scores point the wrong way (see the warning): negate them")
        elif name in resampled:
            say(f"{name}: {null.describe(values)}")


def _limits(classes: Classes, arranged: SpeakerTrials | None, draws: Draws) -> str:
    """The limits of likelihood ratios in words, with intervals where speakers are known."""
    values = lr_limits.blocks_limits(oracle_blocks(**classes, laplace=True))
    drawn = arranged and resampled_trials(arranged, lr_limits.sample_limits, draws)
    if not drawn:
        return lr_limits.describe(values, {})
    limits = intervals(values, drawn.replicates, n_speakers=drawn.n_speakers, corrections={})
    return lr_limits.describe(values, limits)


if __name__ == "__main__":
    run(assess_zebra)
