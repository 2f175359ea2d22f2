"""Features of speech that are histograms: how high a speaker speaks, and which sounds are made.

They tell what else than the embedding gives a speaker away.

Conventions
-----------
* A feature is a function (samples (N,) float32, sample_rate in Hz) -> array (D,) of counts.
  An utterance without anything to count has a flat histogram: it says nothing about the speaker.
* F0 is found by YIN in frames every 10 ms, between 65 and 450 Hz, at 8 kHz as in the paper. Its
  period is a whole number of samples (lag), and every possible lag is a bin: 107 bins from 17 to
  123 samples. Frames without a period are left out.
* Units are vector-quantised frames. They stand for the phone embedding of the paper, whose encoder
  is a trained VQ-VAE. Here the frames are MFCC or those of a self-supervised encoder (see
  ``encoders``), and the codebook is k-means on the training speakers.
* Frames of units are 13 MFCC with first and second slopes (39 numbers) every 10 ms, or what the
  encoder makes of the utterance. The mean of the utterance is taken off, which holds much of the
  microphone and of the voice. Frames 40 dB below the loudest are silence and left out.
* The unit of a frame is the nearest centre of the codebook, when every number is divided by its
  scale.

References
----------
de Cheveigne and Kawahara, YIN, a fundamental frequency estimator for speech and music, JASA 111,
2002; by torch-yin. Baevski et al., wav2vec 2.0, NeurIPS 2020.
Backstrom et al., Privacy disclosure of similarity rank in speech and language processing, 2025,
section VI.
"""

import functools
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
import torchaudio
import torchyin
from scipy.cluster.vq import kmeans2, vq
from tqdm import tqdm

from voiceprivacy import seeds
from voiceprivacy.attack import Counts, Floats
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.arrays import Embeddings, read_npz, write_npz
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.models.encoders import SAMPLE_RATE, Encoder

F0_SAMPLE_RATE = 8000
LOWEST_HZ, HIGHEST_HZ = 65, 450
F0_STRIDE_S = 0.01
LAGS = np.arange(F0_SAMPLE_RATE // HIGHEST_HZ, F0_SAMPLE_RATE // LOWEST_HZ + 1)

WINDOW, HOP = 400, 160  # of MFCC: 25 ms and 10 ms at SAMPLE_RATE
FFT_SIZE = 512  # samples that an MFCC is computed on: 32 ms
SILENCE_DB = 40
N_UNITS = 256
FRAMES_PER_UTTERANCE = 200  # at most, so that no utterance rules the codebook
FRAMES_PER_UNIT = 4  # at least
MOST_FRAMES = 30_000  # k-means takes minutes of more
ITERATIONS = 20

Feature = Callable[[Floats, int], Counts | Floats]


def embed_each(utterances: list[Utterance], feature: Feature) -> Embeddings:
    """Apply a feature to every utterance.

    Returns
    -------
    Embeddings : float32, in the order of the utterances

    Raises
    ------
    BadInput : names the file and the utterance of which there is no feature
    """
    rows = [np.asarray(row, dtype=np.float32) for _, row in _of_each(utterances, feature)]
    return Embeddings(np.array([utterance.utterance for utterance in utterances]), np.stack(rows))


def _of_each(utterances, feature):
    """Yield (utterance, its feature); BadInput names the file and the utterance."""
    for utterance in tqdm(utterances, unit="utterance", mininterval=1.0):
        samples, sample_rate = audio.read(utterance.path)
        try:
            made = feature(samples, sample_rate)
        except BadInput as error:
            raise BadInput(
                f"{utterance.path}: utterance '{utterance.utterance}': {error}"
            ) from None
        yield utterance, made


def counted(bins: Counts, n_bins: int) -> Counts | Floats:
    """Histogram (n_bins,) of the bins (F,) that occur; without any it is flat."""
    return np.bincount(bins, minlength=n_bins) if len(bins) else np.ones(n_bins)


def track(samples: Floats, sample_rate: int) -> Floats:
    """F0 (F,) of every frame in Hz; 0 where there is no period."""
    samples = audio.resample(samples, source_rate=sample_rate, target_rate=F0_SAMPLE_RATE)
    return torchyin.estimate(
        torch.from_numpy(np.ascontiguousarray(samples)),
        sample_rate=F0_SAMPLE_RATE,
        pitch_min=LOWEST_HZ,
        pitch_max=HIGHEST_HZ,
        frame_stride=F0_STRIDE_S,
    ).numpy()


def lags(samples: Floats, sample_rate: int) -> Counts:
    """Period (F,) of every frame that has one, in samples at 8 kHz."""
    frequencies = track(samples, sample_rate)
    return np.rint(F0_SAMPLE_RATE / frequencies[frequencies > 0]).astype(int)


def f0_histogram(samples: Floats, sample_rate: int) -> Counts | Floats:
    """Number of frames with each lag, array (107,)."""
    periods = lags(samples, sample_rate)
    possible = periods[(periods >= LAGS[0]) & (periods <= LAGS[-1])]
    return counted(possible - LAGS[0], len(LAGS))


class Codebook(NamedTuple):
    """Scale (D,) of the frames and scaled centres (256, D), float32."""

    scale: Floats
    centres: Floats


def read_codebook(path: Path | str) -> Codebook:
    """Read a Codebook from npz."""
    arrays = read_npz(path, list(Codebook._fields))
    return Codebook(arrays["scale"], arrays["centres"])


def write_codebook(path: Path | str, codebook: Codebook) -> None:
    """Write a Codebook as npz."""
    write_npz(path, codebook._asdict())


def frames(samples: Floats, sample_rate: int, encoder: Encoder | None = None) -> Floats:
    """Frames of one utterance without its silence and its mean.

    Parameters
    ----------
    samples : array (N,)
    sample_rate : int, Hz
    encoder : Encoder, optional
        By default frames are MFCC and their first and second slopes.

    Returns
    -------
    array (F, D) : F is 0 for digital silence

    Raises
    ------
    BadInput : shorter than a frame
    """
    window, hop = (WINDOW, HOP) if encoder is None else (encoder.window, encoder.hop)
    samples = audio.resample(samples, source_rate=sample_rate, target_rate=SAMPLE_RATE)
    if len(samples) < window:
        raise BadInput(f"shorter than a frame of {1000 * window / SAMPLE_RATE:g} ms: leave it out")
    wave = torch.from_numpy(np.ascontiguousarray(samples))
    power = wave.unfold(0, window, hop).square().mean(dim=1)
    loud = (power > power.max() * 10 ** (-SILENCE_DB / 10)).numpy()
    # MFCC are computed on FFT_SIZE samples, which the last of the windows do not have.
    made = _mfcc_and_slopes(wave) if encoder is None else encoder.frames(samples)
    kept = made[loud[: len(made)]]
    return kept - kept.mean(axis=0) if len(kept) else kept


def unit_histogram(codebook: Codebook, encoder: Encoder | None = None) -> Feature:
    """The feature of a codebook: number of frames of each unit, array (256,)."""

    def count_units(samples: Floats, sample_rate: int) -> Counts | Floats:
        kept = frames(samples, sample_rate, encoder)
        if kept.shape[1] != len(codebook.scale):
            raise BadInput(
                f"its frames have {kept.shape[1]} numbers, "
                f"those of the codebook {len(codebook.scale)}: "
                "the codebook was trained with another encoder"
            )
        units, _ = vq(kept / codebook.scale, codebook.centres)
        return counted(units, N_UNITS)

    return count_units


def train_codebook(
    utterances: Iterable[Utterance], *, seed: int, encoder: Encoder | None = None
) -> Codebook:
    """Codebook by k-means on frames of training utterances, the same for every order of them.

    Raises
    ------
    BadInput : too little speech for this many units; an utterance that is shorter than a frame
    """
    chosen = []
    feature = functools.partial(frames, encoder=encoder)
    for utterance, kept in _of_each(sorted(utterances), feature):
        draw = seeds.generator(seed, "units", utterance.utterance)
        chosen.append(kept[draw.permutation(len(kept))[:FRAMES_PER_UTTERANCE]])
    points = np.concatenate(chosen)
    if len(points) < FRAMES_PER_UNIT * N_UNITS:
        raise BadInput(
            f"{len(points)} frames are too few for {N_UNITS} units: give more training speech"
        )
    draw = seeds.generator(seed, "units")
    points = points[draw.permutation(len(points))[:MOST_FRAMES]]
    scale = np.maximum(points.std(axis=0), np.finfo(np.float32).tiny)
    with warnings.catch_warnings():  # a centre that loses all its frames stays where it is
        warnings.simplefilter("ignore")
        centres, _ = kmeans2(points / scale, N_UNITS, iter=ITERATIONS, minit="points", rng=draw)
    return Codebook(scale.astype(np.float32), centres.astype(np.float32))


def _mfcc_and_slopes(wave):
    """13 MFCC with first and second slopes, array (F, 39); one frame of less than FFT_SIZE."""
    missing = max(FFT_SIZE - len(wave), 0)  # the window is in the middle
    padded = torch.nn.functional.pad(wave, (missing // 2, missing - missing // 2))
    with torch.inference_mode():
        mfcc = _mfcc()(padded)
        slopes = torchaudio.functional.compute_deltas(mfcc)
        return torch.cat([mfcc, slopes, torchaudio.functional.compute_deltas(slopes)]).T.numpy()


@functools.cache
def _mfcc():
    mel = {
        "n_fft": FFT_SIZE,
        "win_length": WINDOW,
        "hop_length": HOP,
        "n_mels": 40,
        "center": False,
    }
    return torchaudio.transforms.MFCC(SAMPLE_RATE, n_mfcc=13, melkwargs=mel)
