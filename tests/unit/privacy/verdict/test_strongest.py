"""The strongest of many attacks: values by hand, limits of equal attacks, closed forms of tests."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri, stdtr, stdtrit
from scipy.stats import beta

from voiceprivacy.privacy.uncertainty.bootstrap import CORRECTIONS, interval
from voiceprivacy.privacy.verdict.strongest import (
    AttackName,
    Candidate,
    candidate,
    folded_interval,
    p_above,
    p_below,
    p_less,
    plausible,
    strongest,
)

N_SPEAKERS = 20
TOLERANCE = 0.05  # of quantiles of 4,000 draws


def name(extractor="a", reading="ascending", backend="cosine"):
    return AttackName(extractor, backend, "pp", reading)


def drawn(value, spread=1.0, *, seed=0, n_replicates=4000):
    return value + spread * np.random.default_rng(seed).normal(size=n_replicates)


def plain(value, replicates, *, n_speakers=N_SPEAKERS):
    """A Candidate of a number without bias, with limits of Student's t."""
    width = stdtrit(n_speakers - 1, 0.975) * replicates.std()
    return Candidate(value, value, value - width, value + width, replicates, n_speakers)


def attacks(*values, spread=1.0, seeds=None):
    seeds = seeds or range(len(values))
    return {
        name(f"attacker{position}"): plain(value, drawn(value, spread, seed=seed))
        for position, (value, seed) in enumerate(zip(values, seeds, strict=True))
    }


# One candidate.


def test_a_candidate_without_bias_is_the_number_with_its_interval():
    replicates = drawn(30, 5)
    made = candidate(30.0, replicates, metric="share", n_speakers=N_SPEAKERS)
    limits = interval(30.0, replicates, n_speakers=N_SPEAKERS)
    assert (made.value, made.defined) == (30, 30)
    assert (made.low, made.high) == (limits.ci_low, limits.ci_high)
    np.testing.assert_array_equal(made.replicates, replicates)


def test_a_calibrated_number_is_moved_back_with_its_limits_and_replicates():
    """The value by twice the bias that replicates show, these by three times: on the scale of the
    2/3 power of the evidence that is hidden, and of its cube root."""
    replicates = drawn(0.23, 0.02)
    made = candidate(0.2, replicates, metric="dece_bit", n_speakers=N_SPEAKERS)
    limits = interval(0.2, replicates, n_speakers=N_SPEAKERS, correction=CORRECTIONS["dece_bit"])
    assert made.defined == 0.2 and made.high == limits.ci_high
    width = stdtrit(N_SPEAKERS - 1, 0.975) * made.replicates.std()
    assert made.low == pytest.approx(min(limits.ci_low, made.value - width))

    def hidden(numbers, power):
        return (CORRECTIONS["dece_bit"].no_privacy - numbers) ** power

    def bias(power):
        return hidden(np.median(replicates), power) - hidden(0.2, power)

    moved_back = hidden(replicates, 1 / 3) - 3 * bias(1 / 3)
    np.testing.assert_allclose(hidden(made.replicates, 1 / 3), moved_back)
    assert hidden(made.value, 2 / 3) == pytest.approx(hidden(0.2, 2 / 3) - 2 * bias(2 / 3))


def test_replicates_of_strong_attacks_are_spread_as_they_are_moved_back():
    """Near the most evidence there is they lie close together, and the value does not."""
    replicates = drawn(0.60, 0.02)
    made = candidate(0.57, replicates, metric="dece_bit", n_speakers=N_SPEAKERS)
    assert made.replicates.std() > 1.1 * replicates.std()
    assert np.median(made.replicates) == pytest.approx(made.value, abs=0.03)
    assert made.low < interval(0.57, replicates, n_speakers=N_SPEAKERS).ci_low


def test_replicates_keep_their_spread_where_the_number_is_at_its_bound():
    """Of hardly any evidence, whose replicates all fall below 0 when they are moved back."""
    replicates = 0.03 + 0.005 * np.abs(drawn(0))
    made = candidate(0.01, replicates, metric="dece_bit", n_speakers=N_SPEAKERS)
    assert made.value == 0 and made.replicates.max() < 0
    assert made.replicates.std() == pytest.approx(replicates.std(), rel=0.1)


def test_a_number_for_which_more_is_better_enters_as_100_minus_it():
    made = candidate(
        30.0,
        drawn(30, 5),
        metric="eer_percent",
        n_speakers=N_SPEAKERS,
        is_better_when_more=True,
    )
    turned = candidate(30.0, drawn(30, 5), metric="eer_percent", n_speakers=N_SPEAKERS)
    assert (made.value, made.defined) == (70, 70)
    assert (made.low, made.high) == (100 - turned.high, 100 - turned.low)
    np.testing.assert_allclose(made.replicates, 100 - turned.replicates)


@pytest.mark.parametrize(("hits", "low", "high"), [(0, 0, 3.6), (50, 40, 60), (100, 96.4, 100)])
def test_limits_of_a_share_are_at_least_those_of_independent_trials(hits, low, high):
    constant = np.full(50, float(hits))
    made = candidate(float(hits), constant, metric="share", n_speakers=N_SPEAKERS, n_trials=100)
    assert made.low == pytest.approx(100 * beta.ppf(0.025, hits, 101 - hits) if hits else 0)
    assert made.high == pytest.approx(
        100 * beta.ppf(0.975, hits + 1, 100 - hits) if hits < 100 else 100
    )
    assert (made.low, made.high) == pytest.approx((low, high), abs=0.5)


def test_wider_limits_of_replicates_stay():
    made = candidate(50.0, drawn(50, 20), metric="share", n_speakers=N_SPEAKERS, n_trials=100)
    assert made.low < 20 and made.high > 80


@pytest.mark.parametrize(
    ("value", "replicates", "n_speakers"),
    [
        (np.nan, drawn(0), 20),
        (np.inf, drawn(0), 20),
        (1.0, np.full(50, np.nan), 20),
        (1.0, np.array([1.0, np.nan]), 20),
        (1.0, drawn(0), 2),
    ],
)
def test_what_has_no_interval_is_no_candidate(value, replicates, n_speakers):
    assert candidate(value, replicates, metric="share", n_speakers=n_speakers) is None


def test_an_undefined_replicate_is_in_the_middle():
    replicates = np.array([10.0, 20.0, 60.0, np.nan])
    made = candidate(20.0, replicates, metric="share", n_speakers=N_SPEAKERS)
    assert made.replicates.tolist() == [10, 20, 60, 20]


# The strongest.


def test_the_strongest_of_one_has_its_own_limits():
    own = attacks(7)
    best = strongest(own)
    single = own[name("attacker0")]
    assert (best.value, best.low, best.high) == (single.value, single.low, single.high)
    assert best.attack == name("attacker0")


def test_there_is_no_strongest_of_none():
    assert strongest({}) is None and plausible({}) == []


def test_one_that_is_far_stronger_than_the_rest_is_shown_alone():
    """The others cannot be the strongest; they only widen the lower limit."""
    best = strongest(attacks(100, 0, 0, 0))
    assert best.value == pytest.approx(100)
    assert best.high == pytest.approx(100 + stdtrit(19, 0.975), abs=TOLERANCE)
    assert plausible(attacks(100, 0, 0, 0)) == [name("attacker0")]


@pytest.mark.parametrize("n_attacks", [2, 8])
def test_limits_of_equal_attacks_of_independent_noise_by_closed_form(n_attacks):
    """The largest of K normals: its quantile q is the quantile q^(1/K) of one.

    One more attack, which finds nothing, keeps the least of the single lower limits far down. It
    cannot be the strongest, so it does not widen the limits of the others.
    """
    best = strongest(attacks(*[50.0] * n_attacks, 0.0))
    beyond = 0.975 ** (1 / n_attacks)
    assert best.low == pytest.approx(50 - stdtrit(19, beyond), abs=3 * TOLERANCE)
    assert best.high == pytest.approx(50 + stdtrit(19, 0.975), abs=TOLERANCE)
    assert best.value == pytest.approx(50 - ndtri(0.5 ** (1 / n_attacks)), abs=TOLERANCE)


def test_the_lower_limit_is_at_least_the_least_of_the_single_ones():
    own = attacks(50, 50, 50)
    assert strongest(own).low == min(each.low for each in own.values())


def test_rates_that_hardly_ever_happen_have_limits():
    """Eight attacks that find somebody in four of 400 replicates, never in the same ones.

    The largest deviation is ten standard deviations in 8 % of all: beyond what a normal one knows.
    """
    never = Candidate(0.0, 0.0, 0.0, 12.0, np.zeros(400), N_SPEAKERS)
    own = {name("never"): never}
    for position in range(8):
        replicates = np.where(np.arange(400) % 100 == position, 10.0, 0.0)
        own[name(f"seldom{position}")] = Candidate(0.0, 0.0, 0.0, 20.0, replicates, N_SPEAKERS)
    best = strongest(own)
    assert (best.value, best.low, best.high) == (0, 0, 20)


def test_a_lower_limit_is_never_nearer_than_the_single_one_of_its_attack():
    """A rate of skewed replicates, whose single limit is further down than its spread says."""
    own = attacks(50, 10)
    own[name("attacker1")] = own[name("attacker1")]._replace(low=-90.0, high=60.0)
    own[name("attacker0")] = own[name("attacker0")]._replace(low=30.0)
    quantiles = [
        np.quantile(-deviation, 0.975)
        for deviation in (
            np.minimum(
                own[name("attacker0")].replicates - 50, own[name("attacker1")].replicates - 10
            ),
            own[name("attacker0")].replicates - 50,
        )
    ]
    # As far as before, times what the lower of both deviations reaches further than its own.
    joint, single = stdtrit(19, ndtr(np.array(quantiles)))
    assert joint > single
    assert strongest(own).low == pytest.approx(50 - 20 * joint / single, abs=0.1)


def test_an_attack_that_is_tried_twice_counts_once():
    """Equal replicates are no choice: the limits are those of one normal."""
    best = strongest(attacks(50, 50, 50, seeds=[0, 0, 0]))
    assert best.value == pytest.approx(50, abs=TOLERANCE)
    assert best.low == pytest.approx(50 - stdtrit(19, 0.975), abs=2 * TOLERANCE)


def test_the_attack_that_is_named_has_the_largest_number():
    assert strongest(attacks(1, 3, 2)).attack == name("attacker1")
    assert strongest(attacks(3, 3)).attack == name("attacker0")


def test_its_definition_stands_beside_it():
    own = attacks(1, 3)
    own[name("attacker1")] = own[name("attacker1")]._replace(defined=9.0)
    assert strongest(own).defined == 9


def test_candidates_without_spread():
    constant = plain(5.0, np.full(10, 5.0))
    best = strongest({name("a"): constant, name("b"): constant})
    assert (best.value, best.low, best.high) == (5, 5, 5)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=6))
def test_the_value_lies_between_its_limits_and_attacks_only_raise_the_upper(values):
    own = attacks(*values)
    best = strongest(own)
    assert best.low <= best.value <= best.high
    fewer = dict(list(own.items())[:-1])
    if fewer:
        assert strongest(fewer).high <= best.high


# p-values.


def test_p_below_is_students():
    own = attacks(-2)
    spread = own[name("attacker0")].replicates.std()
    assert p_below(own, 0) == pytest.approx(stdtr(19, -2 / spread))
    assert p_below(own, -2) == pytest.approx(0.5)
    assert p_below(own, -4) == pytest.approx(1 - stdtr(19, -2 / spread))


def test_a_ratio_is_tested_as_a_difference():
    """Half of unprotected speech: draws in which that has little evidence say little."""
    whole = np.abs(drawn(1.0, 0.3, seed=1))
    part = drawn(0.3, 0.05, seed=2)
    ratio = plain(30.0, 100 * part / whole)._replace(whole=whole)
    difference = 100 * part - 50 * whole
    expected = stdtr(N_SPEAKERS - 1, (30 - 50) / difference.std())
    assert p_below({name(): ratio}, 50.0) == pytest.approx(expected)
    assert p_above({name(): ratio}, 20.0) == pytest.approx(
        stdtr(N_SPEAKERS - 1, (20 - 30) / (100 * part - 20 * whole).std())
    )
    other = plain(60.0, 100 * drawn(0.6, 0.05, seed=3) / whole)._replace(whole=whole)
    spread = ((ratio.replicates - other.replicates) * whole).std()
    assert p_less({name(): ratio}, {name(): other}) == pytest.approx(
        stdtr(N_SPEAKERS - 1, (30 - 60) / spread)
    )


def test_nothing_is_above_a_limit_without_attacks():
    assert p_above({}, 5.0) == 1.0


def test_every_attack_must_stay_below():
    assert p_below(attacks(-9, -2, -7), 0) == p_below(attacks(-2, seeds=[1]), 0)
    assert p_below({}, 0) == 1


def test_numbers_without_spread_are_worth_sign_flips():
    own = {name(): plain(-1.0, np.full(10, -1.0))}
    assert p_below(own, 0) == 2.0**-19 and p_below(own, -1) == 1


def test_p_less_is_students_of_the_paired_difference():
    """Noise that both share does not count."""
    noise, own_noise = drawn(0, 5), drawn(0, seed=1)
    weaker = {name(): plain(10, 10 + noise)}
    stronger = {name(): plain(12, 12 + noise + own_noise)}
    assert p_less(weaker, stronger) == pytest.approx(stdtr(19, -2 / own_noise.std()))
    assert p_less(stronger, weaker) == pytest.approx(1 - stdtr(19, -2 / own_noise.std()))


def test_all_attacks_on_the_better_system_must_find_less():
    stronger = {name("s"): plain(10, drawn(10, seed=9))}
    one_break = attacks(0, 9.9)
    assert p_less(attacks(0), stronger) < 1e-5
    assert p_less(one_break, stronger) > 0.3


def test_a_choice_among_plausible_attacks_is_corrected_for():
    """Two equal attacks on the other system: the smaller p-value counts twice."""
    weaker = attacks(0)
    pair = {
        name("s"): plain(4, drawn(4, seed=7)),
        name("t"): plain(4, drawn(4, seed=8)),
        name("u"): plain(-9, drawn(-9, seed=9)),  # cannot be the strongest: not corrected for
    }
    single = [p_less(weaker, {attack: pair[attack]}) for attack in (name("s"), name("t"))]
    assert p_less(weaker, pair) == pytest.approx(2 * min(single))


def test_nothing_is_shown_without_attacks():
    assert p_less({}, attacks(1)) == p_less(attacks(1), {}) == p_less({}, {}) == 1


# The rest.


@pytest.mark.parametrize(
    ("limits", "folded"),
    [
        ((10, 20), (10, 20)),
        ((80, 90), (10, 20)),
        ((40, 55), (40, 50)),
        ((30, 80), (20, 50)),
        ((50, 50), (50, 50)),
        ((0, 100), (0, 50)),
        ((50, 60), (40, 50)),
    ],
)
def test_an_error_rate_is_folded_at_50_by_its_limits(limits, folded):
    """[min(l, 100 - h), 50 if it holds 50, else max(min(l, 100 - l), min(h, 100 - h))]."""
    assert folded_interval(*limits) == folded


@given(st.floats(0, 100), st.floats(0, 100))
def test_a_folded_interval_is_that_of_the_other_direction(one, other):
    low, high = sorted((one, other))
    assert folded_interval(low, high) == pytest.approx(folded_interval(100 - high, 100 - low))
    assert 0 <= folded_interval(low, high)[0] <= folded_interval(low, high)[1] <= 50


def test_a_kind_of_attack_is_that_without_its_anonymiser():
    trained = AttackName("ecapa_semi_on_b2", "plda_on_b2", "pp", "far")
    assert trained.kind() == AttackName("ecapa_semi", "plda", "pp", "far")
    assert name().kind() == name()
