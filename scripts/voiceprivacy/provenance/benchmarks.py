"""What the jobs of a run cost: Snakemake's benchmark files, one folder a rule."""

from collections.abc import Mapping
from pathlib import Path

from voiceprivacy.inout.tables import read_table

COLUMNS = [
    "s",
    "h:m:s",
    "max_rss",
    "max_vms",
    "max_uss",
    "max_pss",
    "io_in",
    "io_out",
    "mean_load",
    "cpu_time",
]


def job_costs(folder: str | Path) -> dict[str, dict[str, float]]:
    """Sum the benchmark files of each rule.

    Returns
    -------
    dict of dict : rule -> jobs (their number), wall_s and cpu_s (sums) and peak_memory_mb (of the
        largest job)
    """
    costs = {}
    for rule in sorted(path for path in Path(folder).glob("*") if path.is_dir()):
        rows = []
        for path in sorted(rule.rglob("*.tsv")):
            rows += read_table(path, COLUMNS)
        if rows:
            costs[rule.name] = _cost(rows)
    return costs


def _cost(rows):
    return {
        "jobs": len(rows),
        "wall_s": round(sum(measured(row["s"]) for row in rows), 1),
        "cpu_s": round(sum(measured(row["cpu_time"]) for row in rows), 1),
        "peak_memory_mb": round(max(measured(row["max_rss"]) for row in rows)),
    }


def measured(text: str) -> float:
    """A number of a benchmark file; a job that ended before the first one has NA, counted as 0."""
    return 0.0 if text in ("NA", "-") else float(text)


# Snakemake looks at a job every half second, and from then on every 30 s; never at its end.
OFTEN_UNTIL_S, THEN_EVERY_S = 15.0, 30.0


def processor_s(row: Mapping[str, str]) -> float:
    """Processor time of a job by its benchmark, in seconds; 0 where it ended before the first look.

    What came after the last look is taken to be like what came before.
    """
    lasted, last_look = float(row["s"]), float(row["s"])
    if lasted > OFTEN_UNTIL_S:
        last_look = OFTEN_UNTIL_S + THEN_EVERY_S * ((lasted - OFTEN_UNTIL_S) // THEN_EVERY_S)
    return measured(row["cpu_time"]) * lasted / last_look if last_look else 0.0
