"""Normalised measures: the numbers of the paper of 2022, and where nothing can be said."""

import math

import numpy as np
import pytest

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import write_npz
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.privacy.uncertainty import normalised
from voiceprivacy.privacy.uncertainty.bootstrap import linear_replicates, multiplicities
from voiceprivacy.privacy.uncertainty.interval_files import Draws

TABLES_2_AND_3 = [  # D_ECE of OO and of OP (three digits), D_ECE^(OP/OO) in percent
    (0.584, 0.004, 99.32),
    (0.584, 0.221, 62.16),
    (0.584, 0.236, 59.59),
    (0.690, 0.354, 48.70),
    (0.594, 0.141, 76.26),
    (0.653, 0.132, 79.79),
]


@pytest.mark.parametrize(("oo", "op", "percent"), TABLES_2_AND_3)
def test_the_published_percentages_follow_from_the_published_disclosures(oo, op, percent):
    assert normalised.removed_percent(oo=oo, op=op) == pytest.approx(percent, abs=0.1)


def test_all_measures_by_hand():
    metrics = normalised.normalise(
        dece_bit={"oo": 0.5, "op": 0.1, "pp": 0.05}, cllr_min_bit={"oo": 0.2, "op": 0.8, "pp": 0.92}
    )
    assert metrics == {
        "dece_op_oo_percent": pytest.approx(80),
        "cllr_min_op_oo_percent": pytest.approx(75),
        "gain_dece_db": pytest.approx(-10),
        "gain_cllr_min_db": pytest.approx(-10),
    }


def test_no_and_full_protection_and_originals_that_disclose_nothing():
    assert normalised.removed_percent(oo=0.7, op=0.7) == 0
    assert normalised.removed_percent(oo=0.7, op=0) == 100
    assert normalised.removed_percent(oo=0.1, op=0.2) == pytest.approx(-100)
    assert normalised.gain_db(oo=0.3, pp=0.3) == 0
    assert normalised.gain_db(oo=0.3, pp=0) == -math.inf
    assert normalised.removed_percent(oo=0, op=0) == normalised.gain_db(oo=0, pp=0) == "undefined"
    assert normalised.removed_percent(oo=0, op=0.1) == -math.inf
    assert normalised.gain_db(oo=0, pp=0.1) == math.inf


def test_a_rounding_error_is_no_disclosure():
    metrics = normalised.normalise(
        dece_bit={"oo": 0, "op": 1e-17, "pp": 0}, cllr_min_bit={"oo": 1 - 1e-16, "op": 1, "pp": 1}
    )
    assert set(metrics.values()) == {"undefined"}


def test_intervals_are_of_the_numbers_without_each_speaker():
    left_out = {
        "dece_bit": {
            "oo": np.array([0.4, 0.5, 0.6]),
            "op": np.array([0.1, 0.2, 0.1]),
            "pp": np.array([0.1, 0.0, 0.2]),
        },
        "cllr_min_bit": {name: np.full(3, 0.5) for name in ("oo", "op", "pp")},
    }
    metrics = normalised.normalise(
        dece_bit={"oo": 0.5, "op": 0.1, "pp": 0.1}, cllr_min_bit={"oo": 0.5, "op": 0.5, "pp": 0.5}
    )
    draws = {"speakers": np.array(list("abc")), "n_replicates": 50, "seed": 0}
    replicates, drawn = normalised.resample(metrics, **left_out, **draws), multiplicities(**draws)
    expected = linear_replicates(80, np.array([75, 60, 100 * (1 - 1 / 6)]), drawn)
    np.testing.assert_allclose(replicates["dece_op_oo_percent"], expected)
    np.testing.assert_allclose(replicates["cllr_min_op_oo_percent"], 0)
    assert replicates.keys() == {"dece_op_oo_percent", "cllr_min_op_oo_percent"}


def test_gains_are_of_replicates_that_are_moved_back_by_three_times_their_bias():
    values = {"dece_bit": {"oo": 0.4, "pp": 0.1}, "cllr_min_bit": {"oo": 0.5, "pp": 0.9}}
    # Biases are 0.02 and 0.01, none and -0.05.
    dece = {"oo": np.array([0.3, 0.42, 0.5]), "pp": np.array([0.1, 0.12, np.nan])}
    cllr_min = {"oo": np.array([0.5, 0.5, 0.5]), "pp": np.array([0.8, 0.85, 0.95])}
    gains = normalised.resample_gains(values, {"dece_bit": dece, "cllr_min_bit": cllr_min})
    expected = 10 * np.log10([0.07 / 0.24, 0.09 / 0.36, np.nan])
    np.testing.assert_allclose(gains["gain_dece_db"], expected)
    expected = [10 * np.log10(0.05 / 0.5), -np.inf, -np.inf]
    np.testing.assert_allclose(gains["gain_cllr_min_db"], expected)


def test_gains_without_information_are_infinite_or_undefined():
    nothing, some = np.zeros(2), np.full(2, 0.4)
    of_each = ((some, nothing, -np.inf), (nothing, some, np.inf), (nothing, nothing, np.nan))
    for oo, pp, gain in of_each:
        values, replicates = (
            {"dece_bit": {"oo": a, "pp": b}, "cllr_min_bit": {"oo": 1 - a, "pp": 1 - b}}
            for a, b in ((oo[0], pp[0]), (oo, pp))
        )
        for gains in normalised.resample_gains(values, replicates).values():
            np.testing.assert_array_equal(gains, gain)


def proportions(folder):
    """The files of original and protected speech that normalised metrics are made of."""
    named = {}
    for name, family in (("dece", "zebra"), ("cllr_min", "verification")):
        files = (folder / f"{family}.{system}.json" for system in ("original", "b2"))
        named[name] = normalised.Proportion(*files, f"{name}_bit")
    return named


def test_normalised_measures_are_read_from_the_metrics_of_the_others(tmp_path):
    files = proportions(tmp_path)
    for name, values in (
        ("dece", {"oo": 0.5, "op": 0.1, "pp": 0.05}),
        ("cllr_min", {"oo": 0.2, "op": 0.8, "pp": 1.0}),
    ):
        original, protected, metric = files[name]
        write_json(original, {"oo": {metric: values["oo"]}})
        write_json(protected, {name: {metric: values[name]} for name in ("op", "pp")})
    normalised.write_normalised(tmp_path / "m.json", **files, draws=Draws(0, seed=0))
    assert read_json(tmp_path / "m.json") == {
        "dece_op_oo_percent": 80,
        "cllr_min_op_oo_percent": pytest.approx(75),
        "gain_dece_db": pytest.approx(-10),
        "gain_cllr_min_db": -math.inf,
    }
    (tmp_path / "zebra.b2.json").write_text('{"op": {"dece_bit": 1}}')
    with pytest.raises(BadInput, match="no dece_bit under pp"):
        normalised.write_normalised(tmp_path / "n.json", **files, draws=Draws(0, seed=0))


def test_the_numbers_without_each_speaker_are_taken_from_beside_the_metrics(tmp_path):
    files = proportions(tmp_path)
    for original, protected, metric in files.values():
        for path, conditions in ((original, ["oo"]), (protected, ["op", "pp"])):
            write_json(path, {condition: {metric: 0.4} for condition in conditions})
            arrays = {}
            for condition in conditions:
                arrays[f"{condition}/{metric}"] = np.linspace(0.3, 0.5, 20)
                arrays[f"left_out/{condition}/speakers"] = np.array(["a", "b", "c"])
                arrays[f"left_out/{condition}/{metric}"] = np.array([0.3, 0.4, 0.5])
                arrays[f"left_out/{condition}/n_speakers"] = np.array(3)
            write_npz(path.with_suffix(".bootstrap.npz"), arrays)
    draws = Draws(20, seed=0)
    normalised.write_normalised(tmp_path / "n.json", **files, draws=draws)
    intervals = read_json(tmp_path / "n.intervals.json")
    assert {condition: sorted(numbers) for condition, numbers in intervals.items()} == {
        "op": ["cllr_min_op_oo_percent", "dece_op_oo_percent"],
        "pp": ["gain_cllr_min_db", "gain_dece_db"],
    }
    arrays = {"left_out/oo/speakers": np.array(["x"]), "left_out/oo/n_speakers": np.array(1)}
    arrays |= {"left_out/oo/dece_bit": np.array([0.4]), "oo/dece_bit": np.ones(1)}
    write_npz(tmp_path / "zebra.original.bootstrap.npz", arrays)
    with pytest.raises(BadInput, match="the speakers of op are not those of"):
        normalised.write_normalised(tmp_path / "n.json", **files, draws=draws)
