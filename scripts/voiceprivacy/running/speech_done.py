"""How far a run is: jobs done, speech worked through, time left."""

import csv
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

# Jobs that work through all speech of manifests: their first outputs or inputs, and how many.
MANIFESTS = {
    "anonymise_part": ("output", 1),
    "gather_manifests": ("output", 1),
    "extract_embeddings": ("input", 1),
    "extract_embeddings_of_both_parts": ("input", 2),
}
FIRST_PAGE = "write_first_page"  # whose page people may open while the run goes on


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
