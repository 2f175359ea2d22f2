"""What challenges do to speech before it is embedded: loudness, trimming, voice activity.

All are off by default.

Conventions
-----------
* Samples are arrays (N,) float32; frames are 25 ms long and begin every 10 ms.
* The steps come in this order: loudness, trim, vad.

References
----------
ITU-T P.56, Objective measurement of active speech level (here the mean power of active frames).
Kaldi's energy-based voice activity detection (compute-vad), with the settings of its speaker
recipes.
"""

from typing import NamedTuple

import numpy as np

from voiceprivacy.attack import Floats

LEVEL_DB = -26.0  # of active speech, relative to full scale
SILENCE_DB = 40.0  # a frame that far below the loudest one is silent
# Kaldi's --vad-energy-threshold and --vad-energy-mean-scale: log energies are natural logarithms
# of sums over a frame of 16-bit samples.
THRESHOLD, MEAN_SCALE = 5.5, 0.5
FULL_SCALE = 32768.0
# Kaldi's --vad-frames-context and --vad-proportion-threshold: a frame is kept if 12 % of the two
# frames before it, itself and the two after it are loud.
CONTEXT, PROPORTION = 2, 0.12
FRAME_S, HOP_S = 0.025, 0.010


class Preparation(NamedTuple):
    """Which steps are taken."""

    loudness: bool = False
    trim: bool = False
    vad: bool = False


NOTHING = Preparation()


def prepared(samples: Floats, sample_rate: int, preparation: Preparation) -> Floats:
    """Take the steps of a Preparation; what remains (M,) can be empty."""
    if preparation.loudness:
        samples = at_level(samples, sample_rate)
    if preparation.trim:
        samples = trimmed(samples, sample_rate)
    if preparation.vad:
        samples = active(samples, sample_rate)
    return samples


def at_level(samples: Floats, sample_rate: int) -> Floats:
    """Scale so that active frames have a mean power of LEVEL_DB; silence stays."""
    power = _powers(samples, sample_rate)
    active_power = power[_not_silent(power)]
    level = active_power.mean() if len(active_power) else 0.0
    return samples * np.float32(10 ** (LEVEL_DB / 20) / np.sqrt(level)) if level > 0 else samples


def trimmed(samples: Floats, sample_rate: int) -> Floats:
    """Cut silence before the first and after the last frame that is not silent."""
    loud = np.flatnonzero(_not_silent(_powers(samples, sample_rate)))
    hop, length = round(HOP_S * sample_rate), round(FRAME_S * sample_rate)
    return samples[loud[0] * hop : loud[-1] * hop + length] if len(loud) else samples


def active(samples: Floats, sample_rate: int) -> Floats:
    """Keep the hops whose frame holds speech, by Kaldi's rule on log energies."""
    hop, length = round(HOP_S * sample_rate), round(FRAME_S * sample_rate)
    energies = _powers(samples, sample_rate) * length * FULL_SCALE**2
    if not len(energies):
        return samples[:0]
    log_energies = np.log(np.maximum(energies, np.finfo(np.float32).tiny))
    loud = log_energies > THRESHOLD + MEAN_SCALE * log_energies.mean()
    window = np.ones(2 * CONTEXT + 1)
    # At both ends the window holds fewer frames, and the share is one of these.
    share = np.convolve(loud, window, "same") / np.convolve(np.ones(len(loud)), window, "same")
    keep = np.repeat(share >= PROPORTION, hop)
    return samples[: len(keep)][keep[: len(samples)]]


def _not_silent(power):
    return power >= power.max(initial=0) * 10 ** (-SILENCE_DB / 10)


def _powers(samples, sample_rate):
    """Mean power of every frame (F,)."""
    hop, length = round(HOP_S * sample_rate), round(FRAME_S * sample_rate)
    if len(samples) < length:
        return np.empty(0)
    sums = np.concatenate([[0.0], np.cumsum(np.square(samples, dtype=np.float64))])
    starts = np.arange(0, len(samples) - length + 1, hop)
    return np.maximum(sums[starts + length] - sums[starts], 0.0) / length
