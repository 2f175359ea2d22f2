"""How pitch moves: tracks worked out by hand, and what must not matter."""

import numpy as np
import pytest
from support.calls import succeeds

from voiceprivacy.attack.extractors import contour
from voiceprivacy.inout import audio
from voiceprivacy.inout.arrays import read_embeddings

RATE = 16000
HEIGHTS = len(contour.SEMITONES) - 1


def gliding(semitones_per_s, *, seconds=2.0, start_hz=120.0):
    """A buzz whose pitch moves by so many semitones a second."""
    time = np.arange(round(seconds * RATE)) / RATE
    frequency = start_hz * 2 ** (semitones_per_s * time / 12)
    phase = 2 * np.pi * np.cumsum(frequency) / RATE
    return (0.1 * sum(np.sin(k * phase) / k for k in range(1, 8))).astype(np.float32)


def centre(edges, histogram):
    """The middle of the fullest bin."""
    index = int(np.argmax(histogram))
    return (edges[index] + edges[index + 1]) / 2


def test_a_track_by_hand():
    """Six frames at 100 Hz, one without a period, six frames an octave higher."""
    track = np.array([100.0] * 6 + [0.0] + [200.0] * 6)
    histogram = contour.of_track(track)
    heights, slopes = histogram[:HEIGHTS], histogram[HEIGHTS:]
    # The median lies in the middle, six semitones from both.
    assert heights[6] == heights[18] == 6
    assert heights.sum() == 12
    # One slope over 50 ms within either stretch, and none across the gap.
    assert slopes.sum() == slopes[len(slopes) // 2] == 2


@pytest.mark.parametrize("semitones_per_s", [-20, -10, 0, 10, 20])
def test_slopes_are_those_of_a_glide(semitones_per_s):
    slopes = contour.contour_histogram(gliding(semitones_per_s), RATE)[HEIGHTS:]
    assert centre(contour.SLOPES, slopes) == pytest.approx(semitones_per_s / 20, abs=0.3)


def test_how_high_the_voice_is_does_not_matter():
    track = 100 * 2 ** (np.cumsum(np.random.default_rng(0).normal(0, 0.02, 500)))
    np.testing.assert_array_equal(contour.of_track(track), contour.of_track(1.5 * track))


def test_what_jumps_an_octave_counts_in_the_outer_bins():
    slopes = contour.of_track(np.array([100.0] * 6 + [400.0] * 6))[HEIGHTS:]
    assert slopes[-1] == 5
    assert slopes.sum() == 7


@pytest.mark.parametrize("track", [np.zeros(100), np.zeros(0)])
def test_speech_without_voice_says_nothing(track):
    assert set(contour.of_track(track)) == {1.0}


def test_the_command_writes_a_row_for_each_utterance(tmp_path):
    rows = ["utterance\tspeaker\tgender\tpath\tduration_s"]
    for name in ("a", "b"):
        audio.write(tmp_path / f"{name}.wav", gliding(10, seconds=1.0), RATE)
        rows.append(f"{name}\ts\tf\t{name}.wav\t1.0")
    (tmp_path / "manifest.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    output = tmp_path / "features.npz"
    arguments = ["--manifest", tmp_path / "manifest.tsv", "--embeddings", output]
    succeeds("extract_features", "--contour", *arguments)
    assert read_embeddings(output).embeddings.shape == (2, contour.BINS)
    succeeds("extract_features", "--background", *arguments)
    assert read_embeddings(output).embeddings.shape == (2, 70)
