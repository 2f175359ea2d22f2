"""One line for the whole run beside Snakemake's log: jobs done, hours of speech done, time left.

Speech is done when it was protected or embedded, and counts each time: two anonymisers of one hour are two hours.
Snakemake's logger plug-ins see every event of a run, but only where the command line names them (--logger). So that
plain ``snakemake --cores N`` shows the line, the handler that writes its log to the screen is put into one of ours,
which passes every record on and reads the events. On a terminal the line stays at the bottom; in a file or a pipe there
is a line every minute.
"""

import contextlib
import csv
import logging
import re
import shutil
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

# Which jobs of a run failed for good, and why: read from Snakemake's log, here or on a cluster.

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
    return [
        failure
        for of in groups.values()
        for failure in [one for one in of if _lines(one.log)] or of[:1]
    ]


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


EVERY_S = 60.0  # a line in logs that are no terminal
MANIFESTS = {
    "anonymise_part": "output",
    "extract_embeddings": "input",
}  # jobs that work through speech, all of it
CLEAR = "\r\x1b[K"


class Progress:
    """What is known of a run: events go in, a text comes out; ``clock`` gives seconds."""

    def __init__(self, clock=time.monotonic):
        self._clock = clock
        self._began = clock()
        self._planned = Counter()  # jobs of each rule
        self._running = {}  # job -> (rule, when it began, its manifest)
        self._took = defaultdict(list)  # seconds of the finished jobs of each rule
        self.done, self.total, self.speech_s = 0, 0, 0.0

    def see(self, event, fields):
        """Take in an event of Snakemake (a word) with what it says (dict)."""
        if event == "run_info":
            self._planned = Counter(
                {rule: count for rule, count in fields["stats"].items() if rule != "total"}
            )
            self.total = sum(self._planned.values())
        elif event == "job_info":
            rule = fields["rule_name"]
            files = fields[MANIFESTS[rule]] if rule in MANIFESTS else []
            self._running[fields["jobid"]] = (rule, self._clock(), next(iter(files), None))
        elif event == "job_finished" and fields["job_id"] in self._running:
            rule, began, manifest = self._running.pop(fields["job_id"])
            self._took[rule].append(self._clock() - began)
            self.speech_s += _speech_s(manifest) if manifest else 0.0
        elif event == "progress":
            self.done, self.total = fields["done"], fields["total"]

    def text(self):
        """The line."""
        speech = f", {self.speech_s / 3600:.1f} h of speech" if self.speech_s else ""
        left = self._left_s()
        time_left = (
            f", about {_duration(max(1, left))} left"
            if left is not None and self.done < self.total
            else ""
        )
        return f"progress: {self.done} of {self.total} jobs{speech}, {_duration(self._clock() - self._began)}{time_left}"

    def _left_s(self):
        """Seconds that are left: jobs to come take as long as those of their rule took; None before any is done."""
        took = {rule: sum(of) / len(of) for rule, of in self._took.items()}
        spent = sum(map(sum, self._took.values()))
        elapsed = self._clock() - self._began
        if not took or not spent or not elapsed:
            return None
        usual = spent / sum(map(len, self._took.values()))
        to_come = {
            rule: count - len(self._took.get(rule, ())) for rule, count in self._planned.items()
        }
        work = sum(max(0, count) * took.get(rule, usual) for rule, count in to_come.items())
        return work * min(1.0, elapsed / spent)  # jobs that run side by side


class ProgressHandler(logging.Handler):
    """Writes what another handler writes, and the line below it."""

    def __init__(self, shown, *, clock=time.monotonic):
        super().__init__()
        self.shown, self.progress, self._clock = shown, Progress(clock), clock
        self._written = clock()
        self._wanted = self._line_is_there = False
        self._on_terminal = shown.stream.isatty()

    def emit(self, record):
        """Pass a record on and renew the line."""
        event = str(getattr(record, "event", ""))
        with contextlib.suppress(
            KeyError, TypeError
        ):  # events of another Snakemake: then there is less to show
            self.progress.see(event, vars(record))
        self._clear()
        if record.levelno >= self.shown.level:
            self.shown.handle(record)
        if event == "progress":
            self._wanted = (
                self.shown.filter(record) and self.progress.done < self.progress.total
            )  # --quiet progress
        if self._wanted and (self._on_terminal or event == "progress"):
            self._show()

    def finish(self):
        """Take the line away; it does not come back."""
        self._clear()
        self._wanted = False

    def close(self):
        """Take the line away and close both handlers."""
        self.finish()
        self.shown.close()
        super().close()

    def _show(self):
        stream, now = self.shown.stream, self._clock()
        if self._on_terminal:
            stream.write(self.progress.text()[: shutil.get_terminal_size().columns - 1])
            self._line_is_there = True
            stream.flush()
        elif now - self._written >= EVERY_S:
            self._written = now
            stream.write(self.progress.text() + "\n")
            stream.flush()

    def _clear(self):
        if self._line_is_there:
            self.shown.stream.write(CLEAR)
            self._line_is_there = False


def show_progress(logger):
    """Put our handlers in the place of those that write Snakemake's log to the screen.

    Parameters
    ----------
    logger : logging.Logger
        Snakemake's.

    Returns
    -------
    list of ProgressHandler
    """
    handlers = []
    for handler in list(logger.handlers):
        if isinstance(handler, logging.StreamHandler) and not isinstance(
            handler, logging.FileHandler
        ):
            handlers.append(ProgressHandler(handler))
            logger.removeHandler(handler)
            logger.addHandler(handlers[-1])
    return handlers


def _speech_s(manifest):
    """Seconds of speech in a manifest; none where it cannot be read: this is no place to stop a run."""
    try:
        with open(manifest, newline="", encoding="utf-8") as file:
            return sum(float(row["duration_s"]) for row in csv.DictReader(file, delimiter="\t"))
    except (OSError, KeyError, ValueError, TypeError):
        return 0.0


def _duration(seconds):
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
