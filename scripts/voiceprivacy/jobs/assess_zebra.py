"""Assess score files with ZEBRA: how much do they disclose, on average and at worst?"""

import argparse

from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.tables import write_curves
from voiceprivacy.privacy.scores import zebra
from voiceprivacy.privacy.scores.trials import read_score_file
from voiceprivacy.privacy.uncertainty import null
from voiceprivacy.privacy.uncertainty.interval_files import (
    Draws,
    resampled_trials,
    write_intervals,
)
from voiceprivacy.running.command import (
    add_intervals,
    add_score_files,
    flat_unless_labelled,
    label_inputs,
    print_metrics,
    run,
    say,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_score_files(parser)
    parser.add_argument(
        "--tags", help="YAML with tags of your own: {tag: {from_log10: 1, meaning: ...}}"
    )
    parser.add_argument("--metrics", help="JSON to write")
    parser.add_argument(
        "--curves", help="TSV to write: label prior_log_odds ece_bit ece_default_bit"
    )
    parser.add_argument("--table", help="the same metrics as a table to write: tsv, md or tex")
    parser.add_argument("--plot", help="picture of the ECE profiles to write: svg, pdf or png")
    parser.add_argument(
        "--over", choices=("log_odds", "prior"), default="log_odds", help="x-axis of the picture"
    )
    add_intervals(parser)
    arguments = parser.parse_args()
    draws = Draws.of(arguments)

    tags = zebra.read_tags(arguments.tags) if arguments.tags else zebra.TABLE_1
    metrics, curves, resampled = {}, {}, {}
    for label, path in label_inputs(arguments.scores, arguments.label).items():
        speaker_map = arguments.speakers if draws.n_replicates else None
        scores, trials = read_score_file(path, key=arguments.trials, speaker_map=speaker_map)
        metrics[label], curves[label] = zebra.assess(**scores, tags=tags)
        if trials:
            resampled[label] = resampled_trials(trials, zebra.sample_metrics, draws)
            metrics[label] |= null.assess(trials, **draws._asdict())
    if arguments.plot:  # matplotlib takes long to import
        from voiceprivacy.report.plots import style
        from voiceprivacy.report.plots.evidence import profiles_picture

        picture = profiles_picture(curves=curves, metrics=metrics, over=arguments.over)
        style.save(picture, arguments.plot)
    if arguments.table:
        from voiceprivacy.report import paper_tables, typeset

        typeset.write(arguments.table, paper_tables.of_scores(metrics))
    if arguments.curves:
        write_curves(arguments.curves, curves)
    if arguments.metrics:
        write_json(arguments.metrics, flat_unless_labelled(metrics, arguments.label))
    print_metrics(write_intervals(arguments.metrics, metrics, resampled, arguments.label))
    for label, values in metrics.items():
        say(f"{label}: {zebra.describe(values, tags)}")
        if label in resampled:
            say(f"{label}: {null.describe(values)}")


if __name__ == "__main__":
    run(main)
