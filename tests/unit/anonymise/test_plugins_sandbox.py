"""Plug-ins of every kind in their box: they do their work, and change nothing else.

What a program tries to get out of its box stands in unit/running/test_boxes.py.
"""

import sys
from pathlib import Path

import pytest
from support.shards import REVERSED, command_that

from voiceprivacy.anonymise import plugins
from voiceprivacy.attack.extractors import of_others
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.running import boxes, programs
from voiceprivacy.utility import measures
from voiceprivacy.vocabulary import SCRIPTS

pytestmark = pytest.mark.usefixtures("box")

COPY = Path("workflow/resources/plugins/copy_speech.py").absolute()
FUNCTION = """def anonymise(samples, sample_rate, *, utterance, speaker, seed, outside):
    open(f"{outside}/new.txt", "w")
    return samples
"""


@pytest.fixture
def outside(tmp_path):
    (tmp_path / "outside").mkdir()
    return tmp_path / "outside"


@pytest.fixture
def scratch(tmp_path):
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch"


def protect(anonymiser, original, scratch, threads=1):
    how = {"seed": 0, "threads": threads, "scratch": scratch}
    return plugins.protect(anonymiser, read_manifest(original), **how)


def test_a_function_in_the_box_cannot_write_elsewhere(original, scratch, outside, tmp_path):
    (tmp_path / "mine.py").write_text(FUNCTION)
    anonymiser = {"function": f"{tmp_path}/mine.py:anonymise", "options": {"outside": str(outside)}}
    with pytest.raises(BadInput, match="Read-only file system"):
        protect(anonymiser | {"sandbox": True}, original, scratch)
    protect(anonymiser, original, scratch)
    assert (outside / "new.txt").exists()


def test_functions_in_several_processes_work_in_the_box(original, scratch):
    assert len(protect(REVERSED | {"sandbox": True}, original, scratch, threads=2)) == 8


def test_compiled_functions_find_room_in_the_box(scratch):
    """numba stops where it can keep its compiled functions nowhere."""
    imports = "import numpy as np; from voiceprivacy.anonymise.functions.frames import partners"
    words = [sys.executable, "-c", f"{imports}; partners(*np.ones((2, 1)), np.ones(1, int))"]
    variables = {"PYTHONPATH": str(SCRIPTS)}
    words[-1] += "; import pathlib; assert list(pathlib.Path('/box').rglob('*.nbc'))"
    box = boxes.Box(scratch)
    programs.run(words, name="numba", threads=1, variables=variables, box=box)
    assert not list(scratch.rglob("*.nbc"))  # nobody runs what it compiled


INTRUDER = """
import runpy, sys
from pathlib import Path

import numpy as np

given = dict(zip(sys.argv[2::2], sys.argv[3::2]))
try:
    Path(sys.argv[1], "new.txt").write_text("x")
    said = "wrote"
except OSError as error:
    said = error.strerror
ids = [line.split("\\t")[0] for line in open(given["--manifest"])][1:]
if "--output-manifest" in given:
    del sys.argv[1]
    runpy.run_path(COPY, run_name="__main__")
elif "--embeddings" in given:
    np.savez(given["--embeddings"], ids=np.array(ids), embeddings=np.ones((len(ids), 3)))
else:
    rows = ["utterance\\tmetric\\tvalue", *(f"{name}\\twer\\t0" for name in ids)]
    Path(given["--output"]).write_text("\\n".join(rows) + "\\n")
print(said)
"""


@pytest.mark.parametrize("kind", ["anonymiser", "extractor", "measure"])
def test_commands_of_all_kinds_have_the_same_box(original, scratch, outside, tmp_path, capfd, kind):
    (tmp_path / "intruder.py").write_text(INTRUDER.replace("COPY", repr(str(COPY))))
    command = f"{sys.executable} {tmp_path}/intruder.py {outside}"
    utterances = read_manifest(original)
    for boxed in (True, False):
        if kind == "anonymiser":
            own = scratch / f"{boxed}"
            own.mkdir()
            assert len(protect({"command": command, "sandbox": boxed}, original, own)) == 8
        elif kind == "extractor":
            of_others.from_command(command, utterances, threads=1, sandbox={} if boxed else None)
        else:
            how = {"threads": 1, "output": tmp_path / "out.tsv", "sandbox": {} if boxed else None}
            measures.run_measure(command, utterances, utterances, **how)
        said = capfd.readouterr().err
        assert ("Read-only file system" in said) == boxed
        assert (outside / "new.txt").exists() == (not boxed)


def test_what_a_command_returns_was_written_by_it(original, scratch, tmp_path, monkeypatch):
    """It may name what it cannot read: somebody else's speech, which we can."""
    other = read_manifest(original)[0].path
    (tmp_path / "thief").mkdir()
    command = command_that(tmp_path / "thief", f"rows[0][3] = {str(other)!r}")
    assert len(protect(command, original, scratch)) == 8
    for left in scratch.iterdir():
        left.rmdir() if left.is_dir() else left.unlink()
    with pytest.raises(BadInput, match="a file outside of its box"):
        protect(command | {"sandbox": True}, original, scratch)


def test_in_the_box_recordings_are_called_as_their_utterances(original, scratch, tmp_path):
    (tmp_path / "tell.sh").write_text('ls "$(dirname "$2")"/../input >&2; cat "$2" >&2; exit 3\n')
    with pytest.raises(BadInput, match="exit code 3"):
        protect({"command": f"sh {tmp_path}/tell.sh", "sandbox": True}, original, scratch)
    rows = (scratch / "given" / "manifests" / "input.tsv").read_text().splitlines()[1:]
    assert rows[0].split("\t")[3] == str(scratch / "given" / "input" / "s1_1.flac")
    assert len(list((scratch / "given" / "input").iterdir())) == 8
