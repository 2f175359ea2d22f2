"""Sounds that the tests anonymise."""

import numpy as np

RATE = 16000


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
