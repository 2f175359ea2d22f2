"""The words behind ``voiceprivacy``: each is a script that helps, and a wrong one is told apart."""

import shutil
import subprocess
import sys

import pytest

from voiceprivacy.inout.files import SCRIPTS, BadInput
from voiceprivacy.tools.commands import COMMANDS, SHELLS, completion, find, overview


def voiceprivacy(*words):
    command = [sys.executable, SCRIPTS / "main.py", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_a_script_that_helps_under_its_name(name):
    finished = voiceprivacy(*name.split(), "--help")
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.startswith(f"usage: voiceprivacy {name}")
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
    finished = voiceprivacy(*words)
    assert finished.returncode == 2
    assert finished.stderr.count("\n") == 1 and not finished.stdout


def test_without_words_it_helps_and_its_version_is_that_of_the_project():
    assert voiceprivacy().stdout == voiceprivacy("--help").stdout
    assert "start here:" in voiceprivacy("--help").stdout
    version = voiceprivacy("--version").stdout.split()[1]
    assert f'version = "{version}"' in (SCRIPTS.parent / "pyproject.toml").read_text()


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes_the_commands(shell):
    lines = "\n".join(completion([shell]))
    assert "new-run" in lines and "zebra" in lines
    if shutil.which(shell) is None:
        return
    assert subprocess.run([shell, "-c", lines], check=False).returncode == 0


def test_bash_completes_what_is_typed():
    asked = "COMP_WORDS=(voiceprivacy val); COMP_CWORD=1; compgen -W"
    words = "\n".join(completion(["bash"])).split("'")[1]
    finished = subprocess.run(
        ["bash", "-c", f"{asked} '{words}' val"], capture_output=True, text=True, check=False
    )
    assert finished.stdout.split() == ["validate"]


@pytest.mark.parametrize("words", [[], ["csh"], ["bash", "zsh"]])
def test_another_shell_is_refused(words):
    with pytest.raises(BadInput, match="bash, zsh, fish"):
        completion(words)
