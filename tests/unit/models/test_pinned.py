"""Weights that packages ship: joined, verified, and refused with the command that repairs them."""

import pytest
from support import neural

from voiceprivacy.inout.checksums import sha256
from voiceprivacy.inout.files import SCRIPTS, BadInput
from voiceprivacy.models import pinned
from voiceprivacy.models.pinned import read_model
from voiceprivacy.models.whisper import FILES


@pytest.fixture
def packaged(tmp_path, monkeypatch):
    """The packages of a tiny model called base."""
    site = tmp_path / "site"
    listed = neural.write_packages(site, "base", neural.recogniser_files())
    monkeypatch.setattr(pinned, "LIST", listed)
    monkeypatch.syspath_prepend(str(site))
    return site


def test_parts_of_packages_are_joined_and_nothing_of_them_is_imported(packaged):
    assert read_model("base", FILES) == neural.recogniser_files()


def test_a_changed_part_is_refused_with_what_repairs_it(packaged):
    path = packaged / "tiny_base_part1/model.bin"
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(BadInput, match=r"part1/model.bin is not the file .* --force-reinstall"):
        read_model("base", FILES)


@pytest.mark.parametrize("missing", ["tiny_base_part0/model.bin", "tiny_base_part0"])
def test_a_missing_part_is_refused_with_what_installs_it(packaged, missing):
    (packaged / missing).rename(packaged / "elsewhere")
    with pytest.raises(BadInput, match=r"model 'base': tiny_base_part0/.* make neural"):
        read_model("base", FILES)


def test_a_folder_of_that_name_is_a_path(packaged, tmp_path, monkeypatch):
    """People write what a system has made into a folder of its name."""
    neural.write_recogniser(tmp_path / "base", words=["mine"])
    monkeypatch.chdir(tmp_path)
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
    models = pinned.known_models()
    assert list(models) == ["base", "joe", "kokoro"]
    page = (SCRIPTS.parent / "docs/internals/supply_chain.md").read_text()
    for files in models.values():
        for digest, parts in files.values():
            assert len(digest) == 64
            assert all(part.split("/")[0].replace("_", "-") in page for part in parts)
