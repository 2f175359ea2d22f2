"""The good world (support/world.py), a copy of which each test may spoil."""

import shutil

import pytest
from support import world


@pytest.fixture(scope="session")
def good_world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("good")
    world.build(folder)
    return folder


@pytest.fixture
def folder(good_world, tmp_path, monkeypatch):
    """A world of one's own, and the working directory."""
    folder = tmp_path / "world"
    shutil.copytree(good_world, folder)
    monkeypatch.chdir(folder)
    monkeypatch.delenv("VOICEPRIVACY_DEBUG", raising=False)
    return folder
