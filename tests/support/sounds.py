"""Sounds that the tests anonymise."""

import numpy as np
from scipy import linalg, signal

from voiceprivacy.inout import audio
from voiceprivacy.inout.manifests import Utterance

RATE = 16000
NAMES = {"utterance": "a", "speaker": "anna", "seed": 0}  # what a function is told
VOWEL_HZ = (600.0, 1600.0, 2800.0)  # formants far enough apart to be measured


def recording(folder, name, samples, sample_rate=RATE, *, speaker="s"):
    """Write folder/NAME.wav; the utterance of it."""
    path = folder / f"{name}.wav"
    audio.write(path, np.asarray(samples, np.float32), sample_rate)
    return Utterance(name, speaker, "f", path, len(samples) / sample_rate)


def tone(index, seconds=0.5):
    noise = np.random.default_rng(index).normal(0, 0.02, int(RATE * seconds))
    return (
        0.3 * np.sin(2 * np.pi * (150 + 40 * index) * np.arange(len(noise)) / RATE) + noise
    ).astype(np.float32)


def speech_like(sample_rate, seconds=0.3):
    """A buzz with formants that are noisy and wander."""
    count = int(sample_rate * seconds)
    time = np.arange(count) / sample_rate
    noise = np.random.default_rng(sample_rate).normal(0, 0.01, count)
    formants = sum(np.sin(2 * np.pi * f * time * (1 + 0.1 * time)) / f for f in (500, 1500, 2500))
    return 0.5 * np.sin(2 * np.pi * 120 * time) ** 3 + 100 * formants * noise + noise


def vowel(*, pitch_hz=120.0, formants_hz=VOWEL_HZ, sample_rate=16000, seconds=1.0):
    """A vowel (N,) at a pitch (or one for every sample, (N,)): pulses through resonances."""
    count = int(seconds * sample_rate)
    cycles = np.cumsum(np.broadcast_to(np.asarray(pitch_hz) / sample_rate, count))
    samples = np.diff(np.floor(cycles), prepend=0.0)
    for formant in formants_hz:
        radius = np.exp(-np.pi * 80 / sample_rate)  # 80 Hz wide
        angle = 2 * np.pi * formant / sample_rate
        samples = signal.lfilter([1.0], [1, -2 * radius * np.cos(angle), radius**2], samples)
    samples -= samples.mean()
    return 0.5 * samples / np.abs(samples).max()


def measured_formants(samples):
    """The three lowest resonances in Hz of the middle 200 ms of a vowel, by linear prediction."""
    piece = _middle(samples)
    products = signal.correlate(piece, piece, mode="full")[len(piece) - 1 :]
    order = 8
    predictor = linalg.solve_toeplitz(products[:order], products[1 : order + 1])
    poles = np.roots(np.concatenate([[1.0], -predictor]))
    poles = poles[(np.abs(poles) > 0.8) & (poles.imag > 0)]
    return np.sort(np.angle(poles) * RATE / (2 * np.pi))[:3]


def measured_pitch(samples):
    """The pitch in Hz, 60 to 450, of the middle 200 ms of a sound, by autocorrelation."""
    piece = _middle(samples)
    products = signal.correlate(piece, piece, mode="full")[len(piece) - 1 :]
    first, last = int(RATE / 450), int(RATE / 60)
    products = products[first:last] / products[0]
    peaks, _ = signal.find_peaks(products, height=0.8 * products.max())
    return RATE / (first + peaks[0])


def _middle(samples):
    middle, half = len(samples) // 2, RATE // 10
    piece = np.asarray(samples, float)[middle - half : middle + half]
    return piece * np.hamming(len(piece))
