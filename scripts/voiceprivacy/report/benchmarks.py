"""What the jobs of a run cost: Snakemake's benchmark files, one folder a rule."""

from pathlib import Path

from voiceprivacy.tables import read_table

COLUMNS = ["s", "h:m:s", "max_rss", "max_vms", "max_uss", "max_pss", "io_in", "io_out", "mean_load", "cpu_time"]


def job_costs(folder):
    """Sum the benchmark files of each rule.

    Returns
    -------
    dict of dict : rule -> jobs (their number), wall_s and cpu_s (sums), peak_memory_mb (of the largest job)
    """
    rules = sorted(path for path in Path(folder).glob("*") if path.is_dir())
    files = {rule.name: sorted(rule.rglob("*.tsv")) for rule in rules}
    return {name: _cost([row for path in of for row in read_table(path, COLUMNS)]) for name, of in files.items() if of}


def _cost(rows):
    return {
        "jobs": len(rows),
        "wall_s": round(sum(_number(row["s"]) for row in rows), 1),
        "cpu_s": round(sum(_number(row["cpu_time"]) for row in rows), 1),
        "peak_memory_mb": round(max(_number(row["max_rss"]) for row in rows)),
    }


def _number(text):
    """A measurement; a job that ended before the first one has NA, which counts as 0."""
    return 0.0 if text in ("NA", "-") else float(text)
