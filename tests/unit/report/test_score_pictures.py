"""Conventional pictures of score files, and pictures as LaTeX: what is in them, and that LaTeX
would read it.
"""

import re

import numpy as np
import pytest

from voiceprivacy.inout.files import BadInput
from voiceprivacy.plan.outputs import PICTURES
from voiceprivacy.privacy.scores.profiles import PROFILES
from voiceprivacy.report.plots import style, systems
from voiceprivacy.report.plots.evidence import plot_profiles
from voiceprivacy.report.plots.style import to_pgfplots

SEPARABLE = {"target": [np.inf, 2, 3], "nontarget": [0.0, 1]}


@pytest.fixture(scope="module")
def of():
    generator = np.random.default_rng(0)
    return {"target": generator.normal(1, 1, 60), "nontarget": generator.normal(-1, 1, 300)}


def picture(name, of):
    return systems.conventional_picture(
        name, {label: PROFILES[name](**drawn) for label, drawn in of.items()}
    )


def test_numbers_pictures_and_the_workflow_have_the_same_names():
    assert set(PROFILES) == {*systems.TOGETHER, *systems.PANELS} == set(PICTURES)


@pytest.mark.parametrize("name", PROFILES)
def test_every_picture_can_be_drawn_and_written_in_all_forms(of, tmp_path, name):
    figure = picture(name, {"original/oo": of, "b2_x/op": SEPARABLE})
    for ending in ("svg", "pdf", "png", "tex"):
        style.save(figure, tmp_path / f"p.{ending}")
    svg, tex = (tmp_path / "p.svg").read_text(), (tmp_path / "p.tex").read_text()
    assert "<!-- original/oo -->" in svg and "<!-- b2_x/op -->" in svg
    assert "original/oo" in tex and r"b2\_x/op" in tex


@pytest.mark.parametrize("name", PROFILES)
def test_latex_has_one_axis_a_panel_closed_braces_and_only_numbers_as_coordinates(of, name):
    text = to_pgfplots(picture(name, {"one": of, "two": SEPARABLE}))
    n_panels = 1 if name in systems.TOGETHER else 2
    assert text.count(r"\begin{axis}") == text.count(r"\end{axis}") == n_panels
    assert text.count(r"\begin{tikzpicture}") == text.count(r"\end{tikzpicture}") == 1
    assert text.count("{") == text.count("}")
    for line in re.findall(r"coordinates \{(.*)\}", text):
        assert (
            np.array([point.strip("()").split(",") for point in line.split()], dtype=float).shape[1]
            == 2
        )


def test_more_panels_than_a_row_leave_no_empty_axes(of):
    figure = picture("ece", {str(index): of for index in range(5)})
    assert sum(ax.axison for ax in figure.axes) == to_pgfplots(figure).count(r"\begin{axis}") == 5


def test_det_ticks_stand_where_the_percentages_are(of):
    text = to_pgfplots(picture("det", {"one": of}))
    assert re.search(r"xtick=\{-3\.09\d*,.*3\.09\d*\}, xticklabels=\{\{0\.1\},", text)


def test_latex_draws_the_curve_and_the_legend_in_its_order():
    figure, ax = style.figure(4, 3)
    log_odds = np.array([-1.0, 0, 1])
    curves = {
        label: {
            "prior_log_odds": log_odds,
            "ece_bit": np.array(ece),
            "ece_default_bit": np.array([0.5, 1, 0.5]),
        }
        for label, ece in (("much", [0.1, 0.2, 0.1]), ("little", [0.4, 0.9, 0.4]))
    }
    metrics = {
        "much": {"dece_bit": 0.6, "worst_case_log10": 3, "tag": "C"},
        "little": {"dece_bit": 1e-4, "worst_case_log10": 0, "tag": "0"},
    }
    plot_profiles(ax, curves=curves, metrics=metrics, over="prior")
    text = to_pgfplots(figure)
    assert "coordinates {(0.268941,0.1) (0.5,0.2) (0.731059,0.1)}" in text
    entries = re.findall(r"addlegendentry\{(.*)\}", text)
    assert entries[1:] == [
        "perfect privacy (0, 0, 0)",
        "little (1e-04, 0.000, 0)",
        "much (0.600, 3.000, C)",
    ]
    assert "$D_{ECE}$" in entries[0]


def test_the_legend_has_the_interval_and_says_what_is_zero_evidence():
    _, ax = style.figure(4, 3)
    curve = {name: np.ones(2) for name in ("prior_log_odds", "ece_bit", "ece_default_bit")}
    metrics = {
        "much": {"dece_bit": 0.6, "dece_null95_bit": 0.1, "limits": {"dece_bit": (0.44, 0.7)}},
        "none": {"dece_bit": 0.05, "dece_null95_bit": 0.1, "limits": {}},
        "unknown": {"dece_bit": 0.01, "dece_null95_bit": "undefined"},
    }
    metrics = {name: of | {"worst_case_log10": 1.5, "tag": "B"} for name, of in metrics.items()}
    plot_profiles(ax, curves=dict.fromkeys(metrics, curve), metrics=metrics)
    legend = ax.get_legend()
    entries = [text.get_text() for text in legend.get_texts()][1:]
    assert entries == [
        "unknown (0.010, 1.500, B)",
        "none (0.050, 1.500, B) *",
        "much (0.600 [0.44, 0.70], 1.500, B)",
    ]
    assert "* no more than zero evidence" in legend.get_title().get_text()


def test_a_long_curve_is_thinned_but_keeps_its_shape():
    figure, ax = style.figure(4, 3)
    x = np.linspace(0, 1, 20_000)
    ax.plot(x, np.sin(6 * x))
    (line,) = re.findall(r"coordinates \{(.*)\}", to_pgfplots(figure))
    points = np.array([point.strip("()").split(",") for point in line.split()], dtype=float)
    assert len(points) < 500
    np.testing.assert_allclose(np.interp(x, *points.T), np.sin(6 * x), atol=0.01)


def test_a_picture_with_areas_cannot_be_latex(tmp_path):
    figure, ax = style.figure(2, 2)
    ax.imshow(np.eye(2))
    with pytest.raises(BadInput, match="take pdf"):
        style.save(figure, tmp_path / "p.tex")
    assert list(tmp_path.iterdir()) == []
