"""Images of containers: found in their SIF, unpacked whole or not at all, and harmless."""

import os
import stat

import pytest
from support import image

from voiceprivacy.inout.files import BadInput
from voiceprivacy.running import images


@pytest.fixture(scope="module")
def squashed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("image")
    root = image.make_root(folder / "root")
    (root / "opt/setuid").write_text("x")
    (root / "opt/setuid").chmod(0o4755)
    (root / "opt/locked").mkdir()
    (root / "opt/locked/file").write_text("x")
    (root / "opt/locked").chmod(0o000)
    (root / "opt/away").symlink_to("/etc/shadow")
    os.mkfifo(root / "opt/pipe")
    return image.squash(root, folder / "root.sqsh")


@pytest.mark.parametrize("wrapped", [False, True])
def test_an_image_is_unpacked_and_harmless(squashed, tmp_path, wrapped):
    path = image.wrap(squashed, tmp_path / "image.sif") if wrapped else squashed
    images.unpack(path, tmp_path / "unpacked")
    opt = tmp_path / "unpacked/opt"
    assert sorted(os.listdir(opt)) == ["anonymise", "away", "locked", "setuid"]
    assert stat.S_IMODE((opt / "setuid").stat().st_mode) == 0o755
    assert (opt / "locked/file").read_text() == "x" and os.readlink(opt / "away") == "/etc/shadow"
    assert os.listdir(tmp_path) in (
        ["unpacked"],
        ["image.sif", "unpacked"],
        ["unpacked", "image.sif"],
    )


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda path, squashed: path.write_bytes(b"hello"),
            "is neither a SIF nor a squashfs image",
        ),
        (lambda path, squashed: path.write_bytes(b""), "is neither a SIF nor a squashfs image"),
        (lambda path, squashed: path.mkdir(), "cannot be read (Is a directory)"),
        (lambda path, squashed: None, "cannot be read (No such file or directory)"),
        (lambda path, squashed: path.write_bytes(b"hsqs" + bytes(200)), "cannot be unpacked"),
        (lambda path, squashed: image.wrap(squashed, path, kind=0x4005), "has no partition with a"),
        (
            lambda path, squashed: image.wrap(squashed, path, file_system=4),
            "its system is encrypted, or not",
        ),
        (lambda path, squashed: image.wrap(squashed, path, size=2**40), "is cut off"),
        (lambda path, squashed: image.wrap(squashed, path, size=-5), "is cut off"),
    ],
)
def test_what_is_no_image_is_refused_and_leaves_nothing(squashed, tmp_path, make, words):
    path = tmp_path / "image.sif"
    make(path, squashed)
    with pytest.raises(BadInput) as error:
        images.unpack(path, tmp_path / "unpacked")
    assert str(error.value).startswith(f"{path}: {words}")
    assert set(os.listdir(tmp_path)) <= {"image.sif"}


@pytest.mark.parametrize("length", [0, 40, 100, 128, 500, 1290, 4000, 5000, -1000])
def test_an_image_that_is_cut_off_is_refused(squashed, tmp_path, length):
    path = image.wrap(squashed, tmp_path / "image.sif")
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(BadInput, match=r"image\.sif: "):
        images.unpack(path, tmp_path / "unpacked")
    assert os.listdir(tmp_path) == ["image.sif"]


def test_an_image_that_does_not_fit_is_refused(squashed, tmp_path, monkeypatch):
    usage = images.shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(images.shutil, "disk_usage", lambda path: usage)
    with pytest.raises(BadInput, match="MB when unpacked; 0 MB are free"):
        images.unpack(squashed, tmp_path / "unpacked")


def test_without_unsquashfs_it_is_said_what_to_install(squashed, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadInput, match="apt-get install squashfs-tools"):
        images.unpack(squashed, tmp_path / "unpacked")
