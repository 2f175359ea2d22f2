"""No command overwrites what it reads, whatever name the file has: links lead to it, too.

Every output of the commands of the good world is pointed at every file that the command names, and
every folder of speech at the one that it reads.
"""

import itertools
import os
import shlex

import pytest
from support import world

SPEECH = "data/wav"  # where the speech of speech/manifest.tsv lies
WAYS = {
    "itself": lambda target, name: target,
    "a longer way": lambda target, name: os.path.join("data", "..", target),
    "a symbolic link": lambda target, name: _linked(os.symlink, os.path.abspath(target), name),
    "a hard link": lambda target, name: _linked(os.link, target, name),
}


def _linked(link, target, name):
    link(target, name)
    return name


def pairs():
    """(command, output, input) as the words of each command name them."""
    named = []
    for command, line in world.COMMANDS.items():
        if command == "a model":  # the good world has none
            continue
        words = shlex.split(line)[1:]
        outputs = [word for word in words if word.startswith("out.")]
        files = [word for word in words if "." in word and not {*" {"} & {*word}]
        inputs = [word for word in files if not word.startswith(("out", "-"))]
        for output in dict.fromkeys(outputs):
            named += [(command, output, name) for name in dict.fromkeys(inputs)]
    return named


def refused(monkeypatch, folder, capfd, command, words):
    """Call a command with other words; it must end with 2 and leave every file as it was."""
    monkeypatch.setitem(world.COMMANDS, command, shlex.join(words))
    before = world.contents(folder)
    status = world.call(command)
    said = capfd.readouterr().err
    assert status == 2, said
    after = world.contents(folder)
    assert {name: after.get(name) for name in before} == before
    return said


@pytest.mark.parametrize(
    ("command", "output", "input_file", "way"),
    [(*pair, way) for pair, way in zip(pairs(), itertools.cycle(WAYS), strict=False)],
)
def test_an_input_is_not_overwritten(folder, monkeypatch, capfd, command, output, input_file, way):
    target = WAYS[way](input_file, f"link.{input_file.rpartition('.')[2]}")
    words = [target if word == output else word for word in shlex.split(world.COMMANDS[command])]
    said = refused(monkeypatch, folder, capfd, command, words)
    assert f"{target}: is an input of this command" in said


@pytest.mark.parametrize("audio_dir", [SPEECH, f"{SPEECH}/deeper", "link"])
@pytest.mark.parametrize("command", ["McAdams", "a plug-in's function", "a plug-in's command"])
def test_speech_is_not_written_where_it_is_read(folder, monkeypatch, capfd, command, audio_dir):
    os.symlink(os.path.abspath(SPEECH), "link")
    words = [audio_dir if word == "out" else word for word in shlex.split(world.COMMANDS[command])]
    said = refused(monkeypatch, folder, capfd, command, words)
    assert f"{audio_dir}: speech is read from this folder, or one above or below it" in said


def test_a_file_that_was_not_read_is_replaced_once(folder, monkeypatch):
    (folder / "out.json").write_text("an older result")
    assert world.call("zebra") == 0
    assert "an older result" not in (folder / "out.json").read_text()
    both = world.COMMANDS["zebra"].replace("out.tsv", "out.json")
    monkeypatch.setitem(world.COMMANDS, "zebra", both)
    assert world.call("zebra") == 2
