"""From wavs and protected wavs to the report, in the two commands of the README."""

import pytest
from support.calls import call, flags
from support.runs import SPEAKERS, finish, rows, spoken

from voiceprivacy.inout import audio
from voiceprivacy.plan.defaults import strongest_extractor

pytestmark = pytest.mark.long


def test_two_commands_from_two_folders_to_the_report(tmp_path):
    for speaker, (_, pitch_hz) in SPEAKERS.items():
        for number in range(5):
            samples = spoken(speaker, f"{speaker}-{number}", pitch_hz)
            audio.write(tmp_path / "speech" / speaker / f"{number:03d}.wav", samples, 16000)
            if (speaker, number) != ("emil", 4):
                path = tmp_path / "mine" / f"{speaker}_{number:03d}.flac"
                audio.write(path, samples[::-1], 16000)
    folders = flags(original="speech", protected="mine=mine", config="my.yaml")
    made = call("new_run", *folders, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "emil-004: mine has no protected version" in made.stdout
    finish(tmp_path, config="my.yaml")
    assert "mine" in (tmp_path / "results/report/index.html").read_text()
    table = rows(tmp_path / "results/metrics.tsv")
    numbers = {tuple(row.values())[:7]: row["value"] for row in table}
    (extractor,) = strongest_extractor()
    key = ("speech", "mixed", "mine", extractor, "cosine", "pp")
    # Two utterances of each speaker enrol; one of the others has no protected version.
    assert numbers[*key, "n_target"] == str(5 * 3 - 1)
    assert 0 <= float(numbers[*key, "eer_percent"]) <= 100
