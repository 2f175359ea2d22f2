"""Pictures of ranks: histograms, how disclosure is spread over speakers, and what length does."""

import numpy as np
import pytest

from voiceprivacy.errors import BadInput
from voiceprivacy.report.curves import LengthPoint
from voiceprivacy.report.plots import drawing, law, ranks
from voiceprivacy.report.uncertainty import Shown


def systems(n_templates, n_systems=1):
    p = np.arange(n_templates, 0, -1.0) / sum(range(n_templates + 1))
    metrics = {"mean_disclosure_bit": 1.0, "model_mean_disclosure_bit": 0.5}
    metrics |= {"identification_rate_percent": 50.0}
    labels = [f"b{index}/op" for index in range(n_systems)]
    curves = {label: {"p": p, "gamma": p} for label in labels}
    return {"curves": curves, "metrics": dict.fromkeys(labels, metrics)}


def test_large_galleries_have_logarithmic_axes():
    for n_templates, scale in ((1, "linear"), (60, "linear"), (61, "log")):
        [ax, *_] = ranks.ranks_picture(**systems(n_templates)).axes
        assert ax.get_xscale() == ax.get_yscale() == scale
    curves = {str(size): systems(size)["curves"]["b0/op"] for size in (5, 100)}
    metrics = dict.fromkeys(curves, systems(5)["metrics"]["b0/op"])
    figure = ranks.ranks_picture(curves=curves, metrics=metrics)
    assert [ax.get_yscale() for ax in figure.axes] == ["linear", "log"]


def test_a_figure_takes_one_file_of_each_kind():
    with pytest.raises(BadInput, match="2 anonymisers, 2 speakers and 1 examples"):
        ranks.rank_speakers(anonymisers=["b2", "b3"], speakers=["x", "y"], examples=["x"])
    with pytest.raises(BadInput, match="2 anonymisers and 1 curves"):
        law.law(anonymisers=["b2", "b3"], curves=["x"])


def test_intervals_stand_beside_the_numbers_of_ranks():
    shown = systems(4)
    with_interval = {
        "mean_disclosure_bit": Shown(1.0, (0.25, 1.5)),
        "identification_rate_percent": Shown(50.0, (30.0, 70.0)),
        "model_mean_disclosure_bit": Shown(0.75, (0.625, 1.25), definition=0.5),
    }
    numbers = shown["metrics"]["b0/op"] | {"shown": with_interval}
    figure = ranks.ranks_picture(curves=shown["curves"], metrics={"b0/op": numbers})
    title = figure.axes[0].get_title().split("\n")
    assert title[1:] == [
        "rank 1 of 4: 50.0 [30.0, 70.0] %",
        "mean 1.00 [0.25, 1.50] of 2.00 bit",
        "model 0.75 [0.62, 1.25] bit",
        "by definition 0.50 bit",
    ]


def test_distributions_end_at_one_and_n_is_shown():
    disclosures = {"original/oo": np.array([3.0, 3.0, 2.0]), "b2/op": np.array([0.0, 0.5, 1.0])}
    examples = {"a": (np.array([0.5, 0.5]), np.array([0.6, 0.4]))}
    figure = ranks.rank_speakers_picture(
        disclosures=disclosures, examples=examples, example_of="b2/op", n_templates=8
    )
    assert figure.get_suptitle() == "8 templates: at most 3.00 bit"
    assert all(line.get_ydata()[-1] == 1 for line in figure.axes[1].get_lines())
    (legend,) = figure.legends
    words = [text.get_text() for text in legend.get_texts()]
    assert words[1] == "b2 OP: 0.50 ± 0.41, most 1.00 bit"
    bars, models = figure.axes[2].collections[0], figure.axes[2].get_lines()
    assert len(bars.get_segments()) == 2 and models[0].get_ydata().tolist() == [1, 0.4 / 0.6]


def point(test, template, bits):
    """Observations of six seconds each."""
    return LengthPoint(bits, test_s=6.0 * test, template_s=6.0 * template)


def test_disclosure_by_length_shows_its_intervals_beside_each_other():
    _, ax = drawing.figure(3, 3)
    one = {1: point(1, 1, Shown(0.5, (0.2, 0.7))), 5: point(5, 1, Shown(0.8))}
    two = {1: point(1, 2, Shown(0.6, (0.3, 0.9))), 5: point(5, 2, Shown(0.9, (0.7, 1.2)))}
    ranks.plot_lengths(ax, disclosures={1: one, 2: two}, most_bit=1.5)
    (first,), (second, third) = [lines.get_segments() for lines in ax.collections]
    limits = [segment[:, 1].tolist() for segment in (first, second, third)]
    assert limits == [[0.2, 0.7], [0.3, 0.9], [0.7, 1.2]]
    assert first[0, 0] < 6 < second[0, 0] < 6.6


def test_every_system_has_a_panel_and_the_lowest_of_a_column_its_axis():
    figure = ranks.ranks_picture(**systems(12, n_systems=6))
    drawn = [ax.get_title().split("\n")[0] for ax in figure.axes if ax.axison]
    assert drawn == [f"b{index} OP" for index in range(6)]
    names = [f"b{index}/op" for index in range(5)]
    by_length = {1: {1: point(1, 1, Shown(0.5)), 2: point(2, 1, Shown(0.8))}}
    figure = ranks.lengths_picture(disclosures=dict.fromkeys(names, by_length), n_templates=8)
    with_axis = [ax.get_title() for ax in figure.axes if ax.get_xlabel()]
    assert with_axis == ["b1 OP", "b2 OP", "b3 OP", "b4 OP"]  # four columns, two rows
