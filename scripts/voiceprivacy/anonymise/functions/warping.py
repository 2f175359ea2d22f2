"""Vocal-tract-length normalisation: another length of the vocal tract, at the same pitch.

The spectral envelope is stretched along the frequency axis. So formants move, harmonics stay.

Conventions
-----------
* A frequency omega is in [0, pi], pi being half the sample rate. A warp says where it goes: what
  was at omega is at warp(omega) afterwards. Every warp is increasing and keeps 0 and pi.
* Spectra and envelopes (linear prediction of order 20) are those of ``spectra.py``.
* Each frame's magnitudes are multiplied by the ratio of its warped envelope and its own. Phases are
  those of the original speech.

The four warps, with their one parameter:

* ``bilinear``: omega + 2 arctan(a sin omega / (1 - a cos omega)), that is an all-pass filter of
  first order; -1 < a < 1.
* ``quadratic``: omega + b (omega / pi - (omega / pi)^2); -pi < b < pi.
* ``piecewise``: k omega, with k = 1 + p, up to a bend at 7/8 pi (7/8 pi / k where k > 1), then
  straight to pi; -0.5 < p < 1.
* ``voicemask``: the quadratic after the bilinear one, so that neither can be guessed alone. By
  default |a| is in [0.08, 0.10], b in [-2, 2], and the distortion (the integral of |warp(omega) -
  omega| from 0 to pi) in [0.32, 0.40]. Pairs are drawn until one fits.

Both functions and all three ranges of ``voicemask`` are those of the program that two authors of
Srivastava et al. wrote: the default values of voicemask.py in the voice transformation tool of the
COMPRISE project (Inria, 2019). The full text of neither paper could be read. Four things are ours:

* That program moves what was at warp(omega) to omega, which is the inverse of our warp. It has the
  same distortion.
* It draws a once and then b until the pair fits.
* It draws for every utterance, as ``level: utterance`` does here.
* It synthesises with WORLD, and maps the pitch to that of another speaker where it has one.

The ranges of the other three are ours: they make a voice clearly another one and keep words.

References
----------
Qian, Du, Hou, Chen, Jung, Li, Hidebehind: enjoy voice input with voiceprint unclonability and
anonymity, SenSys 2018 (VoiceMask).
Srivastava, Vauquier, Sahidullah, Bellet, Tommasi, Vincent, Evaluating voice conversion-based
privacy protection against informed attackers, ICASSP 2020.
Cohen, Kamm, Andreou, Vocal tract normalization in speech recognition, JASA 97, 1995 (piecewise).
Acero and Stern, Robust speech recognition by normalization of the acoustic space, ICASSP 1991
(bilinear).
Pitz and Ney, Vocal tract normalization equals linear transformation in cepstral space, IEEE TSAP
13, 2005 (all of them).
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from voiceprivacy.anonymise.functions.contract import (
    Signal,
    as_loud,
    either_way,
    generator,
    keeps_length,
    refuse_beyond,
)
from voiceprivacy.anonymise.functions.spectra import (
    envelopes_of,
    frames_of,
    limited,
    samples_of,
    window_length,
)
from voiceprivacy.errors import BadInput

BEND = 7 / 8

Warp = Callable[[NDArray[np.float64]], NDArray[np.float64]]


@keeps_length
def vtln(
    samples: Signal,
    sample_rate: int,
    *,
    utterance: str,
    speaker: str,
    seed: int,
    warp: str = "bilinear",
    strength: Sequence[float] | None = None,
    level: str = "speaker",
) -> Signal:
    """Stretch or shrink the envelope, by another amount for every speaker or utterance.

    Parameters
    ----------
    warp : "bilinear", "quadratic", "piecewise" or "voicemask"
    strength : two numbers, optional
        Between which the size of the parameter is drawn (of voicemask: that of a). Its sign is
        drawn, too.
    level : "speaker" or "utterance"
        What shares one draw.

    Raises
    ------
    BadInput : an unknown warp or level, no range of strengths, or one beyond what the warp allows
    """
    draw = generator(seed, level=level, speaker=speaker, utterance=utterance)
    if warp not in DRAWN:
        raise BadInput(f"warp: '{warp}' is none of {', '.join(DRAWN)}")
    chosen = DRAWN[warp](draw, STRENGTHS[warp] if strength is None else strength)
    return warped(samples, chosen, size=window_length(sample_rate))


def warped(samples: Signal, warp: Warp, *, size: int) -> Signal:
    """Samples (N,) whose envelope in frames of ``size`` samples is warped; as loud as before."""
    frames = frames_of(samples, size)
    envelopes = envelopes_of(frames)
    spectra = np.fft.rfft(frames) * np.exp(limited(bent(envelopes, warp) - envelopes))
    return as_loud(samples_of(spectra, len(samples)), samples)


def bent(rows: NDArray[np.float64], warp: Warp) -> NDArray[np.float64]:
    """Rows (F, K) over [0, pi], each value moved from omega to warp(omega)."""
    bins = rows.shape[1]
    frequencies = np.linspace(0, np.pi, bins)
    # Where each frequency of the result comes from, in bins.
    sources = np.interp(frequencies, warp(frequencies), np.arange(bins))
    lower = np.minimum(sources.astype(int), bins - 2)
    share = sources - lower
    return rows[:, lower] * (1 - share) + rows[:, lower + 1] * share


# The warps.


def bilinear(a: float) -> Warp:
    """The frequencies of an all-pass filter of first order; a > 0 moves formants up."""
    refuse_beyond("bilinear", a, -1, 1)
    return lambda omega: omega + 2 * np.arctan2(a * np.sin(omega), 1 - a * np.cos(omega))


def quadratic(b: float) -> Warp:
    """A parabola added; b > 0 moves formants up."""
    refuse_beyond("quadratic", b, -np.pi, np.pi)
    return lambda omega: omega + b * (omega / np.pi - (omega / np.pi) ** 2)


def piecewise(p: float) -> Warp:
    """Two straight lines, the first with the slope 1 + p; p > 0 moves formants up."""
    refuse_beyond("piecewise", p, -0.5, 1)
    bend = BEND * np.pi / max(1.0, 1 + p)
    return lambda omega: np.interp(omega, [0, bend, np.pi], [0, (1 + p) * bend, np.pi])


def voicemask(a: float, b: float) -> Warp:
    """The quadratic warp after the bilinear one."""
    first, second = bilinear(a), quadratic(b)
    return lambda omega: second(first(omega))


def distortion(warp: Warp) -> float:
    """The integral of |warp(omega) - omega| from 0 to pi."""
    omega = np.linspace(0, np.pi, 1001)
    return float(np.trapezoid(np.abs(warp(omega) - omega), omega))


def _draw_voicemask(draw: np.random.Generator, strength: Sequence[float]) -> Warp:
    for _ in range(MOST_DRAWS):
        a = either_way(draw, "strength", strength)
        warp = voicemask(a, draw.uniform(-HIGHEST_B, HIGHEST_B))
        if DISTORTION[0] <= distortion(warp) <= DISTORTION[1]:
            return warp
    raise BadInput(f"voicemask: no draw of strength {list(strength)} is distorted by {DISTORTION}")


HIGHEST_B, DISTORTION, MOST_DRAWS = 2.0, (0.32, 0.40), 1000
STRENGTHS = {
    "bilinear": (0.08, 0.16),
    "quadratic": (0.5, 1.0),
    "piecewise": (0.1, 0.2),
    "voicemask": (0.08, 0.10),
}
DRAWN: dict[str, Callable[[np.random.Generator, Sequence[float]], Warp]] = {
    "bilinear": lambda draw, strength: bilinear(either_way(draw, "strength", strength, most=1)),
    "quadratic": lambda draw, strength: quadratic(
        either_way(draw, "strength", strength, most=3.14)
    ),
    "piecewise": lambda draw, strength: piecewise(either_way(draw, "strength", strength, most=0.5)),
    "voicemask": _draw_voicemask,
}
