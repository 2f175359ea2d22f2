"""Windows and mel bands of speech at 16 kHz, as librosa has them: what networks were trained on."""

import functools

import numpy as np

from voiceprivacy.models import Floats

SAMPLE_RATE = 16000
# Slaney's scale: linear up to 1 kHz, which is 15 mel; above it 27 mel for a factor of 6.4.
BREAK_HZ, BREAK_MEL, MEL_PER_LOG = 1000.0, 15.0, 27 / np.log(6.4)


def hann(length: int) -> Floats:
    """Hann window, periodic."""
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length)


def hamming(length: int) -> Floats:
    """Hamming window, periodic."""
    return 0.54 - 0.46 * np.cos(2 * np.pi * np.arange(length) / length)


@functools.cache
def mel_bands(n_fft: int, n_bands: int) -> Floats:
    """Weights (B, n_fft // 2 + 1) float32 of triangular bands up to 8 kHz, each of area 1."""
    corners = mel_to_hz(np.linspace(0, hz_to_mel(SAMPLE_RATE / 2), n_bands + 2))
    ramps = corners[:, None] - np.fft.rfftfreq(n_fft, 1 / SAMPLE_RATE)
    widths = np.diff(corners)[:, None]
    rising, falling = -ramps[:-2] / widths[:-1], ramps[2:] / widths[1:]
    triangles = np.maximum(0, np.minimum(rising, falling)).astype(np.float32)
    heights = 2 / (corners[2:] - corners[:-2])
    return triangles * heights[:, None].astype(np.float32)


def hz_to_mel(frequency: float) -> float:
    """Slaney's mel of a frequency above BREAK_HZ."""
    return BREAK_MEL + MEL_PER_LOG * np.log(frequency / BREAK_HZ)


def mel_to_hz(mel: Floats) -> Floats:
    """Frequencies of mels (M,) of Slaney's scale."""
    linear = mel * BREAK_HZ / BREAK_MEL
    return np.where(mel < BREAK_MEL, linear, BREAK_HZ * np.exp((mel - BREAK_MEL) / MEL_PER_LOG))
