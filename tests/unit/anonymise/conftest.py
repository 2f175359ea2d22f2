"""Eight noisy tones of four speakers, half a second each; a team that protected them; the box."""

import contextlib
import json
import sys
from pathlib import Path

import pytest
from support import needs
from support.sounds import RATE, tone

from voiceprivacy.anonymise import call_function
from voiceprivacy.inout import audio
from voiceprivacy.inout.manifests import Utterance, write_manifest
from voiceprivacy.running import boxes, programs


@pytest.fixture
def original(tmp_path):
    """The manifest's path; its utterances s0_0, s0_1, s1_0, ... are not in sorted order."""
    folder = tmp_path / "original"
    utterances = []
    for index in (3, 0, 7, 4, 1, 6, 2, 5):
        name, speaker = f"s{index // 2}_{index % 2}", f"s{index // 2}"
        audio.write(folder / f"{name}.flac", tone(index), RATE)
        utterances.append(Utterance(name, speaker, "fm"[index // 4], folder / f"{name}.flac", 0.5))
    write_manifest(folder / "manifest.tsv", utterances)
    return folder / "manifest.tsv"


@pytest.fixture
def team(tmp_path):
    """A folder of protected audio, good as it is: {name: path}."""
    paths = {f"s{n // 2}_{n % 2}": tmp_path / "team" / f"s{n // 2}_{n % 2}.wav" for n in range(8)}
    for n, path in enumerate(paths.values()):
        audio.write(path, tone(n)[::-1], RATE)
    return paths


@pytest.fixture
def box():
    """Where this machine makes boxes."""
    needs.program_or_skip("bubblewrap", boxes.why_not)


@pytest.fixture
def this_process(monkeypatch):
    """Call functions of one thread here: a program of their own takes a second to begin."""
    run = programs.run
    monkeypatch.setattr(sys, "path", [*sys.path])

    def call(words, **options):
        job = json.loads(Path(words[-1]).read_text()) if call_function.__name__ in words else {}
        if job.get("threads") != 1 or options["box"]:
            return run(words, **options)
        call_function.load_function.cache_clear()
        with contextlib.suppress(SystemExit):
            call_function.call_all(**job)

    monkeypatch.setattr(programs, "run", call)
