"""Recipes of neural anonymisers: not run here, but by stand-ins that leave the same files."""

import re
from pathlib import Path

import numpy as np
import pytest
import soundfile
import yaml
from support.sounds import RATE, tone

from voiceprivacy.anonymise import part, plugins
from voiceprivacy.inout.tables import read_manifest

ROOT = Path(__file__).parents[3]
LINES = (ROOT / "config/anonymisers.yaml").read_text().splitlines()
RECIPES = {}
for line in LINES:
    if re.match(r"# \w+: \{(audio|function): ", line):
        RECIPES |= yaml.safe_load(line.removeprefix("# "))
FOLDERS = {name: recipe["audio"] for name, recipe in RECIPES.items() if "audio" in recipe}
SET = "libri_test_enrolls"


def faded(samples):
    """A stand-in for protected speech, which must be another sound than the original."""
    return samples * np.linspace(1, 0, len(samples))


@pytest.fixture
def made(original, tmp_path, monkeypatch):
    """Let a stand-in write what a recipe's program leaves; protect the part with the recipe."""
    monkeypatch.chdir(tmp_path)

    def run(name):
        folder = FOLDERS[name].replace("{set}", SET)
        # B1 of 2022 leaves its files beside each other, the others in wav/.
        below = Path(folder) if name.startswith("b1") else Path(folder, "wav")
        below.mkdir(parents=True)
        utterances = read_manifest(original)
        for line in utterances:
            samples, _ = soundfile.read(line.path)
            soundfile.write(below / f"{line.utterance}.wav", faded(samples), RATE)
        if name == "sa_toolkit":  # paths start where the program was called
            lines = [f"{u.utterance} data/{SET}_anon/wav/{u.utterance}.wav" for u in utterances]
            Path(folder, "wav.scp").write_text("\n".join(lines) + "\n")
        return part.anonymise_part(
            original,
            {**RECIPES[name], "audio": [folder]},
            original=original,
            seed=1,
            sample_rate=RATE,
            audio_dir=tmp_path / "results/wav/0",
            output_manifest=tmp_path / "results/manifest.tsv",
            threads=1,
        )

    return run


@pytest.mark.parametrize("name", sorted(FOLDERS))
def test_what_the_program_leaves_is_read_where_it_lies(made, name):
    lines = made(name)
    assert len(lines) == 8
    by_name = {line.utterance: line.path for line in lines}
    assert "results" not in str(by_name["s0_1"].resolve().relative_to(Path.cwd()))
    np.testing.assert_allclose(soundfile.read(by_name["s0_1"])[0], faded(tone(1)), atol=2 / 32768)


def test_the_call_of_knn_vc_draws_a_voice_for_each_speaker(original, tmp_path):
    """A clone whose network is a stand-in: it gives the query, as loud as the voice's files."""
    clone = tmp_path / "clone"
    clone.mkdir()
    (clone / "hubconf.py").write_text(
        """import pathlib
import torch
class Matcher:
    def get_features(self, samples):
        assert samples.shape[0] == 1 and samples.dtype == torch.float32
        return samples[0]
    def get_matching_set(self, files):
        return float(pathlib.Path(files[0]).parent.name)
    def match(self, query, voice, topk):
        assert topk == 4
        return query * voice
def knn_vc(pretrained, progress=True, *, prematched, device):
    assert pretrained and prematched
    return Matcher()
"""
    )
    for voice in ("0.25", "0.5"):
        (tmp_path / "voices" / voice).mkdir(parents=True)
        (tmp_path / "voices" / voice / "a.wav").write_bytes(b"")
    options = {"references": str(tmp_path / "voices"), "repository": str(clone)}
    recipe = {**RECIPES["knn_vc"], "options": options}
    recipe["function"] = recipe["function"].replace("{resources}", str(ROOT / "workflow/resources"))
    heard = {}
    for seed in range(1, 4):
        scratch = tmp_path / f"scratch{seed}"
        scratch.mkdir()
        paths = plugins.protect(
            recipe, read_manifest(original), seed=seed, threads=1, scratch=scratch
        )
        for name, path in paths.items():
            before = tone(2 * int(name[1]) + int(name[-1]))
            ratio = np.abs(soundfile.read(path)[0]).max() / np.abs(before).max()
            heard.setdefault((seed, name.split("_")[0]), set()).add(round(float(ratio), 2))
    assert all(len(ratios) == 1 for ratios in heard.values())  # one voice for a speaker
    assert {max(ratios) for ratios in heard.values()} == {0.25, 0.5}
