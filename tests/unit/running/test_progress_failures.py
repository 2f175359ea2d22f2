"""A failed run in a few lines: who failed for good, and what his log says."""

import pytest

from voiceprivacy.running.progress import Failure, failures, reasons

ALONE = """\
Error in rule score_trials:
    message: None
    jobid: 7
    log: logs/score.log (check log file(s) for error details)
"""
ON_A_CLUSTER = """\
Error in rule train_extractor:
    message: SLURM-job '12' failed, SLURM status is: 'OUT_OF_MEMORY'.
    jobid: 3
    log: logs/train.log, slurm/12.log (check log file(s) for error details)
"""
GROUP = """\
    message: Error in group anonymise
    log: slurm/4.log (check log file(s) for error details)
    jobs:
        rule gather_manifests:
            jobid: 6
            log: logs/gather.log (check log file(s) for error details)
        rule anonymise_part:
            jobid: 5
            log: logs/anonymise.log (check log file(s) for error details)
    [Sat Nov 21 01:36:58 2026]
    Error in rule gather_manifests:
        jobid: 6
        log: logs/gather.log (check log file(s) for error details)
    Error in rule anonymise_part:
        jobid: 5
        log: logs/anonymise.log (check log file(s) for error details)
"""
AGAIN = "Finished jobid: 5 (Rule: anonymise_part)\nFinished jobid: 6 (Rule: gather_manifests)\n"
ANONYMISE = Failure("anonymise_part", "logs/anonymise.log", "slurm/4.log")


@pytest.fixture
def logs(tmp_path, monkeypatch):
    """A function that writes a log below the working directory."""
    monkeypatch.chdir(tmp_path)

    def write(path, text):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)

    return write


def test_a_job_is_named_with_its_own_log_and_the_clusters():
    assert failures((ALONE + ON_A_CLUSTER).splitlines()) == [
        Failure("score_trials", "logs/score.log", None),
        Failure("train_extractor", "logs/train.log", "slurm/12.log"),
    ]


def test_what_fails_three_times_is_named_once_and_what_succeeds_at_last_not_at_all(logs):
    logs("logs/anonymise.log", "error: no such voice\n")
    assert failures((GROUP * 3).splitlines()) == [ANONYMISE]
    assert failures((GROUP + AGAIN).splitlines()) == []


def test_of_a_group_the_jobs_that_waited_are_not_blamed(logs):
    logs("logs/anonymise.log", "40 %\n")
    logs("logs/gather.log", "")
    assert failures(GROUP.splitlines()) == [ANONYMISE]


def test_a_group_that_was_killed_before_it_wrote_is_named(logs):
    assert [failure.cluster_log for failure in failures(GROUP.splitlines())] == ["slurm/4.log"]


def test_errors_come_before_progress_and_the_clusters_word_comes_where_there_are_none(logs):
    logs("logs/anonymise.log", "10 %\rerror: utterance 'a': silent\nlater\n")
    logs("slurm/4.log", "rule x\nslurmstepd: error: Detected 1 oom_kill event\n")
    assert reasons(ANONYMISE, 5) == ["error: utterance 'a': silent"]
    logs("logs/anonymise.log", "10 %\r20 %\n")
    assert reasons(ANONYMISE, 1) == ["20 %", "slurmstepd: error: Detected 1 oom_kill event"]


def test_a_job_without_a_word_is_said_to_be_so(logs):
    assert reasons(Failure("x", "logs/absent.log", None), 5) == ["(empty)"]
