"""Assess score files with ZEBRA: how much private information do they disclose, on average and at worst?"""

import argparse

from voiceprivacy.inout.files import write_json
from voiceprivacy.inout.tables import read_scores, write_curves
from voiceprivacy.privacy.scores import zebra
from voiceprivacy.privacy.scores import zebra as tags
from voiceprivacy.privacy.uncertainty import interval_files, null
from voiceprivacy.running.command import flat_unless_labelled, label_inputs, print_metrics, run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--scores",
        required=True,
        nargs="+",
        help="TSV: enrolment trial label score; or Kaldi scores",
    )
    parser.add_argument("--label", nargs="+", help="a name for each score file")
    parser.add_argument("--trials", help="key of Kaldi scores: enrolment trial target|nontarget")
    parser.add_argument(
        "--tags", help="YAML with tags of your own: {tag: {from_log10: 1, meaning: ...}}"
    )
    parser.add_argument("--metrics", required=True, help="JSON to write")
    parser.add_argument(
        "--curves", help="TSV to write: label prior_log_odds ece_bit ece_default_bit"
    )
    parser.add_argument("--table", help="the same metrics as a table to write: tsv, md or tex")
    parser.add_argument(
        "--plot", help="picture of the ECE profiles to write: svg, pdf, png or tex (pgfplots)"
    )
    parser.add_argument(
        "--over", choices=("log_odds", "prior"), default="log_odds", help="x-axis of the picture"
    )
    interval_files.add_arguments(parser, with_speakers=True)
    arguments = parser.parse_args()

    scale = tags.read_tags(arguments.tags) if arguments.tags else tags.TABLE_1
    metrics, curves, resampled = {}, {}, {}
    for label, path in label_inputs(arguments.scores, arguments.label).items():
        metrics[label], curves[label] = zebra.assess(
            **read_scores(path, key=arguments.trials), tags=scale
        )
        of_speakers = interval_files.speaker_trials(path, arguments, key=arguments.trials)
        if of_speakers:
            resampled[label] = interval_files.of_scores(of_speakers, zebra.of_sample, arguments)
            metrics[label] |= null.assess(
                of_speakers, n_replicates=arguments.bootstrap, seed=arguments.seed
            )
    if arguments.plot:
        from voiceprivacy.report.plots import style
        from voiceprivacy.report.plots.evidence import profiles_picture

        picture = profiles_picture(curves=curves, metrics=metrics, over=arguments.over)
        style.save(picture, arguments.plot)
    if arguments.table:
        from voiceprivacy.report import paper_tables, typeset

        typeset.write(arguments.table, paper_tables.of_scores(metrics))
    if arguments.curves:
        write_curves(arguments.curves, curves)
    write_json(arguments.metrics, flat_unless_labelled(metrics, arguments.label))
    print_metrics(
        interval_files.write_intervals(arguments.metrics, metrics, resampled, arguments.label)
    )
    for label, values in metrics.items():
        print(f"{label}: {zebra.describe(values, scale)}")
        if label in resampled:
            print(f"{label}: {null.describe(values)}")


if __name__ == "__main__":
    run(main)
