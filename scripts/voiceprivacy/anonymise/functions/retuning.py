"""The same speech at another pitch: formants stay, the melody is given.

Pitch-synchronous overlap-add: two-period pieces of the waveform, set further apart or closer.

Conventions
-----------
* A pitch track is the fundamental frequency (F0) in Hz every 10 ms, between 65 and 420 Hz; 0 where
  there is none. Frame k is around sample 0.01 k rate.
* F0 is the lag of the largest peak of the normalised cross-correlation of 25 ms of speech (below
  900 Hz) with what follows, long lags being handicapped. It is searched twice: the second time
  between 3/4 of the lower and 3/2 of the upper quartile of the first. That removes most errors by
  octaves. (The pitch correlation of the report is measured with YIN, which is slower.)
* A voice without pitch (a whisper) and voiceless sounds stay as they are.

References
----------
Talkin, A robust algorithm for pitch tracking (RAPT), in Speech coding and synthesis, 1995: the
normalised cross-correlation.
De Looze and Hirst, Detecting changes in key and range for the automatic modelling and coding of
intonation, Speech Prosody 2008: limits from quartiles.
Moulines and Charpentier, Pitch-synchronous waveform processing techniques for text-to-speech
synthesis using diphones, Speech Communication 9, 1990: TD-PSOLA.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import signal

from voiceprivacy.anonymise.functions.contract import Signal, as_loud, keeps_length
from voiceprivacy.errors import BadInput
from voiceprivacy.models.mel import hann

LOWEST_HZ, HIGHEST_HZ = 65.0, 420.0
STEP_S, WINDOW_S = 0.01, 0.025
VOICED = 0.5  # correlation from which on there is a pitch
HANDICAP = 0.15  # by which the longest lag counts less than none: two periods are alike, too
QUIET = 1e-3  # 30 dB below the loudest window's energy: hum is no voice
LOW_HZ = 900.0  # above, formants ring as if they were a pitch
RANGE = (0.75, 1.5)  # of the quartiles
FEWEST_FRAMES = 10  # of a few frames quartiles say nothing
UNVOICED_S = 0.005  # pieces where there is no pitch
SEARCH = 0.2  # of a period, in which the next pulse is looked for
LARGEST_RATIO = 3.0  # of pitches: pieces that are set further apart leave holes

Track = NDArray[np.float64]  # (F,) Hz, 0 without a pitch


@keeps_length
def monotone(
    samples: Signal,
    sample_rate: int,
    *,
    utterance: str,
    speaker: str,
    seed: int,
    pitch_hz: float | None = None,
) -> Signal:
    """Speak without melody: one pitch everywhere, that of the utterance's middle or a given one.

    Parameters
    ----------
    pitch_hz : float, optional
        The pitch; default - the median of the utterance's own. A pitch more than three times as
        high or low is approached by a factor of three, so that some melody is left.
    """
    if pitch_hz is not None and not LOWEST_HZ <= pitch_hz <= HIGHEST_HZ:
        raise BadInput(f"pitch_hz: must be from {LOWEST_HZ} to {HIGHEST_HZ}, not {pitch_hz}")
    track = pitch_track(samples, sample_rate)
    if not track.any():
        return samples
    target = np.median(track[track > 0]) if pitch_hz is None else pitch_hz
    return retuned(samples, sample_rate, track, np.where(track > 0, target, 0.0))


def retuned(samples: Signal, sample_rate: int, track: Track, target: Track) -> Signal:
    """Samples (N,) whose pitch track becomes another one (Hz, where it is above 0)."""
    if not track.any():
        return samples
    ratios = np.ones(len(track))
    voiced = track > 0
    ratios[voiced] = np.clip(target[voiced] / track[voiced], 1 / LARGEST_RATIO, LARGEST_RATIO)
    pulses = _pulses(samples, sample_rate, track)
    return as_loud(_overlapped(samples, sample_rate, pulses, ratios), samples)


# Where the pitch is.


def pitch_track(samples: Signal, sample_rate: int) -> Track:
    """F0 (F,) in Hz every 10 ms of samples (N,); 0 in frames without one."""
    correlations, shortest = _correlations(samples, sample_rate)
    first = _chosen(correlations, shortest, sample_rate, (LOWEST_HZ, HIGHEST_HZ))
    if np.count_nonzero(first) < FEWEST_FRAMES:
        return first
    quartiles = np.quantile(first[first > 0], [0.25, 0.75])
    limits = np.clip(quartiles * RANGE, LOWEST_HZ, HIGHEST_HZ)
    return signal.medfilt(_chosen(correlations, shortest, sample_rate, tuple(limits)), 3)


def _correlations(samples: Signal, sample_rate: int) -> tuple[NDArray[np.float64], int]:
    """Normalised cross-correlations (F, lags), and the shortest lag."""
    shortest, longest = int(sample_rate / HIGHEST_HZ), int(sample_rate / LOWEST_HZ) + 2
    window, hop = round(WINDOW_S * sample_rate), round(STEP_S * sample_rate)
    length = window + longest
    sections = signal.butter(4, LOW_HZ, fs=sample_rate, output="sos")
    low = signal.sosfiltfilt(sections, samples - samples.mean())
    padded = np.pad(low, (length // 2, length))
    pieces = np.lib.stride_tricks.sliding_window_view(padded, length)[::hop]
    pieces = pieces[: len(samples) // hop + 1]
    size = 2 ** int(np.ceil(np.log2(length + window)))
    spectra = np.fft.rfft(pieces, size)
    products = np.fft.irfft(spectra * np.fft.rfft(pieces[:, :window], size).conj(), size)
    sums = np.cumsum(np.pad(pieces**2, ((0, 0), (1, 0))), axis=1)
    energies = sums[:, window:] - sums[:, :-window]  # of a window from every lag on
    quiet = QUIET * energies.max() + np.finfo(float).tiny
    lags = slice(shortest, longest)
    norms = np.sqrt(np.maximum(energies[:, :1] * energies[:, lags], 0)) + quiet
    return products[:, lags] / norms, shortest


def _chosen(correlations, shortest, sample_rate, limits):
    """The pitch (F,) in Hz of each frame between two limits, 0 where no lag correlates."""
    lags = shortest + np.arange(correlations.shape[1])
    allowed = (lags >= sample_rate / limits[1] - 1) & (lags <= sample_rate / limits[0] + 1)
    handicapped = correlations - HANDICAP * lags / lags[-1]
    handicapped[:, ~allowed] = -np.inf
    inner = correlations[:, 1:-1]
    is_peak = (inner > correlations[:, :-2]) & (inner >= correlations[:, 2:])
    handicapped[:, 1:-1][~is_peak] = -np.inf
    handicapped[:, [0, -1]] = -np.inf  # so that both neighbours are there
    best = np.clip(handicapped.argmax(axis=1), 1, len(lags) - 2)
    rows = np.arange(len(best))
    has_peak = np.isfinite(handicapped[rows, best])
    before, peak, after = (correlations[rows, best + step] for step in (-1, 0, 1))
    # The top of a parabola through three lags.
    curvature = before - 2 * peak + after
    with np.errstate(divide="ignore", invalid="ignore"):
        offset = np.where(curvature < 0, 0.5 * (before - after) / curvature, 0.0)
    pitch = sample_rate / (lags[best] + np.clip(offset, -0.5, 0.5))
    return np.where(has_peak & (peak > VOICED), pitch, 0.0)


# Pieces around the pulses of the voice, and where they go.


class Pulses(NamedTuple):
    """Pieces of a waveform: middles and half lengths in samples, and which are of a voice."""

    positions: NDArray[np.int64]
    periods: NDArray[np.int64]
    voiced: NDArray[np.bool_]


def _pulses(samples: Signal, sample_rate: int, track: Track) -> Pulses:
    """One mark for each period of the voice, and one every 5 ms elsewhere."""
    hop, unvoiced = round(STEP_S * sample_rate), round(UNVOICED_S * sample_rate)
    positions: list[int] = []
    periods: list[int] = []
    voiced: list[bool] = []
    position = 0
    while position < len(samples):
        pitch = track[min(round(position / hop), len(track) - 1)]
        period = round(sample_rate / pitch) if pitch else unvoiced
        if pitch and voiced and voiced[-1]:
            position = _next_pulse(samples, positions[-1], period)
        elif pitch:
            ahead = np.abs(samples[position : position + period])
            position += int(ahead.argmax())
        if position >= len(samples):
            break
        positions.append(position)
        periods.append(period)
        voiced.append(bool(pitch))
        position += period
    return Pulses(np.array(positions), np.array(periods), np.array(voiced))


def _next_pulse(samples: Signal, last: int, period: int) -> int:
    """The position about one period later whose surroundings are most like the last one's."""
    half, reach = period // 2, max(1, round(SEARCH * period))
    first, end = last + period - reach - half, last + period + reach + half
    if last < half or end > len(samples):
        return last + period
    products = np.correlate(samples[first:end], samples[last - half : last + half], "valid")
    return last + period - reach + int(products.argmax())


def _overlapped(samples: Signal, sample_rate: int, pulses: Pulses, ratios: Track) -> Signal:
    """Samples (N,) of the pieces, those of a voice being ratios (F,) times as close."""
    hop, widest = round(STEP_S * sample_rate), int(pulses.periods.max())
    padded = np.pad(samples, widest)
    sounds = np.zeros(len(padded) + 1)
    position = float(pulses.positions[0])
    middles = (pulses.positions[1:] + pulses.positions[:-1]) / 2
    steps = np.append(np.diff(pulses.positions), pulses.periods[-1])
    while position < len(samples):
        nearest = int(np.searchsorted(middles, position))
        source, period = pulses.positions[nearest], pulses.periods[nearest]
        ratio = ratios[min(round(source / hop), len(ratios) - 1)] if pulses.voiced[nearest] else 1.0
        piece = padded[source + widest - period : source + widest + period]
        start = round(position) + widest - period
        # More pieces in the same time are louder by the root of their number.
        sounds[start : start + 2 * period] += piece * hann(2 * period) / np.sqrt(ratio)
        position += steps[nearest] / ratio
    return sounds[widest : widest + len(samples)]
