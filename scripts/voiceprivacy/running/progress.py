"""What the screen shows of a run: how far it is, in one line, and why jobs failed.

The line says: jobs done, speech that was protected and embedded, time, time left (where it is
known), what runs and how many utterances of it are done. Speech counts for each system and
attacker.

``voiceprivacy run`` names a logger plug-in of ours (scripts/snakemake_logger_plugin_voiceprivacy),
which hands every event of a run to ``ProgressHandler``. Of what Snakemake says only errors and
warnings reach the screen, and failed jobs with their reasons. The log below .snakemake/log holds
the rest.
"""

import contextlib
import difflib
import logging
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from voiceprivacy.errors import counted, shown
from voiceprivacy.running import turns
from voiceprivacy.running.failures import REASONS, Failure, Failures, reasons
from voiceprivacy.running.speech_done import Progress

# Environment: "brief", or "silent" (without the line); unset under plain Snakemake.
SCREEN = "VOICEPRIVACY_SCREEN"
SILENT = "silent"
EVERY_S = 60.0  # a line in logs that are no terminal; after ten minutes fewer: 36 in two hours
TICK_S = 1.0  # the line on a terminal
CLEAR = "\r\x1b[K"
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


class ProgressHandler(logging.Handler):
    """Writes what matters of what another handler would write, and the line below it.

    Records, the clock and the end of a run come in three threads. Each of them changes what is kept
    here, and writes, while it holds the lock of this handler: ``handle``, ``renew``, ``explain``.

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
        """Pass a record on, or what matters of it, and renew the line; ``handle`` calls it."""
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
            is_over = self._over.is_set() or self._is_silent
            self._is_wanted = self._is_run and unfinished and not is_over
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
            jobs, log = counted(self.progress.total, "job"), whole_log()
            self._write([f"{jobs} to do." + (f" The whole log: {log}" if log else "")])
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
        with self._alone():
            if not self._over.is_set():  # Snakemake closes a handler, and so does Python at its end
                self._over.set()
                self._clear()
                self._is_wanted = False
                self._tell_all(self.failures.all())

    def _tell_all(self, failed: list[Failure]) -> None:
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
        with self._alone():
            if self._is_wanted:
                self._clear()
                self._show()

    def _alone(self) -> contextlib.AbstractContextManager:
        assert self.lock is not None  # logging makes one for each handler
        return self.lock

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
        return [f"error: {lines[-1]} (the whole of it: {whole_log() or 'add --verbose'})"]
    if len(lines) > 1 and lines[0] == f"{exception}:":
        lines = lines[1:]
    return [f"error: {' '.join(lines)}"]


def whole_log() -> str | None:
    """The file that holds Snakemake's whole log; None of a dry run, and where none is written."""
    handlers = logging.getLogger("snakemake.logging").handlers
    files = [handler for handler in handlers if isinstance(handler, logging.FileHandler)]
    return files[0].baseFilename if files else None


def is_silent() -> bool:
    """Whether the person who called wants no line."""
    return os.environ.get(SCREEN) == SILENT
