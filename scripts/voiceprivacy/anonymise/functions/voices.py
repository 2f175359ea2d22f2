"""Somebody else's voice: envelopes by linear prediction, taken from a pool of speakers.

Every frame keeps its excitation and gets the envelope of a voice of the pool that fits best. The
mean and the range of the pitch become that voice's, too. And a whisper, which has no pitch at all.

Conventions
-----------
* Speech is changed at 16 kHz; at another rate it is converted and converted back, so above 8 kHz
  nothing is left.
* A cepstrum is (24,): coefficients 1 to 24 of an envelope of ``spectra.py``. So it says nothing of
  loudness. Only frames within 30 dB of the loudest count for means.
* A pool is an npz: for each of S speakers a codebook of 64 cepstra (k-means), the mean of their
  cepstra, and mean and standard deviation of the natural logarithm of the pitch.
* A frame's cepstrum, without the mean of the utterance, is compared with the codewords, without the
  mean of their speaker. The mean of the three nearest replaces it. Five frames are smoothed.

``workflow/resources/voices.npz`` holds 40 speakers of LibriSpeech train-clean-100, one recording of
each (CC BY 4.0, Panayotov et al. 2015). What goes in are no recordings, and no sound can be made
of a codebook alone.

References
----------
Abe, Nakamura, Shikano, Kuwabara, Voice conversion through vector quantization, ICASSP 1988:
codebooks and the pitch. There the codebooks are aligned by parallel sentences; that codewords are
compared without their mean is ours.
Makhoul, Linear prediction: a tutorial review, Proc. IEEE 63, 1975 (noise through the filter).
"""

import functools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import signal
from scipy.cluster.vq import kmeans2

from voiceprivacy.anonymise.functions.contract import (
    Signal,
    as_loud,
    generator,
    keeps_length,
)
from voiceprivacy.anonymise.functions.retuning import pitch_track, retuned
from voiceprivacy.anonymise.functions.spectra import (
    envelopes_of,
    frames_of,
    limited,
    samples_of,
    window_length,
)
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import read_npz
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.placeholders import ours
from voiceprivacy.vocabulary import RESOURCES

RATE = 16000
COEFFICIENTS, CODEWORDS, NEAREST = 24, 64, 3
SMOOTHING = np.array([1, 2, 3, 2, 1]) / 9
FEWEST_FRAMES = 125  # of a speaker of a pool: a second of speech
LOUD = 1e-3  # 30 dB below the loudest frame's energy
SHIPPED_POOL = RESOURCES / "voices.npz"
MONOTONE_SPREAD = 0.02  # of the logarithm of pitch; below, there is no range to be mapped

Cepstra = NDArray[np.float64]  # (F, COEFFICIENTS)


class Pool(NamedTuple):
    """Voices: names (S,), codebooks (S, K, Q), means (S, Q), pitch (S, 2)."""

    speakers: NDArray[np.str_]
    codebooks: NDArray[np.float64]
    means: NDArray[np.float64]
    pitch: NDArray[np.float64]


@keeps_length
def borrowed(
    samples: Signal,
    sample_rate: int,
    *,
    utterance: str,
    speaker: str,
    seed: int,
    voices: int = 1,
    level: str = "speaker",
    pool: str | None = None,
) -> Signal:
    """Speak with the envelope and the pitch of another speaker, or of the mean of several.

    Parameters
    ----------
    voices : int
        How many speakers of the pool are drawn; their envelopes and their pitch are averaged.
    level : "speaker" or "utterance"
        What shares one draw.
    pool : path, optional
        Another pool than the shipped one, made by ``pool_of``.
    """
    known = _read_pool(str(SHIPPED_POOL) if pool is None else ours(pool))
    if not 1 <= voices <= len(known.speakers):
        raise BadInput(f"voices: must be from 1 to {len(known.speakers)}, not {voices}")
    draw = generator(seed, level=level, speaker=speaker, utterance=utterance)
    chosen = np.sort(draw.choice(len(known.speakers), size=voices, replace=False))
    narrow = signal.resample_poly(samples, RATE, sample_rate)
    tuned = _at_pitch(narrow, *known.pitch[chosen].mean(axis=0))
    spoken = _with_envelopes(tuned, known, chosen)
    return as_loud(signal.resample_poly(spoken, sample_rate, RATE), samples)


@keeps_length
def whisper(
    samples: Signal, sample_rate: int, *, utterance: str, speaker: str, seed: int
) -> Signal:
    """Whisper: noise through the filter of linear prediction, each frame as loud as it was.

    Formants stay where they are (those of a real whisper are a little higher). The noise depends on
    the seed and the utterance.
    """
    draw = generator(seed, level="utterance", speaker=speaker, utterance=utterance)
    size = window_length(sample_rate)
    frames = frames_of(samples, size)
    noise = frames_of(draw.standard_normal(len(samples)), size)
    spoken = np.fft.rfft(noise) * np.exp(envelopes_of(frames))
    energies = _energies(np.fft.irfft(spoken))
    ratio = _energies(frames) / np.maximum(energies, np.finfo(float).tiny)
    return as_loud(samples_of(spoken * np.sqrt(ratio)[:, None], len(samples)), samples)


def _energies(frames: NDArray[np.float64]) -> NDArray[np.float64]:
    """Energies (F,) of frames (F, size)."""
    return (frames**2).sum(axis=1)


def _at_pitch(samples: Signal, mean: float, deviation: float) -> Signal:
    """Samples (N,) at 16 kHz whose logarithm of pitch has another mean and deviation."""
    track = pitch_track(samples, RATE)
    voiced = track > 0
    if not voiced.any():
        return samples
    logarithms = np.log(track[voiced])
    spread = logarithms.std()
    stretch = deviation / spread if spread > MONOTONE_SPREAD else 1.0
    target = np.zeros(len(track))
    target[voiced] = np.exp(mean + stretch * (logarithms - logarithms.mean()))
    return retuned(samples, RATE, track, target)


def _with_envelopes(samples: Signal, pool: Pool, chosen: NDArray[np.int64]) -> Signal:
    """Samples (N,) at 16 kHz with the mean envelopes of chosen voices."""
    frames = frames_of(samples, window_length(RATE))
    envelopes = envelopes_of(frames)
    cepstra = cepstra_of(envelopes)
    centred = cepstra - cepstra[_is_loud(frames)].mean(axis=0)
    replaced = np.mean(
        [_nearest(centred, pool.codebooks[voice], pool.means[voice]) for voice in chosen], axis=0
    )
    smooth = signal.fftconvolve(
        np.pad(replaced, ((2, 2), (0, 0)), mode="edge"), SMOOTHING[:, None], mode="valid"
    )
    gains = limited(_envelopes_from(smooth, envelopes.shape[1]) - envelopes)
    return samples_of(np.fft.rfft(frames) * np.exp(gains), len(samples))


def _nearest(centred: Cepstra, codebook: Cepstra, mean: NDArray[np.float64]) -> Cepstra:
    """The mean of the nearest codewords for each frame (F, Q)."""
    words = codebook - mean
    # |a - b|^2 without |a|^2, which is the same for all words of a frame.
    distances = (words**2).sum(axis=1) - 2 * centred @ words.T
    nearest = np.argpartition(distances, NEAREST, axis=1)[:, :NEAREST]
    return codebook[nearest].mean(axis=1)


def _is_loud(frames: NDArray[np.float64]) -> NDArray[np.bool_]:
    energies = _energies(frames)
    return energies >= LOUD * energies.max()


def cepstra_of(envelopes: NDArray[np.float64]) -> Cepstra:
    """Cepstra (F, Q) of envelopes (F, bins)."""
    return np.fft.irfft(envelopes)[:, 1 : COEFFICIENTS + 1]


def _envelopes_from(cepstra: Cepstra, bins: int) -> NDArray[np.float64]:
    """Envelopes (F, bins) of cepstra (F, Q)."""
    angles = np.outer(np.arange(1, COEFFICIENTS + 1), np.linspace(0, np.pi, bins))
    return 2 * cepstra @ np.cos(angles)


# Pools of voices.


def pool_of(recordings: Iterable[tuple[str, Signal]]) -> Pool:
    """Make a pool of recordings: pairs of speaker and samples at 16 kHz, one pair a speaker.

    Raises
    ------
    BadInput : a recording has less than a second of speech, or no pitch
    """
    speakers, codebooks, means, pitch = [], [], [], []
    for speaker, samples in recordings:
        frames = frames_of(np.asarray(samples, dtype=np.float64), window_length(RATE))
        cepstra = cepstra_of(envelopes_of(frames[_is_loud(frames)]))
        logarithms = np.log([hz for hz in pitch_track(samples, RATE) if hz > 0])
        if len(cepstra) < FEWEST_FRAMES or not len(logarithms):
            raise BadInput(f"speaker '{speaker}': less than a second of speech, or no pitch")
        speakers.append(speaker)
        codebooks.append(kmeans2(cepstra, CODEWORDS, minit="++", rng=np.random.default_rng(0))[0])
        means.append(cepstra.mean(axis=0))
        pitch.append([logarithms.mean(), logarithms.std()])
    return Pool(np.array(speakers), np.array(codebooks), np.array(means), np.array(pitch))


def write_pool(path: FilePath, pool: Pool) -> None:
    """Write a pool as an npz of 16-bit floats."""
    codebooks, means, pitch = (part.astype(np.float16) for part in pool[1:])
    np.savez_compressed(path, speakers=pool.speakers, codebooks=codebooks, means=means, pitch=pitch)


@functools.lru_cache(maxsize=4)
def _read_pool(path: str) -> Pool:
    parts = read_npz(path, [*Pool._fields])
    pool = Pool(*(parts[name] for name in Pool._fields))
    shape = (len(pool.speakers), CODEWORDS, COEFFICIENTS)
    if pool.codebooks.shape != shape or not len(pool.speakers):
        raise BadInput(f"{path}: its codebooks are {pool.codebooks.shape}, expected {shape}")
    return Pool(pool.speakers, *(part.astype(np.float64) for part in pool[1:]))
