"""Pictures of similarity matrices and of rank histograms: what is drawn where, and the same file
every time.
"""

import re

import numpy as np
import pytest

from voiceprivacy.inout.files import BadInput
from voiceprivacy.report.plots import ranks, speakers, style
from voiceprivacy.report.plots.style import to_pgfplots


def blocks(n_speakers):
    rng = np.random.default_rng(0)
    return {
        name: np.ma.masked_array(rng.uniform(size=(n_speakers, n_speakers)))
        for name in ("oo", "op", "pp")
    }


def systems(n_templates, n_systems=1):
    p = np.arange(n_templates, 0, -1.0) / sum(range(n_templates + 1))
    metrics = {
        "identification_rate_percent": 50.0,
        "mean_disclosure_bit": 1.0,
        "model_mean_disclosure_bit": 0.5,
    }
    labels = [f"b{index}/op" for index in range(n_systems)]
    return {
        "curves": {label: {"p": p, "gamma": p} for label in labels},
        "metrics": dict.fromkeys(labels, metrics),
    }


def test_the_lower_left_block_is_the_transpose_of_the_upper_right():
    matrices = blocks(3)
    _, ax = style.figure(3, 3)
    image = speakers.plot_matrices(ax, **matrices, speakers=["a", "b", "c"])
    drawn = image.get_array()
    np.testing.assert_array_equal(drawn[:3, :3], matrices["oo"])
    np.testing.assert_array_equal(drawn[:3, 3:], matrices["op"])
    np.testing.assert_array_equal(drawn[3:, :3], matrices["op"].T)
    np.testing.assert_array_equal(drawn[3:, 3:], matrices["pp"])
    assert image.get_clim() == (0, 1)


@pytest.mark.parametrize(("n_speakers", "n_names"), [(2, 4), (30, 60), (31, 62), (60, 0)])
def test_names_of_many_speakers_are_left_out(n_speakers, n_names):
    _, ax = style.figure(3, 3)
    speakers.plot_matrices(
        ax, **blocks(n_speakers), speakers=[f"s{index}" for index in range(n_speakers)]
    )
    assert len(ax.get_xticklabels()) == len(ax.get_yticklabels()) == n_names
    assert bool(ax.get_xlabel()) == (n_names == 0)


def test_undefined_similarities_are_explained():
    matrices = blocks(2)
    assert not speakers.similarity_picture(**matrices, speakers=["a", "b"]).legends
    matrices["oo"][0, 0] = np.ma.masked
    assert speakers.similarity_picture(**matrices, speakers=["a", "b"]).legends


@pytest.mark.parametrize(
    ("n_templates", "scale"), [(1, "linear"), (2, "linear"), (60, "linear"), (61, "log")]
)
def test_large_galleries_have_logarithmic_axes(n_templates, scale):
    figure = ranks.ranks_picture(**systems(n_templates))
    assert figure.axes[0].get_xscale() == figure.axes[0].get_yscale() == scale


def test_every_system_has_a_panel():
    figure = ranks.ranks_picture(**systems(12, n_systems=6))
    drawn = [ax.get_title().split("\n")[0] for ax in figure.axes if ax.axison]
    assert drawn == [f"b{index}/op" for index in range(6)]


def test_ranks_for_a_paper_have_bars_behind_the_model_and_the_room_of_the_other_forms():
    figure = ranks.ranks_picture(**systems(12, n_systems=2))
    text = to_pgfplots(figure)
    assert text.count(r"\closedcycle") == 2 * 12
    assert text.index(r"\closedcycle") < text.index("mark=*")
    width, height = figure.get_size_inches()
    for box in (ax.get_position() for ax in figure.axes):
        assert f"at={{({box.x0 * width:.4f}in,{box.y0 * height:.4f}in)}}" in text
        assert box.y1 < 0.8  # titles and legend have room


def test_points_for_a_paper_are_left_out_only_where_they_coincide():
    """A line through these points is straight: as a line two of them would do."""
    figure, ax = style.figure(4, 3)
    ax.plot(np.linspace(0, 1, 250), np.full(250, 0.5), ".")
    ax.plot(np.linspace(0, 1, 20_000), np.full(20_000, 0.4), ".")
    few, many = re.findall(r"only marks.*coordinates \{(.*)\}", to_pgfplots(figure))
    assert len(few.split()) == 250
    assert 250 < len(many.split()) < 500


def test_matrices_are_no_picture_for_pgfplots():
    with pytest.raises(BadInput, match="it has areas; take pdf"):
        to_pgfplots(speakers.similarity_picture(**blocks(2), speakers=["a", "b"]))


def test_intervals_stand_beside_the_numbers_of_ranks():
    of = systems(4)
    limits = {"mean_disclosure_bit": (0.25, 1.5), "identification_rate_percent": (30.0, 70.0)}
    limits["model_mean_disclosure_bit"] = (0.0, 1.25)
    figure = ranks.ranks_picture(
        curves=of["curves"], metrics={"b0/op": of["metrics"]["b0/op"] | {"limits": limits}}
    )
    title = figure.axes[0].get_title().split("\n")
    assert title[1:] == [
        "rank 1 of 4: 50.0 % [30, 70]",
        "mean 1.00 [0.25, 1.50] of 2.00 bit",
        "model 0.50 [0.00, 1.25] bit",
    ]


def test_galleries_of_different_sizes_do_not_share_axes():
    small, large = systems(5), systems(100)
    curves = {"small": small["curves"]["b0/op"], "large": large["curves"]["b0/op"]}
    figure = ranks.ranks_picture(
        curves=curves, metrics=dict.fromkeys(curves, small["metrics"]["b0/op"])
    )
    assert [ax.get_yscale() for ax in figure.axes] == ["linear", "log"]


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_pictures_are_the_same_byte_for_byte(tmp_path, ending):
    for name in ("a", "b"):
        style.save(
            speakers.similarity_picture(**blocks(4), speakers="abcd", title="b2"),
            tmp_path / f"{name}.{ending}",
        )
        style.save(ranks.ranks_picture(**systems(100)), tmp_path / f"{name}_ranks.{ending}")
    for kind in ("", "_ranks"):
        first, second = ((tmp_path / f"{name}{kind}.{ending}").read_bytes() for name in ("a", "b"))
        assert first == second
