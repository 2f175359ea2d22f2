"""A tiny attacker, and a folder to run in."""

import pytest
from support.runs import make_kaldi_directory


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory):
    """A SpeechBrain folder with a small x-vector of random weights."""
    from support import models, stand_ins  # torch: seconds

    stand_ins.name_no_file()
    return models.untrained_xvector(tmp_path_factory.mktemp("model"))


@pytest.fixture
def run_folder(tmp_path, model_folder):
    """A folder to run in: data/tiny and model lie there."""
    make_kaldi_directory(tmp_path / "data" / "tiny")
    (tmp_path / "model").symlink_to(model_folder)
    return tmp_path
