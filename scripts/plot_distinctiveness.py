"""Draw de-identification against the gain of voice distinctiveness: all anonymisers on all sets under one attacker."""

import argparse
from pathlib import Path

from voiceprivacy.inout.files import BadInput
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.plots import style
from voiceprivacy.report.plots.distinctiveness import picture
from voiceprivacy.report.uncertainty import metric_limits
from voiceprivacy.running.command import run

NAMES = ("deid_percent", "gvd_db")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metrics", required=True, type=Path, help="metrics.tsv")
    parser.add_argument("--extractor", required=True, help="of the attacker")
    parser.add_argument("--backend", required=True, help="of the attacker")
    parser.add_argument(
        "--palette", nargs="*", default=[], metavar="NAME", help="all anonymisers, for the colours"
    )
    parser.add_argument(
        "--figures",
        nargs="+",
        required=True,
        metavar="FILE",
        help="the same picture as svg, pdf, png",
    )
    arguments = parser.parse_args()

    attacker = (arguments.extractor, arguments.backend)
    found, limits = {}, {}
    for metric in read_metrics(arguments.metrics):
        if (metric.extractor, metric.backend) == attacker and metric.metric in NAMES:
            name = (metric.anonymiser, f"{metric.corpus} {metric.trials}")
            found.setdefault(name, {})[metric.metric] = float(metric.value)
            limits.setdefault(name, {})[metric.metric] = metric_limits(metric)
    if not found:
        raise BadInput(f"{arguments.metrics}: has no {NAMES[0]} of {' + '.join(attacker)}")
    points = {name: tuple(of[metric] for metric in NAMES) for name, of in found.items()}
    limits = {name: tuple(of[metric] for metric in NAMES) for name, of in limits.items()}
    title = " + ".join(attacker)
    figure = picture(points=points, limits=limits, title=title, anonymisers=arguments.palette)
    style.save_each(figure, arguments.figures)


if __name__ == "__main__":
    run(main)
