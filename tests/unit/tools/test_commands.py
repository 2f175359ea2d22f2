"""The words behind ``voiceprivacy``: each is a script that helps, and a wrong one is told apart."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.calls import help_of

from voiceprivacy.inout.files import SCRIPTS, BadInput
from voiceprivacy.tools.commands import COMMANDS, SHELLS, completion, find, overview


def voiceprivacy(*words):
    command = [sys.executable, SCRIPTS / "main.py", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_a_script_that_helps_under_its_name(name):
    assert help_of("main", *name.split()).startswith(f"usage: voiceprivacy {name}")
    assert COMMANDS[name].what in "\n".join(overview())


def test_words_behind_a_command_are_handed_on_as_they_are():
    words = ["assess", "zebra", "--scores", "a b.tsv", "--label", "assess"]
    assert find(words) == ("assess zebra", ["--scores", "a b.tsv", "--label", "assess"])
    assert find(["run", "demo"]) == ("run", ["demo"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["asses", "zebra"], "did you mean 'assess zebra'?"),
        (["asess", "verificaton"], "did you mean 'assess verification'?"),
        (["newrun"], "did you mean 'new-run'?"),
        (["assess"], "say which: assess verification, "),
        (["qqqqq"], "voiceprivacy --help lists all"),
        ([""], "no such command"),
    ],
)
def test_an_unknown_command_is_told_which_is_meant(words, said):
    with pytest.raises(BadInput, match=said.replace("?", r"\?")):
        find(words)


def test_the_first_word_of_several_commands_helps_with_these():
    finished = voiceprivacy("assess", "--help")
    assert (finished.returncode, finished.stderr) == (0, "")
    for name, command in COMMANDS.items():
        assert (command.what in finished.stdout) == name.startswith("assess ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["validate", "my.yaml"], "voiceprivacy validate: the following arguments are required"),
        (["new-run", "--original", "x", "--protcted", "a=b"], "did you mean --protected?"),
        (["plot", "zebr"], "argument KIND: invalid choice: 'zebr'"),
        (["assess", "zebra", "--scores", "-s.tsv"], "write the file as ./-s.tsv"),
    ],
)
def test_wrong_options_are_one_line(words, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("-s.tsv").touch()
    finished = voiceprivacy(*words)
    assert finished.returncode == 2 and not finished.stdout
    assert finished.stderr.startswith("error: ") and finished.stderr.count("\n") == 1
    assert said in finished.stderr and "--help" in finished.stderr


def test_its_version_is_that_of_the_project_through_a_link_too(tmp_path):
    helped = voiceprivacy().stdout
    assert helped == voiceprivacy("--help").stdout and "start here:" in helped
    version = voiceprivacy("--version").stdout.split()[1]
    assert f'version = "{version}"' in (SCRIPTS.parent / "pyproject.toml").read_text()
    (tmp_path / "voiceprivacy").symlink_to(SCRIPTS / "voiceprivacy")
    command = [sys.executable, "-m", "voiceprivacy", "--version"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.startswith("voiceprivacy ")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes_the_commands(shell):
    lines = "\n".join(completion([shell]))
    assert "new-run" in lines and "zebra" in lines
    if shutil.which(shell) is None:
        return
    assert subprocess.run([shell, "-c", lines], check=False).returncode == 0


def test_another_shell_is_refused():
    with pytest.raises(BadInput, match="bash, zsh, fish"):
        completion(["csh"])
