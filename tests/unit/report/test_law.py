"""Curves of data-protection law: which are drawn, and what an empty file gives."""

import numpy as np
import pytest
from support import made_up

from voiceprivacy.report import curves
from voiceprivacy.report.figures import Subject
from voiceprivacy.report.inline import shows_nothing
from voiceprivacy.report.plots import drawing
from voiceprivacy.report.plots import law as plots

POINTS = [
    ("oo", "ascending", "linkability", 2, 1, 0.9, 0.8, 0.95, 0.5),
    ("oo", "ascending", "linkability", 5, 1, 0.8, "-", "-", 0.2),
    ("oo", "ascending", "linkability", 50, 1, 0.5, 0.3, 0.6, 0.02),
    ("oo", "ascending", "linkability", 2, "all", 1.0, "-", "-", 0.5),
    ("oo", "ascending", "linkability", 5, "all", 0.9, "-", "-", 0.2),
    ("oo", "ascending", "singling_out", 2, 1, 0.7, 0.6, 0.75, 0.5),
]
TURNED = [("oo", "descending", *point[2:5], 1 - point[5], "-", "-", *point[8:]) for point in POINTS]


def drawn(folder, rows):
    subject = Subject("demo", "f", "", "ecapa", "cosine")
    shown = made_up.written(folder, "law", subject, curves.LAW, rows, ["original"])
    return plots.law(**shown.arguments)


def test_every_curve_is_drawn_with_the_strongest_reading(tmp_path):
    axes = drawn(tmp_path, POINTS).axes
    assert [ax.get_legend_handles_labels()[1] for ax in axes] == [["original OO", "guessing"]] * 4
    lines = {line.get_label(): line for line in axes[0].lines}
    assert np.allclose(lines["original OO"].get_ydata(), [90, 80, 50])
    points = [line for line in axes[0].lines if "among" in (line.get_gid() or "")]
    assert [line.get_gid().split("\n")[1] for line in points] == [
        "among 2, 1 utterance: 90.0% [80.0%, 95.0%]",
        "among 5, 1 utterance: 80.0%",
        "among 50, 1 utterance: 50.0% [30.0%, 60.0%]",
    ]
    ax, *_ = drawn(tmp_path, [*POINTS, *TURNED]).axes
    lines = {line.get_label(): line for line in ax.lines}
    assert lines["original OO, read descending"].get_ydata() == pytest.approx([10, 20, 50])
    assert shows_nothing(drawing.svg_of(drawn(tmp_path, [])))


def test_systems_stand_beside_each_other_and_never_further_than_to_their_neighbour():
    assert curves.beside_each_other(1) == [0]
    assert max(curves.beside_each_other(500)) < 0.5
    assert np.diff(curves.beside_each_other(3)) == pytest.approx(0.025)
