"""The tutorials do what they say: files are saved, commands are called, as they stand there."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.neural import needs_neural
from support.runs import HANG_SECONDS, ROOT, finished_jobs, wait_for_jobs

TUTORIALS = ROOT / "docs/tutorials"
FENCE = re.compile(r'^```(\w+)(?: title="([^"]*)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
KILLED = "to be killed"


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
    command, where = ["sh", "-e", "-c", text], {"cwd": folder, "env": environment(folder.parent)}
    with open(folder / "said", "w") as said:
        streams = {"stdout": said, "stderr": subprocess.STDOUT}
        return subprocess.Popen(command, **where, **streams, start_new_session=True)


def follow(name, folder):
    """Do what a tutorial says, in a folder; returns what each block's commands said."""
    answers = []
    for language, title, text in blocks(name):
        if language != "sh":
            (folder / title).write_text(text, encoding="utf-8")
            continue
        process = start(text, folder)
        if title == KILLED:
            wait_for_jobs(sum(map(len, finished_jobs(folder))) + 1, process, folder)
            assert process.poll() is None, (folder / "said").read_text()
            os.killpg(process.pid, signal.SIGKILL)
            assert process.wait(timeout=HANG_SECONDS) == -signal.SIGKILL
        else:
            status = process.wait(timeout=HANG_SECONDS)
            answers.append((folder / "said").read_text())
            assert status == 0, f"{text}\n{answers[-1]}"
    return answers


def anonymisers(folder):
    rows = (folder / "results/metrics.tsv").read_text().splitlines()[1:]
    return {row.split("\t")[2] for row in rows}


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def test_every_tutorial_is_followed_here():
    followed = {"folder", "scores", "corpus", "anonymiser", "resume", "neural"}
    assert {path.stem for path in TUTORIALS.glob("*.md")} == followed
    for name in followed:
        languages = [language for language, _, _ in blocks(name)]
        assert "sh" in languages and {"sh", "python", "yaml"}.issuperset(languages)


def test_a_score_file(folder):
    *_, verification, _, negated = follow("scores", folder)
    assert "eer_percent" in verification
    made = {path.name for path in folder.iterdir()}
    assert made >= {"verification.json", "zebra.json", "zebra.png", "det.png", "det.pdf"}
    eer = float(re.search(r"eer_percent\s+([\d.]+)", negated).group(1))
    assert eer > 60


@pytest.mark.long
def test_a_folder_of_anonymised_wavs(folder):
    *_, shown = follow("folder", folder)
    assert "mine" in shown
    assert anonymisers(folder) == {"original", "mine"}
    assert (folder / "results/report/index.html").exists()


@pytest.mark.nightly
def test_a_corpus_an_anonymiser_and_a_kill(folder):
    (first, *_) = [text for _, title, text in blocks("folder") if title == "make_speech.py"]
    subprocess.run([sys.executable, "-c", first], cwd=folder, check=True)
    shutil.rmtree(folder / "mine")
    follow("corpus", folder)
    assert anonymisers(folder) == {"original", "b2"}
    follow("anonymiser", folder)
    assert anonymisers(folder) == {"original", "b2", "speed", "louder"}
    first, with_speed, edited, _ = map(len, finished_jobs(folder))
    assert edited <= with_speed < first  # what is known of b2 and the original is not made again
    follow("resume", folder)
    assert anonymisers(folder) == {"original", "b2", "b2r"}


@pytest.mark.nightly
@needs_neural
def test_a_neural_system(folder):
    *_, shown = follow("neural", folder)
    assert "one_voice" in shown
    assert anonymisers(folder) == {"original", "one_voice"}
