"""Cross-check against lir of the Netherlands Forensic Institute: plain PAV, Cllr, min Cllr."""

import numpy as np
import pytest
from lir import metrics as lir
from lir.algorithms.isotonic_regression import IsotonicCalibrator
from lir.data.models import LLRData
from support.score_cases import assert_close, cases, scores

from voiceprivacy.privacy.scores.calibration import oracle_llrs
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
