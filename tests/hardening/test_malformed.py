"""Malformed input: one clear line with the place, the right exit code, nothing lost or half-made.

The tables of cases lie beside this file: malformed_tables, _corpora, _audio, _plugins and _config.
"""

import shutil

import pytest
from support import (
    malformed_audio,
    malformed_config,
    malformed_corpora,
    malformed_plugins,
    malformed_tables,
    world,
)

KINDS = (malformed_tables, malformed_corpora, malformed_audio, malformed_plugins, malformed_config)
CASES = [case for kind in KINDS for case in kind.CASES]


def add_model(folder, command):
    if command == "a model":
        shipped = world.ROOT / "workflow" / "resources" / "ecapa_small"
        # Without its checksums, which would refuse every change before it is read.
        shutil.copytree(shipped, folder / "model", ignore=shutil.ignore_patterns("SHA256SUMS"))


@pytest.mark.parametrize("command", world.COMMANDS)
def test_the_good_world_is_taken(folder, command, capfd):
    add_model(folder, command)
    assert world.call(command) == 0, capfd.readouterr().err


def test_there_are_many_cases_and_no_two_are_the_same():
    assert len(CASES) >= 80
    assert len({(damage, command) for damage, command, *_ in CASES}) == len(CASES)


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
    lines = [
        line for line in (said.err + said.out).splitlines() if line.lstrip().startswith("error")
    ]
    assert [line for line in lines if all(word in line for word in words)], (
        "\n".join(lines) or said.err
    )
    assert command in SEVERAL or len(lines) == 1, "\n".join(lines)
    assert "Traceback" not in said.err
    assert world.contents(folder) == before


SEVERAL = (
    "a config",
    "a Kaldi directory",
    "LibriSpeech",
    "VCTK",
    "a folder",
)  # these say all that is wrong at once


def test_debug_shows_where_an_error_comes_from(folder, capfd, monkeypatch):
    (folder / "scores.tsv").unlink()
    monkeypatch.setenv("VOICEPRIVACY_DEBUG", "")
    assert world.call("verification") == 2
    assert "Traceback" not in capfd.readouterr().err
    assert world.call("verification", debug=True) == 2
    said = capfd.readouterr().err
    assert "Traceback" in said
    assert said.endswith("error: scores.tsv: not found\n")
