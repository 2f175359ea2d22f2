"""Typeset the metrics of a run as tables for papers: the whole challenge, or Tables 2 to 4 of Noe et al., CSL 2022."""

import argparse

from voiceprivacy.inout.files import naming
from voiceprivacy.report.challenge import TABLES
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.typeset import markdown, write
from voiceprivacy.running.command import run

WHICH = """
challenge: error rates, Cllr, linkability and ZEBRA of every system under every condition; 2: DeID, G_VD, ZEBRA and
C_ECE (linear); 3: de-identification by DeID, D_ECE and min Cllr; 4: gain of voice distinctiveness by the same three.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog=WHICH)
    parser.add_argument("--metrics", required=True, help="results/metrics.tsv of a run")
    parser.add_argument("--table", required=True, choices=TABLES)
    parser.add_argument(
        "--output", nargs="+", default=[], help="files to write: tsv, md or tex (booktabs)"
    )
    arguments = parser.parse_args()

    with naming(arguments.metrics):
        table = TABLES[arguments.table](read_metrics(arguments.metrics))
    for path in arguments.output:
        write(path, table)
    print(markdown(table), end="")


if __name__ == "__main__":
    run(main)
