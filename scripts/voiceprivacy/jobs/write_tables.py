"""Typeset the metrics of a run as tables for papers."""

import argparse

from voiceprivacy.inout.files import naming
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.paper_tables import TABLES, write_ranks
from voiceprivacy.report.typeset import markdown, write
from voiceprivacy.running.command import run, say

TABLES_EXPLAINED = """
challenge: error rates, Cllr, linkability and ZEBRA of every system under every condition.
2 to 4 are those of Noe et al., CSL 2022. 2: DeID, G_VD, ZEBRA and C_ECE (linear). 3:
de-identification by DeID, D_ECE and min Cllr. 4: gain of voice distinctiveness by the same three.
ranks: rank disclosure of several features beside each other, Tables II and III of Backstrom et al.,
2025 (tsv and tex only).
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, epilog=TABLES_EXPLAINED)
    parser.add_argument("--metrics", required=True, help="results/metrics.tsv of a run")
    parser.add_argument("--table", required=True, choices=[*TABLES, "ranks"])
    parser.add_argument(
        "--output", nargs="+", default=[], help="files to write: tsv, md or tex (booktabs)"
    )
    arguments = parser.parse_args()

    numbers = read_metrics(arguments.metrics)
    if arguments.table == "ranks":
        for path in arguments.output:
            write_ranks(path, numbers)
        say(f"wrote {' and '.join(arguments.output)}")
        return
    with naming(arguments.metrics):
        table = TABLES[arguments.table](numbers)
    for path in arguments.output:
        write(path, table)
    say(*markdown(table).splitlines())


if __name__ == "__main__":
    run(main)
