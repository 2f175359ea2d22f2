"""A new attacker on all systems of a repository: who is there is attacked, the others are named."""

import shlex
from pathlib import Path

import pytest
import yaml
from support.calls import call
from support.exchange import write_system

from voiceprivacy.inout.files import BadInput
from voiceprivacy.organise.attacking import (
    Attacked,
    add_attacker,
    commands,
    systems_with_speech,
)
from voiceprivacy.organise.records import read_repository
from voiceprivacy.plan import configuration

ATTACKER = {
    "corpora": {"tiny": {"synthetic": {"speakers": 4, "utterances": 4, "first_speaker": 0}}},
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


def test_systems_whose_speech_is_there_are_added_to_the_attackers_config(board, config, tmp_path):
    pattern = f"{tmp_path}/speech/{{system}}/{{revision}}/{{set}}"
    attacked, elsewhere = add_attacker(
        read_repository(board), config, pattern, tmp_path / "run.yaml"
    )
    assert sorted(one.name for one in attacked) == ["x_1_2", "x_2026"]
    assert [system.name for system in elsewhere] == ["y"]
    written = configuration.read(tmp_path / "run.yaml")
    audio = {"audio": f"{tmp_path}/speech/x/1.2/{{set}}"}
    assert written["anonymisers"]["x_1_2"] == audio
    assert written["anonymisers"]["b2"] == ATTACKER["anonymisers"]["b2"]
    assert written["extractors"] == ATTACKER["extractors"]


def test_a_pattern_needs_both_fields_and_speech(board, config, tmp_path):
    repository = read_repository(board)
    with pytest.raises(BadInput, match=r"lacks \{revision\}"):
        systems_with_speech(repository, "/speech/{system}")
    with pytest.raises(BadInput, match="holds the speech of no system"):
        add_attacker(repository, config, "/nowhere/{system}/{revision}", tmp_path / "run.yaml")
    assert not (tmp_path / "run.yaml").exists()


def test_two_systems_never_share_a_name_in_a_run(board, config, tmp_path):
    write_system(board, "x", "1-2")
    (tmp_path / "speech" / "x" / "1-2").mkdir()
    with pytest.raises(BadInput, match="another system is called x_1_2"):
        systems_with_speech(read_repository(board), f"{tmp_path}/speech/{{system}}/{{revision}}")


def test_the_command_says_what_to_call_next(board, config, tmp_path):
    words = ["--repository", board, "--config", config, "--output", tmp_path / "run.yaml"]
    finished = call(
        "add_attacker", *words, "--speech", f"{tmp_path}/speech/{{system}}/{{revision}}"
    )
    assert finished.returncode == 0, finished.stderr
    assert "wrote" in finished.stdout and "2 systems" in finished.stdout
    assert "--anonymiser x_1_2 --system-name x_1_2=x --revision 1.2" in finished.stdout
    assert "no speech of y 2026" in finished.stderr


def test_what_to_call_next_can_be_pasted_whatever_folders_are_called(board):
    attacked = [Attacked(one, "x", "-") for one in read_repository(board).systems.values()][:1]
    run, export = commands(attacked, Path("my run.yaml"), Path("it's"))
    assert shlex.split(run)[-1] == "my run.yaml"
    assert shlex.split(export)[2:6] == ["--repository", "it's", "--laboratory", "YOUR LABORATORY"]
