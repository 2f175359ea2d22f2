"""Which jobs of a run failed for good, and why: read from Snakemake's log, here or on a cluster."""

import re
from pathlib import Path
from typing import NamedTuple

FAILED = re.compile(r"\s*(?:Error in rule|RuleException in rule) (\w+)")
IN_GROUP = re.compile(r"\s+message: Error in group ")
JOB = re.compile(r"\s+jobid: (\d+)$")
LOGS = re.compile(r"\s+log: (.+?)(?: \(check log file|$)")
FINISHED = re.compile(r"Finished jobid: (\d+)")
KILLED = re.compile(r"error|killed|cancelled|terminated|out of memory|oom", re.IGNORECASE)


class Failure(NamedTuple):
    """A failed job: its rule, its own log, and the log of the cluster's job that it was part of (or nothing)."""

    rule: str
    log: str
    cluster_log: str | None


def failures(lines):
    """The jobs that failed and did not succeed when they were tried again.

    Parameters
    ----------
    lines : the lines of Snakemake's log

    Returns
    -------
    list of Failure : each job once. Of a group of jobs those that had begun; where none had, the first.
    """
    found, rule, job, group_log, in_group = {}, None, None, None, False
    for line in lines:
        if IN_GROUP.match(line):
            rule, in_group, group_log = None, True, None
        elif match := FAILED.match(line):
            rule, job = match.group(1), None
            in_group = in_group and line[0] == " "
        elif match := JOB.match(line):
            job = match.group(1)
        elif match := LOGS.match(line):
            logs = match.group(1).split(", ")
            if rule:
                cluster_log = group_log if in_group else logs[1] if len(logs) > 1 else None
                found[job or logs[0]] = Failure(rule, logs[0], cluster_log)
                rule = None
            elif in_group and group_log is None:
                group_log = logs[0]
        elif match := FINISHED.match(line):
            found.pop(match.group(1), None)
    return _begun(list(found.values()))


def _begun(found):
    """Leave out the jobs of a group that waited for the failed one."""
    groups = {}
    for failure in found:
        groups.setdefault(failure.cluster_log or failure.log, []).append(failure)
    return [failure for of in groups.values() for failure in [one for one in of if _lines(one.log)] or of[:1]]


def reasons(failure, count):
    """The job's lines that begin with error:, else its last and what the cluster says; at most ``count`` of each."""
    own = _lines(failure.log)
    errors = [line for line in own if line.startswith("error:")]
    from_cluster = [line for line in _lines(failure.cluster_log) if KILLED.search(line)]
    return (errors or own)[-count:] + ([] if errors else from_cluster[-count:]) or ["(empty)"]


def _lines(path):
    if path is None or not Path(path).is_file():
        return []
    text = Path(path).read_text(encoding="utf-8", errors="replace").replace("\r", "\n")
    return [line for line in text.splitlines() if line.strip()]
