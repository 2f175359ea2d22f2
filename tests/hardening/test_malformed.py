"""Malformed input: one clear line with the place, the right exit code, nothing half-made."""

import shutil

import pytest
from support import world
from support.malformed_inputs import CASES


def add_model(folder, command):
    if command == "a model":
        shipped = world.ROOT / "workflow" / "resources" / "ecapa_small"
        # Without its checksums, which would refuse every change before it is read.
        shutil.copytree(shipped, folder / "model", ignore=shutil.ignore_patterns("SHA256SUMS"))


@pytest.mark.parametrize("command", world.COMMANDS)
def test_the_good_world_is_taken(folder, command, capfd):
    add_model(folder, command)
    assert world.call(command) == 0, capfd.readouterr().err


@pytest.mark.parametrize(
    ("command", "file", "spoil", "words"),
    [case[1:] for case in CASES],
    ids=[f"{case[1]}: {case[0]}" for case in CASES],
)
def test_malformed_input_is_one_clear_line(folder, capfd, command, file, spoil, words):
    add_model(folder, command)
    spoil(folder / file)
    before = world.contents(folder)
    status = world.call(command)
    said = capfd.readouterr()
    assert status == 2, said.err
    text = said.err + said.out
    lines = [line for line in text.splitlines() if line.lstrip().startswith("error")]
    assert [line for line in lines if all(word in line for word in words)], text
    assert command in SEVERAL or len(lines) == 1, text
    assert "Traceback" not in said.err
    assert world.contents(folder) == before


# These say all that is wrong at once.
SEVERAL = ("a config", "a Kaldi directory", "LibriSpeech", "VCTK", "a folder")
