"""Pitch correlation: how much of an utterance's intonation is still there after protection.

Conventions
-----------
* A pitch track is the fundamental frequency (F0) in Hz every 10 ms, between 75 and 500 Hz; 0 where a frame has none.
* 1: the same intonation, higher or lower, wider or narrower; 0: none of it; below 0: turned around.
* Found by YIN at 16 kHz, twice: then between 3/4 of the lower and 3/2 of the upper quartile of the first time, which
  removes most errors by octaves. The threshold is 0.2: with 0.1, as in YIN's paper, a third of the voiced frames of
  LibriSpeech is still voiced after McAdams (alpha 0.8), with 0.2 half of them; beyond, octaves are often wrong again.

References
----------
Tomashenko et al., VoicePrivacy 2022 Challenge Evaluation Plan, 2022, pitch correlation: Pearson correlation of the F0
of original and protected speech where both are voiced, at the same length and the best lag. There F0 is found by
autocorrelation; the numbers of another estimator are not the same.
de Cheveigne and Kawahara, YIN, a fundamental frequency estimator for speech and music, JASA 111, 2002; by torch-yin.
De Looze and Hirst, Detecting changes in key and range for the automatic modelling and coding of intonation, Speech
Prosody 2008 (limits from quartiles).
"""

import numpy as np
import torch
import torchyin

from voiceprivacy.inout import audio
from voiceprivacy.vocabulary import UNDEFINED

METRIC = "pitch_correlation"
SAMPLE_RATE = 16000
LOWEST_HZ, HIGHEST_HZ = 75, 500
RANGE = (0.75, 1.5)  # of the quartiles
STRIDE_S = 0.01
THRESHOLD = 0.2
FEWEST_FRAMES = 10  # a tenth of a second of voice: fewer frames say nothing about intonation
LARGEST_LAG = 5  # frames; a filter or a vocoder delays by less


def pitch_track(samples, sample_rate):
    """F0 (F,) in Hz every 10 ms of samples (N,); 0 in frames without a period."""
    samples = audio.resample(samples, source_rate=sample_rate, target_rate=SAMPLE_RATE)
    samples = torch.from_numpy(np.ascontiguousarray(samples, dtype=np.float32))
    first = _frequencies(samples, LOWEST_HZ, HIGHEST_HZ)
    if np.count_nonzero(first) < FEWEST_FRAMES:
        return first
    quartiles = np.quantile(first[first > 0], [0.25, 0.75])
    lowest, highest = np.clip(quartiles * RANGE, LOWEST_HZ, HIGHEST_HZ)
    return _frequencies(samples, lowest, highest)


def pitch_correlation(original, protected):
    """Largest Pearson correlation of two pitch tracks (F,) and (G,) over lags of up to 50 ms.

    The shorter track is stretched to the length of the longer; only frames count in which both are voiced.

    Returns
    -------
    float in [-1, 1], or "undefined" for an original with fewer than ten voiced frames. 0 where protected speech has
    fewer in common with it, or a constant pitch: nothing of the intonation is left.
    """
    if np.count_nonzero(original) < FEWEST_FRAMES:
        return UNDEFINED
    length = max(len(original), len(protected))
    original, protected = _stretched(original, length), _stretched(protected, length)
    found = [
        _correlation(*_shifted(original, protected, lag))
        for lag in range(-LARGEST_LAG, LARGEST_LAG + 1)
    ]
    return max((value for value in found if value is not None), default=0.0)


def measure(original, protected):
    """Pitch correlation of every utterance of two manifests with the same utterances.

    Parameters
    ----------
    original, protected : list of voiceprivacy.inout.tables.Utterance

    Yields
    ------
    (utterance id, "pitch_correlation", value), in the order of ``protected``
    """
    originals = {utterance.utterance: utterance.path for utterance in original}
    for utterance in protected:
        tracks = [
            pitch_track(*audio.read(path))
            for path in (originals[utterance.utterance], utterance.path)
        ]
        yield utterance.utterance, METRIC, pitch_correlation(*tracks)


def _frequencies(samples, lowest, highest):
    """F0 (F,) between two limits in Hz; always the same number of frames."""
    frame = 2 * int(
        SAMPLE_RATE / LOWEST_HZ
    )  # YIN's frames hold two periods of the lowest F0 and start together
    padded = torch.nn.functional.pad(samples, [0, max(0, frame - len(samples))])
    found = torchyin.estimate(
        padded,
        sample_rate=SAMPLE_RATE,
        pitch_min=lowest,
        pitch_max=highest,
        frame_stride=STRIDE_S,
        threshold=THRESHOLD,
    )
    return found[: (len(padded) - frame) // int(STRIDE_S * SAMPLE_RATE) + 1].numpy().astype(float)


def _stretched(track, length):
    """A track at another number of frames; a frame is voiced if the nearest one was, its F0 is interpolated."""
    if len(track) == length:
        return track
    places = np.linspace(0, len(track) - 1, length)
    voiced = np.flatnonzero(track)
    if not len(voiced):
        return np.zeros(length)
    return np.where(
        track[np.rint(places).astype(int)] > 0, np.interp(places, voiced, track[voiced]), 0.0
    )


def _shifted(one, other, lag):
    """The frames of two tracks of equal length that lie on each other when ``other`` comes ``lag`` frames later."""
    length = len(one)
    return one[max(0, -lag) : length - max(0, lag)], other[max(0, lag) : length - max(0, -lag)]


def _correlation(one, other):
    """Pearson correlation over the frames in which both are voiced; None if they are few or one is constant."""
    both = (one > 0) & (other > 0)
    one, other = one[both], other[both]
    if len(one) < FEWEST_FRAMES or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.clip(np.corrcoef(one, other)[0, 1], -1, 1))
