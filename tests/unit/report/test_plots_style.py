"""What all pictures share: the same file every time, different looks, and LaTeX."""

import re

import numpy as np
import pytest
from matplotlib.layout_engine import ConstrainedLayoutEngine

from voiceprivacy.inout.files import BadInput
from voiceprivacy.report.plots import style
from voiceprivacy.report.plots.ranks import ranks_picture
from voiceprivacy.report.plots.speakers import similarity_picture


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_a_picture_is_the_same_byte_for_byte_every_time(tmp_path, kind):
    for name in ("one", "two"):
        figure, ax = style.figure(width_inches=3, height_inches=2)
        ax.plot([0, 1], [1, 0], label="line")
        ax.legend()
        style.save(figure, tmp_path / f"{name}.{kind}")
    assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()


def test_a_picture_is_laid_out_once_for_all_its_files(tmp_path, monkeypatch):
    """And it does not matter which of them come first."""
    layouts = []
    whole = ConstrainedLayoutEngine.execute
    monkeypatch.setattr(
        ConstrainedLayoutEngine,
        "execute",
        lambda engine, figure: layouts.append(figure) or whole(engine, figure),
    )
    for folder, kinds in (("few", ["png"]), ("many", ["svg", "pdf", "png"])):
        figure, ax = style.figure(width_inches=3, height_inches=2)
        ax.set_ylabel("two\nlines")
        (tmp_path / folder).mkdir()
        style.save_each(figure, [tmp_path / folder / f"picture.{kind}" for kind in kinds])
        assert layouts == [figure]
        assert figure.axes[0].get_position().x0 > 0.2  # room for the label
        layouts.clear()
    alone, last = (tmp_path / folder / "picture.png" for folder in ("few", "many"))
    assert alone.read_bytes() == last.read_bytes()


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


def test_a_long_curve_is_thinned_but_keeps_its_shape():
    figure, ax = style.figure(4, 3)
    x = np.linspace(0, 1, 20_000)
    ax.plot(x, np.sin(6 * x))
    (line,) = re.findall(r"coordinates \{(.*)\}", style.to_pgfplots(figure))
    points = np.array([point.strip("()").split(",") for point in line.split()], dtype=float)
    assert len(points) < 500
    np.testing.assert_allclose(np.interp(x, *points.T), np.sin(6 * x), atol=0.01)


def test_points_for_a_paper_are_left_out_only_where_they_coincide():
    """A line through these points is straight: as a line two of them would do."""
    figure, ax = style.figure(4, 3)
    ax.plot(np.linspace(0, 1, 250), np.full(250, 0.5), ".")
    ax.plot(np.linspace(0, 1, 20_000), np.full(20_000, 0.4), ".")
    few, many = re.findall(r"only marks.*coordinates \{(.*)\}", style.to_pgfplots(figure))
    assert len(few.split()) == 250
    assert 250 < len(many.split()) < 500


def test_a_picture_with_areas_cannot_be_latex(tmp_path):
    figure, ax = style.figure(2, 2)
    ax.imshow(np.eye(2))
    with pytest.raises(BadInput, match="take pdf"):
        style.save(figure, tmp_path / "p.tex")
    assert list(tmp_path.iterdir()) == []


def test_bars_for_a_paper_stand_behind_the_model_and_leave_room_for_titles_and_legend():
    p = np.arange(12, 0, -1.0) / 78
    numbers = ("identification_rate_percent", "mean_disclosure_bit", "model_mean_disclosure_bit")
    labels = ["b0/op", "b1/op"]
    figure = ranks_picture(
        curves={label: {"p": p, "gamma": p} for label in labels},
        metrics={label: dict.fromkeys(numbers, 1.0) for label in labels},
    )
    text = style.to_pgfplots(figure)
    assert text.count(r"\closedcycle") == 2 * 12
    assert text.index(r"\closedcycle") < text.index("mark=*")
    width, height = figure.get_size_inches()
    for box in (ax.get_position() for ax in figure.axes):
        assert f"at={{({box.x0 * width:.4f}in,{box.y0 * height:.4f}in)}}" in text
        assert box.y1 < 0.8


def test_matrices_are_no_picture_for_pgfplots():
    matrix = np.ma.masked_array(np.eye(2))
    figure = similarity_picture(oo=matrix, op=matrix, pp=matrix, speakers=["a", "b"])
    with pytest.raises(BadInput, match="it has areas; take pdf"):
        style.to_pgfplots(figure)


def test_a_figure_is_as_wide_as_it_is_asked_to_be_with_its_legend_below():
    figure, ax = style.figure(8, 4)
    ax.plot([0, 1], [0, 1], label="a long name of a system")
    ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1))
    style.fit(figure, style.wanted_inches(1, None))
    assert figure.get_size_inches()[0] == style.COLUMNS_INCHES[1]
    assert ax.get_legend() is None and len(figure.legends) == 1
    figure.draw_without_rendering()
    assert figure.legends[0].get_window_extent().y1 <= ax.get_window_extent().y0
    assert ax.get_window_extent().width > 2 * figure.dpi


def test_a_legend_within_its_axes_stays_there():
    figure, ax = style.figure(8, 4)
    ax.plot([0, 1], [0, 1], label="a")
    ax.legend(loc="lower right")
    style.fit(figure, 3.4)
    assert ax.get_legend() is not None and not figure.legends


@pytest.mark.parametrize(("columns", "width"), [(1, 3.0), (None, 0.0), (None, 1e9)])
def test_a_width_that_no_figure_can_have_is_refused(columns, width):
    with pytest.raises(BadInput, match="--width"):
        style.wanted_inches(columns, width)
    assert style.wanted_inches(None, None) is None and style.wanted_inches(None, 3.0) == 3.0
