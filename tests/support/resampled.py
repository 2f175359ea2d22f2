"""Replicates of similarity matrices in memory, by what assesses their files."""

import tempfile
from pathlib import Path

from voiceprivacy.privacy.matrices.assessment import assess_similarity
from voiceprivacy.privacy.matrices.matrix_files import write_matrix
from voiceprivacy.privacy.uncertainty.interval_files import Draws


def resample_similarities(matrices, *, n_replicates, seed, **options):
    """{condition: {metric: array (B,)}} of {oo, op, pp: ScoreMatrix}."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {condition: Path(folder, f"{condition}.npz") for condition in matrices}
        for condition, path in paths.items():
            write_matrix(path, matrices[condition])
        assessed = assess_similarity(paths, Draws(n_replicates, seed), **options)
    return {condition: own.replicates for condition, own in assessed.resampled.items()}
