"""McAdams anonymisation: formants move because the poles of every frame's spectral envelope change their angle.

Conventions
-----------
* ``samples`` are (N,) floats in [-1, 1], mono, at any sample rate; frames last 20 ms and start every 10 ms.
* An angle phi in (0, pi) becomes phi ** alpha: alpha = 1 changes nothing, 0.8 is the challenge's baseline B2.
* Two published variants, sample for sample: ``vpc2020`` (VoicePrivacy 2020 and 2022: the first frame is left out,
  angles end at pi) and ``vpc2024`` (2024 and 2026: all frames, angles may pass pi).
* The samples after the last whole frame come out as zeros, as published.

References
----------
Patino, Tomashenko, Todisco, Nautsch, Evans, Speaker anonymisation using the McAdams coefficient, Interspeech 2021.
"""

import hashlib
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from voiceprivacy.anonymise.functions.frames import EPSILON, overlap_add
from voiceprivacy.inout import audio, seeds
from voiceprivacy.inout.files import BadInput

# Which McAdams coefficient alpha an utterance gets: one for the corpus, the speaker or the utterance.
#
# Two rules. ``ours`` depends on the seed and on the id alone, so the order of the utterances, shards and processes do
# not matter, and another seed (the attacker's, say) gives another alpha. ``vpc2024`` reproduces what the VoicePrivacy
# 2024 baseline published, number for number, and so its flaws: it knows no seed, so an attacker who protects his own
# recordings draws the user's very alpha; per utterance it restarts in every data directory, so the i-th utterance of
# each gets the same alpha.
#
# References
# ----------
# Tomashenko et al., The VoicePrivacy 2024 Challenge evaluation plan, 2024.

ALPHAS = ["utterance", "speaker", "alpha"]


def alphas_path(manifest):
    """Where the drawn alphas of a manifest stand: <manifest without .tsv>.alphas.tsv."""
    return Path(str(manifest).removesuffix(".tsv") + ".alphas.tsv")


def draw_alphas(utterances, low, high, *, level, draw, seed):
    """Draw alpha ~ U(low, high) for every utterance.

    Parameters
    ----------
    utterances : list of voiceprivacy.inout.tables.Utterance
    low, high : float
        Equal for a fixed value.
    level : "corpus", "speaker" or "utterance"
        What shares one alpha.
    draw : "ours" or "vpc2024"
    seed : int

    Returns
    -------
    array (N,)

    Raises
    ------
    BadInput : vpc2024 has no rule for the level corpus
    """
    if low == high:
        return np.full(len(utterances), float(low))
    return DRAWS[draw](utterances, low, high, level, seed)


def _ours(utterances, low, high, level, seed):
    shares = {
        "corpus": lambda of: "",
        "speaker": lambda of: of.speaker,
        "utterance": lambda of: of.utterance,
    }
    ids = [shares[level](utterance) for utterance in utterances]
    return np.array(
        [seeds.generator(seed, "alpha", level, name).uniform(low, high) for name in ids]
    )


def _vpc2024(utterances, low, high, level, seed):
    if level == "utterance":
        return _hashed_generator("VPC2024").uniform(low, high, len(utterances))
    if level == "speaker":
        return np.array(
            [_hashed_generator(utterance.speaker).uniform(low, high) for utterance in utterances]
        )
    raise BadInput(
        "--draw vpc2024 has no rule for --level corpus: use speaker or utterance, or give one alpha"
    )


def _hashed_generator(text):
    return np.random.default_rng(int(hashlib.sha256(text.encode()).hexdigest()[:8], 16))


DRAWS = {"ours": _ours, "vpc2024": _vpc2024}


PEAK = 32766
LOWEST_RATE = 2000  # Hz; twice as many samples in a frame as there are coefficients


class Variant(NamedTuple):
    """What the published programs do differently."""

    first_frame: int
    largest_angle: float


VARIANTS = {"vpc2020": Variant(1, math.pi), "vpc2024": Variant(0, math.inf)}


def anonymise(samples, sample_rate, *, alpha, variant="vpc2020"):
    """Protect one utterance.

    Parameters
    ----------
    samples : array (N,)
    sample_rate : int, Hz
    alpha : float > 0
    variant : "vpc2020" or "vpc2024"

    Returns
    -------
    array (N,) float64 : before peak normalisation. Silence (zeros only) stays silence. A signal that ends before the
        variant's first frame does is given frame 0 alone; below 20 ms it is put into the middle of that frame.

    Raises
    ------
    BadInput : samples are NaN or infinite, or the sample rate is below LOWEST_RATE
    """
    samples = np.asarray(samples, dtype=np.float64)
    if not np.isfinite(samples).all():
        raise BadInput("samples are NaN or infinite")
    if sample_rate < LOWEST_RATE:
        raise BadInput(
            f"a sample rate of {sample_rate} Hz leaves too few samples in a frame: at least {LOWEST_RATE} Hz"
        )
    if not samples.any():
        return np.zeros(len(samples))
    length, hop = sample_rate * 20 // 1000, sample_rate * 10 // 1000
    first_frame, largest_angle = VARIANTS[variant]
    if len(samples) < first_frame * hop + length:
        first_frame = 0
    missing = max(0, length - len(samples))
    signal = np.pad(samples + EPSILON, (missing // 2, missing - missing // 2))
    protected = overlap_add(signal, _window(length, hop), hop, first_frame, alpha, largest_angle)
    return protected[missing // 2 :][: len(samples)]


def anonymise_file(job, *, variant, audio_dir):
    """Protect one utterance of a manifest: (voiceprivacy.inout.tables.Utterance, alpha) -> Utterance of the new file."""
    utterance, alpha = job
    samples, sample_rate = audio.read(utterance.path)
    path = Path(audio_dir) / f"{utterance.utterance}.flac"
    audio.write(
        path, to_int16(anonymise(samples, sample_rate, alpha=alpha, variant=variant)), sample_rate
    )
    return utterance._replace(path=path, duration_s=len(samples) / sample_rate)


def to_int16(protected):
    """Normalise the peak and quantise as the programs of 2022 to 2026 do: trunc(y / max|y| * 32766)."""
    peak = np.abs(protected).max(initial=0.0)
    if peak == 0:
        return np.zeros(len(protected), dtype=np.int16)
    return np.trunc(protected / peak * PEAK).astype(np.int16)


def _window(length, hop):
    hanning = np.hanning(length)
    return np.sqrt(hanning / (hanning.sum() / hop))
