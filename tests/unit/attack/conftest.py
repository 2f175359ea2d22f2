"""Tiny models and speech that several test files use."""

import pytest
from support import models, stand_ins

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
    return models.small_recipe(tmp_path / "recipe.yaml")
