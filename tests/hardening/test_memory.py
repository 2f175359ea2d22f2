"""Memory: what a reader holds at its peak, in proportion to the file, and a matrix by its pairs.

It is counted by tracemalloc, which sees what Python and NumPy allocate.
"""

import json
import tracemalloc

import numpy as np
import pytest

from voiceprivacy.inout import arrays, audio, json_files, scored_trials, tables
from voiceprivacy.inout.tables import Trial, Utterance
from voiceprivacy.report.metrics import Number, read_metrics, write_metrics
from voiceprivacy.utility.measures import read_measured

MOST = 20  # times the input
N = 4_000  # lines, of more than 50 bytes each


def peak(function, *arguments):
    """The most bytes that a call takes more than there were before."""
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        kept = function(*arguments)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
        del kept


def trials():
    labels = ("target", "nontarget")
    return [Trial(f"s{line % 40}", f"utterance-{line:06d}", labels[line % 2]) for line in range(N)]


def scores(path):
    scored_trials.write_scores(path, trials(), np.random.default_rng(0).normal(size=N))
    return scored_trials.read_scored_trials


def trial_list(path):
    tables.write_trials(path, trials())
    return tables.read_trials


def manifest(path):
    names = [f"1089-134686-{n:04d}" for n in range(N)]  # as long as LibriSpeech's
    folder = path.with_name("wav")
    lines = [Utterance(name, "1089", "f", folder / f"{name}.flac", 1.25) for name in names]
    tables.write_manifest(path, lines)
    return tables.read_manifest


def measured(path):
    names = [f"utterance-{line:06d}" for line in range(N)]
    rows = [(name, "wer_percent", n / 7) for n, name in enumerate(names)]
    tables.write_table(path, ["utterance", "metric", "value"], rows)
    return lambda table: read_measured(table, names)


def metrics(path):
    row = Number("corpus", "f", "b2", "ecapa", "cosine", "op", "eer_percent", "1.5", "1.0", "2.0")
    write_metrics(path, [row._replace(anonymiser=f"b{n}") for n in range(N)])
    return read_metrics


def document(path):
    path.write_text(json.dumps({f"name{n}": {"value": n / 7} for n in range(N)}))
    return json_files.read_json


def embeddings(path):
    ids = np.array([f"utterance-{line:06d}" for line in range(2000)])
    arrays.write_embeddings(path, arrays.Embeddings(ids, np.ones((2000, 192), np.float32)))
    return arrays.read_embeddings


def recording(path):
    audio.write(path, np.random.default_rng(0).uniform(-0.5, 0.5, 16000 * 60), 16000)
    return audio.read


FILES = {
    "scores.tsv": scores,
    "trials.tsv": trial_list,
    "manifest.tsv": manifest,
    "measured.tsv": measured,
    "metrics.tsv": metrics,
    "results.json": document,
    "embeddings.npz": embeddings,
    "speech.wav": recording,
    "speech.flac": recording,
}


@pytest.mark.parametrize("name", FILES)
def test_a_reader_takes_at_most_twenty_times_its_file(tmp_path, name):
    path = tmp_path / name
    read = FILES[name](path)
    size = path.stat().st_size
    assert size > 2e5  # else what is constant would count
    # one of three: pathlib interns names, and Python's table of them doubles now and then
    assert any(peak(read, path) <= MOST * size for _ in range(3))
