"""Sampled galleries: means of observations, the right shift's templates, and what is refused."""

import itertools

import numpy as np
import pytest

from voiceprivacy.attack.backends import backends
from voiceprivacy.attack.backends.backends import SAMPLES, read_samples, sample_matrix
from voiceprivacy.inout.arrays import Embeddings
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import write_table

OBSERVED = [  # shift, role, number of the observation
    *((0, "test", 0), (0, "template", 1), (0, "template", 2)),
    *((1, "test", 1), (1, "template", 2), (1, "template", 0)),
]
ROWS = [
    (shift, speaker, role, f"{speaker}{number}")
    for (shift, role, number), speaker in itertools.product(OBSERVED, "ab")
]


def gallery(seed):
    ids = np.array([f"{speaker}{number}" for speaker, number in itertools.product("ab", range(3))])
    values = np.random.default_rng(seed).normal(size=(6, 4)).astype(np.float32)
    return backends.Gallery(Embeddings(ids, values), "x.npz"), dict(
        zip(ids.tolist(), values, strict=True)
    )


def test_every_test_meets_the_templates_of_its_own_shift(tmp_path):
    write_table(tmp_path / "s.tsv", SAMPLES, ROWS)
    (enrolment, of_enrolment), (trial, of_trial) = gallery(0), gallery(1)
    matrix = sample_matrix(
        backends.cosine, read_samples(tmp_path / "s.tsv"), enrolment=enrolment, trial=trial
    )
    assert matrix.rows.tolist() == ["a@0", "b@0", "a@1", "b@1"]
    assert matrix.row_speakers.tolist() == ["a", "b", "a", "b"]
    assert matrix.columns.tolist() == matrix.column_speakers.tolist() == ["a", "b"]
    test, template = of_trial["b1"], (of_enrolment["a2"] + of_enrolment["a0"]) / 2
    expected = test @ template / np.linalg.norm(test) / np.linalg.norm(template)
    assert matrix.scores[3, 0] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "lists no observation"),
        ([(0, "a", "tset", "a0")], "s.tsv:2: role 'tset' is neither"),
        ([*ROWS, (0, "c", "test", "c0")], "speaker 'c' has no test or no template in shift 0"),
    ],
)
def test_odd_samples_are_refused(tmp_path, rows, message):
    write_table(tmp_path / "s.tsv", SAMPLES, rows)
    with pytest.raises(BadInput, match=message):
        read_samples(tmp_path / "s.tsv")


def test_an_observation_without_an_embedding_is_named(tmp_path):
    write_table(tmp_path / "s.tsv", SAMPLES, [*ROWS[:-1], (1, "b", "template", "b9")])
    (enrolment, _), (trial, _) = gallery(0), gallery(1)
    with pytest.raises(BadInput, match="has no embedding of 'b9'"):
        sample_matrix(
            backends.cosine, read_samples(tmp_path / "s.tsv"), enrolment=enrolment, trial=trial
        )
