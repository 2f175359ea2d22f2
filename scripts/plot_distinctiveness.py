"""Draw de-identification against the gain of voice distinctiveness: all anonymisers on all sets under one attacker."""

import argparse
from pathlib import Path

from voiceprivacy.command import run
from voiceprivacy.files import BadInput
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.plots import style
from voiceprivacy.report.plots.distinctiveness import picture

NAMES = ("deid_percent", "gvd_db")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metrics", required=True, type=Path, help="metrics.tsv")
    parser.add_argument("--extractor", required=True, help="of the attacker")
    parser.add_argument("--backend", required=True, help="of the attacker")
    parser.add_argument("--figures", nargs="+", required=True, metavar="FILE", help="the same picture as svg, pdf, png")
    arguments = parser.parse_args()

    attacker = (arguments.extractor, arguments.backend)
    found = {}
    for metric in read_metrics(arguments.metrics):
        if (metric.extractor, metric.backend) == attacker and metric.metric in NAMES:
            of = found.setdefault((metric.anonymiser, f"{metric.corpus} {metric.trials}"), {})
            of[metric.metric] = float(metric.value)
    if not found:
        raise BadInput(f"{arguments.metrics}: has no {NAMES[0]} of {' + '.join(attacker)}")
    points = {name: tuple(of[metric] for metric in NAMES) for name, of in found.items()}
    figure = picture(points=points, title=" + ".join(attacker))
    for path in arguments.figures:
        style.save(figure, path)
        print(f"wrote {path}")


if __name__ == "__main__":
    run(main)
