"""When something is said: how long pauses, stretches of speech and syllables last.

It is a histogram as those of ``histograms``, and needs neither a voice nor words: an anonymiser
that keeps the length of everything keeps it.

Conventions
-----------
* Levels are in dB of frames of 10 ms, smoothed over about 50 ms. Speech is what lies above the
  middle between the quiet (5th percentile) and the loud (95th) frames of the utterance. A fixed
  distance from the loudest frame would measure the noise of the room instead.
* What is before the first and after the last speech is left out: it says how a file was cut.
* Three histograms stand side by side: of pauses, of stretches between them, and of the time from
  one syllable (a peak of the level) to the next. Bins are half octaves from 20 ms to 2.56 s;
  shorter and longer durations count in the first and the last.
* An utterance without speech has a flat histogram: it says nothing about the speaker.

References
----------
Mermelstein, Automatic segmentation of speech into syllabic units, JASA 58, 1975 (syllables as
peaks of the level).
"""

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.signal import find_peaks

from voiceprivacy.attack import Counts, Flags, Floats

FRAMES_PER_S = 100
SMOOTHING = 2.5  # frames: standard deviation of the Gaussian
QUIET, LOUD = 5, 95  # percentiles
PEAK_DB = 3  # by which a syllable stands out from what is around it
FLOOR = 1e-10  # power of digital silence
SHORTEST = 2  # frames: where the first bin begins
BINS = 14  # half octaves


def timing_histogram(samples: Floats, sample_rate: int) -> Counts | Floats:
    """Durations of pauses, of stretches of speech and from syllable to syllable.

    Parameters
    ----------
    samples : array (N,)
    sample_rate : int, Hz

    Returns
    -------
    array (3 BINS,)
    """
    level = levels(samples, sample_rate)
    if len(level) == 0 or np.ptp(level) == 0:
        return np.ones(3 * BINS)
    middle = (np.percentile(level, QUIET) + np.percentile(level, LOUD)) / 2
    loud = np.flatnonzero(level > middle)
    level = level[loud[0] : loud[-1] + 1]
    is_speech = level > middle
    peaks, _ = find_peaks(level, height=middle, prominence=PEAK_DB)
    durations = [run_lengths(~is_speech), run_lengths(is_speech), np.diff(peaks)]
    return np.concatenate([_histogram(frames) for frames in durations])


def levels(samples: Floats, sample_rate: int) -> Floats:
    """Smoothed level of every whole frame (F,), in dB."""
    hop = max(1, sample_rate // FRAMES_PER_S)
    n_frames = len(samples) // hop
    if n_frames == 0:
        return np.empty(0)
    frames = np.asarray(samples[: n_frames * hop], dtype=np.float64).reshape(n_frames, hop)
    power = np.square(frames).mean(axis=1)
    return gaussian_filter1d(10 * np.log10(np.maximum(power, FLOOR)), SMOOTHING)


def run_lengths(flags: Flags) -> Counts:
    """Lengths (R,) of the runs of true values, in their order.

    >>> run_lengths(np.array([True, True, False, True])).tolist()
    [2, 1]
    """
    changes = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return changes[1::2] - changes[::2]


def _histogram(frames):
    """How many durations fall into each half octave, array (BINS,)."""
    if len(frames) == 0:
        return np.zeros(BINS, dtype=int)
    octaves = np.log2(np.maximum(frames, SHORTEST) / SHORTEST)
    bins = np.minimum((2 * octaves).astype(int), BINS - 1)
    return np.bincount(bins, minlength=BINS)
