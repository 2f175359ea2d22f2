"""Pipes in wav.scp: commands that run only where the config allows it."""

import shutil
import signal
import subprocess
import sys
import time

import pytest
from support import calls
from support.runs import has_command, is_gone, wait_for
from support.trees import edit, kaldi, prepare, prepared, write_audio, write_lines

from voiceprivacy.corpora import checks, recordings
from voiceprivacy.corpora.listing import Findings, list_utterances
from voiceprivacy.corpora.rows import Pipe
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio


def piped(folder, command="cat wav/a.wav |"):
    """A data directory whose wav.scp has this command in every line."""
    source, protocol = kaldi(folder, women=["w1"])
    write_audio(folder / "wav" / "a.wav")
    write_lines(folder / "wav.scp", [f"w1-{index} {command}" for index in range(4)])
    return source | {"pipes": True}, protocol


def errors(source, protocol):
    return [str(finding) for finding in checks.examine(source, protocol, 16000).findings.errors()]


def test_a_pipe_is_refused_unless_the_config_allows_it_and_does_not_run(tmp_path):
    source, protocol = piped(tmp_path, f"touch {tmp_path}/ran |")
    del source["pipes"]
    expected = f"{tmp_path}/wav.scp:1: utterance 'w1-0' is a command (pipe): pipes: true"
    assert errors(source, protocol)[0].startswith(expected)
    assert expected in prepare(tmp_path, source, protocol, "trial", by=calls.refused)
    assert not (tmp_path / "ran").exists()


def test_an_allowed_pipe_is_audio_of_any_rate_and_need_not_know_its_length(tmp_path):
    source, protocol = piped(tmp_path / "data")
    paths = [one.path for one in prepared(tmp_path, source, protocol, "enrolment")]
    assert paths == [tmp_path / "enrolment" / f"w1-{index}.flac" for index in (0, 1)]
    original = audio.read(tmp_path / "data" / "wav" / "a.wav")[0]
    assert (audio.read(paths[0])[0] == original).all()
    program = tmp_path / "stream.py"
    program.write_text(
        "import sys\nwav = bytearray(open(sys.argv[1], 'rb').read())\n"
        "wav[40:44] = b'\\xff\\xff\\xff\\x7f'\n"
        "sys.stdout.buffer.write(wav)\n"
    )
    source, protocol = piped(tmp_path, f"{sys.executable} {program} wav/a.wav |")
    write_audio(tmp_path / "wav" / "a.wav", sample_rate=8000)
    assert errors(source, protocol)[1:] == []  # the list has one speaker, so no nontarget trial
    first, *_ = prepared(tmp_path, source, protocol, "trial")
    assert audio.header(first.path)[:3] == (16000, 1, 0.1)


def test_relative_paths_of_a_pipe_start_from_the_root_or_are_found_as_those_of_files(tmp_path):
    piped(tmp_path / "data", "cat data/wav/a.wav |")
    source = {"kaldi": {"directory": str(tmp_path / "data")}, "pipes": True}
    assert list_utterances(source, Findings())[0].audio == Pipe("cat data/wav/a.wav", tmp_path)
    source["kaldi"]["root"] = "/corpora"
    assert str(list_utterances(source, Findings())[0].audio.folder) == "/corpora"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("false |", "fails with exit code 1"),
        ("echo oh no >&2; exit 3 |", "fails with exit code 3 (oh no)"),
        ("echo text |", "cannot be read as audio"),
    ],
)
def test_a_pipe_that_fails_is_named(tmp_path, command, message):
    source, protocol = piped(tmp_path)
    edit(tmp_path / "wav.scp", "w1-2 cat wav/a.wav |", f"w1-2 {command}")
    of_pipe = [error for error in errors(source, protocol) if error.endswith("(utterance 'w1-2')")]
    assert of_pipe[0].startswith(f"{command}: {message}")
    said = prepare(tmp_path, source, protocol, "trial", by=calls.refused)
    assert f"error: {command}: {message}" in said


def test_a_pipe_that_hangs_is_ended_with_what_it_started_and_stops_the_check(tmp_path, monkeypatch):
    """At the first one, whatever on_bad_audio says: to wait for a hundred thousand takes days."""
    source, protocol = piped(tmp_path, f"sleep 600 & echo $! >> {tmp_path}/children; wait |")
    for limit in (0.5, 10, 100):  # a machine that is slow or busy may not have begun
        monkeypatch.setattr(recordings, "LIMIT_S", limit)
        (error,) = errors(source | {"on_bad_audio": "exclude"}, protocol)
        assert error.startswith("sleep 600 & ") and f"longer than {limit} s" in error
        if (tmp_path / "children").exists():
            break
    children = (tmp_path / "children").read_text().split()
    assert 1 <= len(children) <= 2
    wait_for(lambda: all(map(is_gone, children)))


def test_ctrl_c_does_not_wait_for_pipes(tmp_path):
    source, protocol = piped(tmp_path, f"touch {tmp_path}/begun; sleep 600 |")
    outputs = {"manifest": tmp_path / "trial.tsv", "audio_dir": tmp_path / "trial"}
    words = calls.flags(source=source, protocol=protocol, part="trial", **outputs)
    job = [sys.executable, *calls.module("prepare_part"), *words]
    with subprocess.Popen(job, env=calls.with_package(), stderr=subprocess.PIPE) as command:
        wait_for(lambda: (tmp_path / "begun").exists() or command.poll() is not None)
        assert command.poll() is None, command.stderr.read()
        command.send_signal(signal.SIGTERM)
        assert command.wait(300) == 143


def test_an_interrupted_command_ends_a_pipe_that_a_thread_was_just_starting(tmp_path, monkeypatch):
    class Late(set):
        def add(self, process):
            time.sleep(1)
            super().add(process)

    def read(recording):
        if recording:
            with pytest.raises(BadInput) as caught, recordings.output(recording):
                pass
            ends.append(str(caught.value))

    ends = []
    monkeypatch.setattr(recordings, "RUNNING", Late())
    monkeypatch.setattr(recordings, "LIMIT_S", 100)
    pipe = Pipe("touch begun; sleep 600", tmp_path)
    read_ahead = recordings.in_threads(read, [None, pipe], threads=1)
    next(read_ahead)
    wait_for((tmp_path / "begun").exists)
    read_ahead.close()
    assert [end.partition(": ")[2] for end in ends] == ["is killed by SIGTERM (it says nothing)"]


@pytest.mark.parametrize("stream", ["", " >&2"])
def test_a_pipe_that_writes_without_end_is_ended(tmp_path, monkeypatch, stream):
    monkeypatch.setattr(recordings, "LIMITED", "ulimit -f 100\n")
    source, protocol = piped(tmp_path, f"yes{stream} |")
    of_first = [error for error in errors(source, protocol) if "(utterance 'w1-0')" in error]
    assert of_first[0].startswith(f"yes{stream} |: ")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only the process group is ended")
def test_nothing_that_left_its_process_group_outlives_a_pipe(tmp_path):
    marker = tmp_path / "sleeper"
    marker.symlink_to(shutil.which("sleep"))
    for _ in range(10):
        with recordings.output(Pipe(f"setsid --fork {marker} 77; echo speech", tmp_path)) as path:
            assert path.read_text() == "speech\n"
        assert not has_command(str(marker))


def test_pipes_of_a_corpus_that_trains_do_not_run_in_the_check_which_finds_lost_programs(tmp_path):
    source, _ = piped(tmp_path, f"touch {tmp_path}/ran |")
    assert errors(source, {}) == []
    assert not (tmp_path / "ran").exists()
    source, _ = piped(tmp_path, f"no_such_flac -c -d {tmp_path}/a.flac |")
    assert errors(source, {})[0].endswith("|: no_such_flac: no such program")
