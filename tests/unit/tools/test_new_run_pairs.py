"""What new-run shows of the pairs it found."""

import numpy as np
import pytest
from support.calls import here

from voiceprivacy.inout import audio

SPEAKERS = ("p225", "p226", "p227")
PAIRS = [
    "    p225_001.wav  <-  mine/p225_001_to_p226.wav",
    "    p226_003.wav  <-  mine/p226_003_to_p227.wav",
    "    p227_004.wav  <-  mine/p227_004_to_p225.wav",
]


@pytest.fixture(autouse=True)
def folders(tmp_path):
    for index, (source, target) in enumerate(zip(SPEAKERS, SPEAKERS[1:] + SPEAKERS, strict=False)):
        for number in range(1, 5):
            samples = np.random.default_rng([index, number]).normal(0, 0.1, 8000)
            name = f"{source}_{number:03d}"
            audio.write(tmp_path / "speech" / f"{name}.wav", samples, 16000)
            audio.write(tmp_path / "mine" / f"{name}_to_{target}.wav", samples[::-1], 16000)


@pytest.mark.parametrize("how", [["--preview"], ["--config", "my.yaml"]])
def test_the_first_the_middle_and_the_last_pair_are_shown(tmp_path, how):
    made = here("new_run", "--original", "speech", "--protected", "mine=mine", *how, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert f"mine: 12 of 12 found below {tmp_path}/mine" in made.stdout
    assert [line for line in made.stdout.splitlines() if "<-" in line] == PAIRS
    assert (tmp_path / "my.yaml").exists() == ("--config" in how)
