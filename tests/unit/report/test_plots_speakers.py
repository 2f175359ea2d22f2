"""Pictures of speakers: matrices, the zoo, who is at risk; what is drawn, and what is left out."""

import itertools

import numpy as np

from voiceprivacy.report.figures import GROUND
from voiceprivacy.report.plots import drawing, speakers

NAMES = ["a", "b", "c"]


def animal(target, impostor, *, corner="-", named=False):
    means = {"mean_target_llr": target, "mean_impostor_llr": impostor}
    return means | {"corner": corner, "animal": corner if named else "-"}


def menagerie():
    of_op = {
        "a": animal(2.0, -1.0, corner="dove", named=True),
        "b": animal(0.5, 0.0),
        "c": animal(None, -0.5),
    }
    of_pp = {"a": animal(3.0, -2.0, corner="worm"), "b": animal(1.0, -1.0), "c": animal(1.5, -1.5)}
    return {"op": of_op, "pp": of_pp}


def matrices(n_speakers):
    rng = np.random.default_rng(0)
    drawn = rng.uniform(size=(3, n_speakers, n_speakers))
    return dict(zip(("oo", "op", "pp"), map(np.ma.masked_array, drawn), strict=True))


def exposure(dece, deid=None, n_target=4):
    return {"n_target": n_target, "dece_bit": dece, "worst_case_log10": 1.0, "deid_percent": deid}


def test_the_lower_left_block_is_the_upper_right_and_undefined_cells_are_explained():
    values = matrices(3)
    picture = speakers.similarity_picture(**values, speakers=NAMES)
    [image] = picture.axes[0].images
    blocks = [[values["oo"], values["op"]], [values["op"].T, values["pp"]]]
    np.testing.assert_array_equal(image.get_array(), np.block(blocks))
    assert image.get_clim() == (0, 1) and not picture.legends
    values["oo"][0, 0] = np.ma.masked
    assert speakers.similarity_picture(**values, speakers=NAMES).legends


def test_names_of_many_speakers_are_left_out():
    for n_speakers, n_names in ((31, 62), (60, 0)):
        names = [f"s{index}" for index in range(n_speakers)]
        ax, _ = speakers.similarity_picture(**matrices(n_speakers), speakers=names).axes
        assert len(ax.get_xticklabels()) == len(ax.get_yticklabels()) == n_names
        assert bool(ax.get_xlabel()) == (n_names == 0)


def test_a_row_for_every_anonymiser_and_a_column_for_every_set():
    sets = ["demo f", "demo m", "libri f"]
    panels = enumerate(itertools.product(("b2", "b2r"), sets))
    figure = speakers.all_matrices_picture({panel: matrices(3 + at) for at, panel in panels})
    panels = [ax for ax in figure.axes if ax.images]
    assert [ax.get_title() for ax in panels[:3]] == sets
    assert [ax.get_ylabel() for ax in panels[::3]] == ["b2", "b2r"]
    assert {ax.images[0].get_clim() for ax in panels} == {(0, 1)}
    assert panels[4].images[0].get_array().shape == (14, 14)


def test_the_zoo_has_one_scale_for_all_conditions_with_zero_evidence_on_it():
    figure = speakers.zoo_picture(zoo=menagerie())
    first, second = [(*plane.get_xlim(), *plane.get_ylim()) for plane in figure.axes[:2]]
    assert first == second
    left, right, bottom, top = first
    assert left < 0 < right and bottom < 0 < top
    # Animals beyond chance are filled, those in corners named, undefined means left out.
    _, ax = drawing.figure(3, 3)
    speakers.plot_zoo(ax, animals=menagerie()["op"], close_up=True)
    points = [line for line in ax.get_lines() if line.get_marker() in "Dosv^"]
    assert len(points) == 2
    assert points[0].get_markerfacecolor() == points[0].get_color() == drawing.colour(1)
    assert points[1].get_markerfacecolor() == GROUND
    assert [name.get_text() for name in ax.texts] == ["a"]


def test_speakers_are_sorted_by_their_larger_disclosure():
    exposures = {
        "oo": {name: exposure(0.7) for name in NAMES},
        "op": {"a": exposure(0.1, 80.0), "b": exposure(0.3, -5.0), "c": exposure(None)},
        "pp": {"a": exposure(0.5), "b": exposure(0.2), "c": exposure(None)},
    }
    figure = speakers.speakers_picture(exposures=exposures)
    labels = [label.get_text() for label in figure.axes[-1].get_xticklabels()]
    assert labels == ["a (4)", "b (4)", "c (4)"]
    assert [len(ax.patches) for ax in figure.axes] == [4, 6, 2]


def test_ids_are_no_formulas():
    """matplotlib takes what stands between two dollars for one, and refuses a wrong one."""
    name = "$(a)`$"
    exposures = {"oo": {name: exposure(0.7)}, "op": {name: exposure(0.1)}}
    assert name in drawing.svg_of(speakers.speakers_picture(exposures=exposures))


def test_drawn_coefficients_say_whose_they_are():
    alphas = {"b2": {0.8: ["a"]}, "b2r": {0.75: list("abcdefg")}}
    figure = speakers.strips(alphas=alphas, colours={"b2": "#123456", "b2r": "#654321"})
    said = [line.get_gid() for line in figure.axes[0].lines]
    assert said == ["b2\ta\nalpha 0.8000", "b2r\t7 speakers: a, b, c, d, e …\nalpha 0.7500"]
