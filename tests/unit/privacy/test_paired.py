"""Paired comparisons: by hand, planted differences, what cannot be told apart."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.systems import number

from voiceprivacy.errors import BadInput
from voiceprivacy.privacy.uncertainty import bootstrap, multiple, paired

system = partial(number, spread=1.0, own=0.0)


def compared(a, b, metric="eer_percent"):
    [pair] = paired.compare({"a": a, "b": b}, condition="pp", metric=metric)
    return pair


def test_a_common_draw_cancels_in_the_difference():
    """Both vary by +-10 %, their difference by +-0.2 %."""
    a, b = system(31, spread=5, own=0.1), system(30, spread=5, own=0.1)
    pair = compared(a, b)
    assert pair.p_value == bootstrap.p_value(1, a[1] - b[1], n_speakers=1000)
    assert pair.difference == 1 and pair.ci_low > 0.6 and pair.ci_high < 1.4
    assert (pair.verdict, pair.share_a_better) == ("A is better", 1.0)
    assert pair.p_value < 0.003


def test_what_protects_less_is_said_too():
    for metric, *values in (("eer_percent", 20, 30), ("dece_bit", 0.3, 0.1)):
        pair = compared(*(system(value, spread=0, own=0.01) for value in values), metric)
        assert (pair.verdict, pair.share_a_better) == ("B is better", 0.0)


def test_an_attacker_who_errs_more_than_half_of_the_time_turns_round():
    """Errors of 71 % give away as much as 29 %, which the page says."""
    wrong, chance = system(71, own=0.1), system(47, own=0.1)
    pair = compared(wrong, chance)
    assert (pair.value_a, pair.value_b, pair.difference) == (29, 47, -18)
    assert pair.verdict == "B is better" and pair.ci_low < -18 < pair.ci_high
    numbers = {("b2", "pp"): wrong, ("b2", "op"): chance, ("b3", "pp"): system(40)}
    attacks = {
        paired.Attack(name, "ecapa", "plda", condition): number
        for (name, condition), number in numbers.items()
    }
    [pair] = paired.compare_strongest(attacks)
    assert (pair.condition_a, pair.value_a, pair.verdict) == ("pp", 29, "B is better")


def test_a_system_and_its_copy_are_alike():
    one = system(30)
    pair = compared(one, one)
    assert (pair.difference, pair.ci_low, pair.ci_high) == (0, 0, 0)
    assert (pair.share_a_better, pair.p_value, pair.verdict) == (0.5, 1.0, paired.ALIKE)


@given(shift=st.floats(-3, 3), metric=st.sampled_from(sorted(paired.MORE_IS_BETTER)))
def test_the_words_follow_the_interval_and_so_does_the_p_value(shift, metric):
    one, other = (system(value, own=0.7, spread=0, n_speakers=12) for value in (shift, 0.0))
    pair = compared(one, other, metric)
    assert (pair.verdict == paired.ALIKE) == (pair.ci_low <= 0 <= pair.ci_high)
    if abs(pair.p_value - 0.05) > 0.005:
        assert (pair.p_value < 0.05) == (pair.verdict != paired.ALIKE)
    swapped = compared(other, one, metric)
    assert swapped.difference == -pair.difference
    assert swapped.share_a_better == pytest.approx(1 - pair.share_a_better)
    assert swapped.p_value == pytest.approx(pair.p_value, rel=0.05)


def test_undefined_and_infinite_numbers_cannot_be_told_apart():
    for value in ("undefined", -np.inf):
        pair = compared((value, np.full(999, np.nan), 10), system(1.0), "gvd_db")
        assert (pair.difference, pair.p_value, pair.verdict) == ("undefined", 1.0, paired.ALIKE)


def test_holm_by_hand():
    assert multiple.holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert multiple.holm([0.02, 0.5, 0.02]) == pytest.approx([0.06, 0.5, 0.06])
    assert multiple.holm([0.7, 0.9]).tolist() == [1, 1]
    assert multiple.holm([]).tolist() == []


def test_two_speakers_cannot_tell_anonymisers_apart():
    """Whatever they do: simulated ones that were alike could be told apart in half of all cases."""
    pair = compared(system(30, spread=0.1, n_speakers=2), system(10, spread=0.1, n_speakers=12))
    assert (pair.difference, pair.ci_low, pair.p_value) == (20, None, 1.0)
    assert pair.verdict == paired.ALIKE
    assert paired.describe(pair) == "pp eer_percent: A = a, B = b: cannot be told apart"


def test_all_pairs_of_systems_are_compared_once_and_corrected_together():
    values = {"a": 30, "b": 20, "c": 10}
    systems = {name: system(value, own=0.1, spread=0) for name, value in values.items()}
    pairs = paired.compare(systems, condition="pp", metric="eer_percent")
    assert [pair.anonymiser_a + pair.anonymiser_b for pair in pairs] == ["ab", "ac", "bc"]
    smallest = min(pair.p_value for pair in pairs)
    assert all(pair.p_holm == pytest.approx(3 * smallest) for pair in pairs)


@pytest.mark.parametrize(
    ("more_is_better", "verdicts"),
    [
        (False, ["B is better", "B is better", "A is better"]),
        (None, ["A is higher", "A is higher", "B is higher"]),
    ],
)
def test_utility_is_compared_with_unprotected_speech_and_corrected_apart(more_is_better, verdicts):
    values = {"a": 4, "original": 1, "b": 8}
    systems = {name: system(value, own=0.7, spread=0) for name, value in values.items()}
    options = {"trials": "f", "metric": "wer", "more_is_better": more_is_better}
    pairs = paired.compare_utility(systems, **options)
    named = [("a", "original"), ("b", "original"), ("a", "b")]
    assert [pair[:4] for pair in pairs] == [("f", "wer", *both) for both in named]
    assert [pair.verdict for pair in pairs] == verdicts
    for family in (pairs[:2], pairs[2:]):
        expected = multiple.holm([pair.p_value for pair in family]).tolist()
        assert [pair.p_holm for pair in family] == expected
    del systems["original"]
    assert paired.compare_utility(systems, **options) == pairs[2:]


def test_the_mean_over_lists_is_of_the_same_replicates():
    lists = [(10.0, np.array([9.0, 11]), 12), (20.0, np.array([21.0, 19]), 8)]
    value, replicates, n_speakers = paired.average(lists)
    assert (value, replicates.tolist(), n_speakers) == (15, [15, 15], 8)
    assert paired.average([("undefined", np.ones(2), 3), (1.0, np.ones(2), 4)])[0] == "undefined"


def test_lists_of_other_speakers_are_independent_and_shared_speakers_are_one_draw():
    """The mean of two lists: of other speakers the variance is half."""
    names = {corpus: [f"{corpus}{number}" for number in range(20)] for corpus in ("libri", "vctk")}
    left_out = 30 + np.linspace(-1, 1, 20)

    def on_list(corpus):
        drawn = bootstrap.multiplicities(names[corpus], n_replicates=4000, seed=0)
        return 30.0, bootstrap.linear_replicates(30.0, left_out, drawn), 20

    one, other, again = on_list("libri"), on_list("vctk"), on_list("libri")
    _, apart, _ = paired.average([one, other])
    _, shared, _ = paired.average([one, again])
    assert apart.var() == pytest.approx((one[1].var() + other[1].var()) / 4, rel=0.05)
    assert shared.var() == pytest.approx(one[1].var())
    weighted = paired.average([one, other], [0.4, 0.1])[1]
    assert weighted.var() == pytest.approx(0.64 * one[1].var() + 0.04 * other[1].var(), rel=0.05)


def test_a_weighted_mean_over_lists_by_hand():
    lists = [(10.0, np.array([9.0, 11]), 12), (20.0, np.array([21.0, np.inf]), 8)]
    value, replicates, n_speakers = paired.average(lists, [0.6, 0.2])
    assert (value, *replicates, n_speakers) == pytest.approx((12.5, 12, np.inf, 8))
    opposite = [(np.inf, np.array([np.inf]), 3), (-np.inf, np.array([-np.inf]), 3)]
    assert paired.average(opposite)[0] == "undefined"


def test_weights_are_read_from_texts():
    read = paired.parse_weights(["libri/f=0.25", "vctk/f_common=1e-1"])
    assert read == {("libri", "f"): 0.25, ("vctk", "f_common"): 0.1}
    for texts in ("f=1", "libri/f", "libri/f=0", "libri/f=--1", "libri/f=1e999", "a/f=1 a/f=1"):
        with pytest.raises(BadInput, match="expected CORPUS/TRIALS=WEIGHT"):
            paired.parse_weights(texts.split())
