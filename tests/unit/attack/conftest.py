"""Tiny models and speech that several test files use."""

import pytest
from support import models, stand_ins

from voiceprivacy.attack import held_out
from voiceprivacy.attack.training import training
from voiceprivacy.inout.manifests import read_manifest

stand_ins.name_no_file()


@pytest.fixture(scope="session")
def ecapa(tmp_path_factory):
    return models.ecapa(tmp_path_factory.mktemp("models") / "ecapa")


@pytest.fixture(scope="session")
def xvector(tmp_path_factory):
    return models.xvector(tmp_path_factory.mktemp("models") / "xvector")


@pytest.fixture(scope="session")
def tones(tmp_path_factory):
    """Manifest of 4 speakers x 4 utterances."""
    return models.write_tones(tmp_path_factory.mktemp("tones"), speakers=4, utterances=4)


@pytest.fixture
def recipe(tmp_path):
    return models.small_recipe(tmp_path / "recipe.yaml", number_of_epochs=2)


@pytest.fixture(scope="session")
def whole(tones, tmp_path_factory):
    """What ``train`` makes of the tones; tests change nothing of it."""
    folder = tmp_path_factory.mktemp("whole") / "model"
    recipe = models.small_recipe(folder.with_name("recipe.yaml"), number_of_epochs=2)
    training.train(read_manifest(tones), recipe=recipe, folder=folder, seed=1)
    return folder


@pytest.fixture
def train(recipe, tones, monkeypatch):
    """Train on the tones by the small recipe, or as is said instead; gives the folder."""
    monkeypatch.setattr(held_out, "N_PERMUTATIONS", 19)

    def train(folder, utterances=None, **options):
        heard = read_manifest(tones) if utterances is None else utterances
        training.train(heard, folder=folder, **{"recipe": recipe, "seed": 1} | options)
        return folder

    return train
