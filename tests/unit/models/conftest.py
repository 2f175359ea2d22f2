"""A tiny network; SpeechBrain is imported by some of the tests here."""

import pytest
from support import models, stand_ins

stand_ins.name_no_file()


@pytest.fixture(scope="session")
def ecapa(tmp_path_factory):
    return models.ecapa(tmp_path_factory.mktemp("models") / "ecapa")
