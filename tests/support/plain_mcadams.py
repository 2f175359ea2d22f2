"""McAdams anonymisation as a plain loop, from its description: what tests compare with.

Patino, Tomashenko, Todisco, Nautsch, Evans, Speaker anonymisation using the McAdams coefficient,
Interspeech 2021.
"""

import numpy as np
from scipy.signal import lfilter

EPSILON = np.finfo(np.float32).eps
ORDER = 20


def anonymise(samples, sample_rate, *, alpha, first_frame=1, clip=True):
    """Protect samples (N,) float; returns (N,) float64 before peak normalisation."""
    length, hop = sample_rate * 20 // 1000, sample_rate * 10 // 1000
    hanning = np.hanning(length)
    window = np.sqrt(hanning / (hanning.sum() / hop))
    signal = np.asarray(samples, dtype=np.float64) + EPSILON
    protected = np.zeros(len(signal))
    for start in range(first_frame * hop, len(signal) - length + 1, hop):
        frame = signal[start : start + length] * window
        coefficients = burg(frame + EPSILON)
        residual = lfilter(coefficients, 1, frame)
        warped = np.real(np.poly(warp(np.roots(coefficients), alpha, clip)))
        protected[start : start + length] += lfilter([1], warped, residual) * window
    return protected


def burg(frame):
    """Prediction polynomial (ORDER + 1,) by Burg's method, recursive (Andersen, 1978)."""
    coefficients = np.array([1.0] + [0.0] * ORDER)
    forward, backward = frame[1:], frame[:-1]
    energy = forward @ forward + backward @ backward
    for order in range(1, ORDER + 1):
        if energy <= 0:
            break
        reflection = -2 * (forward @ backward) / energy
        if abs(reflection) >= 1:
            break
        coefficients[: order + 1] += reflection * coefficients[order::-1]
        forward, backward = forward + reflection * backward, backward + reflection * forward
        energy = (1 - reflection**2) * energy - forward[0] ** 2 - backward[-1] ** 2
        forward, backward = forward[1:], backward[:-1]
    return coefficients


def warp(poles, alpha, clip):
    """Raise the angle of every complex pole to the power of alpha; real poles stay."""
    angles = np.abs(np.angle(poles)) ** alpha
    angles = np.minimum(angles, np.pi) if clip else angles
    return np.where(
        np.isreal(poles), poles, np.abs(poles) * np.exp(1j * np.sign(poles.imag) * angles)
    )
