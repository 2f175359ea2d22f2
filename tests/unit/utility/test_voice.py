"""Whether speakers keep one voice, and their sex: by hand, and as the command writes it."""

import numpy as np
import pytest
from support.calls import here
from support.measured import write_embedded

from voiceprivacy.inout.arrays import Embeddings, write_embeddings
from voiceprivacy.inout.tables import read_table
from voiceprivacy.utility.kinds.voice import consistency
from voiceprivacy.utility.measures import read_measured
from voiceprivacy.utility.rows import COLUMNS


def test_consistency_is_the_mean_similarity_with_the_speakers_other_utterances():
    embeddings = np.random.default_rng(0).normal(size=(9, 5)).astype(np.float32)
    speakers = list("abacbcaad")
    unit, expected = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True), []
    for row, speaker in enumerate(speakers[:-1]):  # one pair after the other
        others = [i for i, name in enumerate(speakers) if name == speaker and i != row]
        mean = np.mean([unit[row] @ unit[other] for other in others])
        expected.append(pytest.approx(mean, abs=1e-5))
    assert consistency(embeddings, speakers) == [*expected, "undefined"]


def test_consistency_by_hand():
    """One voice is 1 however loud, opposite voices are below 0; nothing is like nothing."""
    voice = np.array([[1.0, 2.0], [3.0, 6.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    assert consistency(voice, list("aabbcc")) == [1, 1, -1, -1, 0, 0]


def write_run(folder, **numbers):
    """Women and men of one voice each; the system "swapped" gives each the voice of another."""
    write_embedded(folder, {"f": 5} | numbers, {"original": 8, "swapped": -8}, utterances=2)


def measure(folder):
    outputs = [folder / f"utility/few/trial/{name}/voice.tsv" for name in ("original", "swapped")]
    return here(
        "measure_voices",
        *("--corpus", "few", "--extractor", "net", "--embeddings", folder / "embeddings"),
        *("--audio", folder / "audio", "--output", *outputs),
    )


def means(folder, system):
    path = folder / f"utility/few/trial/{system}/voice.tsv"
    ids = list(dict.fromkeys(row["utterance"] for row in read_table(path, COLUMNS)))
    values = {}
    for line in read_measured(path, ids):  # as assess_utility reads it
        values.setdefault(line.metric, []).append(line.value)
    return values


def test_the_command_writes_a_table_of_every_system(tmp_path):
    write_run(tmp_path, **{"m": 5, "-": 1})
    said = measure(tmp_path)
    assert said.returncode == 0, said.stderr
    original, swapped = means(tmp_path, "original"), means(tmp_path, "swapped")
    for measured in (original, swapped):
        assert measured["voice_consistency"] == pytest.approx(22 * [1])
    assert original["sex_kept_percent"] == 20 * [100] + 2 * ["undefined"]
    assert swapped["sex_kept_percent"] == 20 * [0] + 2 * ["undefined"]


def test_of_one_sex_consistency_alone_is_defined(tmp_path):
    write_run(tmp_path)
    said = measure(tmp_path)
    assert "sex_kept_percent is undefined: fewer than two classes" in said.stdout
    assert means(tmp_path, "original")["sex_kept_percent"] == 10 * ["undefined"]
    assert means(tmp_path, "original")["voice_consistency"] == pytest.approx(10 * [1])


def test_an_utterance_without_embedding_is_named(tmp_path):
    write_run(tmp_path)
    path = tmp_path / "embeddings/few/trial/swapped/net.npz"
    path.unlink()
    write_embeddings(path, Embeddings(np.array(["sf0-trial0"]), np.ones((1, 4), "f4")))
    said = measure(tmp_path)
    assert said.returncode == 2 and "has no embedding of 'sf0-trial1'" in said.stderr
