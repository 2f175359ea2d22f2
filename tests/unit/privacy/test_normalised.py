"""Normalised measures: the numbers of the paper of 2022, its limits, and where nothing can be said."""

import math

import pytest

from voiceprivacy.privacy.normalised import gain_db, normalise, removed_percent

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
    assert removed_percent(oo=oo, op=op) == pytest.approx(percent, abs=0.1)


def test_all_measures_by_hand():
    metrics = normalise(dece_bit={"oo": 0.5, "op": 0.1, "pp": 0.05}, cllr_min_bit={"oo": 0.2, "op": 0.8, "pp": 0.92})
    assert metrics == {
        "dece_op_oo_percent": pytest.approx(80),
        "cllr_min_op_oo_percent": pytest.approx(75),
        "gain_dece_db": pytest.approx(-10),
        "gain_cllr_min_db": pytest.approx(-10),
    }


def test_no_protection_is_0_and_full_protection_100_percent():
    assert removed_percent(oo=0.7, op=0.7) == 0
    assert removed_percent(oo=0.7, op=0) == 100
    assert removed_percent(oo=0.1, op=0.2) == pytest.approx(-100)


def test_voices_as_distinct_as_before_gain_0_db_and_equal_voices_minus_infinity():
    assert gain_db(oo=0.3, pp=0.3) == 0
    assert gain_db(oo=0.3, pp=0) == -math.inf


def test_where_the_original_discloses_nothing():
    assert removed_percent(oo=0, op=0) == gain_db(oo=0, pp=0) == "undefined"
    assert removed_percent(oo=0, op=0.1) == -math.inf
    assert gain_db(oo=0, pp=0.1) == math.inf


def test_a_rounding_error_is_no_disclosure():
    metrics = normalise(dece_bit={"oo": 0, "op": 1e-17, "pp": 0}, cllr_min_bit={"oo": 1 - 1e-16, "op": 1, "pp": 1})
    assert set(metrics.values()) == {"undefined"}
