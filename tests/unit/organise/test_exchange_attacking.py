"""A new attacker on all systems of a repository: who is there is attacked, the others are named."""

import shlex
from pathlib import Path

import pytest
import yaml
from support.calls import here
from support.exchange import write_protocol, write_system
from support.plans import voices

from voiceprivacy.errors import BadInput
from voiceprivacy.organise.attacking import add_attacker, commands
from voiceprivacy.organise.records import read_repository
from voiceprivacy.plan import configuration

ATTACKER = {
    "corpora": {"tiny": voices(4, 4)},
    "anonymisers": {"b2": {"command": "python b2.py"}},
    "extractors": {"new": {"package": "resemblyzer"}},
    "backends": {"cosine": {"type": "cosine"}},
}


@pytest.fixture
def board(tmp_path):
    """A repository of three systems; the speech of two is there."""
    folder = tmp_path / "board"
    for name, revision in (("x", "2026"), ("x", "1.2"), ("y", "2026")):
        write_system(folder, name, revision)
    for system in ("x/2026", "x/1.2"):
        (tmp_path / "speech" / system / "tiny").mkdir(parents=True)
    return folder


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "attacker.yaml"
    path.write_text(yaml.safe_dump(ATTACKER))
    return path


def test_systems_whose_speech_is_there_are_added_to_the_config(board, config, tmp_path):
    words = ["--repository", board, "--config", config, "--output", tmp_path / "run.yaml"]
    pattern = f"{tmp_path}/speech/{{system}}/{{revision}}/{{set}}"
    finished = here("add_attacker", *words, "--speech", pattern)
    assert finished.returncode == 0, finished.stderr
    assert "2 systems" in finished.stdout and "no speech of y 2026" in finished.stderr
    assert "--anonymiser x_1_2 --system-name x_1_2=x --revision 1.2" in finished.stdout
    written = configuration.read(tmp_path / "run.yaml")
    folders = {"x_1_2": "x/1.2", "x_2026": "x/2026"}
    added = {name: {"audio": f"{tmp_path}/speech/{path}/{{set}}"} for name, path in folders.items()}
    assert written["anonymisers"] == ATTACKER["anonymisers"] | added
    assert written["extractors"] == ATTACKER["extractors"]


def test_a_wrong_pattern_writes_nothing(board, config, tmp_path):
    write_system(board, "x", "1-2")
    (tmp_path / "speech" / "x" / "1-2").mkdir()
    for pattern, said in (
        ("/speech/{system}", r"lacks \{revision\}"),
        ("/nowhere/{system}/{revision}", "holds the speech of no system"),
        (f"{tmp_path}/speech/{{system}}/{{revision}}", "another anonymiser is called x_1_2, too"),
    ):
        with pytest.raises(BadInput, match=said):
            add_attacker(read_repository(board), config, pattern, tmp_path / "run.yaml")
        assert not (tmp_path / "run.yaml").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "attacker.yaml: has no corpora"),
        ("corpora: {}\n", "attacker.yaml: has no corpora"),
        ("anonymisers: x\n", "attacker.yaml: anonymisers: 'x' is not"),
        ("corpora: {tiny: {synthetic: {speakers: 4, utterances: 4}}}\n", "run.yaml: .*_on_"),
        (yaml.safe_dump(ATTACKER), "attacker.yaml: .* tiny_f, and .* has libri_f"),
    ],
)
def test_what_is_no_config_of_an_attacker_writes_nothing(board, config, tmp_path, text, said):
    config.write_text(text)
    if "synthetic: {" in text:
        write_system(board, "speech_on_demand", "1")
        (tmp_path / "speech" / "speech_on_demand" / "1").mkdir(parents=True)
    write_protocol(board)
    pattern = f"{tmp_path}/speech/{{system}}/{{revision}}"
    with pytest.raises(BadInput, match=said):
        add_attacker(read_repository(board), config, pattern, tmp_path / "run.yaml")
    assert not (tmp_path / "run.yaml").exists()


def test_what_to_call_next_can_be_pasted_whatever_folders_are_called(board):
    system = next(iter(read_repository(board).systems.values()))
    run, export = commands({"x": system}, Path("my run.yaml"), Path("it's"))
    assert shlex.split(run)[-1] == "my run.yaml"
    assert shlex.split(export)[2:6] == ["--repository", "it's", "--laboratory", "YOUR LABORATORY"]
