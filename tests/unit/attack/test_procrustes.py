"""Procrustes: a rotation is found and undone, sides of a condition, and what is refused."""

import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes
from scipy.stats import ortho_group

from voiceprivacy.attack.backends import backends, procrustes
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import Embeddings, write_embeddings

DIMENSIONS = 8


@pytest.fixture
def speech():
    """Original embeddings (60, 8), and what an anonymiser that only rotates and shifts makes."""
    generator = np.random.default_rng(0)
    original = generator.normal(size=(60, DIMENSIONS)) + 3
    rotation = ortho_group.rvs(DIMENSIONS, random_state=generator)
    return original, (original - original.mean(axis=0)) @ rotation - 5


def unit(embeddings, mean):
    centred = embeddings - mean
    return centred / np.linalg.norm(centred, axis=1, keepdims=True)


def test_an_anonymiser_that_rotates_is_undone(speech):
    original, protected = speech
    alignment = procrustes.train(original=original[:40], protected=protected[:40])
    back = procrustes.aligned(alignment, protected[40:], is_protected=True)
    expected = procrustes.aligned(alignment, original[40:], is_protected=False)
    np.testing.assert_allclose(back, expected, atol=0.01)
    np.testing.assert_allclose(np.linalg.norm(back, axis=1), 1)
    # Not rotated back, they are as unlike as any.
    alike = (unit(protected[40:], protected[:40].mean(axis=0)) * expected).sum(axis=1)
    assert alike.mean() < 0.5


def test_the_rotation_is_that_of_scipy(speech):
    original, protected = speech
    noisy = protected + np.random.default_rng(1).normal(size=protected.shape)
    unit_sides = (unit(side, side.mean(axis=0)) for side in (noisy, original))
    expected, _ = orthogonal_procrustes(*unit_sides)
    rotation = procrustes.train(original=original, protected=noisy).rotation
    np.testing.assert_allclose(rotation, expected, atol=0.03)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(DIMENSIONS), atol=1e-12)


def test_what_few_utterances_do_not_show_stays_as_it_is():
    """Three utterances in the first two of eight dimensions: all others are not turned."""
    plane = np.zeros((3, DIMENSIONS))
    plane[:, :2] = [[1, 0], [0, 1], [-2, -1]]
    turned = plane.copy()
    turned[:, 0], turned[:, 1] = plane[:, 1], -plane[:, 0]
    rotation = procrustes.train(original=plane, protected=turned).rotation
    np.testing.assert_allclose(rotation[2:, 2:], np.eye(DIMENSIONS - 2), atol=1e-12)
    np.testing.assert_allclose(rotation[:2, :2], [[0, 1], [-1, 0]], atol=0.02)


def test_protected_utterances_are_compared_as_without_a_rotation(speech):
    original, protected = speech
    alignment = procrustes.train(original=original, protected=protected)
    mean = protected.mean(axis=0)
    rotated = procrustes.aligned(alignment, protected, is_protected=True)
    centred = unit(protected, mean)
    np.testing.assert_allclose(rotated @ rotated.T, centred @ centred.T, atol=1e-12)
    middle = procrustes.aligned(alignment, mean[None], is_protected=True)
    np.testing.assert_allclose(middle, 0, atol=1e-12)  # is like nobody


def test_only_protected_galleries_are_rotated(speech, tmp_path):
    original, protected = speech
    ids = np.array([f"u{number}" for number in range(60)])
    write_embeddings(tmp_path / "e.npz", Embeddings(ids, protected.astype(np.float32)))
    backend = str(tmp_path / "backend.npz")
    alignment = procrustes.train(original=original, protected=protected)
    procrustes.write_alignment(backend, alignment)
    sides = dict.fromkeys(("enrolment", "trial"), tmp_path / "e.npz")
    galleries = backends.read_galleries(sides, backend=backend, protected=["trial"])
    for side, is_protected in (("enrolment", False), ("trial", True)):
        expected = procrustes.aligned(alignment, protected, is_protected=is_protected)
        np.testing.assert_allclose(galleries[side].embeddings_of(ids), expected, atol=1e-5)
    assert backends.scorer(backend) is backends.cosine
    plain = backends.read_galleries(sides, backend="cosine", protected=["trial"])
    np.testing.assert_array_equal(plain["trial"].embeddings, protected.astype(np.float32))


def test_what_does_not_fit_is_refused(speech, tmp_path):
    original, protected = speech
    with pytest.raises(BadInput, match="must come from one extractor"):
        procrustes.train(original=original[:, :4], protected=protected)
    with pytest.raises(BadInput, match="from one utterance"):
        procrustes.train(original=original[:1], protected=protected[:1])
    alignment = procrustes.train(original=original, protected=protected)
    with pytest.raises(BadInput, match="is for 8 dimensions, the embeddings have 4"):
        procrustes.aligned(alignment, original[:, :4], is_protected=True)
    broken = alignment._replace(rotation=alignment.rotation[:3])
    procrustes.write_alignment(tmp_path / "broken.npz", broken)
    with pytest.raises(BadInput, match="rotation is not a finite array of shape"):
        procrustes.read_alignment(tmp_path / "broken.npz")
