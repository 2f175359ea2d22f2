"""Scores: the reference cases of tests/data (every npz of a folder), and those that are drawn."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

DATA = Path(__file__).parents[1] / "data"
SCORES = st.lists(st.integers(-30, 30).map(lambda score: score / 4), min_size=1, max_size=30)
FEW = settings(max_examples=settings.default.max_examples // 4)  # where each takes milliseconds


def cases(kind, part=None):
    """Parameters (scores, expected) for every case, of a part of them, whose npz lies there."""
    expected = json.loads((DATA / kind / "summary.json").read_text())
    paths = {path.stem: path for path in sorted((DATA / kind).glob("*.npz"))}
    return [
        pytest.param(dict(np.load(paths[name])), numbers, id=name)
        for name, numbers in (expected[part] if part else expected).items()
        if name in paths
    ]


def tolerance(arrays):
    return 1e-12 if len(arrays["tar"]) + len(arrays["non"]) <= 100_000 else 1e-10


def scores(arrays, run=""):
    return {
        "target": arrays[f"tar{run}"].astype(float),
        "nontarget": arrays[f"non{run}"].astype(float),
    }


def has_ties(arrays):
    values = np.concatenate([arrays["tar"], arrays["non"]])
    return len(np.unique(values)) < len(values)


def assert_close(actual, expected, tolerance=1e-12):
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)
