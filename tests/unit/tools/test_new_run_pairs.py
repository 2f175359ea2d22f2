"""What new-run shows of the pairs it found, and its questions about names."""

import numpy as np
import pytest
from support.calls import call

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
            from_name = f"{target}_{number:03d}_from_{source}.wav"
            audio.write(tmp_path / "target" / from_name, samples[::-1], 16000)


@pytest.mark.parametrize("how", [["--preview"], ["--config", "my.yaml"]])
def test_the_first_the_middle_and_the_last_pair_are_shown(tmp_path, how):
    made = call("new_run", "--original", "speech", "--protected", "mine=mine", *how, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert f"mine: 12 of 12 found below {tmp_path}/mine" in made.stdout
    assert [line for line in made.stdout.splitlines() if "<-" in line] == PAIRS
    assert (tmp_path / "my.yaml").exists() == ("--config" in how)


@pytest.mark.parametrize("how", [["--preview"], ["--config", "my.yaml"]])
def test_names_of_two_speakers_are_one_error_and_nothing_is_written(tmp_path, how):
    made = call("new_run", "--original", "speech", "--protected", "mine=target", *how, cwd=tmp_path)
    assert made.returncode == 2 and made.stderr.count("\n") == 1
    assert "target: names hold two speakers, such as p22" in made.stderr
    assert "which one spoke? Say it in a wav.scp in this folder" in made.stderr
    assert not list(tmp_path.glob("my*"))


def test_two_guesses_of_who_speaks_are_an_error_until_a_pattern_decides(tmp_path):
    for feeling in ("gloomy", "cheerful"):
        for path in (tmp_path / "speech").iterdir():
            link = tmp_path / "moods" / feeling / path.name.replace("p22", "kim").replace("_", "-")
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(path)
    asked = call("new_run", "--original", "moods", "--preview", cwd=tmp_path)
    assert asked.returncode == 2 and asked.stderr.count("\n") == 1
    assert "'cheerful' ({speaker}/{utterance}.wav) or 'kim5' (*/{speaker}-" in asked.stderr
    pattern = ["--pattern", "*/{speaker}-{utterance}.wav"]
    told = call("new_run", "--original", "moods", "--preview", *pattern, cwd=tmp_path)
    assert told.returncode == 0 and "3 speakers, 8 utterances each" in told.stdout
