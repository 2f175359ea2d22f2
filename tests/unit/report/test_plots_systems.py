"""Pictures of systems beside each other: conventional ones of scores, costs, features."""

import math

import numpy as np
import pytest

from voiceprivacy.plan.outputs import PICTURES
from voiceprivacy.privacy.scores import verification
from voiceprivacy.privacy.scores.profiles import PROFILES
from voiceprivacy.report.plots import drawing, systems
from voiceprivacy.report.uncertainty import Shown

SEPARABLE = {"target": [np.inf, 2, 3], "nontarget": [0.0, 1]}


@pytest.fixture(scope="module")
def scores():
    generator = np.random.default_rng(0)
    return {"target": generator.normal(1, 1, 60), "nontarget": generator.normal(-1, 1, 300)}


def picture(name, score_files):
    return systems.conventional_picture(
        name, {label: PROFILES[name](**drawn) for label, drawn in score_files.items()}
    )


def test_numbers_pictures_and_the_workflow_have_the_same_names():
    assert set(PROFILES) == {*systems.TOGETHER, *systems.PANELS} == set(PICTURES)


@pytest.mark.parametrize("name", PROFILES)
def test_every_picture_can_be_drawn(scores, name):
    svg = drawing.svg_of(picture(name, {"original/oo": scores, "b2_x/op": SEPARABLE}))
    assert ">original/oo</text>" in svg and ">b2_x/op</text>" in svg


def test_dots_at_even_odds_are_cllr_before_and_after_calibration(scores):
    (ax,) = picture("ece", {"one": scores}).axes
    dots = {line.get_label(): line for line in ax.get_lines() if line.get_marker() == "o"}
    cllr = verification.assess(**scores)
    assert dots.keys() == {"Cllr", "min Cllr"}
    for name, metric in (("Cllr", "cllr_bit"), ("min Cllr", "cllr_min_bit")):
        assert dots[name].get_xdata().tolist() == [0]
        assert dots[name].get_ydata() == pytest.approx([cllr[metric]], rel=1e-3)


def test_panels_leave_no_empty_axes_and_det_has_its_ticks(scores):
    figure = picture("ece", {str(index): scores for index in range(5)})
    assert sum(ax.axison for ax in figure.axes) == 5
    (ax,) = picture("det", {"one": scores}).axes
    assert ax.get_xticks()[0] == pytest.approx(-3.09, abs=0.005)
    assert ax.get_xticklabels()[0].get_text() == "0.1"


def test_an_anonymiser_without_distinct_voices_is_an_arrow_at_the_edge():
    points = {
        ("b1", "f"): (Shown(99.0), Shown(-math.inf)),
        ("b2", "f"): (Shown(50.0), Shown(-1.0)),
        ("b2", "m"): (Shown(-10.0), Shown(0.5)),
    }
    picture = systems.distinctiveness_picture(points=points)
    women, men = picture.axes
    assert [ax.get_title() for ax in picture.axes] == ["f", "m"]
    _, arrow, _, point = women.get_lines()[:4]
    assert arrow.get_marker() == r"$\downarrow$" and arrow.get_ydata()[0] < -1
    assert "G_VD -inf dB" in arrow.get_gid()
    assert women.get_xlim() == men.get_xlim() and men.get_xlim()[0] < -10
    b1, b2 = (handle.get_marker() for handle in picture.legends[0].legend_handles)
    assert point.get_marker() == men.get_lines()[0].get_marker() == b2 != b1


def test_intervals_of_deid_and_gain_are_lines_within_the_picture():
    points = {
        ("b1", "f"): (Shown(60.0, (-20.0, 90.0)), Shown(-1.0, (-6.0, 2.0))),
        ("b1", "m"): (Shown(50.0), Shown(0.0, (-math.inf, 1.0))),
    }
    women, men = systems.distinctiveness_picture(points=points).axes
    lines = [(list(line.get_xdata()), list(line.get_ydata())) for line in women.get_lines()]
    assert ([-20, 90], [-1, -1]) in lines and ([60, 60], [-6, 2]) in lines
    assert len(men.get_lines()) == 2 + 2  # a point and its key, the lines of no change
    assert men.get_xlim()[0] < -20 and men.get_ylim()[0] < -6


def test_features_are_means_of_normalised_histograms():
    counts = {"original": np.array([[1, 0, 1, 0], [0, 8, 0, 0]]), "b2": np.array([[1, 1, 1, 1]])}
    [ax] = systems.features_picture(histograms=counts, bins=(list("abcd"), "letters")).axes
    np.testing.assert_allclose(ax.patches[0].get_data().values, [0.25, 0.5, 0.25, 0])
    np.testing.assert_allclose(ax.patches[1].get_data().values, 0.25)
