"""Similarity matrices meet reference numbers: plain loops, and the challenge's recipe."""

import json
from pathlib import Path

import numpy as np
import pytest
from support.speakers import square

from voiceprivacy.privacy.matrices.similarity import Comparisons, assess, compare, similarities

GOLDEN = Path(__file__).parents[2] / "data" / "vsm"
EXPECTED = json.loads((GOLDEN / "summary.json").read_text())
CASES = sorted(path.stem for path in GOLDEN.glob("*.npz"))
SETS = {"oo": "osp_osp", "op": "osp_psp", "pp": "psp_psp"}
PAPER = [("geometric", "paper_gmean_laplace"), ("sigmoid_mean", "paper_sigmean_laplace")]
CHALLENGE = [("geometric", "gmean_on_vpc_trials"), ("sigmoid_mean", "vpc")]


def of_case(case, definition, pairs):
    golden, matrices = np.load(GOLDEN / f"{case}.npz"), {}
    for name, fields in SETS.items():
        scores = square(golden[f"S_{fields}"], golden["spk"], golden["seg"].tolist())
        matrices[name] = similarities(compare(scores, pairs=pairs), definition=definition)
    return golden, matrices


def check(case, golden, matrices, prefix, tolerance):
    for name, fields in SETS.items():
        own, expected = matrices[name].values.filled(-1), golden[f"{prefix}_M_{fields}"]
        np.testing.assert_allclose(own, expected, rtol=0, atol=tolerance)
    metrics, expected = assess(**matrices).metrics, EXPECTED[case]
    deid, gvd = 100 * expected[f"{prefix}_DeID"], expected[f"{prefix}_Gvd"]
    assert metrics["deid_percent"] == pytest.approx(deid, rel=0, abs=100 * tolerance)
    assert metrics["gvd_db"] == pytest.approx(gvd, rel=0, abs=10 * tolerance)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("definition", "prefix"), PAPER)
def test_all_pairs_meet_plain_loops_after_the_papers(case, definition, prefix):
    check(case, *of_case(case, definition, "all"), prefix, 1e-12)


@pytest.mark.parametrize("case", [case for case in CASES if "ties" not in case])
@pytest.mark.parametrize(("definition", "prefix"), CHALLENGE)
def test_upper_pairs_meet_the_challenges_recipe_up_to_its_ramp(case, definition, prefix):
    check(case, *of_case(case, definition, "upper"), prefix, 1e-6)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("definition", "prefix"), CHALLENGE)
def test_the_challenges_llrs_give_the_challenges_matrices(case, definition, prefix):
    golden = np.load(GOLDEN / f"{case}.npz")
    speakers, position = np.unique(golden["spk"], return_inverse=True)
    matrices = {}
    for name, fields in SETS.items():
        one, other = (position[golden[f"vpc_trials_{side}_{fields}"]] for side in "ij")
        llrs = np.tile(golden[f"vpc_llr_{fields}"], 2)
        both_ways = Comparisons(speakers, np.append(one, other), np.append(other, one), llrs)
        matrices[name] = similarities(both_ways, definition=definition)
    check(case, golden, matrices, prefix, 1e-12)
