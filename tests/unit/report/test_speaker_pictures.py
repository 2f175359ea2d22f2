"""Pictures and tables of speakers and of sampled galleries: what is drawn, what is left out, what
is refused.
"""

import math

import numpy as np
import pytest

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.curves import (
    DISCLOSURES,
    EXPOSURES,
    ZOO,
    by_length,
    read_disclosures,
    read_examples,
    read_speakers,
)
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.plots import ranks, speakers, style, systems
from voiceprivacy.vocabulary import Attack

NAMES = ["a", "b", "c"]


def animal(target, impostor, *, corner="-", named=False):
    return {
        "mean_target_llr": target,
        "mean_impostor_llr": impostor,
        "corner": corner,
        "animal": corner if named else "-",
    }


def menagerie():
    of_op = {
        "a": animal(2.0, -1.0, corner="dove", named=True),
        "b": animal(0.5, 0.0),
        "c": animal(None, -0.5),
    }
    of_pp = {"a": animal(3.0, -2.0, corner="worm"), "b": animal(1.0, -1.0), "c": animal(1.5, -1.5)}
    return {"op": of_op, "pp": of_pp}


def matrices():
    return {name: np.ma.masked_array(np.full((3, 3), 0.5)) for name in ("op", "pp")}


def exposure(dece, deid=None, n_target=4):
    return {"n_target": n_target, "dece_bit": dece, "worst_case_log10": 1.0, "deid_percent": deid}


def test_the_zoo_has_one_scale_for_all_conditions_with_zero_evidence_on_it():
    figure = speakers.zoo_picture(zoo=menagerie(), matrices=matrices(), speakers=NAMES)
    planes = figure.axes[2:4]
    assert (
        planes[0].get_xlim() == planes[1].get_xlim()
        and planes[0].get_ylim() == planes[1].get_ylim()
    )
    for limits in (planes[0].get_xlim(), planes[0].get_ylim()):
        assert limits[0] < 0 < limits[1]


def test_only_animals_beyond_chance_are_filled_and_undefined_means_are_left_out():
    _, ax = style.figure(3, 3)
    speakers.plot_zoo(ax, animals=menagerie()["op"], speakers=NAMES)
    points = [line for line in ax.get_lines() if line.get_marker() in "Dosv^"]
    assert len(points) == 2
    assert points[0].get_markerfacecolor() == points[0].get_color() == style.colour(1)
    assert points[1].get_markerfacecolor() == "white"


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


def test_an_anonymiser_without_distinct_voices_is_an_arrow_at_the_edge():
    _, ax = style.figure(3, 3)
    points = {("b1", "f"): (99.0, -math.inf), ("b2", "f"): (50.0, -1.0), ("b2", "m"): (-10.0, 0.5)}
    colours, markers = systems.plot_points(ax, points=points)
    assert list(colours) == ["b1", "b2"] and list(markers) == ["f", "m"]
    arrow = ax.get_lines()[0]
    assert arrow.get_marker() == r"$\downarrow$" and arrow.get_ydata()[0] < -1
    assert ax.get_xlim()[0] < -10


def test_intervals_of_deid_and_gain_are_lines_within_the_picture():
    _, ax = style.figure(3, 3)
    points = {("b1", "f"): (60.0, -1.0), ("b1", "m"): (50.0, 0.0)}
    limits = {("b1", "f"): ((-20.0, 90.0), (-6.0, 2.0)), ("b1", "m"): (None, (-math.inf, 1.0))}
    systems.plot_points(ax, points=points, limits=limits)
    lines = [(list(line.get_xdata()), list(line.get_ydata())) for line in ax.get_lines()]
    assert ([-20, 90], [-1, -1]) in lines and ([60, 60], [-6, 2]) in lines
    assert len(lines) == 2 + 2 + 2  # points, intervals, the lines of no change
    assert ax.get_xlim()[0] < -20 and ax.get_ylim()[0] < -6


def test_distributions_end_at_one_and_n_is_shown():
    disclosures = {"original/oo": np.array([3.0, 3.0, 2.0]), "b2/op": np.array([0.0, 0.5, 1.0])}
    examples = {"a": (np.array([0.5, 0.5]), np.array([0.6, 0.4]))}
    figure = ranks.rank_speakers_picture(
        disclosures=disclosures, examples=examples, example_of="b2/op", n_templates=8
    )
    assert figure.get_suptitle() == "8 templates: at most 3.00 bit"
    assert all(line.get_ydata()[-1] == 1 for line in figure.axes[1].get_lines())


def test_bounds_start_at_the_shortest_lengths_and_stop_at_log2_n():
    _, ax = style.figure(3, 3)
    of = {1: {1: (0.5, None), 4: (0.8, None)}, 2: {1: (0.6, None), 4: (0.9, None)}}
    ranks.plot_lengths(ax, disclosures=of, most_bit=1.5)
    lines = {line.get_label(): line.get_ydata() for line in ax.get_lines()}
    assert lines["bound T"][0] == lines["bound √T"][0] == 0.5
    assert lines["bound T"][-1] == 1.5  # not 4 * 0.5
    assert lines["bound √T"][-1] == pytest.approx(1.0)


def test_disclosure_by_length_shows_its_intervals_beside_each_other():
    _, ax = style.figure(3, 3)
    of = {
        1: {1: (0.5, (0.2, 0.7)), 5: (0.8, None)},
        2: {1: (0.6, (0.3, 0.9)), 5: (0.9, (0.7, 1.2))},
    }
    ranks.plot_lengths(ax, disclosures=of, most_bit=1.5)
    drawn = [[segment.tolist() for segment in lines.get_segments()] for lines in ax.collections]
    (one,), (other, last) = drawn
    assert (
        [y for _, y in one] == [0.2, 0.7]
        and [y for _, y in other] == [0.3, 0.9]
        and [y for _, y in last] == [0.7, 1.2]
    )
    assert one[0][0] < 1 < other[0][0] < 1.1


def test_tables_of_speakers_are_read_back(tmp_path):
    write_table(
        tmp_path / "z.tsv", ZOO, [("op", "a", 2, 3, 1.5, "undefined", "-", "undefined", "-", "-")]
    )
    of = read_speakers(tmp_path / "z.tsv", ZOO)["op"]["a"]
    assert (of["mean_target_llr"], of["mean_impostor_llr"], of["corner"]) == (1.5, None, "-")
    write_table(tmp_path / "e.tsv", EXPOSURES, [("op", "a", 2, 3, 0.1, 1.0, "-")] * 2)
    with pytest.raises(BadInput, match=r"e\.tsv:3: op a occurs twice"):
        read_speakers(tmp_path / "e.tsv", EXPOSURES)


def test_disclosures_and_examples_are_read_back(tmp_path):
    write_table(tmp_path / "s.tsv", DISCLOSURES, [("op", "a", 2, 0, 1.5, 0.25, 0, "undefined")])
    assert list(read_disclosures(tmp_path / "s.tsv")["op"].values()) == [0.25]
    rows = [("op", "a", 1, 0.5, 0.4), ("op", "a", 2, 0.5, 0.6), ("pp", "a", 1, 1, 1)]
    write_table(tmp_path / "x.tsv", ["label", "speaker", "rank", "p", "gamma"], rows)
    label, examples = read_examples(tmp_path / "x.tsv")
    assert label == "op" and examples["a"][1].tolist() == [0.4, 0.6]


def of_gallery(extractor, bits, *, trials="f_t1_d1", anonymiser="original", condition="oo"):
    values = {
        "n_templates": 8,
        "log2_n_templates_bit": 3.0,
        "disclosure_bit": bits,
        "match_positive_percent": 75.0,
    }
    return [
        Number("demo", trials, anonymiser, extractor, "cosine", condition, name, str(value))
        for name, value in values.items()
    ]


def test_lengths_come_from_the_names_of_the_galleries():
    metrics = [
        *of_gallery("ecapa", 1.0),
        *of_gallery("ecapa", 1.5, trials="f_t2_d4"),
        *of_gallery("f0", 9.0),
    ]
    metrics += of_gallery("ecapa", 0.1, anonymiser="b2", condition="op")
    disclosures, n_templates = by_length(metrics, Attack("demo", "f", "ecapa", "cosine"))
    none = {
        "original/oo": {1: {1: (1.0, None)}, 4: {2: (1.5, None)}},
        "b2/op": {1: {1: (0.1, None)}},
    }
    assert (disclosures, n_templates) == (none, 8)
    limited = [metric._replace(ci_low="0.5", ci_high="1.25") for metric in metrics]
    disclosures, _ = by_length(limited, Attack("demo", "f", "ecapa", "cosine"))
    assert disclosures["b2/op"] == {1: {1: (0.1, (0.5, 1.25))}}
    with pytest.raises(BadInput, match="no sampled galleries"):
        by_length(metrics, Attack("demo", "m", "ecapa", "cosine"))
