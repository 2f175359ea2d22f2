"""The zoo: means worked out by hand, corners, and animals that are named only where chance does not
explain them.
"""

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from voiceprivacy.privacy.matrices.similarity import Comparisons
from voiceprivacy.privacy.matrices.zoo import CORNERS, corner_p_values, zoo


def comparisons(target, impostor):
    """One target and one impostor pair for every speaker as the tried one; each is enrolled by his
    left neighbour.
    """
    n = len(target)
    speakers = np.array([f"s{index:02}" for index in range(n)])
    own, left = np.arange(n), np.roll(np.arange(n), 1)
    return Comparisons(
        speakers,
        np.append(own, left),
        np.append(own, own),
        np.append(target, impostor).astype(float),
    )


def test_means_are_those_of_the_speaker_who_is_tried():
    """Two pairs of a with himself, b is tried against a twice, a against b once."""
    row, column = np.array([0, 0, 1, 0, 0, 1]), np.array([0, 0, 1, 1, 1, 0])
    found = zoo(
        Comparisons(np.array(["a", "b"]), row, column, np.array([1.0, 2.0, 3.0, -1.0, -2.0, -4.0]))
    )
    assert [
        (of.n_target, of.mean_target_llr, of.n_impostor, of.mean_impostor_llr) for of in found
    ] == [
        (2, 1.5, 1, -4.0),
        (1, 3.0, 2, -1.5),
    ]


def test_corners_are_quarters_of_both_means():
    target, impostor = np.arange(8), np.array([7, 0, 3, 4, 2, 5, 1, 6])
    corner = [of.corner for of in zoo(comparisons(target, impostor))]
    assert corner == ["worm", "phantom", "-", "-", "-", "-", "dove", "chameleon"]


def test_p_values_are_binomial_with_a_sixteenth_for_exact_quarters():
    target = np.repeat([-1, 0, 0, 1], 4)
    impostor = np.repeat([1, 0, 0, -1], 4)
    found = corner_p_values(target, impostor)
    assert found["worm"] == found["dove"] == pytest.approx(binom.sf(3, 16, 1 / 16))
    assert found["chameleon"] == found["phantom"] == 1.0


@pytest.mark.parametrize("n_speakers", [16, 20, 40, 100])
def test_p_values_below_five_percent_are_never_smaller_than_with_both_quarters_given(n_speakers):
    quarter = n_speakers // 4
    counts = np.arange(1, quarter + 1)
    share = quarter / n_speakers
    binomial = binom.sf(counts - 1, n_speakers, share**2)
    exact = hypergeom.sf(counts - 1, n_speakers, quarter, quarter)
    named = binomial < 0.05
    assert named.any()
    assert (exact[named] <= binomial[named]).all()


def test_a_menagerie_is_named():
    """Speakers who are easy to recognise are easy to tell from others: only doves and worms, far
    more than chance.
    """
    found = zoo(comparisons(np.arange(40), -np.arange(40)))
    assert [of.animal for of in found] == ["worm"] * 10 + ["-"] * 20 + ["dove"] * 10
    assert [of.speaker for of in found] == [f"s{index:02}" for index in range(40)]
    p_value = pytest.approx(binom.sf(9, 40, 1 / 16))
    assert [of.p_value for of in found] == [p_value] * 10 + ["undefined"] * 20 + [p_value] * 10
    assert [
        of.doddington for of in found
    ] == [  # a lamb's right neighbour is easily taken for him; s39's is s00
        *["goat+wolf+lamb"] * 9,
        "goat+wolf",
        *["sheep"] * 29,
        "lamb",
    ]


def test_noise_has_corners_but_is_named_at_most_in_one_of_twenty_cases():
    rng = np.random.default_rng(0)
    named = dict.fromkeys(CORNERS, 0)
    for _ in range(400):
        found = zoo(comparisons(rng.normal(size=32), rng.normal(size=32)))
        assert any(of.corner != "-" for of in found)
        for animal in {of.animal for of in found} - {"-"}:
            named[animal] += 1
    assert all(count <= 0.05 * 400 for count in named.values())


def test_equal_llrs_are_no_animals():
    found = zoo(comparisons(np.full(9, 0.1), np.full(9, -0.3)))
    assert {(of.corner, of.animal, of.doddington, of.p_value) for of in found} == {
        ("-", "-", "-", "undefined")
    }


def test_a_speaker_without_a_target_pair_is_undefined_and_no_animal():
    of = comparisons(np.arange(8), np.arange(8))
    kept = np.arange(16) != 7
    found = zoo(
        Comparisons(of.speakers, of.row_speaker[kept], of.column_speaker[kept], of.llrs[kept])
    )
    assert (found[7].n_target, found[7].mean_target_llr, found[7].corner) == (0, "undefined", "-")
