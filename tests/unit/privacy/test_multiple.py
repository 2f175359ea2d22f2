import pytest

from voiceprivacy.privacy.uncertainty.multiple import holm


def test_holm_by_hand():
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([0.02, 0.5, 0.02]) == pytest.approx([0.06, 0.5, 0.06])
    assert holm([0.7, 0.9]).tolist() == [1, 1]
    assert holm([]).tolist() == []
