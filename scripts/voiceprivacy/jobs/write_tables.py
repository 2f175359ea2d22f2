"""The job write_tables."""

import inspect
from collections.abc import Sequence
from typing import Annotated

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import naming
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.paper_tables import TABLES, explained, write_ranks
from voiceprivacy.report.typeset import markdown, write
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def write_tables(
    *,
    metrics: str,
    table: Annotated[str, (*TABLES, "ranks")],
    output: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> None:
    """Typeset the metrics of a run as tables for papers.

    challenge: error rates, Cllr, linkability and ZEBRA of every system under every condition.
    2 to 4 are those of Noe et al., CSL 2022. 2: DeID, G_VD, ZEBRA and C_ECE (linear). 3:
    de-identification by DeID, D_ECE and min Cllr. 4: gain of voice distinctiveness by the same
    three. ranks: rank disclosure of several features beside each other, Tables II and III of
    Backstrom et al., 2025 (tsv and tex only).

    Parameters
    ----------
    metrics : results/metrics.tsv of a run
    table : which
    output : files to write: tsv, md or tex (booktabs)
    notes : sentences below a table of md and tex
    """
    numbers = read_metrics(metrics)
    if table == "ranks":
        if not output:
            raise BadInput("--table ranks: give --output, which ends in tsv or tex")
        for path in output:
            write_ranks(path, numbers)
        say(f"wrote {' and '.join(output)}")
        return
    with naming(metrics):
        caption = (inspect.getdoc(TABLES[table]) or "").partition("\n")[0]
        typeset = explained(TABLES[table](numbers), notes)
        typeset = typeset._replace(caption=caption, label=f"tab:{table}")
    for path in output:
        write(path, typeset)
    say(*markdown(typeset).splitlines())


if __name__ == "__main__":
    run(write_tables)
