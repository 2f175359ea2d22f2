"""The tutorials do what they say: files are saved, commands are called, as they stand there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.runs import HANG_SECONDS, ROOT

TUTORIALS = ROOT / "docs/tutorials"
FENCE = re.compile(r'^```(\w+)(?: title="([^"]*)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def blocks(name):
    """(language, title or "", text) of each block of a tutorial."""
    return FENCE.findall((TUTORIALS / f"{name}.md").read_text(encoding="utf-8"))


def environment(tmp_path):
    """PATH with ``voiceprivacy`` of this checkout, as make installs it into .venv."""
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    command = folder / "voiceprivacy"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} {ROOT}/scripts/main.py "$@"\n')
    command.chmod(0o755)
    places = [str(folder), str(Path(sys.executable).parent), os.environ["PATH"]]
    return os.environ | {"PATH": os.pathsep.join(places)}


def start(text, folder):
    """The commands of a block, as a person types them one after the other."""
    with open(folder / "said", "w") as said:
        return subprocess.Popen(
            ["sh", "-e", "-c", text],
            cwd=folder,
            env=environment(folder.parent),
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def follow(name, folder):
    """Do what a tutorial says, in a folder; returns what each block's commands said."""
    answers = []
    for language, title, text in blocks(name):
        if language != "sh":
            (folder / title).write_text(text, encoding="utf-8")
            continue
        process = start(text, folder)
        status = process.wait(timeout=HANG_SECONDS)
        answers.append((folder / "said").read_text())
        assert status == 0, f"{text}\n{answers[-1]}"
    return answers


@pytest.fixture
def folder(tmp_path):
    """A folder to type in."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def test_every_tutorial_is_followed_here():
    followed = {"scores"}
    assert {path.stem for path in TUTORIALS.glob("*.md")} == followed
    for name in followed:
        languages = [language for language, _, _ in blocks(name)]
        assert "sh" in languages and {"sh", "python", "yaml"}.issuperset(languages)


def test_a_score_file(folder):
    *_, verification, _, negated = follow("scores", folder)
    assert "eer_percent" in verification
    made = {path.name for path in folder.iterdir()}
    assert made >= {"verification.json", "zebra.json", "zebra.png", "det.png", "det.tex"}
    eer = float(re.search(r"eer_percent\s+([\d.]+)", negated).group(1))
    assert eer > 60
