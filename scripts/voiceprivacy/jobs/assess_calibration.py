"""The job assess_calibration."""

import functools

from voiceprivacy.inout.files import naming
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.tables import write_curves
from voiceprivacy.privacy.scores import zebra
from voiceprivacy.privacy.scores.score_files import read_score_file
from voiceprivacy.privacy.scores.tags import read_tags
from voiceprivacy.privacy.uncertainty.interval_files import (
    Draws,
    flat_unless_labelled,
    print_metrics,
    resampled_runs,
    write_intervals,
)
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import label_inputs, require_as_many
from voiceprivacy.vocabulary import N_REPLICATES


def assess_calibration(
    *,
    train: list[str],
    test: list[str],
    label: list[str] | None = None,
    train_trials: str | None = None,
    test_trials: str | None = None,
    without_laplace: bool = False,
    tags: str | None = None,
    metrics: str | None = None,
    curves: str | None = None,
    plot: str | None = None,
    speakers: str | None = None,
    bootstrap: int = N_REPLICATES,
    seed: int = 0,
) -> None:
    """Assess what a calibration trained on one run of an anonymiser is worth on another (C_ECE).

    Parameters
    ----------
    train : scores that train the calibrations
    test : scores that are calibrated, a file for each --train
    label : a name for each pair of score files
    train_trials : key, if --train are Kaldi scores; or the trial list of ours
    test_trials : key, if --test are Kaldi scores; or the trial list of ours
    without_laplace : isotonic calibration with infinite LLRs
    tags : YAML with tags of your own: {tag: {from_log10: 1, meaning: ...}}
    metrics : JSON to write
    curves : TSV of the ECE profiles to write
    plot : picture of the ECE profiles to write: svg, pdf or png
    speakers : TSV: id speaker, of enrolments and trials; adds intervals
    bootstrap : replicates of intervals; 0 for none
    seed : of the draws of speakers
    """
    require_as_many(train=train, test=test)
    draws = Draws.of(bootstrap, seed)
    own_tags = read_tags(tags)
    numbers, profiles, resampled = {}, {}, {}
    laplace = not without_laplace
    # Without replicates nobody needs to know who speaks.
    speaker_map = speakers if draws.n_replicates else None
    tests = label_inputs(test, label)
    for (name, test_path), train_path in zip(tests.items(), train, strict=True):
        trained = read_score_file(train_path, key=train_trials, speaker_map=speaker_map)
        tested = read_score_file(test_path, key=test_trials, speaker_map=speaker_map)
        with naming(train_path):
            numbers[name], profiles[name] = zebra.assess_calibration(
                train=trained.scores, test=tested.scores, laplace=laplace, tags=own_tags
            )
        if trained.trials and tested.trials:
            measure = functools.partial(zebra.runs_metrics, laplace=laplace)
            resampled[name] = resampled_runs(trained.trials, tested.trials, measure, draws)
    if plot:  # matplotlib takes long to import
        from voiceprivacy.report.plots import drawing
        from voiceprivacy.report.plots.evidence import calibration_picture

        drawing.save(calibration_picture(curves=profiles, metrics=numbers), plot)
    if curves:
        write_curves(curves, profiles)
    if metrics:
        write_json(metrics, flat_unless_labelled(numbers, label))
    print_metrics(write_intervals(metrics, numbers, resampled, label))


if __name__ == "__main__":
    run(assess_calibration)
