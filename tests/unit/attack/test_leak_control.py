"""The planted leak: its size, where it goes, and who finds it."""

import numpy as np
import pytest
from support.leak_sets import found_in

from voiceprivacy.attack.leak_control import (
    CORRELATION,
    N_DIRECTIONS,
    PLANTED_PERCENT,
    deviation_of,
    leak_for,
)
from voiceprivacy.errors import BadInput
from voiceprivacy.privacy.verdict.evidence import PERCENT, gain

SPREAD = np.geomspace(0.01, 10, 16)


def speech(n=200, seed=0):
    return np.random.default_rng(seed).normal(size=(n, len(SPREAD))) * SPREAD


@pytest.mark.parametrize("n_enrolling", [1, 2, 10])
def test_who_knows_the_directions_finds_thirty_percent(n_enrolling):
    draw = np.random.default_rng(0)
    shape, deviation = (20_000, N_DIRECTIONS), deviation_of(n_enrolling)
    shift, other, heard, enrolled = (draw.normal(size=shape) for _ in range(4))
    enrolled = deviation * shift + enrolled / np.sqrt(n_enrolling)
    enrolled /= np.sqrt(deviation**2 + 1 / n_enrolling)
    gains = 0.0
    for tried, sign in ((shift, 1), (other, -1)):
        trial = (deviation * tried + heard) / np.sqrt(deviation**2 + 1)
        square = CORRELATION**2
        squares = square * (enrolled**2 + trial**2) - 2 * CORRELATION * enrolled * trial
        llrs = -(squares / (1 - square) + np.log(1 - square)).sum(axis=1) / 2
        gains += gain(sign * llrs).mean()
    assert PERCENT * gains == pytest.approx(PLANTED_PERCENT, abs=1)


def test_a_leak_lies_where_little_varies_and_moves_all_recordings_of_a_person_alike():
    leak = leak_for(speech(), speech(seed=1), enrolling=2)
    names = ["a", "b", "a"]
    moved = leak.planted(np.zeros((3, 16)), names)
    assert (moved[0] == moved[2]).all()
    assert (moved[0] != moved[1]).any()
    assert (leak.planted(np.zeros((2, 16)), names[1:]) == moved[1:]).all()
    assert np.abs(moved[:, -2:]).max() < 0.1 * np.abs(moved).max()


def test_embeddings_that_do_not_vary_enough_are_refused():
    with pytest.raises(BadInput, match="7 directions"):
        leak_for(speech(8), speech(), enrolling=1)


@pytest.mark.parametrize(("kind", "is_found"), [("recipe", True), ("permuted", False)])
def test_the_recipe_finds_it_and_permuted_speakers_do_not(kind, is_found):
    assert (found_in(kind, 80, 30, 0.1, seed=0, dimensions=24).low() > 2) == is_found
