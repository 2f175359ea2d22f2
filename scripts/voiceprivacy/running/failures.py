"""Jobs of a run that failed, and why: what stands at the end of their logs."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

REASONS = 5  # lines of a log
SAID_ABOVE = "its output is above"
# Lines of a cluster's log that say why a job ended.
KILLED = re.compile(r"error|killed|cancelled|terminated|out of memory|oom", re.IGNORECASE)


class Failure(NamedTuple):
    """A failed job: its rule, its own log, and the log of the cluster's job that it was part of."""

    rule: str
    log: str | None
    cluster_log: str | None


class Failures:
    """The jobs of a run that failed and did not succeed when they were tried again."""

    def __init__(self) -> None:
        self._failed: dict[int, Failure] = {}

    def see(self, event: str, fields: Mapping[str, Any]) -> list[Failure]:
        """Take in an event of Snakemake; the jobs that have failed now.

        Of a group of jobs they are those that had begun; where none had, the first.
        """
        if event == "job_finished":
            self._failed.pop(fields["job_id"], None)
        elif event == "job_error" and not fields["indent"]:  # those of a group are indented
            log, cluster_log = [*fields["log"], None, None][:2]
            return self._keep({fields["jobid"]: Failure(fields["rule_name"], log, cluster_log)})
        elif event == "group_error":
            cluster_log = next(iter(fields["aux_logs"]), None)
            failed = {}
            for job in fields["job_error_info"]:
                log = next(iter(job["log"]), None)
                failed[job["jobid"]] = Failure(job["rule_name"], log, cluster_log)
            begun = {job: failure for job, failure in failed.items() if _lines(failure.log)}
            return self._keep(begun or dict(list(failed.items())[:1]))
        return []

    def _keep(self, failed: dict[int, Failure]) -> list[Failure]:
        self._failed |= failed
        return list(failed.values())

    def all(self) -> list[Failure]:
        """Those of the whole run, each once."""
        return list(self._failed.values())


def reasons(failure: Failure, count: int) -> list[str]:
    """Why a job failed: at most ``count`` lines of its log, and as many of the cluster's.

    They are its lines that begin with error:, else its last ones and what the cluster says. An
    error that points to what stands above it brings the last line of that.
    """
    own = _lines(failure.log)
    errors = [index for index, line in enumerate(own) if line.startswith("error:")]
    if errors:
        above = [index - 1 for index in errors if index and own[index].endswith(SAID_ABOVE)]
        return [own[index] for index in sorted({*errors, *above})[-count:]]
    of_cluster = [line for line in _lines(failure.cluster_log) if KILLED.search(line)]
    return own[-count:] + of_cluster[-count:] or ["(empty)"]


def _lines(path: str | None) -> list[str]:
    if path is None or not Path(path).is_file():
        return []
    text = Path(path).read_text(encoding="utf-8", errors="replace").replace("\r", "\n")
    return [line for line in text.splitlines() if line.strip()]
