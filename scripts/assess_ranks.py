"""Assess similarity ranks: how many bits of the speaker's identity does the rank of the true template disclose?"""

import argparse
import sys

from voiceprivacy.arrays import read_matrix
from voiceprivacy.command import flat_unless_labelled, label_inputs, print_metrics, run
from voiceprivacy.files import naming, write_json
from voiceprivacy.privacy import interval_files, rank_speakers, ranks
from voiceprivacy.tables import write_table

TABLES = {
    "curves": ["label", "rank", "p", "gamma"],
    "speakers": ["label", *rank_speakers.Disclosure._fields],
    "examples": ["label", "speaker", "rank", "p", "gamma"],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matrix", required=True, nargs="+", help="npz: test utterances (rows) against templates")
    parser.add_argument("--label", nargs="+", help="a name for each matrix")
    parser.add_argument("--metrics", required=True, help="JSON to write")
    parser.add_argument("--fit", choices=ranks.FITS, default="auto", help="loss of the beta-binomial fit; auto: ll")
    parser.add_argument("--ties", choices=ranks.TIES, default="shared", help="rank of tied templates; default: shared")
    parser.add_argument("--all-fits", action="store_true", help="add the goodness of all five losses and the EER")
    for name, what in (("curves", "histogram and model"), ("speakers", "each"), ("examples", "three speakers")):
        parser.add_argument(f"--{name}", help=f"TSV to write: {' '.join(TABLES[name])} ({what})")
    parser.add_argument("--plot", help="picture of the rank histograms to write: png, pdf or svg")
    interval_files.add_arguments(parser)
    arguments = parser.parse_args()

    metrics, curves, resampled, notes = {}, {}, {}, []
    lines = {name: [] for name in TABLES}
    for label, path in label_inputs(arguments.matrix, arguments.label).items():
        matrix = read_matrix(path)
        with naming(path):
            metrics[label], p, gamma, remarks = ranks.assess(matrix, fit=arguments.fit, ties=arguments.ties)
            if arguments.bootstrap:
                resampled[label] = interval_files.of_ranks(matrix, arguments)
        curves[label] = {"p": p, "gamma": gamma}
        lines["curves"] += [(label, *row) for row in by_rank(p, gamma)]
        notes += [f"{label}: {remark}" for remark in remarks]
        if arguments.all_fits:
            metrics[label] |= {"gallery_eer_percent": ranks.gallery_eer_percent(matrix), **ranks.goodness_of_fits(p)}
        if arguments.speakers or arguments.examples:
            found, of_speakers = rank_speakers.by_speaker(matrix, ties=arguments.ties)
            metrics[label] |= rank_speakers.summary(found)
            lines["speakers"] += [(label, *of) for of in found]
            for speaker in rank_speakers.examples(found):
                lines["examples"] += [(label, speaker, *row) for row in by_rank(*of_speakers[speaker])]
    if arguments.plot:
        from voiceprivacy.report.plots import style
        from voiceprivacy.report.plots.ranks import picture

        style.save(picture(curves=curves, metrics=metrics), arguments.plot)
    for name, columns in TABLES.items():
        if getattr(arguments, name):
            write_table(getattr(arguments, name), columns, lines[name])
    write_json(arguments.metrics, flat_unless_labelled(metrics, arguments.label))
    print_metrics(interval_files.write_intervals(arguments.metrics, metrics, resampled, arguments.label))
    for note in notes:
        print(f"note: {note}", file=sys.stderr)


def by_rank(p, gamma):
    return [(rank, *of) for rank, of in enumerate(zip(p, gamma, strict=True), start=1)]


if __name__ == "__main__":
    run(main)
