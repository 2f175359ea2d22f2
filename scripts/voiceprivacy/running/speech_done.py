"""How far a run is: jobs done, speech of each stage worked through, time left."""

import contextlib
import os
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.running.time_left import left_s

# Jobs that work through all speech of manifests: their first outputs or inputs, and how many.
MANIFESTS = {
    "anonymise_part": ("output", 1),
    "anonymise_shard": ("output", 1),
    "extract_embeddings": ("input", 1),
    "extract_embeddings_of_both_parts": ("input", 2),
    "extract_features": ("input", 1),
}
STAGES = {"anonymise_": "protected", "extract_": "embedded"}  # by the beginning of their rules
LAST_BAR = re.compile(rb"(\d+)/(\d+) \[")  # of a job's log: utterances done, of how many
END_OF_LOG = 2000  # bytes in which its last bar lies
FIRST_PAGE = "write_first_page"  # whose page people may open while the run goes on


class RunningJob(NamedTuple):
    """A job that has begun: the manifests of the speech that it works through, the page it writes,
    if it does, and its log, if it has one.
    """

    rule: str
    began_s: float
    manifests: list[str]
    page: str | None
    log: str | None


class Progress:
    """What is known of a run: events go in, a text comes out; ``clock`` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._began_s = clock()
        self._planned: Counter[str] = Counter()  # jobs of each rule
        self._running: dict[int, RunningJob] = {}
        self._took_s: dict[str, list[float]] = defaultdict(list)  # of each rule's finished jobs
        self.done, self.total = 0, 0
        self.speech_s: dict[str, float] = defaultdict(
            float
        )  # of each of STAGES, all systems added up
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
            log = next(iter(fields.get("log") or ()), None)
            job = RunningJob(rule, self._clock(), manifests, page, log)
            self._running[fields["jobid"]] = job
        elif event == "job_finished" and fields["job_id"] in self._running:
            job = self._running.pop(fields["job_id"])
            self._took_s[job.rule].append(self._clock() - job.began_s)
            self.first_page = job.page
            if job.manifests:
                self.speech_s[_stage(job.rule)] += sum(map(_speech_s, job.manifests))
        elif event == "job_error":  # it begins again where it is tried again
            self._running.pop(fields["jobid"], None)
        elif event == "group_error":
            for failed in fields["job_error_info"]:
                self._running.pop(failed["jobid"], None)
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
        if with_speech:
            parts += self._stages()
        parts.append(_duration(self._clock() - self._began_s))
        left_s = self._left_s()
        if left_s is not None and self.done < self.total:
            parts.append(f"about {_duration(max(1, left_s))} left")
        # Last, because a narrow terminal cuts the end.
        running = Counter(job.rule for job in self._running.values())
        rules = []
        for rule, n_jobs in running.items():
            jobs = f"{rule} ({n_jobs})" if n_jobs > 1 else rule
            rules.append(f"{jobs}{self._bars(rule)}")
        return "; ".join(filter(None, [", ".join(parts), ", ".join(rules)]))

    def _stages(self) -> list[str]:
        """How far each stage is that goes through speech: its jobs, and seconds of speech."""
        words = []
        for begins, stage in STAGES.items():
            planned = sum(n for rule, n in self._planned.items() if rule.startswith(begins))
            took = [own for rule, own in self._took_s.items() if rule.startswith(begins)]
            if self.speech_s[stage]:
                done = sum(map(len, took))
                speech = _duration(self.speech_s[stage])
                words.append(f"{stage} {speech} of speech ({done} of {planned} jobs)")
        return words

    def _bars(self, rule: str) -> str:
        """How many utterances the running jobs of a rule have done, where their logs say it."""
        bars = [_last_bar(job.log) for job in self._running.values() if job.rule == rule]
        done, n_utterances = (sum(numbers) for numbers in zip(*bars, strict=True))
        return f" {done}/{n_utterances}" if n_utterances else ""

    def _left_s(self) -> float | None:
        """Seconds that are left; None where too little is known."""
        now_s = self._clock()
        running_s = [(job.rule, now_s - job.began_s) for job in self._running.values()]
        return left_s(self._planned, self._took_s, running_s, now_s - self._began_s)


def _stage(rule: str) -> str:
    return next(stage for begins, stage in STAGES.items() if rule.startswith(begins))


def _last_bar(log: str | None) -> tuple[int, int]:
    """Utterances that a job's log says are done, and of how many; (0, 0) where it says nothing."""
    with contextlib.suppress(OSError):
        if log:
            with open(log, "rb") as file:
                file.seek(max(0, os.path.getsize(log) - END_OF_LOG))
                if bars := LAST_BAR.findall(file.read(END_OF_LOG)):
                    done, n_utterances = map(int, bars[-1])
                    return done, n_utterances
    return 0, 0


def _speech_s(manifest: str) -> float:
    """Seconds of speech in a manifest; none if it cannot be read, which is no reason to stop."""
    try:
        return sum(utterance.duration_s for utterance in read_manifest(manifest))
    except BadInput:
        return 0.0


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
