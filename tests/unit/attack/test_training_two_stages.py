"""The shipped attacker in two stages, on a tiny budget, by the very commands of its card."""

import re

import numpy as np
import pytest
from support.calls import flags, succeeds

from voiceprivacy.attack.extractors.networks import Extractor
from voiceprivacy.inout.files import RESOURCES

TINY = {
    "number_of_epochs": 1,
    "batch_size": 8,
    "crop_s": 0.4,
    "validation_s": 0.4,
    "validation_speakers": 2,
}
SMALLER = {"128": "16", "384": "48"}


def tiny(name, folder):
    """A shipped recipe with one epoch, two held-out speakers and a small model."""
    text = (RESOURCES / "recipes" / f"{name}.yaml").read_text(encoding="utf-8")
    for field, value in TINY.items():
        text, count = re.subn(rf"^{field}: \S+", f"{field}: {value}", text, flags=re.MULTILINE)
        assert count == 1
    for old, new in SMALLER.items():
        text = re.sub(rf"\b{old}\b", new, text)
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder / f"{name}.yaml"


def train(manifest, recipe, folder, *more):
    return succeeds(
        "train_extractor", *flags(manifest=manifest, recipe=recipe, folder=folder, seed=0), *more
    )


@pytest.fixture(scope="module")
def stages(tones, tmp_path_factory):
    folder = tmp_path_factory.mktemp("stages")
    train(tones, tiny("ecapa_small", folder), folder / "first")
    train(tones, tiny("ecapa_small_tune", folder), folder / "tuned", "--start", folder / "first")
    return folder


def test_the_second_stage_goes_on_from_the_first(stages):
    """Its epoch at a low rate moves the weights a little; from nothing they would be others."""
    first, tuned = (
        np.concatenate(
            [
                weights.detach().numpy().ravel()
                for weights in Extractor(stages / name).model.parameters()
            ]
        )
        for name in ("first", "tuned")
    )
    assert not np.array_equal(first, tuned)
    assert np.corrcoef(first, tuned)[0, 1] > 0.9


def test_both_stages_hold_the_same_speakers_out(stages):
    held_out = [
        (stages / name / "held_out_speakers.txt").read_text().split() for name in ("first", "tuned")
    ]
    assert held_out[0] == held_out[1]
    assert len(held_out[0]) == 2


def test_the_second_stage_can_start_from_the_shipped_attacker(tones, tmp_path):
    text = (RESOURCES / "recipes" / "ecapa_small_tune.yaml").read_text(encoding="utf-8")
    for field, value in (TINY | {"validation_speakers": 0}).items():
        text = re.sub(rf"^{field}: \S+", f"{field}: {value}", text, flags=re.MULTILINE)
    (tmp_path / "tune.yaml").write_text(text, encoding="utf-8")
    said = train(
        tones, tmp_path / "tune.yaml", tmp_path / "tuned", "--start", RESOURCES / "ecapa_small"
    )
    assert "trained:" in said
    shipped, tuned = (
        Extractor(folder).model.state_dict()
        for folder in (RESOURCES / "ecapa_small", tmp_path / "tuned")
    )
    assert shipped.keys() == tuned.keys()
