"""What all commands share: how they refuse, and what they print."""

import errno
import io
import json
import os
import re
import tempfile
from unittest import mock

import pytest
from support.calls import call

from voiceprivacy.errors import BadInput
from voiceprivacy.privacy.uncertainty.interval_files import print_metrics
from voiceprivacy.running import command


@pytest.fixture
def attempt(capsys):
    """Call a command that raises an error: (exit code, what it said)."""

    def call(error):
        with pytest.raises(SystemExit) as left:
            command.run(mock.Mock(side_effect=error, __name__="main"))
        return left.value.code, capsys.readouterr().err

    return call


def test_bad_input_a_lost_package_and_a_full_memory_are_one_line_each(attempt):
    said = attempt(BadInput("list:3: no such speaker"))
    assert said == (2, "error: list:3: no such speaker\n")
    code, said = attempt(ModuleNotFoundError("No module named 'yaml'", name="yaml"))
    assert code == 2 and "package yaml, which is not installed" in said
    code, said = attempt(ModuleNotFoundError("gone", name="voiceprivacy.gone"))
    assert code == 1 and "a mistake of this program" in said

    class OutOfMemoryError(RuntimeError):
        """As torch calls it."""

    for error in (
        OutOfMemoryError("CUDA out of memory.\nTried to allocate 2.00 GiB."),
        RuntimeError("DefaultCPUAllocator: can't allocate memory"),
    ):
        code, said = attempt(error)
        assert code == 1 and said.count("\n") == 1 and said.startswith("error: out of memory (")


@pytest.mark.parametrize(
    ("number", "name", "code", "said"),
    [
        (errno.ENOSPC, None, 1, "No space left on device .*set TMPDIR"),
        (errno.ENOSPC, "results/a.wav", 1, "results/a.wav: No space left on device$"),
        (errno.ENOSPC, "{tmp}/x/a.wav", 1, "/x/a.wav: No space left on device: set TMPDIR"),
        (errno.EACCES, "{tmp}/x/a.wav", 2, "/x/a.wav: Permission denied: set TMPDIR"),
        (errno.EBADF, None, 1, "Bad file descriptor$"),
        (errno.EEXIST, "{tmp}/x/a.wav", 2, "/x/a.wav: File exists$"),
    ],
)
def test_a_full_or_unwritable_folder_is_named_with_what_to_set(attempt, number, name, code, said):
    path = name and name.format(tmp=tempfile.gettempdir())
    its_code, line = attempt(OSError(number, os.strerror(number), path))
    assert its_code == code and re.search(said, line.strip())


def test_where_nothing_temporary_can_be_written_tmpdir_is_named(attempt, monkeypatch):
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/proc/x"])
    monkeypatch.setattr(tempfile, "tempdir", None)
    with pytest.raises(FileNotFoundError) as error:
        tempfile.gettempdir()
    code, said = attempt(error.value)
    assert code == 2 and "/proc/x" in said and "set TMPDIR" in said
    assert attempt(FileNotFoundError(errno.ENOENT, "gone", "a")) == (2, "error: a: gone\n")


def test_a_terminal_that_knows_ascii_only_is_told_the_rest_in_escapes():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    command.say("José: \N{GREEK SMALL LETTER ALPHA} \udcff", file=stream)
    stream.flush()
    assert stream.buffer.getvalue() == b"Jos\\xe9: \\u03b1 \\xff\n"


def test_one_of_several_options_is_required():
    for model, held_out in ((None, None), ("m", "h")):
        with pytest.raises(BadInput, match="give one of --model, --held-out"):
            command.require_one(model=model, held_out=held_out)
    command.require_one(model="m", held_out=None)


def test_a_table_is_printed_in_columns_and_shows_once_what_two_numbers_say(capsys):
    numbers = {"a": {"n": 3, "eer_percent": 12.3456789}, "b": {"n": 12}, "c": {"n": None}}
    print_metrics(numbers)
    assert capsys.readouterr().out.splitlines() == [
        "                   a   b  c",
        "n                  3  12  -",
        "eer_percent  12.3457   -  -",
    ]
    print_metrics({"a": {"ddcf": 0.5, "kl_bit": 1.0, "kl_ll_bit": 1.0, "kl_ms_bit": 2.0}})
    lines = capsys.readouterr().out.splitlines()[1:]
    assert [line.split()[0] for line in lines] == ["kl_bit", "kl_ms_bit"]


FORGED = {
    "a line": "x\nsubmission.zip, anonymiser b2: no findings",
    "a return": "x\rno findings",
    "other line ends": "x\u2028no findings\x85no findings\x0bno findings",
    "an escape": "x\x1b[1A\x1b[2Kno findings",
    "a title": "x\x1b]0;no findings\x07",
    "C1": "x\x9b1A\x9dno findings",
    "writing turned": "x\u202esgnidnif on\u2066\u200f",
    "half a character": "x\ud800",
    "NUL and backspace": "x\0\b\b\bno findings",
}


@pytest.mark.parametrize("name", FORGED.values(), ids=FORGED)
def test_no_foreign_name_ends_a_line_or_steers_a_terminal(name, capsys):
    command.say(f"{name}: missing", "the last line")
    text = capsys.readouterr().out
    assert text.endswith("\nthe last line\n") and text.count("\n") == 2
    assert len(text.splitlines()) == 2
    assert all(character.isprintable() for character in text.replace("\n", ""))


@pytest.mark.parametrize("text", ["A" * 10**6, f"'{'a b ' * 10**5}'", "a b " * 10**6])
def test_a_foreign_value_is_cut(text, capsys):
    command.say(f"file: {text} is missing")
    line = capsys.readouterr().out
    assert len(line) <= 4001 and line.startswith("file: ")
    assert "A" * 501 not in line
    with pytest.raises(BadInput) as error:
        raise BadInput(f"file: '{text}' is missing")
    assert len(str(error.value)) <= 4000


@pytest.mark.parametrize("is_there", [False, True])
def test_commands_say_in_escapes_what_a_locale_of_ascii_has_not(tmp_path, is_there):
    """As in cron and in many containers: errors, and what is found."""
    if is_there:
        (tmp_path / "zoé 日本").mkdir()
        record = {"sha256": {}, "outputs": {"metrics.tsv": "0"}}
        (tmp_path / "zoé 日本" / "provenance.json").write_text(json.dumps(record))
    ascii_only = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = call("verify", "zoé 日本", env=os.environ | ascii_only, cwd=tmp_path)
    assert done.returncode == 2
    folder = "zo\\xe9 \\u65e5\\u672c"
    missing = f"{folder}/metrics.tsv: is missing\n"
    said = (missing, "") if is_there else ("", f"error: {folder}/provenance.json: not found\n")
    assert (done.stdout, done.stderr) == said
