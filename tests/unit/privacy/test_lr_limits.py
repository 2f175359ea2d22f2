"""Limits of likelihood ratios: by hand, and where nothing is unsupported."""

import numpy as np
import pytest

from voiceprivacy.privacy.scores.lr_limits import HIGH, LOW, describe, lr_limits_log10


def test_limits_by_hand():
    """Of two targets one is above 0, of two nontargets one below: (1.5 / 3) / (0.5 / 3) = 3."""
    counts = {"targets": np.array([0, 1, 1]), "nontargets": np.array([1, 1, 0])}
    limits = lr_limits_log10(llrs=np.array([-2.0, 0.0, 2.0]), **counts)
    assert limits == pytest.approx((-np.log10(3), np.log10(3)))
    supported = lr_limits_log10(llrs=np.array([-0.1, 0.0, 0.1]), **counts)
    assert supported == pytest.approx((-0.1, 0.1))


def test_equal_scores_support_nothing():
    one = {"llrs": np.zeros(1), "targets": np.array([5]), "nontargets": np.array([9])}
    assert lr_limits_log10(**one) == (0, 0)


def test_an_interval_is_said_where_there_is_one():
    limits = {LOW: -1.25, HIGH: 2.0}
    assert "log10 -1.2 to 2.0" in describe(limits, {})
    known = {HIGH: {"ci_low": 1.0, "ci_high": 3.0}, LOW: {"ci_low": None, "ci_high": None}}
    assert "to 2.0 [1.0, 3.0]" in describe(limits, known)
