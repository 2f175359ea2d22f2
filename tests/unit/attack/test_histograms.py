"""Features that are histograms: F0, units, contour, timing and background, and what is refused."""

import itertools

import numpy as np
import pytest
from scipy.signal import butter, sosfilt
from support.calls import flags, succeeds
from support.sounds import recording

from voiceprivacy.attack.extractors import contour, histograms, timing
from voiceprivacy.attack.extractors.background import BANDS, background_histogram
from voiceprivacy.attack.extractors.histograms import embed_each
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.arrays import read_embeddings
from voiceprivacy.inout.manifests import read_manifest

RATE = 16000
EACH = {
    "f0": histograms.f0_histogram,
    "contour": contour.contour_histogram,
    "timing": timing.timing_histogram,
    "background": background_histogram,
}


@pytest.mark.parametrize(
    ("kind", "n_samples"), [*itertools.product(EACH, (10, 160, 3200, RATE)), ("timing", 0)]
)
def test_silence_says_nothing(kind, n_samples):
    """Where nothing is counted, a histogram is flat and not empty."""
    histogram = EACH[kind](np.zeros(n_samples, np.float32), RATE)
    assert (histogram == histogram[0]).all() and histogram[0] > 0


def test_noise_has_no_pitch():
    histogram = histograms.f0_histogram(recorded(), RATE)
    assert (histogram == histogram[0]).all() and histogram[0] > 0


@pytest.mark.parametrize("kind", EACH)
def test_loudness_does_not_matter(kind):
    sound = spoken(0.5, 0.2, 1.0, 0.7, 0.5)
    np.testing.assert_allclose(EACH[kind](4 * sound, RATE), EACH[kind](sound, RATE), atol=1e-5)


def test_the_command_embeds_each_utterance(tones, tmp_path):
    (first, *_) = read_manifest(tones)
    given = flags(manifest=tones, embeddings=tmp_path / "e.npz")
    for kind in ("contour", "timing", "background"):
        succeeds("extract_features", f"--{kind}", *given)
        _, embeddings = read_embeddings(tmp_path / "e.npz")
        np.testing.assert_allclose(embeddings[0], EACH[kind](*audio.read(first.path)), rtol=1e-6)


def sound(seed):
    """Two seconds of noise through a resonance of its own."""
    spectrum = np.fft.rfft(np.random.default_rng(seed).normal(size=32000))
    frequencies = np.fft.rfftfreq(32000, 1 / 16000)
    shape = 1 / (1 + ((frequencies - 500 * (1 + seed % 6)) / 200) ** 2)
    return (0.1 * np.fft.irfft(spectrum * shape)).astype(np.float32)


@pytest.mark.parametrize("frequency_hz", [80.0, 125.0, 200.0, 400.0])
@pytest.mark.parametrize("sample_rate", [8000, 16000])
def test_a_tone_falls_into_the_bin_of_its_period(frequency_hz, sample_rate):
    samples = gliding(0, seconds=3, start_hz=frequency_hz, sample_rate=sample_rate)
    assert len(histograms.lags(samples, sample_rate)) == pytest.approx(300, abs=6), "every 10 ms"
    histogram = histograms.f0_histogram(samples, sample_rate)
    assert len(histogram) == 107  # as in the paper
    assert histogram.argmax() == pytest.approx(8000 / frequency_hz - histograms.LAGS[0], abs=1)
    assert histogram.max() > 0.9 * histogram.sum()


@pytest.fixture(scope="module")
def utterances(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sounds")
    return [recording(folder, f"u{n:02}", sound(n), speaker=f"s{n % 6}") for n in range(12)]


@pytest.fixture(scope="module")
def codebook(utterances):
    return histograms.train_codebook(utterances, seed=0)


def test_the_codebook_does_not_depend_on_the_order_of_the_utterances(utterances, codebook):
    other = histograms.train_codebook(utterances[::-1], seed=0)
    np.testing.assert_array_equal(codebook.centres, other.centres)
    assert codebook.centres.shape == (256, 39)


def test_units_count_every_frame_that_is_not_silent(utterances, codebook, tmp_path):
    histograms.write_codebook(tmp_path / "c.npz", codebook)
    feature = histograms.unit_histogram(histograms.read_codebook(tmp_path / "c.npz"))
    embeddings = embed_each(utterances, feature)
    assert embeddings.embeddings.shape == (12, 256)
    assert embeddings.ids.tolist() == [utterance.utterance for utterance in utterances]
    assert (embeddings.embeddings.sum(axis=1) > 150).all()
    padded = np.concatenate([sound(0), np.zeros(16000, np.float32)])
    assert feature(padded, 16000).sum() == pytest.approx(feature(sound(0), 16000).sum(), abs=3)


def test_too_little_training_speech_is_refused(utterances):
    with pytest.raises(BadInput, match="too few for 256 units"):
        histograms.train_codebook(utterances[:2], seed=0)


@pytest.mark.parametrize("n_samples", [100, 399])
def test_an_utterance_that_is_too_short_is_named(tmp_path, n_samples):
    short = [recording(tmp_path, "short", np.zeros(n_samples))]
    said = r"short\.wav: utterance 'short': shorter than a frame of 25 ms"
    with pytest.raises(BadInput, match=said):
        embed_each(short, histograms.frames)
    with pytest.raises(BadInput, match=said):
        histograms.train_codebook(short, seed=0)


@pytest.mark.parametrize("n_samples", [400, 511])
def test_of_the_shortest_speech_that_is_evaluated_there_is_one_frame(n_samples):
    assert histograms.frames(sound(0)[:n_samples], 16000).shape == (1, 39)


HEIGHTS = len(contour.SEMITONES) - 1


def gliding(semitones_per_s, *, seconds=2.0, start_hz=120.0, sample_rate=RATE):
    """A buzz whose pitch moves by so many semitones a second."""
    time = np.arange(round(seconds * sample_rate)) / sample_rate
    frequency = start_hz * 2 ** (semitones_per_s * time / 12)
    phase = 2 * np.pi * np.cumsum(frequency) / sample_rate
    return (0.1 * sum(np.sin(k * phase) / k for k in range(1, 8))).astype(np.float32)


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
    assert contour.of_track(track[:5]).sum() == 5, "too short for a slope"


@pytest.mark.parametrize("semitones_per_s", [-20, -10, 0, 10, 20])
def test_slopes_are_those_of_a_glide(semitones_per_s):
    slopes = contour.contour_histogram(gliding(semitones_per_s), RATE)[HEIGHTS:]
    fullest = np.argmax(slopes)
    middle = contour.SLOPES[fullest : fullest + 2].mean()
    assert middle == pytest.approx(semitones_per_s / 20, abs=0.3)


def test_how_high_the_voice_is_does_not_matter():
    track = 100 * 2 ** (np.cumsum(np.random.default_rng(0).normal(0, 0.02, 500)))
    np.testing.assert_array_equal(contour.of_track(track), contour.of_track(1.5 * track))


def test_what_jumps_an_octave_counts_in_the_outer_bins():
    slopes = contour.of_track(np.array([100.0] * 6 + [400.0] * 6))[HEIGHTS:]
    assert slopes[-1] == 5 and slopes.sum() == 7


BINS = timing.BINS


def spoken(*durations_s, level=0.1, noise=1e-4, seed=0):
    """Noise for speech and much less of it for pauses, in turn; speech comes first."""
    generator = np.random.default_rng(seed)
    loudness = itertools.cycle((level, noise))
    parts = [next(loudness) * generator.standard_normal(round(s * RATE)) for s in durations_s]
    return np.concatenate(parts).astype(np.float32)


def bin_of(frames):
    """The bin of a duration, by its definition: half octaves from two frames."""
    return min(int(2 * np.log2(frames / 2)), BINS - 1)


def test_pauses_and_stretches_by_hand():
    """Speech of 0.5, 1 and 0.5 s; pauses of 0.2 and 0.7 s."""
    histogram = timing.timing_histogram(spoken(0.5, 0.2, 1.0, 0.7, 0.5), RATE)
    pauses, stretches = histogram[:BINS], histogram[BINS : 2 * BINS]
    assert np.flatnonzero(pauses).tolist() == [bin_of(20), bin_of(70)] and pauses.sum() == 2
    assert stretches[[bin_of(50), bin_of(100)]].tolist() == [2, 1] and stretches.sum() == 3


def test_syllables_are_peaks_of_the_level():
    """Four bursts a second for three seconds: 0.25 s from each to the next."""
    time = np.arange(3 * RATE) / RATE
    loudness = 0.1 * (1.01 - np.cos(2 * np.pi * 4 * time))
    samples = loudness * np.random.default_rng(0).standard_normal(len(time))
    syllables = timing.timing_histogram(samples, RATE)[2 * BINS :]
    assert syllables.sum() == 11
    assert syllables[bin_of(25)] >= 9


@pytest.mark.parametrize(
    "other",
    [
        spoken(0.5, 0.2, 1.0, 0.7, 0.5, seed=1),
        spoken(0.5, 0.2, 1.0, 0.7, 0.5, noise=1e-2),
        spoken(0, 0.3, 0.5, 0.2, 1.0, 0.7, 0.5, 0.3),
    ],
    ids=["another voice", "a noisy room", "silence around it"],
)
def test_pauses_and_stretches_are_those_of_what_is_said(other):
    sounds = (spoken(0.5, 0.2, 1.0, 0.7, 0.5), other)
    once, again = (timing.timing_histogram(heard, RATE)[: 2 * BINS] for heard in sounds)
    np.testing.assert_array_equal(once, again)


def recorded(*, room=None, noise=1e-3):
    """Speech of noise with a pause every half second, in a room whose noise has a colour."""
    n_samples = 4 * RATE
    behind = noise * np.random.default_rng(0).standard_normal(n_samples)
    if room is not None:
        behind = sosfilt(butter(4, room, fs=RATE, output="sos"), behind)
    speech = 0.1 * np.random.default_rng(100).standard_normal(n_samples)
    speaks = (np.arange(n_samples) // (RATE // 2)) % 2 == 0
    return (speech * speaks + behind).astype(np.float32)


def test_the_spectrum_is_that_of_the_room():
    low, high = (background_histogram(recorded(room=hz), RATE)[:BANDS] for hz in (500, 7000))
    assert low @ np.arange(BANDS) < high @ np.arange(BANDS) - 5
    assert low.sum() == pytest.approx(1)


def test_the_depth_is_that_of_the_noise_below_the_speech():
    """Speech of 0.1 and noise of 0.001 are 40 dB apart: bin 13 of 3 dB."""
    depth = background_histogram(recorded(), RATE)[BANDS:]
    assert np.argmax(depth) == 13
    assert depth.sum() == pytest.approx(1)


def test_pauses_of_digital_silence_have_a_depth_and_no_spectrum():
    histogram = background_histogram(recorded(noise=0), RATE)
    assert not histogram[:BANDS].any()
    # Speech of 0.1 lies at -20 dB, digital silence at -100: 80 dB are bin 26.
    assert np.argmax(histogram[BANDS:]) == 26
