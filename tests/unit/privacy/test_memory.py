"""What commands take for lists and matrices as large as the largest challenges have."""

import pytest
from benchmark import benchmark_metrics

pytestmark = pytest.mark.nightly


def test_a_million_scores_fit_into_600_mb_with_law():
    _, peak_mb = benchmark_metrics.everything_of_a_list(n_replicates=20)
    assert peak_mb < benchmark_metrics.MILLION_MB


def test_3000_utterances_fit_into_1_gb_with_intervals():
    _, peak_mb = benchmark_metrics.similarity_of(n_speakers=20, n_utterances=150)
    assert peak_mb < benchmark_metrics.SIMILARITY_MB
