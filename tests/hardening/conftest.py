"""The good world (support/world.py), a copy of which each test may spoil."""

import shutil

import pytest
from support import readers, world


@pytest.fixture(scope="session")
def good_world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("good")
    world.build(folder)
    return folder


@pytest.fixture(scope="session")
def read_world(tmp_path_factory):
    """The good world with what else is read; a test leaves every file as it was."""
    folder = tmp_path_factory.mktemp("read")
    readers.build(folder)
    return folder


@pytest.fixture
def folder(good_world, tmp_path, monkeypatch):
    """A world of one's own, and the working directory."""
    folder = tmp_path / "world"
    shutil.copytree(good_world, folder)
    monkeypatch.chdir(folder)
    monkeypatch.delenv("VOICEPRIVACY_DEBUG", raising=False)
    return folder
