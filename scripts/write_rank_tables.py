"""Write rank disclosure of several features beside each other (Tables II and III of Backstrom et al., 2025)."""

import argparse
from pathlib import Path

from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.rank_tables import write_latex, write_tables
from voiceprivacy.running.command import run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metrics", required=True, type=Path, help="metrics.tsv")
    parser.add_argument("--tsv", required=True, type=Path, help="table to write, in full precision")
    parser.add_argument(
        "--tex", required=True, type=Path, help="the same for LaTeX (booktabs), rounded"
    )
    arguments = parser.parse_args()

    metrics = read_metrics(arguments.metrics)
    write_tables(arguments.tsv, metrics)
    write_latex(arguments.tex, metrics)
    print(f"wrote {arguments.tsv} and {arguments.tex}")


if __name__ == "__main__":
    run(main)
