"""What all pictures share: files that are the same every time, and looks that can be told apart."""

import pytest

from voiceprivacy.inout.files import BadInput
from voiceprivacy.report.plots import style


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_a_picture_is_the_same_byte_for_byte_every_time(tmp_path, kind):
    for name in ("one", "two"):
        figure, ax = style.figure(width_inches=3, height_inches=2)
        ax.plot([0, 1], [1, 0], label="line")
        ax.legend()
        style.save(figure, tmp_path / f"{name}.{kind}")
    assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()


@pytest.mark.parametrize("name", ["picture.docx", "picture"])
def test_an_unknown_kind_of_picture_is_refused(tmp_path, name):
    figure, _ = style.figure(width_inches=3, height_inches=2)
    with pytest.raises(BadInput, match="end the name in svg, pdf, png"):
        style.save(figure, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_the_first_24_systems_look_different():
    assert len({(style.colour(index), style.line(index)) for index in range(24)}) == 24


def test_what_a_killed_process_left_of_a_picture_is_removed(tmp_path):
    left = tmp_path / f".picture.{'0' * 32}.svg"
    left.write_text("<svg")
    figure, _ = style.figure(width_inches=3, height_inches=2)
    style.save(figure, tmp_path / "picture.svg")
    assert [path.name for path in tmp_path.iterdir()] == ["picture.svg"]
