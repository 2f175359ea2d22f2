"""Recordings that are the same sound: copies, also at another gain, rate or after lossy coding.

A recording is printed once, when it is heard. Its print has two parts:

* the places and heights of its peaks: equal for equal samples, whatever their gain and container;
* a picture of its log spectrum over time, from the first loud moment to the last, below 2 kHz:
  nearly equal after resampling and lossy coding, and far from equal for two sayings of a sentence.

Its spectra say, too, whether it has a narrow band (docs/internals/measured.md has the simulation).
"""

import functools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voiceprivacy.inout.audio import peak_of

WINDOW_S, HOP_S = 0.04, 0.02
BAND_EDGES_HZ = np.geomspace(120, 1900, 13)
COLUMNS = 64  # of the picture, from the first loud moment to the last
LOUD = 1e-2  # of the loudest moment's power
HIGH_HZ = 4500  # a filter that ends at 4 kHz leaves less than this above it
FLOOR = 1e-5
N_PEAKS = 32
EQUAL_PEAKS = 0.6  # of the peaks lie at the same samples, where steps of 16 bits move some
EQUAL_HEIGHTS = 0.0005  # of the highest peak, by which the heights of equal peaks differ
LIKE = 0.93  # correlation of two pictures of one sound; of different LibriSpeech it is 0.5 at most
NEARLY_ALIKE = 0.95
LEAST_VARIED_DB = 3  # a picture that varies less, as that of a tone, tells nothing
FRAMES = 2**11  # whose spectra are made at a time
BLOCK, KEPT = 1000, 32  # pictures that are compared at once, and components of their shadows
ROUNDING = 1e-4
LENGTH_S = 0.25  # by how much the loud stretches of one sound may differ


class Print(NamedTuple):
    """What a recording is recognised by.

    ``length`` is in samples. ``peaks`` (32,) are samples, ``heights`` (32,) relative to the
    highest. ``loud_s`` is the time from the first loud moment to the last. ``picture`` is
    normalised, and empty where it tells nothing. ``high_share`` is what loud moments have of their
    energy above HIGH_HZ, NaN where there is no sound.
    """

    length: int
    peaks: NDArray[np.int64]
    heights: NDArray[np.float32]
    loud_s: float
    picture: NDArray[np.float32]
    high_share: float


class Pair(NamedTuple):
    """Two recordings, by their places in a list, that are the same sound; ``equal`` in samples."""

    first: int
    second: int
    equal: bool


def print_of(samples: NDArray, sample_rate: int) -> Print:
    """Print a recording (N,)."""
    size = max(1, len(samples) // N_PEAKS)
    stretches = samples[: size * N_PEAKS].reshape(-1, size)
    # The highest sample or the lowest one: of hours of speech no second array is made.
    rows, high, low = np.arange(len(stretches)), stretches.argmax(axis=1), stretches.argmin(axis=1)
    above, below = stretches[rows, high], -stretches[rows, low]
    within = np.where(above > below, high, low)
    within = np.where(above == below, np.minimum(high, low), within)
    peaks = within + size * rows
    heights = np.abs(samples[peaks]) / (peak_of(samples) or 1.0)
    powers, whole, high = _powers(samples, sample_rate)
    high_share = _high_share(whole, high)
    sums = powers.sum(axis=1)
    loud = np.flatnonzero(sums > LOUD * sums.max(initial=0))
    if not len(loud):
        return Print(len(samples), peaks, heights, 0.0, np.zeros(0, np.float32), high_share)
    powers = powers[loud[0] : loud[-1] + 1]
    width = len(powers) / COLUMNS
    edges = width * np.arange(COLUMNS + 1)
    sums = np.concatenate([np.zeros((1, powers.shape[1])), np.cumsum(powers, axis=0)])
    floor = edges.astype(int)
    steps = sums[np.minimum(floor + 1, len(powers))] - sums[floor]
    below = sums[floor] + (edges - floor)[:, None] * steps
    levels = np.diff(below.T, axis=1) / width
    levels = 10 * np.log10(levels / levels.max() + FLOOR)
    levels -= levels.mean(axis=1, keepdims=True)
    picture = levels.ravel() if levels.std() > LEAST_VARIED_DB else np.zeros(0)
    norm = np.linalg.norm(picture) or 1.0
    loud_s = len(powers) * HOP_S
    compact = np.asarray(picture / norm, np.float32)
    return Print(len(samples), peaks, heights, loud_s, compact, high_share)


def _high_share(whole: NDArray, high: NDArray) -> float:
    """What the loud moments have above HIGH_HZ: the others would be hiss alone."""
    loud = whole > LOUD * whole.max(initial=0)
    return float(high[loud].sum() / whole[loud].sum()) if loud.any() else np.nan


def _powers(samples, sample_rate):
    """Power of a recording: (frames, bands), and (frames,) of all but hum and above HIGH_HZ."""
    window, hop = round(WINDOW_S * sample_rate), round(HOP_S * sample_rate)
    padded = samples if len(samples) >= window else np.pad(samples, (0, window - len(samples)))
    frames = np.lib.stride_tricks.sliding_window_view(padded, window)[::hop]
    edges = np.round(BAND_EDGES_HZ * window / sample_rate).astype(int)
    lowest_high = round(HIGH_HZ * window / sample_rate)
    powers, whole, high = [], [], []
    for start in range(0, len(frames), FRAMES):
        spectra = np.abs(np.fft.rfft(frames[start : start + FRAMES] * _taper(window), axis=1)) ** 2
        powers.append(np.add.reduceat(spectra[:, : edges[-1]], edges[:-1], axis=1))
        whole.append(spectra[:, edges[0] :].sum(axis=1))
        high.append(spectra[:, lowest_high:].sum(axis=1))
    return np.concatenate(powers), np.concatenate(whole), np.concatenate(high)


@functools.cache
def _taper(window):
    return np.hanning(window).astype(np.float32)


def same(prints: Sequence[Print]) -> list[Pair]:
    """Find the recordings that are the same sound as one before them, each once.

    Parameters
    ----------
    prints : of all recordings

    Returns
    -------
    list of Pair : the first of the same recordings, and each of the others
    """
    varied = [index for index in range(len(prints)) if len(prints[index].picture)]
    order = sorted(varied, key=lambda index: prints[index].loud_s)
    if not order:
        return []
    seconds = np.array([prints[index].loud_s for index in order])
    pictures = np.array([prints[index].picture for index in order])
    copies: dict[int, Pair] = {}
    for one, other in _alike(pictures, np.searchsorted(seconds, seconds + LENGTH_S, "right")):
        first, second = sorted((order[one], order[other]))
        pair = Pair(first, second, _is_equal(prints[first], prints[second]))
        known = copies.get(second)
        if known is None or (not pair.equal, first) < (not known.equal, known.first):
            copies[second] = pair
    return sorted(copies.values())


def _alike(pictures: NDArray, ends: NDArray) -> Iterator[tuple[int, int]]:
    """Yield the places of two pictures (N, D) that are alike, the second before the first's end."""
    shadows = _shadows(pictures)
    for start in range(0, len(pictures), BLOCK):
        block = shadows[start : start + BLOCK]
        end = ends[start + len(block) - 1]
        may_be_like = block @ shadows[start:end].T > LIKE - ROUNDING
        ones, others = start + np.array(np.divmod(np.flatnonzero(may_be_like), end - start))
        is_later = (others > ones) & (others < ends[ones])
        for one, other in zip(ones[is_later], others[is_later], strict=True):
            if pictures[one] @ pictures[other] > LIKE:
                yield int(one), int(other)


def _shadows(pictures: NDArray) -> NDArray:
    """Shorten pictures (N, D) so that no product of two becomes smaller: quick to compare.

    Of a picture its largest components and the length of what is left are kept.
    """
    if len(pictures) <= BLOCK:
        return pictures
    some = pictures[:: len(pictures) // BLOCK]
    _, components = np.linalg.eigh(some.T @ some)
    kept = pictures @ components[:, -KEPT:]
    left = np.sqrt(np.maximum(0, 1 - np.square(kept).sum(axis=1, keepdims=True)))
    return np.hstack([kept, left])


def may_be_same(one: Print, other: Print) -> bool:
    """Whether it is worth comparing samples: pictures are nearly alike, or tell nothing."""
    if not (len(one.picture) and len(other.picture)):
        return True
    return float(one.picture @ other.picture) > NEARLY_ALIKE


def _is_equal(one: Print, other: Print) -> bool:
    """Whether the samples are the same, up to a gain and to steps of 16 bits."""
    if one.length != other.length:
        return False
    alike = one.peaks == other.peaks
    if alike.mean() < EQUAL_PEAKS:
        return False
    return bool(np.median(np.abs(one.heights - other.heights)[alike]) < EQUAL_HEIGHTS)
