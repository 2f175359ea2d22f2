"""The recipe of kNN-VC: its call, by a stand-in for its network."""

import re
from pathlib import Path

import numpy as np
import pytest
import soundfile
import yaml
from support.sounds import tone

from voiceprivacy.anonymise import plugins
from voiceprivacy.inout.manifests import read_manifest

ROOT = Path(__file__).parents[3]
RECIPE = re.compile(r"^# (knn_vc: \{function: .*)", re.MULTILINE)


# It gives the query, as loud as the voice's files.
STAND_IN = """import pathlib
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


@pytest.mark.usefixtures("this_process")
def test_the_call_of_knn_vc_draws_a_voice_for_each_speaker(original, tmp_path):
    (tmp_path / "hubconf.py").write_text(STAND_IN)
    for voice in ("0.25", "0.5"):
        (tmp_path / "voices" / voice).mkdir(parents=True)
        (tmp_path / "voices" / voice / "a.wav").write_bytes(b"")
    options = {"references": str(tmp_path / "voices"), "repository": str(tmp_path)}
    (text,) = RECIPE.findall((ROOT / "config/anonymisers.yaml").read_text())
    recipe = yaml.safe_load(text)["knn_vc"] | {"options": options}
    recipe["function"] = recipe["function"].replace("{resources}", str(ROOT / "workflow/resources"))
    heard = {}
    for seed in range(1, 4):
        how = {"seed": seed, "threads": 1, "scratch": tmp_path / f"scratch{seed}"}
        how["scratch"].mkdir()
        for name, path in plugins.protect(recipe, read_manifest(original), **how).items():
            before = tone(2 * int(name[1]) + int(name[-1]))
            ratio = np.abs(soundfile.read(path)[0]).max() / np.abs(before).max()
            heard.setdefault((seed, name.split("_")[0]), set()).add(round(float(ratio), 2))
    assert all(len(ratios) == 1 for ratios in heard.values())  # one voice for a speaker
    assert {max(ratios) for ratios in heard.values()} == {0.25, 0.5}
