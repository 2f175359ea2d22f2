"""The progress line: what it says, and that it neither garbles a terminal nor fills a file."""

import io
import itertools
import logging
import re
from collections import Counter

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from snakemake_logger_plugin_voiceprivacy import LogHandler
from voiceprivacy.inout.manifests import Utterance, write_manifest
from voiceprivacy.running.failures import Failure, Failures, reasons
from voiceprivacy.running.progress import CLEAR, ProgressHandler, interrupted
from voiceprivacy.running.speech_done import Progress
from voiceprivacy.running.time_left import left_s


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def brief(clock):
    """A function that begins a run whose log a stream gets: the stream and the logger."""

    def start(stream, **options):
        logger = logging.Logger("snakemake", logging.INFO)
        logger.addHandler(ProgressHandler(logging.StreamHandler(stream), clock=clock, **options))
        logger.info("Workflow has started!", extra={"event": "workflow_started"})
        for text in ("Assuming unrestricted shared filesystem usage.", "Building DAG of jobs..."):
            logger.info(text)
        return stream, logger

    return start


def begin_job(progress, job, rule, **files):
    progress.see("job_info", {"jobid": job, "rule_name": rule, "input": [], "output": [], **files})


def run_job(progress, clock, job, rule, seconds, **files):
    begin_job(progress, job, rule, **files)
    clock.now += seconds
    progress.see("job_finished", {"job_id": job})


def begun(clock, **stats):
    progress = Progress(clock)
    progress.see("run_info", {"stats": stats})
    return progress


def text_after(progress, done, total):
    progress.see("progress", {"done": done, "total": total})
    return progress.text()


@pytest.mark.parametrize(
    ("planned", "took", "running", "left"),
    [
        ({"a": 10}, {"a": [60, 60, 60]}, [], 420),
        ({"a": 10}, {"a": [60, 60, 60]}, [("a", 30)], 390),
        ({"a": 4}, {"a": [60]}, [], 180),  # of few, a third more or less
        ({"a": 4}, {"a": [10, 60, 200]}, [], None),
        ({"a": 4, "b": 2}, {"a": [60, 60, 60]}, [], None),  # b takes from half to twice of it
        ({"a": 20, "b": 1}, {"a": [60, 60, 60]}, [], 17 * 60 + 75),
        ({"a": 20, "train_extractor": 1}, {"a": [60, 60, 60]}, [], None),  # may take hours
        ({"a": 4}, {"a": [4, 4, 4]}, [], None),  # nearly over
        ({"plot_x": 3, "plot_y": 9}, {"plot_x": [30, 30, 30]}, [], 270),
        ({"a": 20}, {"a": [60, 60, 60]}, [("a", 900)], None),  # it has outlasted its time
        ({"a": 20}, {}, [("a", 5)], None),
    ],
    ids=lambda value: None,
)
def test_time_left_is_said_where_it_is_bounded(planned, took, running, left):
    elapsed_s = sum(map(sum, took.values())) + sum(so_far for _, so_far in running)
    said = left_s(planned, took, running, elapsed_s)
    assert said == (None if left is None else pytest.approx(left, rel=0.06))


def test_jobs_run_side_by_side_as_they_did_so_far():
    assert left_s({"a": 8}, {"a": [60, 60, 60, 60]}, [], 120) == pytest.approx(120)
    # However many run side by side, the longest job is waited for.
    running = [("a", 0.0), ("a", 0.0)]
    assert left_s({"a": 6}, {"a": [60, 60, 60, 60]}, running, 60) == pytest.approx(60)


def test_each_stage_says_its_speech_and_its_jobs_and_a_job_its_utterances(clock, tmp_path):
    for system, part in itertools.product(("original", "b2", "b2r"), ("trial", "enrolment")):
        path = tmp_path / part / system / "manifest.tsv"
        path.parent.mkdir(parents=True)
        seconds = (1800.0, 5400.0) if part == "trial" else (3600.0,)
        lines = [Utterance(f'"{n}', "s", "f", "a.wav", each) for n, each in enumerate(seconds)]
        write_manifest(path, lines)

    def manifest(part, system):
        return str(tmp_path / part / system / "manifest.tsv")

    progress = begun(clock, anonymise_part=4, extract_embeddings=2, gather_manifests=2, other=1)
    output = [manifest("trial", "b2"), "wav"]
    run_job(progress, clock, 1, "anonymise_part", 1, output=output)
    assert "protected 2.0 h of speech (1 of 4 jobs), " in progress.text()
    for number, part in ((2, "enrolment"), (3, "gone")):
        heard = [manifest(part, "original")]
        run_job(progress, clock, number, "extract_embeddings", 1, input=heard)
    assert "embedded 60 min of speech (2 of 2 jobs), " in progress.text()
    logs = []
    for number, bars in ((4, "0/30 [0\rx: 12/30 [00:01"), (5, "1/10 ["), (6, "loading")):
        logs.append(tmp_path / f"{number}.log")
        logs[-1].write_text(bars)
        begin_job(progress, number, "anonymise_part", log=[str(logs[-1])])
    begin_job(progress, 7, "other", log=[str(tmp_path / "none.log")])
    assert progress.text().endswith("; anonymise_part (3) 13/40, other")


def test_a_narrow_terminal_does_without_the_speech_and_then_without_what_runs(clock):
    progress = Progress(clock)
    progress.speech_s["protected"], progress.total = 3600.0, 2
    begin_job(progress, 1, "train")
    whole = "progress: 0 of 2 jobs, protected 60 min of speech (0 of 0 jobs), 0 s; train"
    assert progress.text() == progress.text(len(whole)) == whole
    without = "progress: 0 of 2 jobs, 0 s; train"
    assert progress.text(len(whole) - 1) == without
    assert progress.text(30) == without[:30]


def tell(logger, event, **fields):
    logger.info(f"text of {event}", extra={"event": event, **fields})


def run_four_jobs(logger, clock, seconds):
    tell(logger, "run_info", stats={"a": 4, "total": 4})
    for job in range(1, 5):
        tell(logger, "job_info", jobid=job, rule_name="a")
        clock.now += seconds
        tell(logger, "job_finished", job_id=job)
        tell(logger, "progress", done=job, total=4)
    logger.info("Complete")


def screen(text):
    """What a terminal shows of a text: a carriage return and ESC [K clear the line."""
    return [line.rpartition(CLEAR)[2] for line in text.split("\n")]


def test_a_file_of_a_long_run_is_short_and_names_the_first_page_once(brief, clock, tmp_path):
    stream, logger = brief(io.StringIO())
    page = str(tmp_path / "results" / "report" / "privacy.html")
    tell(logger, "job_info", jobid=9, rule_name="write_first_page", output=[page], input=[])
    assert page not in stream.getvalue()
    tell(logger, "job_finished", job_id=9)
    run_four_jobs(logger, clock, 5)
    assert stream.getvalue().count(page) == 1
    tell(logger, "run_info", stats={"a": 7200, "total": 7200})
    for done in range(7200):
        clock.now += 1
        tell(logger, "progress", done=done, total=7200)
    lines = [line for line in stream.getvalue().splitlines() if line.startswith("progress:")]
    assert 20 < len(lines) < 40


def test_after_the_last_job_the_line_is_gone_and_other_events_stop_nothing(brief, clock):
    stream, logger = brief(Terminal())
    for event in ("run_info", "job_info", "job_finished", "progress", "unheard_of"):
        tell(logger, event)
    assert "progress:" not in stream.getvalue()
    run_four_jobs(logger, clock, 5)
    assert screen(stream.getvalue())[-1] == ""
    tell(logger, "progress", done=1, total=2)
    logger.handlers[0].explain()
    assert screen(stream.getvalue())[-1] == ""


class ARun(RuleBasedStateMachine):
    """Jobs begin, end, fail and are tried again; whoever looks at the line looks alone."""

    def __init__(self):
        super().__init__()
        machine, self.clock, self.running, self.done = self, Clock(), {}, 0

        class Watched(Terminal):
            def write(self, text):
                assert machine.handler.lock._is_owned(), "written by two threads at once"
                return super().write(text)

        self.stream = Watched()
        self.handler = ProgressHandler(logging.StreamHandler(self.stream), clock=self.clock)
        self.plugin = LogHandler.__new__(LogHandler)  # without Snakemake's settings
        self.plugin.ours, self.plugin.formatter = self.handler, None
        self.tell("workflow_started")
        self.tell("run_info", stats=dict.fromkeys("abc", 20))

    def tell(self, event, **fields):
        named = {"msg": event, "event": event, "levelno": logging.INFO}
        record = logging.makeLogRecord({**named, **fields})
        self.plugin.emit(record)

    @rule(job=st.integers(0, 9))
    def begin(self, job):
        if job not in self.running:
            self.running[job] = "abc"[job % 3]
            self.tell("job_info", jobid=job, rule_name=self.running[job], input=[], output=[])

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def finish(self, data):
        job = data.draw(st.sampled_from(sorted(self.running)))
        del self.running[job]
        self.done += 1
        self.tell("job_finished", job_id=job)
        self.tell("progress", done=self.done, total=60)

    @precondition(lambda self: self.running)
    @rule(data=st.data(), as_group=st.booleans())
    def fail(self, data, as_group):
        job = data.draw(st.sampled_from(sorted(self.running)))
        error = {"jobid": job, "rule_name": self.running.pop(job), "log": [], "indent": False}
        if as_group:
            self.tell("group_error", aux_logs=[], job_error_info=[error])
        else:
            self.tell("job_error", **error)

    @rule(seconds=st.sampled_from([1, 60, 3600]))
    def wait(self, seconds):
        self.clock.now += seconds
        self.handler.renew()

    @precondition(lambda self: self.running and self.clock.now < 1e6)
    @rule()
    def wait_for_days(self):
        """What has taken a thousand times as long as all before may take any time."""
        self.clock.now += 1000 * (1 + self.clock.now)
        self.handler.renew()
        assert " left" not in screen(self.stream.getvalue())[-1]

    @invariant()
    def the_line_is_what_runs(self):
        self.handler.renew()
        line = screen(self.stream.getvalue())[-1]
        assert line.startswith(f"progress: {self.done} of 60 jobs, ")
        shown = {}
        for rule_name, _, count in re.findall(r"\b([abc])( \((\d+)\))?(?=[,;]|$)", line):
            shown[rule_name] = int(count or 1)
        assert shown == Counter(self.running.values())

    def teardown(self):
        self.handler.explain()
        self.tell("progress", done=1, total=60)
        assert not screen(self.stream.getvalue())[-1], "the line came back after the end"


TestARun = ARun.TestCase
TestARun.settings = settings(max_examples=8, stateful_step_count=12, deadline=None)


# Under `voiceprivacy run`: of what Snakemake says, what matters.


def fail(logger, job, rule, log):
    """As Snakemake does it: an exception, a job, and a word about it."""
    command = f"Command 'python ...' returned non-zero exit status 2 ({rule})"
    text = f"RuleException:\nCalledProcessError in file x.smk, line 3:\n{command}"
    logger.error(text, extra={"event": "error", "exception": "RuleException"})
    fields = {"jobid": job, "rule_name": rule, "log": [str(log)], "indent": False}
    logger.error(f"Error in rule {rule}", extra={"event": "job_error", **fields})


def end(logger):
    logger.error("Exiting because a job execution failed. Look above for error messages")
    text = "WorkflowError:\nAt least one job did not complete successfully."
    logger.error(text, extra={"event": "error", "exception": "WorkflowError"})


@pytest.fixture
def kept_log(monkeypatch):
    monkeypatch.setattr("voiceprivacy.running.progress.whole_log", lambda: "whole.log")
    interrupted.clear()
    yield
    interrupted.clear()


@pytest.mark.usefixtures("kept_log")
class TestBriefScreen:
    def test_a_run_of_which_all_goes_well_is_two_lines_in_a_file(self, brief, clock):
        stream, logger = brief(io.StringIO())
        run_four_jobs(logger, clock, 40)
        assert stream.getvalue().splitlines() == [
            "4 jobs to do. The whole log: whole.log",
            "progress: 2 of 4 jobs, 80 s, about 80 s left",
        ]

    def test_a_failed_job_is_told_once_with_its_reason_and_at_the_end(self, brief, tmp_path):
        log = tmp_path / "lost.log"
        log.write_text("loading\nerror: utterance 'a': no such voice\n")
        stream, logger = brief(io.StringIO())
        for _ in range(3):  # it is tried again
            fail(logger, 6, "anonymise_part", log)
        end(logger)
        for _ in range(2):  # Snakemake closes the handler, and Python at its exit
            logger.handlers[0].explain()
        _, failed, reason, _, last = stream.getvalue().splitlines()
        assert failed == f"anonymise_part failed. Its log is {log}:"
        assert reason == "    error: utterance 'a': no such voice"
        assert last.startswith("1 job failed: anonymise_part.")

    def test_after_ctrl_c_jobs_that_ended_have_not_failed(self, brief, tmp_path):
        stream, logger = brief(io.StringIO())
        logger.info("Terminating processes on user request, this might take some time.")
        fail(logger, 6, "anonymise_part", tmp_path / "lost.log")
        end(logger)
        logger.handlers[0].explain()
        assert stream.getvalue() == ""

    @pytest.mark.parametrize(
        ("exception", "message", "line"),
        [
            (
                "MissingRuleException",
                "MissingRuleException:\nNo rule to produce xyz (if you use input functions make"
                " sure that they don't raise unexpected exceptions).",
                "xyz: no such target",
            ),
            (
                "MissingOutputException",
                "MissingOutputException in rule a in file x.smk, line 2:\n  Job 3 completed\n b",
                "MissingOutputException in rule a in file x.smk, line 2: Job 3 completed b",
            ),
            (
                "ValueError",
                "Traceback (most recent call last):\n  File x\nValueError: odd",
                "ValueError: odd (the whole of it: whole.log)",
            ),
        ],
    )
    def test_an_error_of_snakemakes_own_is_one_line(self, brief, exception, message, line):
        stream, logger = brief(io.StringIO())
        logger.error(message, extra={"event": "error", "exception": exception})
        said = stream.getvalue()
        assert said.startswith(f"error: {line}") and said.count("\n") == 1

    def test_warnings_and_what_takes_minutes_are_said(self, brief):
        stream, logger = brief(io.StringIO())
        for text in ("Creating conda environment envs/evaluate.yaml...", "Nothing to be done (x)"):
            logger.info(text)
        logger.warning("An odd thing")
        assert len(stream.getvalue().splitlines()) == 3

    def test_a_silent_screen_has_no_line_but_failures(self, brief, clock, tmp_path):
        stream, logger = brief(Terminal(), silent=True)
        run_four_jobs(logger, clock, 100)
        fail(logger, 6, "anonymise_part", tmp_path / "lost.log")
        assert "progress:" not in stream.getvalue()
        assert "anonymise_part failed" in stream.getvalue()

    def test_a_terminal_shows_what_runs_and_the_time_goes_on_while_nothing_ends(self, brief, clock):
        stream, logger = brief(Terminal())
        tell(logger, "run_info", stats={"a": 3, "total": 3})
        for job in (1, 2):
            tell(logger, "job_info", jobid=job, rule_name="a")
        assert screen(stream.getvalue())[-1] == "progress: 0 of 3 jobs, 0 s; a (2)"
        clock.now = 7
        logger.handlers[0].renew()
        assert screen(stream.getvalue())[-1] == "progress: 0 of 3 jobs, 7 s; a (2)"


# A failed run in a few lines: who failed for good, and what his log says.


def error(job, rule, *logs, indent=False):
    """Snakemake's event of a failed job; on a cluster its last log is the cluster's."""
    return "job_error", {"jobid": job, "rule_name": rule, "log": list(logs), "indent": indent}


def finished(job):
    return "job_finished", {"job_id": job}


ALONE = error(7, "score_trials", "logs/score.log")
ON_A_CLUSTER = error(3, "train_extractor", "logs/train.log", "slurm/12.log")
JOBS = [
    error(6, "gather_manifests", "logs/gather.log", indent=True),
    error(5, "anonymise_part", "logs/anonymise.log", indent=True),
]
# The group first, then each of its jobs, begun or not.
OF_GROUP = {"aux_logs": ["slurm/4.log"], "job_error_info": [fields for _, fields in JOBS]}
GROUP = [("group_error", OF_GROUP), *JOBS]
ANONYMISE = Failure("anonymise_part", "logs/anonymise.log", "slurm/4.log")
SCORE = Failure("score_trials", "logs/score.log", None)
TRAIN = Failure("train_extractor", "logs/train.log", "slurm/12.log")


def failures(*events):
    seen = Failures()
    for event in events:
        seen.see(*event)
    return seen.all()


@pytest.fixture
def logs(tmp_path, in_tmp_path):
    """A function that writes a log below the working directory."""

    def write(path, text):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)

    return write


def test_jobs_and_a_group_that_was_killed_before_it_wrote_are_named(logs):
    assert failures(ALONE, ON_A_CLUSTER) == [SCORE, TRAIN]
    assert [failure.cluster_log for failure in failures(*GROUP)] == ["slurm/4.log"]


def test_each_event_tells_only_the_jobs_that_failed_now(logs):
    logs("logs/anonymise.log", "error: no such voice\n")
    seen = Failures()
    told = [seen.see(*event) for event in (ALONE, *GROUP, finished(7), ON_A_CLUSTER)]
    assert told == [[SCORE], [ANONYMISE], [], [], [], [TRAIN]]
    assert seen.all() == [ANONYMISE, TRAIN]


def test_reasons_are_errors_before_progress_with_the_line_above_and_the_clusters_word(logs):
    said = "error: command 'x' ended with exit code 2; its output is above"
    logs("logs/anonymise.log", f"loading\npython: can't open file 'nothere.py'\n{said}\n")
    assert reasons(ANONYMISE, 5) == ["python: can't open file 'nothere.py'", said]
    logs("logs/anonymise.log", f"{said}\n")
    assert reasons(ANONYMISE, 5) == [said]
    logs("logs/anonymise.log", "10 %\rerror: utterance 'a': silent\nlater\n")
    logs("slurm/4.log", "rule x\nslurmstepd: error: Detected 1 oom_kill event\n")
    assert reasons(ANONYMISE, 5) == ["error: utterance 'a': silent"]
    logs("logs/anonymise.log", "10 %\r20 %\n")
    assert reasons(ANONYMISE, 1) == ["20 %", "slurmstepd: error: Detected 1 oom_kill event"]
    assert reasons(Failure("x", "logs/absent.log", None), 5) == ["(empty)"]


def test_of_a_group_what_failed_for_good_is_named_once_and_waiting_jobs_are_not_blamed(logs):
    logs("logs/anonymise.log", "error: no such voice\n")
    assert failures(*GROUP * 3) == [ANONYMISE]
    assert failures(*GROUP, finished(5), finished(6)) == []
    logs("logs/anonymise.log", "40 %\n")
    logs("logs/gather.log", "")
    assert failures(*GROUP) == [ANONYMISE]
