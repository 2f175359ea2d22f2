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
Andersen, On the calculation of filter coefficients for maximum entropy spectral analysis, Geophysics 39, 1974.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from voiceprivacy.anonymise.poles import REORDER, find_poles, partners
from voiceprivacy.files import BadInput

ORDER = 20
EPSILON = float(np.finfo(np.float32).eps)  # added to the signal and to each windowed frame before prediction
PEAK = 32766


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
    array (N,) float64 : before peak normalisation. Silence (zeros only) stays silence. A signal too short for the
        variant's first frame is treated as one frame of all that is there, followed by zeros.

    Raises
    ------
    BadInput : samples are NaN or infinite
    """
    samples = np.asarray(samples, dtype=np.float64)
    if not np.isfinite(samples).all():
        raise BadInput("samples are NaN or infinite")
    if not samples.any():
        return np.zeros(len(samples))
    length, hop = sample_rate * 20 // 1000, sample_rate * 10 // 1000
    first_frame, largest_angle = VARIANTS[variant]
    if len(samples) < first_frame * hop + length:
        first_frame = 0
    signal = np.pad(samples + EPSILON, (0, max(0, length - len(samples))))
    protected = _overlap_add(signal, _window(length, hop), hop, first_frame, alpha, largest_angle)
    return protected[: len(samples)]


def to_int16(protected):
    """Normalise the peak and quantise as the programs of 2022 to 2026 do: trunc(y / max|y| * 32766)."""
    peak = np.abs(protected).max(initial=0.0)
    if peak == 0:
        return np.zeros(len(protected), dtype=np.int16)
    return np.trunc(protected / peak * PEAK).astype(np.int16)


def _window(length, hop):
    hanning = np.hanning(length)
    return np.sqrt(hanning / (hanning.sum() / hop))


@njit(cache=True, nogil=True)
def _overlap_add(signal, window, hop, first_frame, alpha, largest_angle):
    length = len(window)
    protected = np.zeros(len(signal))
    real, imag = np.empty(ORDER), np.empty(ORDER)
    for start in range(first_frame * hop, len(signal) - length + 1, hop):
        frame = signal[start : start + length] * window
        prediction = _burg(frame + EPSILON)
        find_poles(prediction, real, imag)
        warped = _warp(real, imag, alpha, largest_angle)
        protected[start : start + length] += _all_pole(warped, _residual(prediction, frame)) * window
    return protected


@njit(cache=True, nogil=True, fastmath=REORDER)
def _burg(frame):
    """Prediction polynomial (ORDER + 1,) by Burg's method, its denominator by Andersen's recursion.

    Ends early where a frame is predicted perfectly, up to rounding; the higher coefficients are zero then.
    """
    coefficients = np.zeros(ORDER + 1)
    coefficients[0] = 1.0
    forward, backward = frame[1:].copy(), frame[:-1].copy()
    energy = _dot(forward, forward) + _dot(backward, backward)
    for order in range(1, ORDER + 1):
        if not energy > 0:
            break
        reflection = -2 * _dot(forward, backward) / energy
        if not abs(reflection) < 1:
            break
        previous = coefficients.copy()
        for k in range(1, order + 1):
            coefficients[k] = previous[k] + reflection * previous[order - k]
        for n in range(len(forward)):
            error = forward[n]
            forward[n] += reflection * backward[n]
            backward[n] += reflection * error
        energy = (1 - reflection**2) * energy - forward[0] ** 2 - backward[-1] ** 2
        forward, backward = forward[1:], backward[:-1]
    return coefficients


@njit(cache=True, nogil=True, fastmath=REORDER)
def _dot(left, right):
    total = 0.0
    for n in range(len(left)):
        total += left[n] * right[n]
    return total


@njit(cache=True, nogil=True)
def _warp(real, imag, alpha, largest_angle):
    """The polynomial (ORDER + 1,) whose complex poles have the new angles; radii and real poles stay."""
    polynomial = np.zeros(ORDER + 1)
    polynomial[0] = 1.0
    partner = np.empty(ORDER, dtype=np.int64)
    partners(real, imag, partner)
    for i in range(ORDER):
        if partner[i] == i:
            _multiply(polynomial, -real[i], 0.0)
        elif i < partner[i]:
            radius = math.hypot(real[i], imag[i])
            angle = min(math.atan2(abs(imag[i]), real[i]) ** alpha, largest_angle)
            _multiply(polynomial, -2 * radius * math.cos(angle), radius * radius)
    return polynomial


@njit(cache=True, nogil=True)
def _multiply(polynomial, first, second):
    """Multiply in place by 1 + first / z + second / z^2."""
    for k in range(ORDER, 1, -1):
        polynomial[k] += first * polynomial[k - 1] + second * polynomial[k - 2]
    polynomial[1] += first * polynomial[0]


@njit(cache=True, nogil=True, fastmath=REORDER)
def _residual(prediction, frame):
    """What the prediction leaves of the frame, from zero state."""
    residual = frame.copy()
    for k in range(1, ORDER + 1):
        for n in range(k, len(frame)):
            residual[n] += prediction[k] * frame[n - k]
    return residual


@njit(cache=True, nogil=True, fastmath=REORDER)
def _all_pole(polynomial, residual):
    """Filter by 1 / polynomial, from zero state (transposed form: one short vector operation for each sample)."""
    output = np.empty(len(residual))
    state = np.zeros(ORDER + 1)
    for n in range(len(residual)):
        sample = residual[n] + state[0]
        output[n] = sample
        for k in range(ORDER):
            state[k] = state[k + 1] - polynomial[k + 1] * sample
    return output
