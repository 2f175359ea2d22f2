"""Layouts of whole evaluations, and the order of speakers in a matrix."""

import numpy as np

from voiceprivacy.report.curves import arrange
from voiceprivacy.report.plots import style, systems
from voiceprivacy.report.plots.evidence import all_profiles_picture
from voiceprivacy.report.plots.speakers import all_matrices_picture


def matrices(n_speakers, seed=0):
    rng = np.random.default_rng(seed)
    return {
        name: np.ma.masked_array(rng.uniform(size=(n_speakers, n_speakers)))
        for name in ("oo", "op", "pp")
    }


def test_a_row_for_every_anonymiser_and_a_column_for_every_set():
    places = [(name, of) for name in ("b2", "b2r") for of in ("demo f", "demo m", "libri f")]
    figure = all_matrices_picture(
        {place: matrices(3 + index) for index, place in enumerate(places)}
    )
    panels = [ax for ax in figure.axes if ax.images]
    assert [ax.get_title() for ax in panels[:3]] == ["demo f", "demo m", "libri f"]
    assert [ax.get_ylabel() for ax in panels[::3]] == ["b2", "b2r"]
    assert {ax.images[0].get_clim() for ax in panels} == {(0, 1)}
    assert panels[4].images[0].get_array().shape == (14, 14)


def test_a_system_has_the_same_colour_in_every_panel():
    curve = {
        name: np.linspace(0, 1, 5) for name in ("prior_log_odds", "ece_bit", "ece_default_bit")
    }
    profiles = {
        "demo f": {"original/oo": curve, "b2/op": curve, "b2r/op": curve},
        "demo m": {"original/oo": curve, "b2r/op": curve},
    }
    first, second = all_profiles_picture(profiles).axes
    colours = [
        {line.get_label(): line.get_color() for line in ax.get_lines()} for ax in (first, second)
    ]
    assert colours[0]["b2r/op"] == colours[1]["b2r/op"] != colours[0]["b2/op"]
    assert colours[0]["perfect privacy"] == "black"


def test_speakers_who_sound_alike_stand_beside_each_other():
    values = np.full((4, 4), 0.1)
    for one, other in ((0, 2), (1, 3)):
        values[one, other] = values[other, one] = 0.8
    found = {name: np.ma.masked_array(values) for name in ("oo", "op", "pp")}
    speakers, sorted_matrices = arrange(list("abcd"), found, "similarity")
    assert {frozenset(speakers[:2]), frozenset(speakers[2:])} == {frozenset("ac"), frozenset("bd")}
    assert sorted_matrices["op"][0, 1] == sorted_matrices["op"][2, 3] == 0.8
    assert arrange(list("abcd"), found, "gender")[0] == list("abcd")


def test_an_undefined_diagonal_does_not_disturb_the_order():
    found = matrices(5)
    found["oo"][2, 2] = np.ma.masked
    speakers, sorted_matrices = arrange(list("abcde"), found, "similarity")
    assert sorted(speakers) == list("abcde")
    place = speakers.index("c")
    assert sorted_matrices["oo"].mask[place, place]


def test_features_are_means_of_normalised_histograms():
    _, ax = style.figure(3, 3)
    counts = {"original": np.array([[1, 0, 1, 0], [0, 8, 0, 0]]), "b2": np.array([[1, 1, 1, 1]])}
    systems.plot_features(ax, histograms=counts, bins=(list("abcd"), "letters"))
    np.testing.assert_allclose(ax.patches[0].get_data().values, [0.25, 0.5, 0.25, 0])
    np.testing.assert_allclose(ax.patches[1].get_data().values, 0.25)
    assert ax.get_xlabel() == "letters"
