"""McAdams anonymisation: formants move, because poles of the spectral envelope get other angles.

Conventions
-----------
* ``samples`` are (N,) floats in [-1, 1], mono, at any sample rate.
* Frames last 20 ms and start every 10 ms.
* An angle phi in (0, pi) becomes phi ** alpha: alpha = 1 changes nothing, 0.8 is the challenge's
  baseline B2.
* Two published variants: ``vpc2020`` (VoicePrivacy 2020 and 2022: the first frame is left out,
  angles end at pi) and ``vpc2024`` (2024 and 2026: all frames, angles may pass pi). ``anonymise``
  returns their samples up to one gain. Files are written as the program of 2024 does, in 16 bits
  with a peak of 32766 steps. B2 of 2020 wrote floating-point numbers with a peak of 1.
* The samples after the last whole frame come out as zeros, as published.
* The function ``mcadams`` is called on each utterance by itself. What needs the order of a data
  directory (``vpc2024`` per utterance, below) is drawn by the command anonymise_mcadams.py alone.

Two rules say which alpha an utterance gets:

* ``ours`` depends on the seed and on the id alone. So the order of the utterances, shards and
  processes do not matter, and another seed (the attacker's, say) gives another alpha.
* ``vpc2024`` reproduces what the VoicePrivacy 2024 baseline published, number for number, and so
  its flaws. It knows no seed: an attacker who protects other recordings draws the user's very
  alpha. Per utterance it begins anew in every data directory: the i-th utterances of all
  directories get the same alpha, whatever parts and shards a run makes of them.

References
----------
Patino, Tomashenko, Todisco, Nautsch, Evans, Speaker anonymisation using the McAdams coefficient,
Interspeech 2021.
Tomashenko et al., The VoicePrivacy 2024 Challenge evaluation plan, 2024.
"""

import hashlib
import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voiceprivacy import seeds
from voiceprivacy.anonymise.functions.frames import EPSILON, overlap_add
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.manifests import ALPHAS, Utterance, alphas_path
from voiceprivacy.inout.tables import write_table

FRAME_MS, HOP_MS = 20, 10
BLOCK_FRAMES, BLOCK = 2**14, 2**21  # frames and samples that are in memory at a time
LOWEST_RATE_HZ = 2000  # twice as many samples in a frame as there are coefficients
PEAK = 32766  # of 16 bits; the published programs leave one step free
LEVELS = ("speaker", "utterance", "corpus")


def mcadams(
    samples: ArrayLike,
    sample_rate: int,
    *,
    utterance: str,
    speaker: str,
    seed: int,
    alpha: float | Sequence[float] = 0.8,
    level: str = "speaker",
    variant: str = "vpc2020",
    draw: str = "ours",
) -> NDArray[np.int16]:
    """Protect one utterance, in steps of 16 bits; options are those of ``draw_alphas``.

    Raises
    ------
    BadInput : an option is none that there is, or the samples are none
    """
    if variant not in VARIANTS:
        raise BadInput(f"variant '{variant}' is none of {', '.join(VARIANTS)}")
    if (level, draw) == ("utterance", "vpc2024"):
        raise BadInput("draw vpc2024 by utterance counts files: use anonymise_mcadams.py")
    line = Utterance(utterance, speaker, "-", Path(), 0.0)
    [drawn] = draw_alphas([line], alpha, level=level, draw=draw, seed=seed)
    return protected_steps(samples, sample_rate, alpha=drawn, variant=variant)


class Variant(NamedTuple):
    """What the published programs do differently."""

    first_frame: int
    largest_angle: float


VARIANTS = {"vpc2020": Variant(1, math.pi), "vpc2024": Variant(0, math.inf)}


def anonymise(
    samples: ArrayLike, sample_rate: int, *, alpha: float, variant: str = "vpc2020"
) -> NDArray[np.float64]:
    """Protect one utterance.

    Parameters
    ----------
    samples : array (N,)
    sample_rate : int, Hz
    alpha : float > 0
    variant : "vpc2020" or "vpc2024"

    Returns
    -------
    array (N,) float64
        Before peak normalisation. Silence (zeros only) stays silence. A signal that ends before the
        variant's first frame does is given frame 0 alone. A signal below 20 ms is put into the
        middle of that frame.

    Raises
    ------
    BadInput : samples are NaN or infinite, or the sample rate is below 2000 Hz
    """
    return np.concatenate([*_in_blocks(np.asarray(samples), sample_rate, alpha, variant)])


def _in_blocks(
    samples: NDArray, sample_rate: int, alpha: float, variant: str
) -> Iterator[NDArray[np.float64]]:
    """The parts of what ``anonymise`` returns, from the first sample to the last."""
    if not audio.are_finite(samples):
        raise BadInput("samples are NaN or infinite")
    if sample_rate < LOWEST_RATE_HZ:
        raise BadInput(
            f"a sample rate of {sample_rate} Hz leaves too few samples in a frame:"
            f" at least {LOWEST_RATE_HZ} Hz"
        )
    if not samples.any():
        yield np.zeros(len(samples))
        return
    length, hop = sample_rate * FRAME_MS // 1000, sample_rate * HOP_MS // 1000
    first_frame, largest_angle = VARIANTS[variant]
    if len(samples) < first_frame * hop + length:
        first_frame = 0  # else nothing would be left of a signal this short
    missing = max(0, length - len(samples))  # zeros around what is shorter than a frame
    before, after = missing // 2, missing - missing // 2
    for start in range(0, len(samples), BLOCK_FRAMES * hop):
        end = min(start + BLOCK_FRAMES * hop, len(samples))
        # A sample is of up to three frames. Those that begin before or end after are done twice.
        first = max(0, start - 2 * hop)
        signal = np.pad(samples[first : end + length].astype(np.float64) + EPSILON, (before, after))
        skipped = 0 if first else first_frame
        protected = overlap_add(signal, _window(length, hop), hop, skipped, alpha, largest_angle)
        yield protected[before + start - first :][: end - start]


def _window(length: int, hop: int) -> NDArray[np.float64]:
    """Root of a Hanning window: applied twice, the frames add up to about one."""
    hanning = np.hanning(length)
    return np.sqrt(hanning / (hanning.sum() / hop))


def to_int16(protected: NDArray[np.float64], *, peak: float | None = None) -> NDArray[np.int16]:
    """Normalise the peak and quantise as the programs of 2022 to 2026 do.

    That is trunc(y / max|y| * 32766). ``peak`` is that of all samples, where these are a part.
    """
    peak = audio.peak_of(protected) if peak is None else peak
    if peak == 0:
        return np.zeros(len(protected), dtype=np.int16)
    return np.trunc(protected / peak * PEAK).astype(np.int16)


def protected_steps(
    samples: ArrayLike, sample_rate: int, *, alpha: float, variant: str
) -> NDArray[np.int16]:
    """What ``anonymise`` returns, in steps of 16 bits (N,); hours of speech in little memory."""
    samples, peak = np.asarray(samples), 0.0
    steps = np.empty(len(samples), dtype=np.int16)
    # The peak is known at the end only: until then, hours of speech in float64 are on disk.
    with tempfile.SpooledTemporaryFile(max_size=8 * BLOCK) as kept:
        for block in _in_blocks(samples, sample_rate, alpha, variant):
            peak = max(peak, audio.peak_of(block))
            kept.write(block.tobytes())
        kept.seek(0)
        for start in range(0, len(steps), BLOCK):
            block = np.frombuffer(kept.read(8 * BLOCK))
            steps[start : start + BLOCK] = to_int16(block, peak=peak)
    return steps


def anonymise_file(job: tuple[Utterance, float], *, variant: str, audio_dir: FilePath) -> Utterance:
    """Protect one utterance of a manifest with an alpha; returns the line of the new file."""
    utterance, alpha = job
    samples, sample_rate = audio.read(utterance.path)
    steps = protected_steps(samples, sample_rate, alpha=alpha, variant=variant)
    path = Path(audio_dir) / f"{utterance.utterance}.flac"
    audio.write(path, steps, sample_rate)
    return utterance._replace(path=path, duration_s=len(steps) / sample_rate)


# Which alpha an utterance gets.


def draw_alphas(
    utterances: Sequence[Utterance],
    alpha: float | Sequence[float] = 0.8,
    *,
    level: str = "speaker",
    draw: str = "ours",
    seed: int,
    positions: Sequence[int] | None = None,
) -> NDArray[np.float64]:
    """Draw an alpha for every utterance.

    Parameters
    ----------
    utterances : list of N Utterance
    alpha : float or two floats
        One for all, or the ends between which it is uniform.
    level : "corpus", "speaker" or "utterance"
        What shares one alpha.
    draw : "ours" or "vpc2024"
    seed : int
    positions : list of N int, optional
        Which utterance of its data directory each one is, from 0, for vpc2024; by default they are
        one whole directory.

    Returns
    -------
    array (N,)

    Raises
    ------
    BadInput : an option is none that there is; vpc2024 has no rule for the level corpus
    """
    ends = np.array(alpha, ndmin=1)
    if ends.dtype.kind not in "if" or ends.size > 2 or not 0 < ends[0] <= ends[-1] < np.inf:
        raise BadInput("alpha: give one number above 0, or the lower and the upper end of a range")
    if level not in LEVELS or draw not in DRAWS:
        raise BadInput(f"level is one of {', '.join(LEVELS)}, draw one of {', '.join(DRAWS)}")
    low, high = ends[0], ends[-1]
    if low == high:
        return np.full(len(utterances), float(low))
    if draw == "vpc2024" and level == "utterance":
        indices = np.arange(len(utterances)) if positions is None else np.asarray(positions)
        drawn = _hashed_generator("VPC2024").uniform(low, high, indices.max(initial=0) + 1)
        return drawn[indices]
    # One for each utterance, all begun anew: no alpha depends on other utterances.
    generators = DRAWS[draw](utterances, level, seed)
    return np.array([generator.uniform(low, high) for generator in generators])


def write_alphas(
    manifest: FilePath, utterances: Sequence[Utterance], alphas: Sequence[float]
) -> None:
    """Write the alpha of every utterance beside a manifest of them."""
    rows = []
    for line, alpha in zip(utterances, alphas, strict=True):
        rows.append((line.utterance, line.speaker, alpha))
    write_table(alphas_path(manifest), ALPHAS, rows)


def _generators(
    utterances: Sequence[Utterance], level: str, seed: int
) -> list[np.random.Generator]:
    """A generator for each utterance, begun anew: by the seed and the id that shares an alpha."""
    return [
        seeds.generator(seed, "alpha", level, getattr(line, level, ""))  # a corpus has no name
        for line in utterances
    ]


def _generators_of_2024(
    utterances: Sequence[Utterance], level: str, seed: int
) -> list[np.random.Generator]:
    """A generator for each utterance, begun anew by the speaker's name."""
    if level == "speaker":
        return [_hashed_generator(utterance.speaker) for utterance in utterances]
    raise BadInput(
        "--draw vpc2024 has no rule for --level corpus: use speaker or utterance, or give one alpha"
    )


def _hashed_generator(text: str) -> np.random.Generator:
    return np.random.default_rng(int(hashlib.sha256(text.encode()).hexdigest()[:8], 16))


DRAWS: dict[str, Callable[..., list[np.random.Generator]]] = {
    "ours": _generators,
    "vpc2024": _generators_of_2024,
}
