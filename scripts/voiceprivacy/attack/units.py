"""Which sounds a speaker makes, and how often: the histogram of vector-quantised frames of an utterance.

It stands for the phone embedding of the paper, whose encoder is a trained VQ-VAE: here the frames are MFCC and the
codebook is k-means on the training speakers.

Conventions
-----------
* A frame is 13 MFCC with first and second slopes (39 numbers) every 10 ms, with the mean of the utterance taken
  off, which holds much of the microphone and of the voice. Frames 40 dB below the loudest are silence and left out.
* The unit of a frame is the nearest centre of the codebook, when every number is divided by its scale.

References
----------
Backstrom et al., Privacy disclosure of similarity rank in speech and language processing, 2025, section VI.
"""

import functools
import warnings
from typing import NamedTuple

import voiceprivacy.torchaudio_loader  # noqa: F401

import numpy as np
import torch
import torchaudio
from scipy.cluster.vq import kmeans2, vq
from tqdm import tqdm

from voiceprivacy import audio, seeds
from voiceprivacy.arrays import read_npz, write_npz
from voiceprivacy.attack.features import counted
from voiceprivacy.files import BadInput

SAMPLE_RATE = 16000
WINDOW, HOP = 400, 160
SILENCE_DB = 40
N_UNITS = 256
FRAMES_PER_UTTERANCE = 200
FRAMES_PER_UNIT = 4
MOST_FRAMES = 30_000
ITERATIONS = 20


class Codebook(NamedTuple):
    """Scale (39,) of the frames and scaled centres (256, 39), float32."""

    scale: np.ndarray
    centres: np.ndarray


def read_codebook(path):
    """Read a Codebook from npz."""
    arrays = read_npz(path, Codebook._fields)
    return Codebook(*(arrays[name] for name in Codebook._fields))


def write_codebook(path, codebook):
    """Write a Codebook as npz."""
    write_npz(path, codebook._asdict())


def frames(samples, sample_rate):
    """MFCC and their first and second slopes, array (F, 39); F is 0 for digital silence."""
    samples = audio.resample(samples, source_rate=sample_rate, target_rate=SAMPLE_RATE)
    if len(samples) < WINDOW:
        raise BadInput(f"shorter than a frame of {1000 * WINDOW // SAMPLE_RATE} ms: leave it out")
    wave = torch.from_numpy(np.ascontiguousarray(samples))
    power = wave.unfold(0, WINDOW, HOP).square().mean(dim=1)
    loud = (power > power.max() * 10 ** (-SILENCE_DB / 10)).numpy()
    with torch.inference_mode():
        mfcc = _mfcc()(wave)[:, : len(loud)]
        slopes = torchaudio.functional.compute_deltas(mfcc)
        both = torch.cat([mfcc, slopes, torchaudio.functional.compute_deltas(slopes)]).T.numpy()
    kept = both[loud[: len(both)]]
    return kept - kept.mean(axis=0) if len(kept) else kept


def histogram(codebook):
    """The feature of a codebook: a function (samples, sample_rate) -> number of frames of each unit, array (256,)."""

    def of_utterance(samples, sample_rate):
        found, _ = vq(frames(samples, sample_rate) / codebook.scale, codebook.centres)
        return counted(found, N_UNITS)

    return of_utterance


def train(utterances, *, seed):
    """Codebook by k-means on frames of training utterances, the same for every order of them.

    Raises
    ------
    BadInput : too little speech for this many units
    """
    chosen = []
    for utterance in tqdm(sorted(utterances), unit="utterance", mininterval=1.0):
        of_utterance = frames(*audio.read(utterance.path))
        draw = seeds.generator(seed, "units", utterance.utterance)
        chosen.append(of_utterance[draw.permutation(len(of_utterance))[:FRAMES_PER_UTTERANCE]])
    points = np.concatenate(chosen)
    if len(points) < FRAMES_PER_UNIT * N_UNITS:
        raise BadInput(f"{len(points)} frames are too few for {N_UNITS} units: give more training speech")
    draw = seeds.generator(seed, "units")
    points = points[draw.permutation(len(points))[:MOST_FRAMES]]
    scale = points.std(axis=0)
    with warnings.catch_warnings():  # a centre that loses all its frames stays where it is
        warnings.simplefilter("ignore")
        centres, _ = kmeans2(points / scale, N_UNITS, iter=ITERATIONS, minit="points", rng=draw)
    return Codebook(scale.astype(np.float32), centres.astype(np.float32))


@functools.cache
def _mfcc():
    mel = {"n_fft": 512, "win_length": WINDOW, "hop_length": HOP, "n_mels": 40, "center": False}
    return torchaudio.transforms.MFCC(SAMPLE_RATE, n_mfcc=13, melkwargs=mel)
