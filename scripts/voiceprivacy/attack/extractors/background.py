"""What is heard in the pauses: the room, the microphone and the noise behind a speaker.

Who is always recorded in one place is known by it. It is a histogram as those of ``histograms``,
and needs neither a voice nor words. Between speakers of one room it tells little. Where each has a
microphone of one's own, it tells speakers apart without hearing one of them.

Conventions
-----------
* Pauses are the quietest quarter, in dB, between the quiet (5th percentile) and the loud (95th)
  frames of 10 ms, by ``timing.levels``. Digital silence is counted, and has no spectrum.
* Two parts of equal weight stand side by side. The first is the spectrum of the pauses: power in
  40 mel bands up to 8 kHz, its cube root averaged over frames, as loudness follows it. The second
  is how far pauses lie below the loud frames: a histogram in bins of 3 dB up to 90 dB.
* Neither depends on how loud the file is.
* An utterance of one level throughout (no pauses, or digital silence alone) has a flat histogram.

References
----------
Hermansky, Perceptual linear predictive analysis of speech, JASA 87, 1990 (the cube root).
Kraetzer et al., Digital audio forensics: a first practical evaluation on microphone and environment
classification, 2007 (that both can be told).
"""

import functools

import numpy as np
import torch
import torchaudio

from voiceprivacy.attack import Floats
from voiceprivacy.attack.extractors import timing
from voiceprivacy.inout import audio

SAMPLE_RATE = 16000
BANDS = 40
DEPTH_DB, DEPTHS = 3, 30  # width and number of the bins of levels
SHARE = 0.25  # of the range between quiet and loud that counts as pause
FFT = 512


def background_histogram(samples: Floats, sample_rate: int) -> Floats:
    """Spectrum and depth of the pauses of an utterance.

    Parameters
    ----------
    samples : array (N,)
    sample_rate : int, Hz

    Returns
    -------
    array (BANDS + DEPTHS,) : each part has the sum 1, or 0 where there is none of it
    """
    samples = audio.resample(samples, source_rate=sample_rate, target_rate=SAMPLE_RATE)
    level = timing.levels(samples, SAMPLE_RATE)
    if len(level) == 0 or np.ptp(level) == 0:
        return np.ones(BANDS + DEPTHS)
    quiet, loud = np.percentile(level, [timing.QUIET, timing.LOUD])
    pauses = np.flatnonzero(level <= quiet + SHARE * (loud - quiet))
    depths = np.clip((loud - level[pauses]) / DEPTH_DB, 0, DEPTHS - 1).astype(int)
    depth = np.bincount(depths, minlength=DEPTHS)
    return np.concatenate([_spectrum(samples, pauses), depth / depth.sum()])


def _spectrum(samples, frames):
    """Mean cube root of power in mel bands over frames, as a distribution (BANDS,)."""
    hop = SAMPLE_RATE // timing.FRAMES_PER_S
    wave = torch.from_numpy(np.ascontiguousarray(samples, dtype=np.float32))
    power = _mel()(wave).T.numpy()  # one row for each hop, centred on its start
    power = power[frames[frames < len(samples) // hop]]
    bands = np.cbrt(power[power.sum(axis=1) > 0].astype(np.float64)).sum(axis=0)
    return bands / bands.sum() if bands.any() else bands


@functools.cache
def _mel():
    return torchaudio.transforms.MelSpectrogram(
        SAMPLE_RATE, n_fft=FFT, hop_length=SAMPLE_RATE // timing.FRAMES_PER_S, n_mels=BANDS
    )
