"""Pitch correlation: how much of an utterance's intonation is still there after protection.

Conventions
-----------
* A pitch track is the fundamental frequency (F0) in Hz every 10 ms, between 75 and 500 Hz.
  Frames without one have 0.
* 1: the same intonation, higher or lower, wider or narrower; 0: none of it; below 0: turned around.
* F0 is found by YIN at 16 kHz, twice: the second time between 3/4 of the lower and 3/2 of the upper
  quartile of the first. That removes most errors by octaves.
* The threshold of YIN is 0.2. With 0.1, as in YIN's paper, a third of the voiced frames of
  LibriSpeech is still voiced after McAdams (alpha 0.8), with 0.2 half of them. Beyond, octaves are
  often wrong again.

References
----------
Tomashenko et al., VoicePrivacy 2022 Challenge Evaluation Plan, 2022, pitch correlation: Pearson
correlation of the F0 of original and protected speech where both are voiced, at the same length and
the best lag. There F0 is found by autocorrelation; the numbers of another estimator are not the
same.
de Cheveigne and Kawahara, YIN, a fundamental frequency estimator for speech and music, JASA 111,
2002; by torch-yin.
De Looze and Hirst, Detecting changes in key and range for the automatic modelling and coding of
intonation, Speech Prosody 2008 (limits from quartiles).
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.kinds import MeasuredMetric, MeasureKind
from voiceprivacy.utility.rows import Measured
from voiceprivacy.vocabulary import UNDEFINED

if TYPE_CHECKING:
    import torch

    from voiceprivacy.inout import audio

METRIC = "pitch_correlation"
KIND = MeasureKind(
    described="of every run",
    metrics=(
        MeasuredMetric(
            METRIC,
            "pitch correlation",
            "",
            "Correlation of pitch (by YIN) in original and protected speech: 1 = as before.",
            digits=2,
            headline=True,
        ),
    ),
    said={METRIC: "the correlation of pitch [@vpc2022,yin]"},
    better="higher",
    group="pitch",
    of_original=False,
    by_frames=(METRIC,),
    together=True,
    seconds=(0.003, 0),
    entry=METRIC,
    entry_options={"sample": 100},
    left_out_by="pitch_correlation",
)
WHY_UNDEFINED = "too little voice in the original"
SAMPLE_RATE = 16000
LOWEST_HZ, HIGHEST_HZ = 75, 500
RANGE = (0.75, 1.5)  # of the quartiles
STRIDE_S = 0.01
THRESHOLD = 0.2
FEWEST_FRAMES = 10  # a tenth of a second of voice: fewer frames say nothing about intonation
BLOCK = 3000  # frames at once, 200 MB: all of a long recording would need gigabytes
LARGEST_LAG = 5  # frames; a filter or a vocoder delays by less

Track = NDArray[np.float64]


def measure(original: Sequence[Utterance], protected: Sequence[Utterance]) -> Iterator[Measured]:
    """Yield the pitch correlation of every protected utterance."""
    from tqdm import tqdm

    from voiceprivacy.inout import audio

    progress = tqdm(protected, unit="utterance", mininterval=1.0)
    for before, after in zip(original, progress, strict=True):
        tracks = [pitch_track(*audio.read(line.path)) for line in (before, after)]
        yield Measured(after.utterance, METRIC, pitch_correlation(*tracks))


def pitch_track(samples: "audio.Samples", sample_rate: int) -> Track:
    """F0 (F,) in Hz every 10 ms of samples (N,); 0 in frames without a period."""
    import torch

    from voiceprivacy.inout import audio

    samples = audio.resample(samples, source_rate=sample_rate, target_rate=SAMPLE_RATE)
    waveform = torch.from_numpy(np.ascontiguousarray(samples, dtype=np.float32))
    first = _frequencies(waveform, LOWEST_HZ, HIGHEST_HZ)
    # Of a few frames quartiles say nothing.
    if np.count_nonzero(first) < FEWEST_FRAMES:
        return first
    quartiles = np.quantile(first[first > 0], [0.25, 0.75])
    lowest, highest = np.clip(quartiles * RANGE, LOWEST_HZ, HIGHEST_HZ)
    return _frequencies(waveform, lowest, highest)


def _frequencies(waveform: "torch.Tensor", lowest: float, highest: float) -> Track:
    """F0 (F,) between two limits in Hz; the number of frames does not depend on the limits."""
    import torch
    import torchyin

    # YIN's frames hold two periods of the lowest F0; those of narrower limits start with them.
    longest, own = (2 * int(SAMPLE_RATE / limit) for limit in (LOWEST_HZ, lowest))
    padded = torch.nn.functional.pad(waveform, [0, max(0, longest - len(waveform))])
    frames = padded.unfold(0, longest, int(STRIDE_S * SAMPLE_RATE))[:, :own]
    blocks = []
    for block in frames.split(BLOCK):
        frequencies = torchyin.estimate(
            block,
            sample_rate=SAMPLE_RATE,
            pitch_min=lowest,
            pitch_max=highest,
            threshold=THRESHOLD,
        )
        blocks.append(frequencies[:, 0])
    return torch.cat(blocks).numpy().astype(float)


def pitch_correlation(original: Track, protected: Track) -> float | str:
    """Largest Pearson correlation of two pitch tracks (F,) and (G,) over lags of up to 50 ms.

    The shorter track is stretched to the length of the longer. Only frames count in which both are
    voiced.

    Returns
    -------
    float in [-1, 1], or "undefined" for an original with fewer than ten voiced frames. 0 where
    protected speech has fewer in common with it, or a constant pitch: nothing of the intonation is
    left.
    """
    if np.count_nonzero(original) < FEWEST_FRAMES:
        return UNDEFINED
    length = max(len(original), len(protected))
    original, protected = _stretched(original, length), _stretched(protected, length)
    correlations = []
    for lag in range(-LARGEST_LAG, LARGEST_LAG + 1):  # frames that protected speech comes later
        before = original[max(0, -lag) : length - max(0, lag)]
        after = protected[max(0, lag) : length - max(0, -lag)]
        correlation = _correlation(before, after)
        if correlation is not None:
            correlations.append(correlation)
    # The challenge takes the best lag: a delay of the anonymiser is no loss of intonation.
    return max(correlations, default=0.0)


def _stretched(track: Track, length: int) -> Track:
    """A track at another number of frames.

    A frame is voiced if the nearest one was; its F0 is interpolated.
    """
    if len(track) == length:
        return track
    voiced = np.flatnonzero(track)
    if not len(voiced):
        return np.zeros(length)
    frames = np.linspace(0, len(track) - 1, length)  # in frames of the track, with fractions
    is_voiced = track[np.rint(frames).astype(int)] > 0
    return np.where(is_voiced, np.interp(frames, voiced, track[voiced]), 0.0)


def _correlation(one: Track, other: Track) -> float | None:
    """Pearson correlation where both are voiced; None if that is rare or one is constant."""
    both = (one > 0) & (other > 0)
    one, other = one[both], other[both]
    if len(one) < FEWEST_FRAMES or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    # Rounding may lead beyond 1.
    return float(np.clip(np.corrcoef(one, other)[0, 1], -1, 1))
