"""The progress line: what it says, and that it neither garbles a terminal nor fills a file."""

import io
import logging

import pytest

from voiceprivacy.running.progress import CLEAR, Progress, ProgressHandler, show_progress


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock():
    return Clock()


def run_job(progress, clock, job, rule, seconds, **files):
    progress.see("job_info", {"jobid": job, "rule_name": rule, "input": [], "output": [], **files})
    clock.now += seconds
    progress.see("job_finished", {"job_id": job})


def test_time_left_is_that_of_the_jobs_to_come_by_what_their_rule_took(clock):
    progress = Progress(clock)
    progress.see("run_info", {"stats": {"short": 3, "long": 2, "total": 5}})
    run_job(progress, clock, 1, "short", 10)
    run_job(progress, clock, 2, "long", 110)
    progress.see("progress", {"done": 2, "total": 5})
    # To come are 2 x 10 s and 110 s.
    assert progress.text() == "progress: 2 of 5 jobs, 2 min, about 2 min left"
    run_job(progress, clock, 3, "long", 110)
    progress.see("progress", {"done": 3, "total": 5})
    assert progress.text() == "progress: 3 of 5 jobs, 4 min, about 20 s left"


def test_jobs_side_by_side_take_less_time(clock):
    progress = Progress(clock)
    progress.see("run_info", {"stats": {"a": 4}})
    for job in (1, 2):
        progress.see("job_info", {"jobid": job, "rule_name": "a"})
    clock.now = 60
    for job in (1, 2):
        progress.see("job_finished", {"job_id": job})
    progress.see("progress", {"done": 2, "total": 4})
    assert progress.text() == "progress: 2 of 4 jobs, 60 s, about 60 s left"


def test_hours_of_speech_are_those_of_the_manifests_of_finished_jobs(clock, tmp_path):
    (tmp_path / "shard.tsv").write_text("utterance\tduration_s\na\t1800\nb\t5400\n")
    progress = Progress(clock)
    shard, gone = str(tmp_path / "shard.tsv"), str(tmp_path / "gone.tsv")
    run_job(progress, clock, 1, "anonymise_shard", 1, output=[shard, "wav"])
    run_job(progress, clock, 2, "extract_embeddings", 1, input=[shard])
    run_job(progress, clock, 3, "extract_embeddings", 1, input=[gone])
    assert "4.0 h of speech," in progress.text()
    run_job(progress, clock, 4, "anonymise_part", 1, output=[shard, "wav"])
    run_job(progress, clock, 5, "extract_embeddings_of_both_parts", 1, input=[shard, shard, gone])
    assert "10.0 h of speech," in progress.text()


def logger_to(stream, clock):
    logger = logging.Logger("snakemake", logging.INFO)
    logger.addHandler(ProgressHandler(logging.StreamHandler(stream), clock=clock))
    return logger


def run_four_jobs(logger, clock, seconds):
    logger.info("Job stats", extra={"event": "run_info", "stats": {"a": 4, "total": 4}})
    for job in range(1, 5):
        logger.info(f"rule {job}", extra={"event": "job_info", "jobid": job, "rule_name": "a"})
        clock.now += seconds
        logger.info(f"Finished {job}", extra={"event": "job_finished", "job_id": job})
        logger.info(f"{job} of 4 steps", extra={"event": "progress", "done": job, "total": 4})
    logger.info("Complete")


def screen(text):
    """What a terminal shows of a text: a carriage return and ESC [K clear the line."""
    return [line.rpartition(CLEAR)[2] for line in text.split("\n")]


def test_a_terminal_shows_the_log_unchanged_and_the_line_once_at_the_bottom(clock):
    stream = Terminal()
    logger = logger_to(stream, clock)
    logger.info("Job stats", extra={"event": "run_info", "stats": {"a": 2}})
    logger.info("rule 1", extra={"event": "job_info", "jobid": 1, "rule_name": "a"})
    clock.now += 5
    logger.info("1 of 2 steps", extra={"event": "progress", "done": 1, "total": 2})
    logger.info("more")
    assert screen(stream.getvalue())[:-1] == ["Job stats", "rule 1", "1 of 2 steps", "more"]
    assert screen(stream.getvalue())[-1].startswith("progress: 1 of 2 jobs")


def test_after_the_last_job_and_after_finish_the_line_is_gone(clock):
    stream = Terminal()
    logger = logger_to(stream, clock)
    run_four_jobs(logger, clock, 5)
    assert screen(stream.getvalue())[-2:] == ["Complete", ""]
    logger.info("1 of 2", extra={"event": "progress", "done": 1, "total": 2})
    logger.handlers[0].finish()
    assert screen(stream.getvalue())[-1] == ""


def test_a_file_gets_a_line_a_minute_at_most(clock):
    stream = io.StringIO()
    run_four_jobs(logger_to(stream, clock), clock, 40)
    lines = [line for line in stream.getvalue().splitlines() if line.startswith("progress:")]
    # The next would be the last, at 160 s.
    assert lines == ["progress: 2 of 4 jobs, 80 s, about 80 s left"]
    assert CLEAR not in stream.getvalue()


def test_who_wants_no_progress_gets_none(clock):
    stream = Terminal()
    logger = logger_to(stream, clock)
    logger.handlers[0].shown.addFilter(lambda record: getattr(record, "event", "") != "progress")
    run_four_jobs(logger, clock, 100)
    assert "progress:" not in stream.getvalue()


def test_events_that_say_something_else_stop_nothing(clock):
    stream = Terminal()
    logger = logger_to(stream, clock)
    for event in ("run_info", "job_info", "job_finished", "progress", "unheard_of"):
        logger.info("text", extra={"event": event})
    assert stream.getvalue() == "text\n" * 5


def test_the_handler_that_writes_to_the_screen_is_replaced_and_files_are_not(tmp_path):
    logger = logging.Logger("snakemake")
    kept = logging.FileHandler(tmp_path / "log")
    logger.addHandler(logging.StreamHandler(io.StringIO()))
    logger.addHandler(kept)
    (ours,) = show_progress(logger)
    assert logger.handlers == [kept, ours]
    for handler in logger.handlers:
        handler.close()
