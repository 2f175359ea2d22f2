"""What the screen shows of a run: how far it is, in one line, and why jobs failed.

The line says: jobs done, speech worked through, time left, what runs.
Speech is worked through when it was protected or embedded. It counts once, however many systems and
attackers there are: one hour of people's recordings is one hour.

``voiceprivacy run`` names a logger plug-in of ours (scripts/snakemake_logger_plugin_voiceprivacy),
which hands every event of a run to ``ProgressHandler``. Of what Snakemake says only errors and
warnings reach the screen, and failed jobs with their reasons. The log below .snakemake/log holds
the rest.
"""

import contextlib
import csv
import difflib
import logging
import os
import re
import shutil
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.errors import counted, shown
from voiceprivacy.running import turns

# Environment: "brief", or "silent" (without the line); unset under plain Snakemake.
SCREEN = "VOICEPRIVACY_SCREEN"
SILENT = "silent"
EVERY_S = 60.0  # a line in logs that are no terminal; after ten minutes fewer: 36 in two hours
TICK_S = 1.0  # the line on a terminal
# Jobs that work through all speech of manifests: their first outputs or inputs, and how many.
MANIFESTS = {
    "anonymise_part": ("output", 1),
    "gather_manifests": ("output", 1),
    "extract_embeddings": ("input", 1),
    "extract_embeddings_of_both_parts": ("input", 2),
}
FIRST_PAGE = "write_first_page"  # whose page people may open while the run goes on
CLEAR = "\r\x1b[K"
REASONS = 5  # lines of a log
SAID_ABOVE = "its output is above"

# Lines of a cluster's log that say why a job ended.
KILLED = re.compile(r"error|killed|cancelled|terminated|out of memory|oom", re.IGNORECASE)
# What Snakemake says after Ctrl-C, of nothing to do, and of installing.
STOPPING = re.compile(r"Terminating processes on user request")
NOTHING = "Nothing to be done"
WORTH_SAYING = re.compile(
    rf"{NOTHING}|Creating conda env|Downloading and inst|Environment for|Pulling sing"
)
ABOUT_THE_HOST = re.compile(r"Assuming unrestricted shared filesystem|Building DAG of jobs")
NO_TARGET = re.compile(r"No rule to produce (.+?) \(if you use input functions")
# Their jobs are told of by an event of their own.
TOLD_ELSEWHERE = re.compile(
    r"CalledProcessError|At least one job did not complete|Exiting because a job execution failed"
)

# What people ask for by name.
TARGETS = (
    "all",
    "paper",
    "results/metrics.tsv",
    "results/verdict.json",
    "results/provenance.json",
    "results/report/privacy.html",
    "results/report/index.html",
)

interrupted = threading.Event()  # Ctrl-C: jobs that end now have not failed
unknown_target = threading.Event()  # a mistake of the person who calls
nothing_to_do = threading.Event()


class RunningJob(NamedTuple):
    """A job that has begun: the manifests of the speech that it works through, the page it writes,
    if it does.
    """

    rule: str
    began_s: float
    manifests: list[str]
    page: str | None


class Progress:
    """What is known of a run: events go in, a text comes out; ``clock`` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._began_s = clock()
        self._planned: Counter[str] = Counter()  # jobs of each rule
        self._running: dict[int, RunningJob] = {}
        self._took_s: dict[str, list[float]] = defaultdict(list)  # of each rule's finished jobs
        self.done, self.total = 0, 0
        self.speech_s: dict[Path, float] = {}  # of each part of a corpus
        self.first_page: str | None = None  # where the last event was that it is there

    def see(self, event: str, fields: Mapping[str, Any]) -> None:
        """Take in an event of Snakemake with what it says."""
        self.first_page = None
        if event == "run_info":
            self._planned = Counter(fields["stats"])
            self._planned.pop("total", None)
            self.total = sum(self._planned.values())
        elif event == "job_info":
            rule = fields["rule_name"]
            kind, n_manifests = MANIFESTS.get(rule, ("input", 0))
            manifests = list(fields[kind])[:n_manifests] if n_manifests else []
            page = fields["output"][0] if rule == FIRST_PAGE else None
            self._running[fields["jobid"]] = RunningJob(rule, self._clock(), manifests, page)
        elif event == "job_finished" and fields["job_id"] in self._running:
            job = self._running.pop(fields["job_id"])
            self._took_s[job.rule].append(self._clock() - job.began_s)
            self.first_page = job.page
            for manifest in job.manifests:
                self.speech_s[Path(manifest).parents[1]] = _speech_s(manifest)
        elif event == "progress":
            self.done, self.total = fields["done"], fields["total"]

    def text(self, width: int | None = None) -> str:
        """The line; a narrow terminal does without some of it."""
        line = self._line(with_speech=True)
        if width is None or len(line) <= width:
            return line
        return self._line(with_speech=False)[:width]

    def _line(self, *, with_speech: bool) -> str:
        parts = [f"progress: {self.done} of {self.total} jobs"]
        speech_s = sum(self.speech_s.values())
        if speech_s and with_speech:
            parts.append(f"{_duration(speech_s)} of speech worked through")
        parts.append(_duration(self._clock() - self._began_s))
        left_s = self._left_s()
        if left_s is not None and self.done < self.total:
            parts.append(f"about {_duration(max(1, left_s))} left")
        # Last, because a narrow terminal cuts the end.
        running = Counter(job.rule for job in self._running.values())
        rules = [f"{rule} ({n})" if n > 1 else rule for rule, n in running.items()]
        return "; ".join(filter(None, [", ".join(parts), ", ".join(rules)]))

    def _left_s(self) -> float | None:
        """Seconds that are left; None before any job is done, or where nothing can be said.

        Jobs to come take as long as those of their rule took, or as the mean job where none is
        done. Jobs run side by side as they did so far. A job of a new kind that has outlasted all
        of that, such as a training, may take any time.
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
        left_s = work_s * min(1.0, elapsed_s / spent_s)
        new = [job for job in self._running.values() if not self._took_s.get(job.rule)]
        longest_s = max((self._clock() - job.began_s for job in new), default=0.0)
        return None if longest_s > left_s else left_s


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


class ProgressHandler(logging.Handler):
    """Writes what matters of what another handler would write, and the line below it.

    On a terminal the line stays at the bottom; in a file or a pipe there is a line every minute,
    and later fewer.

    Parameters
    ----------
    shown : the handler that writes Snakemake's log to the screen
    silent : leaves the line out
    clock : gives seconds
    """

    def __init__(
        self,
        shown: logging.StreamHandler,
        *,
        silent: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ):
        super().__init__()
        self.shown, self.progress, self._clock = shown, Progress(clock), clock
        self.failures = Failures()
        self._is_silent = silent
        self._shown: set[tuple[str, ...]] = set()
        self._said_last = ""
        self._began_s = self._written_s = clock()
        self._is_run = self._is_wanted = self._is_shown = False
        self._on_terminal = shown.stream.isatty()
        self._over = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        """Pass a record on, or what matters of it, and renew the line."""
        event = str(getattr(record, "event", ""))
        failed: list[Failure] = []
        # Events of another Snakemake may lack a field: then there is less to show.
        with contextlib.suppress(KeyError, TypeError):
            self.progress.see(event, vars(record))
            failed = self.failures.see(event, vars(record))
        if STOPPING.match(str(record.msg)):
            interrupted.set()
        self._clear()
        self._say(record, event, failed)
        if event in ("progress", "run_info"):
            unfinished = self.progress.done < self.progress.total
            self._is_wanted = self._is_run and unfinished and not self._is_silent
        if self._is_wanted and (self._on_terminal or event == "progress"):
            self._show()

    def _say(self, record: logging.LogRecord, event: str, failed: list[Failure]) -> None:
        """Write what matters of a record to the screen, which is brief."""
        message = str(record.msg)
        if event == "workflow_started":
            self._is_run = sys.stdout is not self.shown.stream  # where a dry run is written
        elif event == "error":
            self._write(brief_error(message, str(getattr(record, "exception", ""))))
        elif not self._is_run:
            if not ABOUT_THE_HOST.match(message):
                self._pass_on(record)
        elif failed and not interrupted.is_set():
            for failure in failed:
                self._tell(failure)
        elif event == "job_finished" and self.progress.first_page:
            page = Path(self.progress.first_page).absolute()
            self._write([f"The verdict is there, and measures of utility follow: {page}"])
        elif event == "run_info":
            self._write(
                [f"{counted(self.progress.total, 'job')} to do. The whole log: {whole_log()}"]
            )
        elif WORTH_SAYING.match(message):
            if message.startswith(NOTHING):
                nothing_to_do.set()
            self._write([message])
        elif record.levelno >= logging.WARNING and not event:
            self._write([] if TOLD_ELSEWHERE.search(message) else [message])

    def _pass_on(self, record: logging.LogRecord) -> None:
        """Write a record as it is, unless it says again what was said last: the table of jobs."""
        if self.shown.filter(record) and (text := self.shown.format(record)) != self._said_last:
            self._said_last = text
            self.shown.handle(record)

    def _tell(self, failure: Failure) -> None:
        """Write why a job failed, once: it may be tried again and fail in the same way."""
        where = f" Its log is {failure.log}:" if failure.log else ""
        reason = [f"    {line}" for line in reasons(failure, REASONS)]
        lines = ["", f"{failure.rule} failed.{where}", *reason]
        if tuple(lines) not in self._shown:
            self._shown.add(tuple(lines))
            self._write(lines)

    def _write(self, lines: list[str]) -> None:
        # What a dry run would do goes to stdout, and may be read by a program.
        stream = sys.stderr if self.shown.stream is sys.stdout else self.shown.stream
        for line in lines:
            for part in line.split("\n"):
                stream.write(f"{shown(part)}\n")
        stream.flush()

    def explain(self) -> None:
        """Say once, at the end of a run, which jobs failed, and what to do; not after Ctrl-C.

        The line is taken away; it does not come back.
        """
        if self._over.is_set():  # Snakemake closes a handler, and so does Python when it ends
            return
        self._over.set()
        self._clear()
        self._is_wanted = False
        failed = self.failures.all()
        if interrupted.is_set() or not failed:
            return
        for failure in failed:
            self._tell(failure)
        names = ", ".join(dict.fromkeys(failure.rule for failure in failed))
        end = (
            f"{counted(len(failed), 'job')} failed: {names}. Correct what is named above and give"
            " the same command again: finished jobs are not repeated."
        )
        self._write(["", end])

    def tick(self) -> None:
        """Renew the line until the run is over, also where no job ends for an hour."""
        while not self._over.wait(TICK_S):
            self.renew()

    def renew(self) -> None:
        """Write the line as it is now."""
        with self.lock or contextlib.nullcontext():
            if self._is_wanted:
                self._clear()
                self._show()

    def _show(self) -> None:
        stream, now_s = self.shown.stream, self._clock()
        if self._on_terminal:
            stream.write(self.progress.text(shutil.get_terminal_size().columns - 1))
            self._is_shown = True
            stream.flush()
        elif now_s - self._written_s >= max(EVERY_S, (now_s - self._began_s) / 10):
            self._written_s = now_s
            stream.write(self.progress.text() + "\n")
            stream.flush()

    def _clear(self) -> None:
        if self._is_shown:
            self.shown.stream.write(CLEAR)
            self._is_shown = False


def brief_error(message: str, exception: str) -> list[str]:
    """An error of Snakemake's own in one line; none where a job's failure tells it."""
    if TOLD_ELSEWHERE.search(message) or interrupted.is_set():
        return []
    if match := NO_TARGET.search(message):
        unknown_target.set()
        close = difflib.get_close_matches(match.group(1), TARGETS, n=1)
        known = "name a rule such as paper, or a file below results/ that this config makes"
        known = f"did you mean {close[0]}?" if close else known
        return [f"error: {match.group(1)}: no such target: {known}"]
    if exception == "LockException":
        return [f"error: {turns.holder()}"]
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    if "Traceback (most recent call last):" in lines:
        return [f"error: {lines[-1]} (the whole of it: {whole_log()})"]
    if len(lines) > 1 and lines[0] == f"{exception}:":
        lines = lines[1:]
    return [f"error: {' '.join(lines)}"]


def whole_log() -> str | None:
    """The file that holds Snakemake's whole log; None of a dry run."""
    handlers = logging.getLogger("snakemake.logging").handlers
    files = [handler for handler in handlers if isinstance(handler, logging.FileHandler)]
    return files[0].baseFilename if files else None


def is_silent() -> bool:
    """Whether the person who called wants no line."""
    return os.environ.get(SCREEN) == SILENT


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
