"""Assess scores of which it is not known who speaks: EER, Cllr, min Cllr, linkability and ZEBRA, without intervals."""

import argparse

from voiceprivacy.inout.files import write_json
from voiceprivacy.inout.tables import read_scores, write_table
from voiceprivacy.privacy.scores import verification, zebra
from voiceprivacy.privacy.scores import zebra as tags
from voiceprivacy.running.command import label_inputs, print_metrics, run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--scores", required=True, nargs="+", help="TSV: enrolment trial label score"
    )
    parser.add_argument("--label", required=True, nargs="+", help="a name for each score file")
    parser.add_argument(
        "--tags", help="YAML with tags of your own: {tag: {from_log10: 1, meaning: ...}}"
    )
    parser.add_argument("--verification", required=True, help="JSON to write")
    parser.add_argument("--zebra", required=True, help="JSON to write")
    parser.add_argument(
        "--curves", required=True, help="TSV to write: label prior_log_odds ece_bit ece_default_bit"
    )
    arguments = parser.parse_args()

    scores = {
        label: read_scores(path)
        for label, path in label_inputs(arguments.scores, arguments.label).items()
    }
    of_verification = {label: verification.assess(**of) for label, of in scores.items()}
    scale = tags.read_tags(arguments.tags) if arguments.tags else tags.TABLE_1
    of_zebra = {label: zebra.assess(**of, tags=scale) for label, of in scores.items()}
    columns = ["label", *next(iter(of_zebra.values()))[1]]
    rows = [
        (label, *row)
        for label, (_, curve) in of_zebra.items()
        for row in zip(*curve.values(), strict=True)
    ]
    write_table(arguments.curves, columns, rows)
    write_json(arguments.zebra, {label: metrics for label, (metrics, _) in of_zebra.items()})
    write_json(arguments.verification, of_verification)
    print_metrics({label: of_verification[label] | of_zebra[label][0] for label in scores})


if __name__ == "__main__":
    run(main)
