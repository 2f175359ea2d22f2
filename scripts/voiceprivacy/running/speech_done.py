"""How far a run is: jobs done, speech worked through, time left."""

import itertools
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.manifests import read_manifest

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

        A job takes as long as those of its rule took, or as the mean job where none is done. Jobs
        run side by side as they did so far. A job that has outlasted both its usual time and all
        that is left, such as the first training, may take any time.
        """
        finished_s = [*itertools.chain.from_iterable(self._took_s.values())]
        now_s = self._clock()
        elapsed_s = now_s - self._began_s
        if not sum(finished_s) or not elapsed_s:
            return None
        usual_s = {rule: fmean(times) for rule, times in self._took_s.items()}
        mean_s = fmean(finished_s)
        begun = Counter(job.rule for job in self._running.values())
        work_s = spent_s = longest_s = outlasted_s = 0.0
        for rule, planned in self._planned.items():
            to_begin = planned - len(self._took_s.get(rule, [])) - begun[rule]
            work_s += max(0, to_begin) * usual_s.get(rule, mean_s)
        for job in self._running.values():
            so_far_s, expected_s = now_s - job.began_s, usual_s.get(job.rule, mean_s)
            spent_s += so_far_s
            work_s += max(0.0, expected_s - so_far_s)
            longest_s = max(longest_s, expected_s - so_far_s)
            outlasted_s = max(outlasted_s, so_far_s if so_far_s > expected_s else 0.0)
        side_by_side = max(1.0, (sum(finished_s) + spent_s) / elapsed_s)
        left_s = max(longest_s, work_s / side_by_side)
        return None if outlasted_s > left_s else left_s


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
