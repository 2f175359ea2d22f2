"""What challenges do to speech before it is embedded: loudness, trimming, voice activity. All are off by default.

Conventions
-----------
* Samples are arrays (N,) float32; frames are 25 ms long and begin every 10 ms.
* The steps come in this order: loudness, trim, vad.

References
----------
ITU-T P.56, Objective measurement of active speech level (here the mean power of the active frames).
Kaldi's energy-based voice activity detection (compute-vad), with the settings of its speaker recipes.
"""

from typing import NamedTuple

import numpy as np

LEVEL_DB = -26.0  # of active speech, relative to full scale
SILENCE_DB = 40.0  # a frame that far below the loudest one is silent
THRESHOLD, MEAN_SCALE = 5.5, 0.5  # of Kaldi's log energies (natural logarithm, 16-bit samples)
CONTEXT, PROPORTION = 2, 0.12
FRAME_S, HOP_S = 0.025, 0.010


class Preparation(NamedTuple):
    """Which steps are taken."""

    loudness: bool = False
    trim: bool = False
    vad: bool = False


NOTHING = Preparation()


def prepared(samples, sample_rate, preparation):
    """Take the steps of a Preparation; what remains (M,) can be empty."""
    if preparation.loudness:
        samples = at_level(samples, sample_rate)
    if preparation.trim:
        samples = trimmed(samples, sample_rate)
    if preparation.vad:
        samples = active(samples, sample_rate)
    return samples


def at_level(samples, sample_rate):
    """Scale so that active frames have a mean power of LEVEL_DB; silence stays."""
    power = _powers(samples, sample_rate)
    level = (
        power[power >= power.max(initial=0) * 10 ** (-SILENCE_DB / 10)].mean()
        if len(power)
        else 0.0
    )
    return samples * np.float32(10 ** (LEVEL_DB / 20) / np.sqrt(level)) if level > 0 else samples


def trimmed(samples, sample_rate):
    """Cut silence before the first and after the last frame that is not silent."""
    power = _powers(samples, sample_rate)
    loud = np.flatnonzero(power >= power.max(initial=0) * 10 ** (-SILENCE_DB / 10))
    hop, length = round(HOP_S * sample_rate), round(FRAME_S * sample_rate)
    return samples[loud[0] * hop : loud[-1] * hop + length] if len(loud) else samples


def active(samples, sample_rate):
    """Keep the hops whose frame holds speech, by Kaldi's rule on log energies."""
    hop, length = round(HOP_S * sample_rate), round(FRAME_S * sample_rate)
    energies = np.log(
        np.maximum(_powers(samples, sample_rate) * length * 32768.0**2, np.finfo(np.float32).tiny)
    )
    if not len(energies):
        return samples[:0]
    loud = energies > THRESHOLD + MEAN_SCALE * energies.mean()
    window = np.ones(2 * CONTEXT + 1)
    share = np.convolve(loud, window, "same") / np.convolve(np.ones(len(loud)), window, "same")
    keep = np.repeat(share >= PROPORTION, hop)
    return samples[: len(keep)][keep[: len(samples)]]


def _powers(samples, sample_rate):
    """Mean power of every frame (F,)."""
    hop, length = round(HOP_S * sample_rate), round(FRAME_S * sample_rate)
    if len(samples) < length:
        return np.empty(0)
    sums = np.concatenate([[0.0], np.cumsum(np.square(samples, dtype=np.float64))])
    starts = np.arange(0, len(samples) - length + 1, hop)
    return np.maximum(sums[starts + length] - sums[starts], 0.0) / length
