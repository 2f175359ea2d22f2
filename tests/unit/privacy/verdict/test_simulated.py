"""Verdicts on simulated numbers whose truth is known: how often they are wrong, within chance.

Numbers and replicates are drawn directly, with half of their variance common to all. So it takes
seconds where tests/benchmark/verdict/simulate_pages.py, which starts from scores, takes an hour.
Without Holm's correction, or without the joint quantile of the strongest of many, they fail.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.special import stdtrit

from voiceprivacy.privacy.verdict import levels
from voiceprivacy.privacy.verdict.strongest import AttackName, Candidate, strongest

SIMULATOR = Path(__file__).parents[3] / "benchmark" / "verdict" / "simulate_pages.py"
N_SPEAKERS, N_REPLICATES = 20, 200
SPREAD = 10.0  # in percent of the evidence
THRESHOLDS = levels.Thresholds(1.0, 50.0, 0.35, 45.0, 2.0)


def drawn(truths, draw):
    """Candidates of true numbers (K,): {attack: Candidate}, with estimates of their spread."""
    truths = np.asarray(truths, dtype=float)
    # So much do estimates of a spread from few speakers differ, all of them alike.
    estimated = np.sqrt(draw.chisquare(N_SPEAKERS - 1) / (N_SPEAKERS - 1))
    values = truths + SPREAD * correlated(len(truths), 1, draw)[:, 0]
    noise = SPREAD * estimated * correlated(len(truths), N_REPLICATES, draw)
    width = stdtrit(N_SPEAKERS - 1, 0.975)
    candidates = {}
    for position, (value, own) in enumerate(zip(values, noise, strict=True)):
        arm = width * own.std()
        name = AttackName(f"attacker{position}", "cosine", "pp", "ascending")
        limits = (value - arm, value + arm)
        candidates[name] = Candidate(value, value, *limits, value + own, N_SPEAKERS)
    return candidates


def correlated(n_numbers, n_draws, draw):
    """Normal numbers (K, draws) with a correlation of one half."""
    common, own = draw.normal(size=(1, n_draws)), draw.normal(size=(n_numbers, n_draws))
    return np.sqrt(0.5) * (common + own)


def page(truths, draw):
    """Findings of one attack on each system of a page, all under the same draws."""
    names = [AttackName("ecapa", "cosine", "pp", "ascending")]
    return {
        ("page", f"s{position}"): levels.Findings({names[0]: candidate}, {}, {}, False, False, None)
        for position, candidate in enumerate(drawn(truths, draw).values())
    }


def at_most(share, n_sets):
    """The largest share of sets that is within chance (three standard errors) of a true one."""
    return share + 3 * np.sqrt(share * (1 - share) / n_sets)


@pytest.mark.parametrize("n_attacks", [1, 2, 8])
def test_limits_of_the_strongest_of_many_hold_the_truth(n_attacks):
    n_sets = 400
    draw = np.random.default_rng(n_attacks)
    limits = [strongest(drawn([50.0] * n_attacks, draw)) for _ in range(n_sets)]
    assert np.mean([one.low > 50 for one in limits]) <= at_most(0.025, n_sets)
    assert np.mean([one.high < 50 for one in limits]) <= at_most(0.025, n_sets)
    is_above = np.mean([one.value > 50 for one in limits])
    assert 0.5 - 0.1 <= is_above <= 0.5 + 0.1


@pytest.mark.parametrize("threshold", [50.0, 100.0])
def test_a_page_of_many_systems_at_a_threshold_has_none_below(threshold):
    n_sets = 300
    draw = np.random.default_rng(0)
    wrong = 0
    for _ in range(n_sets):
        named = levels.levels(page([threshold] * 16, draw), THRESHOLDS)
        better = {50.0: ("reduced",), 100.0: ("reduced", "little_reduced")}[threshold]
        wrong += any(level in better for level in named.values())
    assert wrong / n_sets <= at_most(0.025, n_sets)


def test_a_page_of_many_equal_systems_has_no_order():
    n_sets = 150
    draw = np.random.default_rng(1)
    wrong = sum(bool(levels.better(page([50.0] * 8, draw))) for _ in range(n_sets))
    assert wrong / n_sets <= at_most(0.025, n_sets)


def test_a_difference_is_seen_among_many_systems():
    n_sets = 60
    draw = np.random.default_rng(2)
    seen = wrong = 0
    for _ in range(n_sets):
        shown = levels.better(page([5.0, *[60.0] * 7], draw))
        seen += ("page", "s0", "s1") in shown
        wrong += any(better != "s0" for _, better, _ in shown)
    assert seen / n_sets > 0.5 and wrong / n_sets <= at_most(0.025, n_sets)


@pytest.mark.long
def test_the_simulator_counts_what_is_wrong_on_pages(tmp_path):
    """Whole pages from scores on, of one system on one list, and of five on two lists."""
    table = tmp_path / "pages.tsv"
    command = [sys.executable, SIMULATOR, "--table", table, "--sets", "0.05", "--cells", "0", "4"]
    subprocess.run(command, check=True, timeout=600, capture_output=True)
    rows = [line.split("\t") for line in table.read_text().splitlines()]
    assert [row[0].partition(",")[0] for row in rows] == ["12 speakers", "8 and 24 speakers"]
    for _, n_sets, wrong_order, wrong_level, none_left, _, held, *_ in rows:
        assert n_sets == "20" and none_left == "0.0"
        assert float(wrong_order) <= 15 and float(wrong_level) <= 15 and float(held) >= 75
