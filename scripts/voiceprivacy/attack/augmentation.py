"""Speech as an extractor hears it in training: faster or slower, in a room, in noise.

Conventions
-----------
Samples are arrays (N,) float32; every random draw comes from the generator that is handed in.

References
----------
Ko et al., Audio augmentation for speech recognition, Interspeech 2015 (speed). Ko et al., A study on data augmentation
of reverberant speech, ICASSP 2017. Snyder et al., X-vectors, ICASSP 2018 (noise).
"""

from typing import NamedTuple

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft, rfftfreq

DECAY_60_DB = 3 * np.log(10)  # exponent by which an amplitude falls 60 dB
EARLIEST_ECHO_S = 0.002


class Augmentation(NamedTuple):
    """What a recipe does to its pieces of speech; a share is the probability that a piece gets it."""

    speeds: list
    reverberation_s: list
    reverberation_share: float
    snr_db: list
    noise_share: float


def degraded(samples, augmentation, *, sample_rate, generator):
    """Samples (N,) in a random room and in random noise, each with its share's probability."""
    if generator.random() < augmentation.reverberation_share:
        seconds = generator.uniform(*augmentation.reverberation_s)
        samples = reverberant(samples, seconds=seconds, sample_rate=sample_rate, generator=generator)
    if generator.random() < augmentation.noise_share:
        noise = coloured_noise(len(samples), tilt=generator.uniform(0, 2), generator=generator)
        samples = mixed(samples, noise, snr_db=generator.uniform(*augmentation.snr_db))
    return samples


def reverberant(samples, *, seconds, sample_rate, generator):
    """Samples (N,) in a room with this reverberation time T60: the direct sound and a tail of decaying noise.

    The tail has 0 to 12 dB less energy than the direct sound.
    """
    time = np.arange(round(seconds * sample_rate)) / sample_rate
    tail = generator.standard_normal(len(time)) * np.exp(-DECAY_60_DB * time / seconds)
    tail[time < EARLIEST_ECHO_S] = 0
    ratio_db = generator.uniform(0, 12)
    tail *= 10 ** (-ratio_db / 20) / np.sqrt(np.sum(tail**2))
    size = next_fast_len(len(samples) + len(tail), real=True)
    echo = irfft(rfft(samples, size) * rfft(tail.astype(np.float32), size), size)
    return samples + echo[: len(samples)].astype(np.float32)


def coloured_noise(length, *, tilt, generator):
    """Noise (length,) whose power falls with frequency to the power of ``tilt``: 0 white, 1 pink, 2 brown."""
    spectrum = rfft(generator.standard_normal(length, dtype=np.float32))
    frequencies = np.maximum(rfftfreq(length), 1 / length)
    return irfft(spectrum * (frequencies ** (-tilt / 2)).astype(np.float32), length).astype(np.float32)


def mixed(samples, noise, *, snr_db):
    """Samples (N,) with noise (N,) at this signal-to-noise ratio."""
    level = np.sqrt(np.mean(samples**2)) * 10 ** (-snr_db / 20)
    return samples + noise * np.float32(level / max(np.sqrt(np.mean(noise**2)), np.finfo(np.float32).tiny))
