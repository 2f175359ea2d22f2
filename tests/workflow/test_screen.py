"""What a person sees of ``voiceprivacy run``: why a job failed; Ctrl-C; going on after a kill."""

import contextlib
import os
import pty
import shutil
import signal
import subprocess
import sys
import time

import pytest
from support.runs import HANG_SECONDS, LOSES, ROOT, call_in, in_a_group, succeeded, wait_for

SPEECH = "results/audio/demo/trial/mine/manifest.tsv"
CONFIG = """
corpora: {demo: {synthetic: {speakers: 6, utterances: 6}}}
anonymisers: {mine: {function: "mine.py:anonymise"}}
"""
# Until a file "go" lies there; as stubborn as programs can be.
WAITS = """
import pathlib, signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)

def anonymise(samples, sample_rate, *, utterance, speaker, seed):
    folder = pathlib.Path(__file__).parent
    (folder / "begun").touch()
    while not (folder / "go").exists():
        time.sleep(0.05)
    return samples[::-1]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder to run in, whose speech is prepared once, with a plug-in that waits."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "my.yaml").write_text(CONFIG)
    (folder / "mine.py").write_text(WAITS)
    return folder


def words(*more):
    command = [sys.executable, ROOT / "scripts" / "main.py", "run", SPEECH, "--cores", "1"]
    return [*command, *more]


@contextlib.contextmanager
def running(folder):
    """A run in a process group of its own, whose plug-in has begun and waits."""
    for mark in ("begun", "go"):
        (folder / mark).unlink(missing_ok=True)
    shutil.rmtree((folder / SPEECH).parent, ignore_errors=True)
    with in_a_group(words("--configfile", "my.yaml"), cwd=folder) as process:
        wait_for(lambda: (folder / "begun").exists() or process.poll() is not None)
        assert process.poll() is None, process.stderr.read()
        yield process


def go_on(folder):
    """Give the same command from another working directory; what it says on stderr."""
    (folder / "go").touch()
    there = ["--directory", folder, "--configfile", folder / "my.yaml"]
    finished = succeeded(call_in(folder.parent, words(*there), {}))
    assert (folder / SPEECH).exists()
    assert "1 job to do" in finished.stderr  # what was finished is not repeated
    assert not list((folder / ".snakemake" / "locks").glob("*"))
    return finished.stderr


@pytest.mark.parametrize(
    ("number", "to_all"),
    [(signal.SIGINT, True), (signal.SIGTERM, False)],
    ids=["from a terminal", "to the run alone"],
)
def test_after_an_interruption_the_same_command_goes_on(folder, to_all, number):
    with running(folder) as process:
        began = time.monotonic()
        (os.killpg if to_all else os.kill)(process.pid, number)
        _, errors = process.communicate(timeout=HANG_SECONDS)
        assert time.monotonic() - began < 120  # of a plug-in that would wait for ever
    assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[number]
    assert errors.splitlines()[-1] == "interrupted; the same command continues"
    assert "failed" not in errors and "Correct" not in errors and "Traceback" not in errors
    if to_all:
        go_on(folder)


def test_after_kill_9_the_same_command_unlocks_the_folder_and_goes_on(folder):
    with running(folder) as process:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=HANG_SECONDS)
    assert "was killed: its lock is removed" in go_on(folder)


def test_a_second_run_is_told_who_holds_the_lock_and_the_first_goes_on(folder):
    with running(folder) as process:
        second = call_in(folder, words("--configfile", "my.yaml"), {})
        (folder / "go").touch()
        assert process.wait(timeout=HANG_SECONDS) == 0
    assert second.returncode == 1
    (line,) = second.stderr.splitlines()
    assert f"locked by process {process.pid} on " in line and "--unlock" in line


def test_why_a_job_failed_stands_on_the_terminal_and_in_the_log(folder):
    """The last test: it edits the plug-in."""
    (folder / "mine.py").write_text(LOSES)
    ours, theirs = pty.openpty()
    os.set_inheritable(theirs, True)
    command = words("--configfile", "my.yaml", "--quiet", "rules")
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, cwd=folder) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # a terminal that nobody writes to any more
            while part := os.read(ours, 4096):
                shown += part
    os.close(ours)
    assert process.returncode == 1
    # What is left on the screen: a carriage return and ESC [K clear the line of progress.
    lines = [line.rpartition("\r\x1b[K")[2].rstrip() for line in shown.decode().split("\n")]
    failed = lines.index(
        "anonymise_part failed. Its log is results/logs/anonymise_part/demo/trial/mine.log:"
    )
    assert lines[failed + 1].endswith("RuntimeError: no such voice (mine.py, line 3)")
    assert lines[-2].startswith("1 job failed: anonymise_part. Correct what is named above")
    assert "progress: " in shown.decode() and len(lines) < 12
    *_, log = sorted((folder / ".snakemake" / "log").glob("*.log"))
    assert "Error in rule anonymise_part:" in log.read_text()
