"""Embeddings made elsewhere: what a command is told, what is checked, and how it fails."""

import sys

import numpy as np
import pytest
from support.models import write_tones

from voiceprivacy.attack.extractors import foreign
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import read_manifest

COMMAND = """
import argparse, csv, os
import numpy as np
parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=3)
parser.add_argument("--manifest")
parser.add_argument("--embeddings")
given = parser.parse_args()
with open(given.manifest) as file:
    rows = list(csv.DictReader(file, delimiter="\\t"))
ids = [row["utterance"] for row in rows]
assert all(os.path.isabs(row["path"]) and os.path.isfile(row["path"]) for row in rows)
embeddings = np.arange(len(ids) * given.size).reshape(-1, given.size)
np.savez(given.embeddings, ids=np.array(ids[::-1]), embeddings=embeddings)
"""


@pytest.fixture
def manifest(tmp_path):
    return write_tones(tmp_path / "speech", speakers=2, utterances=2, seconds=0.1)


def save(path, ids, embeddings):
    np.savez(path, ids=np.array(ids), embeddings=np.array(embeddings, dtype=np.float32))
    return path


def test_a_command_gives_embeddings_in_any_order(manifest, tmp_path):
    (tmp_path / "mine.py").write_text(COMMAND, encoding="utf-8")
    command = f"{sys.executable} {tmp_path / 'mine.py'} --size {{threads}}"
    made = foreign.from_command(command, read_manifest(manifest), threads=2)
    assert made.ids.tolist() == ["s0-0", "s0-1", "s1-0", "s1-1"]
    assert made.embeddings.tolist() == [[6, 7], [4, 5], [2, 3], [0, 1]]
    assert made.embeddings.dtype == np.float32


@pytest.mark.parametrize(
    ("command", "reason"),
    [("no_such_program_at_all", "No such file"), (" ", "is empty")],
)
def test_a_command_that_fails_is_named(manifest, command, reason):
    with pytest.raises(BadInput, match=reason):
        foreign.from_command(command, read_manifest(manifest), threads=1)


def test_a_file_may_hold_more_than_is_asked_for(manifest, tmp_path):
    ids = ["other", "s1-1", "s1-0", "s0-1", "s0-0"]
    path = save(tmp_path / "e.npz", ids, np.arange(10).reshape(5, 2))
    made = foreign.from_file(path, read_manifest(manifest))
    assert made.embeddings.tolist() == [[8, 9], [6, 7], [4, 5], [2, 3]]


@pytest.mark.parametrize(
    ("ids", "embeddings", "reason"),
    [
        (["s0-0", "s0-1", "s1-0"], np.ones((3, 2)), "has no embedding of 's1-1'"),
        (["s0-0", "s0-1", "s1-0", "s1-1"], np.full((4, 2), np.nan), "'s0-0' is not finite"),
        (["s0-0", "s0-0", "s0-1", "s1-0", "s1-1"], np.ones((5, 2)), "occurs twice"),
        (["s0-0", "s0-1", "s1-0", "s1-1"], np.array([[1, 1]] * 3 + [[0, 1e-39]]), "'s1-1' is zero"),
    ],
)
def test_embeddings_that_lack_something_are_refused(manifest, tmp_path, ids, embeddings, reason):
    with pytest.raises(BadInput, match=reason):
        foreign.from_file(save(tmp_path / "e.npz", ids, embeddings), read_manifest(manifest))
