"""A failed run in a few lines: who failed for good, and what his log says."""

import pytest

from voiceprivacy.running.progress import Failure, Failures, reasons


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
def logs(tmp_path, monkeypatch):
    """A function that writes a log below the working directory."""
    monkeypatch.chdir(tmp_path)

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
