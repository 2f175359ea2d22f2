"""How a voice moves in pitch, whatever its height: range and slopes of the F0 contour.

It is a histogram as those of ``histograms``. An anonymiser that moves all pitch by one factor
changes the histogram of F0, and keeps this one.

Conventions
-----------
* F0 is that of ``histograms``: YIN every 10 ms, frames without a period being no part of it.
* Two histograms stand side by side. The first is of the distance from the utterance's median F0,
  in semitones; it needs no neighbours. The second is of slopes: the change over 50 ms, within
  which every frame has a period.
* Outer bins hold all beyond them. There end octave errors, which no voice makes in 50 ms.
* An utterance without a period has a flat histogram: it says nothing about the speaker.

References
----------
't Hart, Collier and Cohen, A perceptual study of intonation, 1990 (semitones, and movements of
the contour as what is heard of it).
"""

import numpy as np

from voiceprivacy.attack import Counts, Floats
from voiceprivacy.attack.extractors import histograms

SEMITONES = np.arange(-12.5, 13.5)  # edges of bins of one semitone, around the median
SLOPE_FRAMES = 5  # 50 ms
SLOPES = np.arange(-6.25, 6.75, 0.5)  # edges of bins of half a semitone
BINS = len(SEMITONES) - 1 + len(SLOPES) - 1


def contour_histogram(samples: Floats, sample_rate: int) -> Counts | Floats:
    """Distances from the median F0 and slopes of F0.

    Parameters
    ----------
    samples : array (N,)
    sample_rate : int, Hz

    Returns
    -------
    array (BINS,)
    """
    return of_track(histograms.track(samples, sample_rate))


def of_track(frequencies: Floats) -> Counts | Floats:
    """The same of F0 in Hz (F,), every 10 ms; 0 where a frame has no period."""
    has_period = frequencies > 0
    if not has_period.any():
        return np.ones(BINS)
    height = np.full(len(frequencies), np.nan)
    height[has_period] = 12 * np.log2(frequencies[has_period])
    height -= np.nanmedian(height)
    slopes = height[SLOPE_FRAMES:] - height[:-SLOPE_FRAMES]
    if len(slopes):
        windows = np.lib.stride_tricks.sliding_window_view(has_period, SLOPE_FRAMES + 1)
        slopes = slopes[windows.all(axis=1)]
    return np.concatenate([_counts(height[has_period], SEMITONES), _counts(slopes, SLOPES)])


def _counts(values, edges):
    """How many values lie in each bin, array (edges - 1,); those beyond count in the outer bins."""
    return np.histogram(np.clip(values, edges[0], edges[-1]), bins=edges)[0]
