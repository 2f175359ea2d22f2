"""The words behind ``voiceprivacy``: each is a script that helps, and a wrong one is told apart."""

import os
import shutil
import subprocess
import sys

import pytest
from support.calls import help_of, here

from voiceprivacy.errors import BadInput
from voiceprivacy.tools.commands import COMMANDS, SHELLS, completion, find, overview
from voiceprivacy.vocabulary import SCRIPTS


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_a_script_that_helps_under_its_name(name):
    assert help_of("main", *name.split()).startswith(f"usage: voiceprivacy {name}")
    assert COMMANDS[name].what in "\n".join(overview())


def test_words_behind_a_command_are_handed_on_and_a_first_word_helps_with_its_commands():
    words = ["assess", "zebra", "--scores", "a b.tsv", "--label", "assess"]
    assert find(words) == ("assess zebra", ["--scores", "a b.tsv", "--label", "assess"])
    assert find(["run", "demo"]) == ("run", ["demo"])
    finished = here("main", "assess", "--help")
    assert (finished.returncode, finished.stderr) == (0, "")
    for name, command in COMMANDS.items():
        assert (command.what in finished.stdout) == name.startswith("assess ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["asses", "zebra"], "did you mean 'assess zebra'"),
        (["asess", "verificaton"], "did you mean 'assess verification'"),
        (["newrun"], "did you mean 'new-run'"),
        (["assess"], "say which: assess verification, "),
        (["qqqqq"], "--help"),
        ([""], "no such command"),
    ],
)
def test_an_unknown_command_is_told_which_is_meant(words, said):
    with pytest.raises(BadInput, match=said):
        find(words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["validate", "my.yaml"], "voiceprivacy validate: the following arguments are required"),
        (["new-run", "--original", "x", "--protcted", "a=b"], "did you mean --protected?"),
        (["plot", "zebr"], "argument KIND: invalid choice: 'zebr'"),
        (["assess", "zebra", "--scores", "-s.tsv"], "write the file as ./-s.tsv"),
    ],
)
def test_wrong_options_are_one_line(words, said, tmp_path):
    (tmp_path / "-s.tsv").touch()
    finished = here("main", *words, cwd=tmp_path)
    assert finished.returncode == 2 and not finished.stdout
    assert finished.stderr.startswith("error: ") and finished.stderr.count("\n") == 1
    assert said in finished.stderr and "--help" in finished.stderr


def test_its_version_is_that_of_the_project_through_a_link_too(tmp_path):
    helped = here("main").stdout
    assert helped == here("main", "--help").stdout and "start here:" in helped
    (tmp_path / "voiceprivacy").symlink_to(SCRIPTS / "voiceprivacy")
    command = [sys.executable, "-m", "voiceprivacy", "--version"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    said = subprocess.check_output(command, env=environment, text=True)
    assert said.startswith("voiceprivacy ")
    project = (SCRIPTS.parent / "pyproject.toml").read_text()
    assert f'version = "{said.split()[1]}"' in project


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes_the_commands(shell):
    with pytest.raises(BadInput, match="bash, zsh, fish"):
        completion(["csh"])
    lines = "\n".join(completion([shell]))
    assert "new-run" in lines and "zebra" in lines
    if shutil.which(shell) is None:
        return
    assert subprocess.run([shell, "-c", lines], check=False).returncode == 0
