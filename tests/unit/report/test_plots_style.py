"""What all pictures share: the same file every time, different looks, and widths."""

import pytest
from matplotlib.layout_engine import ConstrainedLayoutEngine

from voiceprivacy.errors import BadInput
from voiceprivacy.report.plots import drawing


def test_a_picture_is_laid_out_once_for_all_its_files_which_are_the_same_every_time(
    tmp_path, monkeypatch
):
    """And it does not matter which of them come first."""
    layouts, whole = [], ConstrainedLayoutEngine.execute

    def execute(engine, figure):
        layouts.append(figure)
        return whole(engine, figure)

    monkeypatch.setattr(ConstrainedLayoutEngine, "execute", execute)
    kinds = ["svg", "pdf", "png"]
    for folder, own in (("one", kinds), ("two", kinds[::-1]), ("alone", ["png"])):
        figure, ax = drawing.figure(width_inches=3, height_inches=2)
        ax.plot([0, 1], [1, 0], label="line")
        ax.set_ylabel("two\nlines")
        drawing.save_each(figure, [tmp_path / folder / f"picture.{kind}" for kind in own])
        assert layouts == [figure]
        assert figure.axes[0].get_position().x0 > 0.2  # room for the label
        layouts.clear()
    for path in (*(tmp_path / "two").iterdir(), tmp_path / "alone" / "picture.png"):
        assert path.read_bytes() == (tmp_path / "one" / path.name).read_bytes()


def test_an_unknown_kind_of_picture_is_refused(tmp_path):
    for name in ("picture.docx", "picture"):
        with pytest.raises(BadInput, match="end the name in svg, pdf, png"):
            drawing.save(drawing.figure(3, 2)[0], tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_of_a_picture_is_removed(tmp_path):
    (tmp_path / f".picture.{'0' * 32}.svg").write_text("<svg")
    drawing.save(drawing.figure(3, 2)[0], tmp_path / "picture.svg")
    assert [path.name for path in tmp_path.iterdir()] == ["picture.svg"]


def test_a_figure_is_as_wide_as_it_is_asked_to_be_with_its_one_legend():
    figure, ax = drawing.figure(8, 4)
    ax.plot([0, 1], [0, 1], label="a long name of a system")
    ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1))
    drawing.fit(figure, drawing.wanted_inches(1, None))
    assert figure.get_size_inches()[0] == drawing.COLUMNS_INCHES[1]
    assert ax.get_legend() is None and len(figure.legends) == 1
    figure.draw_without_rendering()
    assert figure.legends[0].get_window_extent().y1 <= ax.get_window_extent().y0
    assert ax.get_window_extent().width > 2 * figure.dpi
    # One within its axes stays there.
    figure, ax = drawing.figure(8, 4)
    ax.plot([0, 1], [0, 1], label="a")
    ax.legend(loc="lower right")
    drawing.fit(figure, 3.4)
    assert ax.get_legend() is not None and not figure.legends


def test_a_width_that_no_figure_can_have_is_refused():
    for columns, width in ((1, 3.0), (None, 0.0), (None, 1e9)):
        with pytest.raises(BadInput, match="--width"):
            drawing.wanted_inches(columns, width)
    assert drawing.wanted_inches(None, None) is None and drawing.wanted_inches(None, 3.0) == 3.0


def test_a_legend_of_many_systems_fits_and_takes_nothing_from_the_panel():
    for name in ("b2", "a_long_name_of_a_system", "long" * 20):
        heights = []
        for n_systems in (1, 20):
            figure, ax = drawing.figure(4.6, 3)
            for k in range(n_systems):
                ax.plot([0, 1], [0, k], label=f"{name}{k}")
            drawing.one_legend(figure)
            figure.draw_without_rendering()
            legend = figure.legends[0].get_window_extent()
            assert legend.x0 >= 0 and legend.x1 <= figure.bbox.x1 and legend.y0 >= 0
            heights.append(ax.get_window_extent().height)
        assert heights[1] == pytest.approx(heights[0], rel=0.02)
