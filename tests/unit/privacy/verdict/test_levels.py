"""Levels, better pairs and layers: every level by hand, families of tests, unequal effort."""

import numpy as np
import pytest
from scipy.special import stdtrit

from voiceprivacy.privacy.verdict.levels import (
    CANNOT_SAY,
    LITTLE_REDUCED,
    NONE_FOUND,
    NONE_LEFT,
    NOT_SHOWN,
    REDUCED,
    Findings,
    Thresholds,
    better,
    levels,
    order,
)
from voiceprivacy.privacy.verdict.strongest import AttackName, Candidate

THRESHOLDS = Thresholds(
    nothing_percent=1,
    reduced_percent=50,
    weakest_attacker_bit=0.35,
    guessing_eer_percent=45,
    times_chance=2,
)
TPR = "tpr_at_fpr_0.01_percent"
N_SPEAKERS = 40
T_97_5 = stdtrit(N_SPEAKERS - 1, 0.975)


def attack(extractor="ecapa", reading="ascending"):
    return AttackName(extractor, "cosine", "pp", reading)


def number(value, *, spread=1.0, seed=0):
    """A Candidate whose replicates have exactly the spread."""
    noise = np.random.default_rng(seed).normal(size=300)
    noise = spread * (noise - noise.mean()) / noise.std()
    width = T_97_5 * spread
    return Candidate(value, value, value - width, value + width, value + noise, N_SPEAKERS)


def findings(evidence, *, tpr=1.0, eer=48.0, seed=0, **options):
    """Findings of {extractor: percent left}, or of one attack."""
    evidence = evidence if isinstance(evidence, dict) else {"ecapa": evidence}
    left = {
        attack(name): number(value, seed=seed + position)
        for position, (name, value) in enumerate(evidence.items())
    }
    return Findings(
        evidence=left,
        rates={
            "eer_percent": {attack(): number(100 - eer, spread=0.5, seed=seed + 10)},
            TPR: {attack(): number(tpr, spread=0.1, seed=seed + 20)},
        },
        chance={TPR: 1.0},
        **{"within_band": False, "may_be_none_left": True, "silence": None} | options,
    )


def level(system):
    return levels({("set", "a"): system}, THRESHOLDS)[("set", "a")]


# Levels.


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        (findings(-3), NONE_LEFT),
        (findings(-3, within_band=True), NONE_LEFT),
        (findings(-3, may_be_none_left=False), REDUCED),
        (findings(-3, may_be_none_left=False, within_band=True), NONE_FOUND),
        (findings(-3, tpr=3), REDUCED),
        (findings(-3, eer=40), REDUCED),
        (findings(0), REDUCED),
        (findings(0, within_band=True), NONE_FOUND),
        (findings(70, within_band=True), NONE_FOUND),
        (findings(40), REDUCED),
        (findings(49), LITTLE_REDUCED),
        (findings(90), LITTLE_REDUCED),
        (findings(99), NOT_SHOWN),
        (findings(120), NOT_SHOWN),
        (findings(-3, silence="too few speakers"), CANNOT_SAY),
    ],
)
def test_every_level_by_hand(system, expected):
    assert level(system) == expected


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        (50 - 1.01 * T_97_5, REDUCED),
        (50 - 0.99 * T_97_5, LITTLE_REDUCED),
        (100 - 1.01 * T_97_5, LITTLE_REDUCED),
        (100 - 0.99 * T_97_5, NOT_SHOWN),
        (1 - 1.01 * T_97_5, NONE_LEFT),
        (1 - 0.99 * T_97_5, REDUCED),
    ],
)
def test_one_system_is_tested_at_2_5_percent(evidence, expected):
    assert level(findings(evidence)) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        # Upper limit of the true-positive rate against twice its chance of 1 %.
        ({"tpr": 2 - 0.11 * T_97_5}, NONE_LEFT),
        ({"tpr": 2 - 0.09 * T_97_5}, REDUCED),
        # Lower limit of the error rate against 45 %.
        ({"eer": 45 + 0.51 * T_97_5}, NONE_LEFT),
        ({"eer": 45 + 0.49 * T_97_5}, REDUCED),
    ],
)
def test_nothing_is_left_only_if_the_limits_of_other_rates_allow_it(options, expected):
    assert level(findings(-3, **options)) == expected


def test_an_error_rate_above_50_percent_is_no_error_rate_of_guessing():
    """Its opposite reading is a candidate too, and finds as much as it misses."""
    system = findings(-3)
    turned = {attack(): number(40.0), attack(reading="descending"): number(60.0)}
    assert level(system._replace(rates=system.rates | {"eer_percent": turned})) == REDUCED


def test_a_rate_that_the_list_cannot_show_is_not_taken_for_harmless():
    system = findings(-3)
    assert level(system._replace(rates={"eer_percent": system.rates["eer_percent"]})) == REDUCED
    assert level(system._replace(rates={TPR: system.rates[TPR]})) == REDUCED


def test_one_attack_of_several_decides():
    assert level(findings({"a": 10, "b": 10, "c": 49})) == LITTLE_REDUCED


def test_systems_of_all_sets_are_one_family_of_tests():
    """A p-value of 1.5 % is enough alone, and not beside another that shows nothing."""
    value = 50 + stdtrit(N_SPEAKERS - 1, 0.015)
    assert level(findings(value)) == REDUCED
    beside = {("set", "a"): findings(value), ("another set", "b"): findings(70)}
    assert levels(beside, THRESHOLDS) == {
        ("set", "a"): LITTLE_REDUCED,
        ("another set", "b"): LITTLE_REDUCED,
    }
    clear = {("set", "a"): findings(value), ("another set", "b"): findings(20)}
    assert set(levels(clear, THRESHOLDS).values()) == {REDUCED}


def test_an_interval_that_reaches_a_threshold_is_not_below_it():
    """Of few speakers replicates are skewed: Student's t says 2 %, the interval 55."""
    system = findings(20)
    wide = {name: each._replace(high=55.0) for name, each in system.evidence.items()}
    assert level(system) == REDUCED
    assert level(system._replace(evidence=wide)) == LITTLE_REDUCED


def test_silent_systems_are_in_no_family():
    value = 50 + stdtrit(N_SPEAKERS - 1, 0.015)
    silent = findings(70, silence="constant scores")
    named = levels({("set", "a"): findings(value), ("set", "b"): silent}, THRESHOLDS)
    assert named == {("set", "a"): REDUCED, ("set", "b"): CANNOT_SAY}


# Better.


def pairs_of(**systems):
    return [
        (one, other)
        for _, one, other in better({("set", name): each for name, each in systems.items()})
    ]


def test_a_clear_difference_is_shown():
    assert pairs_of(a=findings(10), b=findings(30, seed=1)) == [("a", "b")]


def test_equal_systems_are_not_better_than_each_other():
    assert pairs_of(a=findings(10), b=findings(10, seed=1)) == []


def test_differences_are_of_the_same_draws():
    """With the replicates of the other a small difference is sure, with others of its own not."""
    assert pairs_of(a=findings(10), b=findings(11)) == [("a", "b")]
    assert pairs_of(a=findings(10), b=findings(11, seed=1)) == []


def test_who_is_shown_worse_in_a_rate_is_not_better():
    """Less evidence on average, but more people are found at few false alarms."""
    assert pairs_of(a=findings(10, tpr=20), b=findings(30, seed=1)) == []
    assert pairs_of(a=findings(10, eer=30), b=findings(30, seed=1)) == []
    assert pairs_of(a=findings(10, tpr=1.1), b=findings(30, seed=1)) == [("a", "b")]


def test_a_rate_that_only_one_has_decides_nothing():
    a, b = findings(10, tpr=20), findings(30, seed=1)
    assert pairs_of(a=a._replace(rates={}), b=b) == [("a", "b")]
    assert pairs_of(a=a, b=b._replace(rates={})) == [("a", "b")]


def test_systems_of_different_sets_and_silent_ones_are_not_compared():
    a, b = findings(10), findings(30, seed=1)
    assert better({("one", "a"): a, ("two", "b"): b}) == []
    assert pairs_of(a=a, b=b._replace(silence="constant scores")) == []
    assert pairs_of(a=a._replace(silence="constant scores"), b=b) == []


def test_pairs_of_all_sets_are_one_family_of_tests():
    """Two ordered pairs: 1 % counts twice; six pairs of two more sets are too many for it."""
    difference = -stdtrit(N_SPEAKERS - 1, 0.01) * np.std(
        number(0).replicates - number(0, seed=1).replicates
    )
    own = {("one", "a"): findings(10), ("one", "b"): findings(10 + difference, seed=1)}
    assert better(own) == [("one", "a", "b")]
    more = {(name, system): findings(10, seed=5) for name in ("two", "six") for system in "ab"}
    assert better(own | more) == []


def test_an_extra_attack_that_broke_a_system_counts_against_it():
    """``extra`` was tried on a only, and found 60 % there."""
    a, b = findings({"ecapa": 10, "extra": 60}), findings(30, seed=5)
    assert pairs_of(a=a, b=b) == []
    assert pairs_of(a=findings({"ecapa": 10, "extra": 12}), b=b) == [("a", "b")]


def test_effort_that_a_system_was_spared_does_not_make_it_first():
    """``extra`` broke b only, and was not tried on a: under ecapa they are alike."""
    a, b = findings(30), findings({"ecapa": 30, "extra": 90}, seed=5)
    assert pairs_of(a=a, b=b) == []
    both = findings({"ecapa": 30, "extra": 30})
    assert pairs_of(a=both, b=b) == [("a", "b")]


def test_attackers_that_were_trained_on_either_system_are_the_same_kind():
    a = findings({"semi_on_a": 10, "ecapa": 5})
    b = findings({"semi_on_b": 60, "ecapa": 5}, seed=5)
    assert pairs_of(a=a, b=b) == [("a", "b")]


# Order.


def test_the_layers_of_the_issue():
    assert order(["reversed", "b2", "b2r"], [("b2r", "b2"), ("b2r", "reversed")]) == [
        ["b2r"],
        ["b2", "reversed"],
    ]


@pytest.mark.parametrize(
    ("pairs", "layers"),
    [
        ([], [["a", "b", "c", "d"]]),
        ([("d", "a")], [["b", "c", "d"], ["a"]]),
        ([("a", "b"), ("b", "c"), ("c", "d")], [["a"], ["b"], ["c"], ["d"]]),
        ([("a", "d"), ("b", "d"), ("c", "d")], [["a", "b", "c"], ["d"]]),
        # Nobody in a circle stands before the others of it, nor before who is above it.
        ([("a", "b"), ("b", "c"), ("c", "a")], [["d"], ["a", "b", "c"]]),
        ([("a", "b"), ("b", "a"), ("b", "c"), ("c", "d")], [["a", "b"], ["c"], ["d"]]),
        ([("d", "a"), ("a", "b"), ("b", "a"), ("b", "c")], [["d"], ["a", "b"], ["c"]]),
        ([("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")], [["a", "b", "c", "d"]]),
        (
            [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"), ("a", "c")],
            [["a", "b"], ["c", "d"]],
        ),
    ],
)
def test_layers_and_circles(pairs, layers):
    assert order("abcd", pairs) == layers


def test_who_may_not_stand_in_the_order_holds_nobody_back():
    assert order(["a", "b"], [("x", "a"), ("a", "b")]) == [["a"], ["b"]]
    assert order([], [("a", "b")]) == []
