"""Programs in a container: they run in the system of its image, in a box, and in no other."""

import pytest
from support import image

from voiceprivacy.anonymise import plugins
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import read_manifest
from voiceprivacy.running import boxes, images

pytestmark = pytest.mark.usefixtures("box")

LOOKER = """#!/bin/sh
exec > "${6%/*}/seen.txt"
pwd
ls /
ls /etc
env
ls {places} 2>/dev/null
echo done
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("image")
    squashed = image.squash(image.make_root(folder / "root"), folder / "root.sqsh")
    images.unpack(squashed, folder / "unpacked")
    return folder / "unpacked"


@pytest.fixture
def scratch(tmp_path):
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch"


def protect(root, original, scratch, command="/opt/anonymise", **fields):
    anonymiser = {"command": command, "container": str(root), "sandbox": True, **fields}
    return plugins.protect(anonymiser, read_manifest(original), seed=0, threads=1, scratch=scratch)


def test_a_program_of_an_image_protects(unpacked, original, scratch, capfd):
    paths = protect(unpacked, original, scratch, options={"strength": 3})
    assert len(paths) == 8 and all(path.stat().st_size > 1000 for path in paths.values())
    assert "image 7, strength 3" in capfd.readouterr().err  # by the image's own variables


def test_it_sees_the_image_and_nothing_of_this_machine(
    unpacked, original, scratch, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SECRET_TOKEN", "mine")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/usr/lib/elsewhere")
    (tmp_path / "mine.txt").write_text("x")
    (tmp_path / "model.txt").write_text("x")
    looker = unpacked / "opt/look"
    places = f"{tmp_path}/mine.txt {tmp_path}/model.txt {boxes.SCRIPTS} {original}"
    looker.write_text(LOOKER.replace("{places}", places))
    looker.chmod(0o755)
    with pytest.raises(BadInput, match="wrote no --output-manifest"):
        protect(unpacked, original, scratch, "/opt/look", reads=[str(tmp_path / "model.txt")])
    seen = (scratch / "seen.txt").read_text()
    assert seen.startswith("/box\n")
    assert "SECRET_TOKEN" not in seen and "/usr/lib/elsewhere" not in seen
    lines = seen.splitlines()
    assert str(tmp_path / "model.txt") in lines and str(tmp_path / "mine.txt") not in lines
    assert str(original) not in lines and str(boxes.SCRIPTS) not in seen
    assert {"opt", "usr", "bin", "etc"} <= set(lines) and "root" not in lines
    assert "shadow" not in lines and "passwd" in lines


def test_links_of_an_image_lead_nowhere_outside(tmp_path, original, scratch):
    """Links in the places of what a box has of its own are not followed."""
    root = image.make_root(tmp_path / "root")
    (tmp_path / "precious").mkdir()
    for name in ("tmp", "proc", "home", "box", "etc/hosts", "var", tmp_path.parts[1]):
        path = root / name
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        path.unlink(missing_ok=True)
        path.symlink_to(tmp_path / "precious")
    paths = protect(root, original, scratch)
    assert len(paths) == 8 and list((tmp_path / "precious").iterdir()) == []


@pytest.mark.parametrize("program", boxes.OF_IMAGE)
def test_an_image_without_what_a_box_needs_is_refused(tmp_path, original, scratch, program):
    root = image.make_root(tmp_path / "root", without={program})
    with pytest.raises(BadInput, match=f"its image has no {program}: a box needs sh"):
        protect(root, original, scratch)


def test_a_container_has_the_drivers_libraries_beside_the_cards(tmp_path, monkeypatch):
    library = tmp_path / "libcuda.so.1"
    library.write_text("x")
    monkeypatch.setattr(boxes, "OF_DRIVER", [str(tmp_path / "libcuda.so*")])
    monkeypatch.setattr(boxes, "OF_GPU", [])
    root = image.make_root(tmp_path / "root")
    contained = boxes.Box(tmp_path, gpu=True, image=root)
    with boxes.starting(["true"], contained, minutes=None, variables={}) as start:
        at = start.words.index(str(library))
        assert start.words[at + 1] == "/box-driver/libcuda.so.1"
        assert start.variables["LD_LIBRARY_PATH"] == "/box-driver"
