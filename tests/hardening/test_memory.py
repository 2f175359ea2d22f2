"""Memory: what readers hold at their peak by tracemalloc, and commands on the largest lists."""

import json

import numpy as np
import pytest
from benchmark import benchmark_metrics
from support.memory import peak_of

from voiceprivacy.inout import (
    arrays,
    audio,
    json_files,
    manifests,
    scored_trials,
    tables,
    trial_lists,
)
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.inout.trial_lists import Trial
from voiceprivacy.report.metrics import Number, read_metrics, write_metrics
from voiceprivacy.utility.measures import read_measured

MOST = 20  # times the input
N = 4_000  # lines


NAMES = [f"utterance-{line:06d}" for line in range(N)]
LABELS = ("target", "nontarget")
TRIALS = [Trial(f"s{line % 40}", name, LABELS[line % 2]) for line, name in enumerate(NAMES)]
DRAW = np.random.default_rng(0)


def manifest(path):
    names = [f"1089-134686-{n:04d}" for n in range(N)]  # as long as LibriSpeech's
    folder = path.with_name("wav")
    lines = [Utterance(name, "1089", "f", folder / f"{name}.flac", 1.25) for name in names]
    manifests.write_manifest(path, lines)


def measured(path):
    rows = [(name, "wer_percent", n / 7) for n, name in enumerate(NAMES)]
    tables.write_table(path, ["utterance", "metric", "value"], rows)


def metrics(path):
    row = Number("corpus", "f", "b2", "ecapa", "cosine", "op", "eer_percent", "1.5", "1.0", "2.0")
    write_metrics(path, [row._replace(anonymiser=f"b{n}") for n in range(N)])


def embeddings(path):
    vectors = np.ones((2000, 192), np.float32)
    arrays.write_embeddings(path, arrays.Embeddings(np.array(NAMES[:2000]), vectors))


def recording(path):
    audio.write(path, DRAW.uniform(-0.5, 0.5, 16000 * 60), 16000)


FILES = {  # what writes and what reads it
    "scores.tsv": (
        lambda path: scored_trials.write_scores(path, TRIALS, DRAW.normal(size=N)),
        scored_trials.read_scored_trials,
    ),
    "trials.tsv": (lambda path: trial_lists.write_trials(path, TRIALS), trial_lists.read_trials),
    "manifest.tsv": (manifest, manifests.read_manifest),
    "measured.tsv": (measured, lambda path: read_measured(path, NAMES)),
    "metrics.tsv": (metrics, read_metrics),
    "results.json": (
        lambda path: path.write_text(json.dumps({name: {"value": 1 / 7} for name in NAMES})),
        json_files.read_json,
    ),
    "embeddings.npz": (embeddings, arrays.read_embeddings),
    "speech.wav": (recording, audio.read),
    "speech.flac": (recording, audio.read),
}


@pytest.mark.parametrize("name", FILES)
def test_a_reader_takes_at_most_twenty_times_its_file(tmp_path, name):
    path = tmp_path / name
    write, read = FILES[name]
    write(path)
    size = path.stat().st_size
    assert size > 1e5  # else what is constant would count
    # one of three: pathlib interns names, and Python's table of them doubles now and then
    assert any(peak_of(lambda: read(path))[1] <= MOST * size for _ in range(3))


@pytest.mark.nightly
def test_a_million_scores_fit_into_600_mb_with_law():
    _, peak_mb = benchmark_metrics.everything_of_a_list(n_replicates=20)
    assert peak_mb < benchmark_metrics.MILLION_MB


@pytest.mark.nightly
def test_3000_utterances_fit_into_1_gb_with_intervals():
    _, peak_mb = benchmark_metrics.similarity_of(n_speakers=20, n_utterances=150)
    assert peak_mb < benchmark_metrics.SIMILARITY_MB
