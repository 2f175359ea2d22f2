"""Headline numbers of an attack with so much speech: by hand, folded, and with intervals."""

import numpy as np
import pytest
from support.speakers import noisy, scored

from voiceprivacy.privacy.scores.trials import arrange
from voiceprivacy.privacy.verdict.amounts import points_of
from voiceprivacy.vocabulary import AMOUNT_NUMBERS


def numbers(by_label, speaker_of, *, n_replicates=50):
    trials = arrange(by_label, speaker_of)
    points = points_of(by_label, trials, n_replicates=n_replicates, seed=0)
    return {point.metric: point for point in points}


def test_perfect_scores_find_everybody():
    measured = numbers(
        *scored(lambda enrolled, tried, utterance: enrolled == tried, n_speakers=25, n_utterances=4)
    )
    values = {name: point.value for name, point in measured.items()}
    assert values == {
        "eer_folded_percent": 0.0,
        "dece_bit": pytest.approx(1 / (2 * np.log(2))),
        "tpr_at_fpr_0.01_percent": 100.0,
        "identification_of_20_percent": 100.0,
    }
    assert list(measured) == list(AMOUNT_NUMBERS)
    assert {(point.n_speakers, point.n_target) for point in measured.values()} == {(25, 100)}


def test_the_equal_error_rate_is_folded_with_its_interval():
    by_label, speaker_of = noisy(1.5, n_speakers=12, n_utterances=4)
    turned = {
        label: [(trial, -score) for trial, score in pairs] for label, pairs in by_label.items()
    }
    one = numbers(by_label, speaker_of)["eer_folded_percent"]
    other = numbers(turned, speaker_of)["eer_folded_percent"]
    assert 0 < one.value < 50
    assert other.value == pytest.approx(one.value, abs=1e-9)
    assert other.ci_low <= other.value <= other.ci_high
    assert one.ci_low < one.value < one.ci_high < 60


def test_what_a_list_is_too_short_for_is_left_out():
    measured = numbers(*noisy(1.0, n_speakers=6))
    assert "identification_of_20_percent" not in measured  # of six speakers
    assert "dece_bit" in measured


def test_without_replicates_there_are_no_limits():
    measured = numbers(*noisy(1.0, n_speakers=8), n_replicates=0)
    assert {(point.ci_low, point.ci_high) for point in measured.values()} == {("-", "-")}


def test_a_value_lies_within_its_limits_however_few_speakers_there_are():
    for seed in range(5):
        for point in numbers(*noisy(2.0, seed=seed, n_speakers=4)).values():
            assert point.ci_low <= point.value <= point.ci_high
