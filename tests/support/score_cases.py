"""The reference cases of tests/data: every npz of a folder with its entry in summary.json."""

import json
from pathlib import Path

import numpy as np
import pytest

DATA = Path(__file__).parents[1] / "data"


def summary(kind):
    return json.loads((DATA / kind / "summary.json").read_text())


def cases(kind, expected):
    """Parameters (scores, expected) for every case of ``expected`` whose npz lies there."""
    paths = {path.stem: path for path in sorted((DATA / kind).glob("*.npz"))}
    return [
        pytest.param(dict(np.load(paths[name])), expected[name], id=name)
        for name in expected
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
