"""Cross-check against lir of the Netherlands Forensic Institute: plain PAV, Cllr, limits of LRs."""

import numpy as np
import pytest
from lir import metrics as lir
from lir.algorithms.invariance_bounds import calculate_invariance_bounds
from lir.algorithms.isotonic_regression import IsotonicCalibrator
from lir.data.models import LLRData
from support.score_cases import assert_close, cases, scores

from voiceprivacy.privacy.scores.calibration import oracle_blocks, oracle_llrs
from voiceprivacy.privacy.scores.lr_limits import HIGH, LOW, blocks_limits
from voiceprivacy.privacy.scores.verification import cllr_bit, cllr_min_bit

CASES = [case for case in cases("zebra") if len(case.values[0]["tar"]) < 100_000]


def drawn(seed):
    generator = np.random.default_rng(seed)
    sizes = generator.integers(2, 300, 2)
    separation, digits = generator.normal(0, 2), generator.integers(0, 4)
    target, nontarget = generator.normal(separation, 1, sizes[0]), generator.normal(0, 1, sizes[1])
    return {"target": np.round(target, digits), "nontarget": np.round(nontarget, digits)}


@pytest.mark.parametrize(
    "classes", [*[scores(case.values[0]) for case in CASES], *map(drawn, range(20))]
)
def test_pav_cllr_and_min_cllr_agree_with_lir(classes):
    """lir's LLRs are base 10."""
    values = np.concatenate([classes["target"], classes["nontarget"]]) / np.log(10)
    labels = np.repeat([1, 0], [len(classes["target"]), len(classes["nontarget"])])
    data = LLRData(features=values, labels=labels)
    with np.errstate(all="ignore"):
        llrs = IsotonicCalibrator().fit_transform(values, labels)
        assert_close(cllr_bit(**classes), lir.cllr(data), 1e-10)
        assert_close(cllr_min_bit(**classes), lir.cllr_min(data), 1e-10)
    assert_close(np.concatenate(oracle_llrs(**classes)) / np.log(10), llrs, 1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_limits_of_likelihood_ratios_agree_with_lir(seed):
    """lir looks at thresholds 0.001 apart."""
    generator = np.random.default_rng(seed)
    numbers, distance = generator.integers(5, 300, 2), generator.uniform(0, 4)
    target, nontarget = (
        generator.normal(distance, 1, numbers[0]),
        generator.normal(0, 1, numbers[1]),
    )
    blocks = oracle_blocks(target=target, nontarget=nontarget, laplace=True)
    counted = [np.repeat(np.exp(blocks.llrs), own) for own in (blocks.targets, blocks.nontargets)]
    bounds = calculate_invariance_bounds(np.concatenate(counted), np.repeat([1, 0], numbers))
    limits = blocks_limits(blocks)
    assert [limits[LOW], limits[HIGH]] == pytest.approx(np.log10(bounds[:2]), abs=0.01)
