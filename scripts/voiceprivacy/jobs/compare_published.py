"""Put what others published about the same sets and systems beside the numbers of a run."""

import argparse

from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.published import beside, write_published
from voiceprivacy.running.command import add_json, run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metrics", required=True, help="metrics.tsv")
    add_json(parser, "--config", required=True, help="corpora, anonymisers and utility as JSON")
    parser.add_argument("--published", required=True, help="TSV to write")
    arguments = parser.parse_args()

    rows = beside(read_metrics(arguments.metrics), arguments.config)
    write_published(arguments.published, rows)
    say(f"{len(rows)} published numbers: {arguments.published}")


if __name__ == "__main__":
    run(main)
