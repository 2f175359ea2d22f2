"""What Snakemake says of a run: how far it is, in one line, and which jobs failed.

The line stands beside Snakemake's log: jobs done, hours of speech done, time left. Speech is done
when it was protected or embedded, and counts each time: two anonymisers of one hour are two hours.

Snakemake's logger plug-ins see every event of a run, but only where the command line names them
(--logger). So that plain ``snakemake --cores N`` shows the line, the handler that writes the log to
the screen is put into one of ours. Ours passes every record on and reads the events.
"""

import contextlib
import csv
import logging
import re
import shutil
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

EVERY_S = 60.0  # a line in logs that are no terminal
# Jobs that work through all speech of manifests: their first outputs or inputs, and how many.
MANIFESTS = {
    "anonymise_part": ("output", 1),
    "anonymise_shard": ("output", 1),
    "extract_embeddings": ("input", 1),
    "extract_embeddings_of_both_parts": ("input", 2),
}
CLEAR = "\r\x1b[K"

# Lines of Snakemake's log.
FAILED = re.compile(r"\s*(?:Error in rule|RuleException in rule) (\w+)")
IN_GROUP = re.compile(r"\s+message: Error in group ")
JOB = re.compile(r"\s+jobid: (\d+)$")
LOGS = re.compile(r"\s+log: (.+?)(?: \(check log file|$)")
FINISHED = re.compile(r"Finished jobid: (\d+)")
# Lines of a cluster's log that say why a job ended.
KILLED = re.compile(r"error|killed|cancelled|terminated|out of memory|oom", re.IGNORECASE)


class RunningJob(NamedTuple):
    """A job that has begun; ``manifests`` are those of the speech it works through, if it does."""

    rule: str
    began_s: float
    manifests: list[str]


class Progress:
    """What is known of a run: events go in, a text comes out; ``clock`` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._began_s = clock()
        self._planned: Counter[str] = Counter()  # jobs of each rule
        self._running: dict[int, RunningJob] = {}
        self._took_s: dict[str, list[float]] = defaultdict(list)  # of each rule's finished jobs
        self.done, self.total, self.speech_s = 0, 0, 0.0

    def see(self, event: str, fields: Mapping[str, Any]) -> None:
        """Take in an event of Snakemake with what it says."""
        if event == "run_info":
            self._planned = Counter(fields["stats"])
            self._planned.pop("total", None)
            self.total = sum(self._planned.values())
        elif event == "job_info":
            rule = fields["rule_name"]
            kind, n_manifests = MANIFESTS.get(rule, ("input", 0))
            manifests = list(fields[kind])[:n_manifests] if n_manifests else []
            self._running[fields["jobid"]] = RunningJob(rule, self._clock(), manifests)
        elif event == "job_finished" and fields["job_id"] in self._running:
            job = self._running.pop(fields["job_id"])
            self._took_s[job.rule].append(self._clock() - job.began_s)
            self.speech_s += sum(map(_speech_s, job.manifests))
        elif event == "progress":
            self.done, self.total = fields["done"], fields["total"]

    def text(self) -> str:
        """The line."""
        parts = [f"progress: {self.done} of {self.total} jobs"]
        if self.speech_s:
            parts.append(f"{self.speech_s / 3600:.1f} h of speech")
        parts.append(_duration(self._clock() - self._began_s))
        left_s = self._left_s()
        if left_s is not None and self.done < self.total:
            parts.append(f"about {_duration(max(1, left_s))} left")
        return ", ".join(parts)

    def _left_s(self) -> float | None:
        """Seconds that are left; None before any job is done.

        Jobs to come take as long as those of their rule took, or as the mean job where none is
        done. Jobs run side by side as they did so far.
        """
        spent_s = sum(map(sum, self._took_s.values()))
        elapsed_s = self._clock() - self._began_s
        if not spent_s or not elapsed_s:
            return None
        mean_s = spent_s / sum(map(len, self._took_s.values()))
        work_s = 0.0
        for rule, count in self._planned.items():
            took_s = self._took_s.get(rule, [])
            to_come = max(0, count - len(took_s))
            work_s += to_come * (sum(took_s) / len(took_s) if took_s else mean_s)
        return work_s * min(1.0, elapsed_s / spent_s)


class ProgressHandler(logging.Handler):
    """Writes what another handler writes, and the line below it.

    On a terminal the line stays at the bottom; in a file or a pipe there is a line every minute.
    """

    def __init__(
        self, shown: logging.StreamHandler, *, clock: Callable[[], float] = time.monotonic
    ):
        super().__init__()
        self.shown, self.progress, self._clock = shown, Progress(clock), clock
        self._written_s = clock()
        self._is_wanted = self._is_shown = False
        self._on_terminal = shown.stream.isatty()

    def emit(self, record: logging.LogRecord) -> None:
        """Pass a record on and renew the line."""
        event = str(getattr(record, "event", ""))
        # Events of another Snakemake may lack a field: then there is less to show.
        with contextlib.suppress(KeyError, TypeError):
            self.progress.see(event, vars(record))
        self._clear()
        if record.levelno >= self.shown.level:
            self.shown.handle(record)
        if event == "progress":
            unfinished = self.progress.done < self.progress.total
            self._is_wanted = bool(self.shown.filter(record)) and unfinished  # --quiet progress
        if self._is_wanted and (self._on_terminal or event == "progress"):
            self._show()

    def finish(self) -> None:
        """Take the line away; it does not come back."""
        self._clear()
        self._is_wanted = False

    def close(self) -> None:
        """Take the line away and close both handlers."""
        self.finish()
        self.shown.close()
        super().close()

    def _show(self) -> None:
        stream, now_s = self.shown.stream, self._clock()
        if self._on_terminal:
            stream.write(self.progress.text()[: shutil.get_terminal_size().columns - 1])
            self._is_shown = True
            stream.flush()
        elif now_s - self._written_s >= EVERY_S:
            self._written_s = now_s
            stream.write(self.progress.text() + "\n")
            stream.flush()

    def _clear(self) -> None:
        if self._is_shown:
            self.shown.stream.write(CLEAR)
            self._is_shown = False


def show_progress(logger: logging.Logger) -> list[ProgressHandler]:
    """Put our handlers in the place of those that write Snakemake's log to the screen."""
    handlers = []
    for handler in list(logger.handlers):
        to_file = isinstance(handler, logging.FileHandler)
        if isinstance(handler, logging.StreamHandler) and not to_file:
            handlers.append(ProgressHandler(handler))
            logger.removeHandler(handler)
            logger.addHandler(handlers[-1])
    return handlers


def _speech_s(manifest: str) -> float:
    """Seconds of speech in a manifest; none if it cannot be read, which is no reason to stop."""
    try:
        with open(manifest, newline="", encoding="utf-8") as file:
            return sum(float(row["duration_s"]) for row in csv.DictReader(file, delimiter="\t"))
    except (OSError, KeyError, ValueError, TypeError):
        return 0.0


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class Failure(NamedTuple):
    """A failed job: its rule, its own log, and the log of the cluster's job that it was part of."""

    rule: str
    log: str
    cluster_log: str | None


def failures(lines: Iterable[str]) -> list[Failure]:
    """The jobs that failed and did not succeed when they were tried again.

    Parameters
    ----------
    lines : the lines of Snakemake's log

    Returns
    -------
    list of Failure : each job once. Of a group of jobs those that had begun; where none had, the
        first.
    """
    failed: dict[str, Failure] = {}  # by job id; by log where the log names none
    rule = job = group_log = None
    in_group = False
    for line in lines:
        if IN_GROUP.match(line):
            rule, in_group, group_log = None, True, None
        elif match := FAILED.match(line):
            rule, job = match.group(1), None
            in_group = in_group and line[0] == " "  # a group's jobs are indented
        elif match := JOB.match(line):
            job = match.group(1)
        elif match := LOGS.match(line):
            log, *others = match.group(1).split(", ")
            if rule:
                cluster_log = group_log if in_group else next(iter(others), None)
                failed[job or log] = Failure(rule, log, cluster_log)
                rule = None
            elif in_group and group_log is None:
                group_log = log  # it stands above the group's jobs
        elif match := FINISHED.match(line):
            failed.pop(match.group(1), None)
    return _begun(failed.values())


def _begun(failed: Iterable[Failure]) -> list[Failure]:
    """Leave out the jobs of a group that waited for the failed one."""
    groups: dict[str, list[Failure]] = {}
    for failure in failed:
        groups.setdefault(failure.cluster_log or failure.log, []).append(failure)
    begun: list[Failure] = []
    for group in groups.values():
        begun += [failure for failure in group if _lines(failure.log)] or group[:1]
    return begun


def reasons(failure: Failure, count: int) -> list[str]:
    """Why a job failed: at most ``count`` lines of its log, and as many of the cluster's.

    They are its lines that begin with error:, else its last ones and what the cluster says.
    """
    own = _lines(failure.log)
    errors = [line for line in own if line.startswith("error:")]
    if errors:
        return errors[-count:]
    of_cluster = [line for line in _lines(failure.cluster_log) if KILLED.search(line)]
    return own[-count:] + of_cluster[-count:] or ["(empty)"]


def _lines(path: str | None) -> list[str]:
    if path is None or not Path(path).is_file():
        return []
    text = Path(path).read_text(encoding="utf-8", errors="replace").replace("\r", "\n")
    return [line for line in text.splitlines() if line.strip()]
