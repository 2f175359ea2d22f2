"""Which sounds a speaker makes, and how often: the histogram of vector-quantised frames of an utterance.

It stands for the phone embedding of the paper, whose encoder is a trained VQ-VAE: here the frames are MFCC or those of
a self-supervised encoder, and the codebook is k-means on the training speakers.

Conventions
-----------
* A frame is 13 MFCC with first and second slopes (39 numbers) every 10 ms, or what a self-supervised encoder makes of
  the utterance (see ``self_supervised``). The mean of the utterance is taken off, which holds much of the microphone
  and of the voice. Frames 40 dB below the loudest are silence and left out.
* The unit of a frame is the nearest centre of the codebook, when every number is divided by its scale.

References
----------
Baevski et al., wav2vec 2.0, NeurIPS 2020.
Backstrom et al., Privacy disclosure of similarity rank in speech and language processing, 2025, section VI.
"""

import functools
import warnings
from typing import NamedTuple

import voiceprivacy.attack.torchaudio_loader  # noqa: F401

import numpy as np
import torch
import torchaudio
from scipy.cluster.vq import kmeans2, vq
from tqdm import tqdm

from voiceprivacy.attack.extractors.histograms import counted
from voiceprivacy.inout import audio, seeds
from voiceprivacy.inout.arrays import read_npz, write_npz
from voiceprivacy.inout.files import BadInput

SAMPLE_RATE = 16000
WINDOW, HOP = 400, 160
SILENCE_DB = 40
N_UNITS = 256
FRAMES_PER_UTTERANCE = 200
FRAMES_PER_UNIT = 4
MOST_FRAMES = 30_000
ITERATIONS = 20


class Codebook(NamedTuple):
    """Scale (D,) of the frames and scaled centres (256, D), float32."""

    scale: np.ndarray
    centres: np.ndarray


def read_codebook(path):
    """Read a Codebook from npz."""
    arrays = read_npz(path, Codebook._fields)
    return Codebook(*(arrays[name] for name in Codebook._fields))


def write_codebook(path, codebook):
    """Write a Codebook as npz."""
    write_npz(path, codebook._asdict())


def frames(samples, sample_rate, encoder=None):
    """Frames of one utterance without its silence and its mean.

    Parameters
    ----------
    samples : array (N,)
    sample_rate : int, Hz
    encoder : self_supervised.Encoder, optional
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
    found = _mfcc_and_slopes(wave)[: len(loud)] if encoder is None else encoder.frames(samples)
    kept = found[loud[: len(found)]]
    return kept - kept.mean(axis=0) if len(kept) else kept


def histogram(codebook, encoder=None):
    """The feature of a codebook: a function (samples, sample_rate) -> number of frames of each unit, array (256,)."""

    def of_utterance(samples, sample_rate):
        of_frames = frames(samples, sample_rate, encoder)
        if of_frames.shape[1] != len(codebook.scale):
            raise BadInput(
                f"its frames have {of_frames.shape[1]} numbers, those of the codebook {len(codebook.scale)}: "
                "the codebook was trained with another encoder"
            )
        found, _ = vq(of_frames / codebook.scale, codebook.centres)
        return counted(found, N_UNITS)

    return of_utterance


def train(utterances, *, seed, encoder=None):
    """Codebook by k-means on frames of training utterances, the same for every order of them.

    Raises
    ------
    BadInput : too little speech for this many units
    """
    chosen = []
    for utterance in tqdm(sorted(utterances), unit="utterance", mininterval=1.0):
        of_utterance = frames(*audio.read(utterance.path), encoder)
        draw = seeds.generator(seed, "units", utterance.utterance)
        chosen.append(of_utterance[draw.permutation(len(of_utterance))[:FRAMES_PER_UTTERANCE]])
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
    """13 MFCC with first and second slopes, array (F, 39)."""
    with torch.inference_mode():
        mfcc = _mfcc()(wave)
        slopes = torchaudio.functional.compute_deltas(mfcc)
        return torch.cat([mfcc, slopes, torchaudio.functional.compute_deltas(slopes)]).T.numpy()


@functools.cache
def _mfcc():
    mel = {"n_fft": 512, "win_length": WINDOW, "hop_length": HOP, "n_mels": 40, "center": False}
    return torchaudio.transforms.MFCC(SAMPLE_RATE, n_mfcc=13, melkwargs=mel)
