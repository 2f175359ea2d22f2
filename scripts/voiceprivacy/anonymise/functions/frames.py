"""McAdams on frames, in compiled code.

Linear prediction, all poles at once, new angles, filter, overlap-add.

Conventions
-----------
* A filter of order n is its monic prediction polynomial, (n + 1,) float64 with a leading 1. Its
  poles are the roots.
* Complex numbers are pairs of float64 arrays: the loops over poles then use the processor's vector
  instructions. Sums are not reordered (no fastmath): that would be done in another way where code
  is compiled than where it is loaded, and no faster.
* All compiled functions live in this file, because numba's cache notices a change in the caller's
  own file only.

References
----------
Andersen, On the calculation of filter coefficients for maximum entropy spectral analysis,
Geophysics 39, 1974.
Aberth, Iteration methods for finding all zeros of a polynomial simultaneously, Math. Comp. 27,
1973.
"""

import atexit
import math
import shutil
import tempfile

import numba
import numpy as np
from numba import njit
from numpy.typing import NDArray

ORDER = 20  # of the published programs; _residual needs a multiple of four
EPSILON = float(np.finfo(np.float32).eps)  # the published programs add it to signal and frames
MAX_ITERATIONS = 60
CONVERGED = 1e-10  # the iteration is cubic: after a last step of this size only rounding is left
TINY = 1e-300  # instead of a division by zero


def _keep_compiled_code() -> None:
    """Keep compiled code for this process only, if no folder for it is writable."""
    # Where none is writable, numba fails as soon as a function asks to be kept, as this one does.
    try:
        njit(cache=True)(_keep_compiled_code)
    except RuntimeError:
        folder = tempfile.mkdtemp(prefix="voiceprivacy-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        numba.config.CACHE_DIR = folder


_keep_compiled_code()


@njit(cache=True, nogil=True)
def overlap_add(
    signal: NDArray[np.float64],
    window: NDArray[np.float64],
    hop: int,
    first_frame: int,
    alpha: float,
    largest_angle: float,
) -> NDArray[np.float64]:
    """Change the poles of every frame of a signal (N,) and add the frames up again.

    Parameters
    ----------
    signal : array (N,)
    window : array (L,)
        Applied before and after the filter.
    hop : int
        Samples between the starts of frames.
    first_frame : int
        0, or the number of frames at the start that are left out.
    alpha : float
        An angle phi becomes phi ** alpha, at most ``largest_angle``.
    largest_angle : float
    """
    length = len(window)
    protected = np.zeros(len(signal))
    real, imag = np.empty(ORDER), np.empty(ORDER)
    for start in range(first_frame * hop, len(signal) - length + 1, hop):
        frame = signal[start : start + length] * window
        prediction = burg(frame + EPSILON)
        find_poles(prediction, real, imag)
        warped = _warp(real, imag, alpha, largest_angle)
        protected[start : start + length] += (
            _all_pole(warped, _residual(prediction, frame)) * window
        )
    return protected


@njit(cache=True, nogil=True)
def burg(frame: NDArray[np.float64]) -> NDArray[np.float64]:
    """Prediction polynomial (ORDER + 1,) by Burg's method, its denominator by Andersen's recursion.

    Ends early where a frame is predicted perfectly, up to rounding: the higher coefficients are
    zero then.
    """
    coefficients = np.zeros(ORDER + 1)
    coefficients[0] = 1.0
    forward, backward = frame[1:].copy(), frame[:-1].copy()
    energy = np.dot(forward, forward) + np.dot(backward, backward)
    for order in range(1, ORDER + 1):
        if not energy > 0:
            break
        reflection = -2 * np.dot(forward, backward) / energy
        if not abs(reflection) < 1:  # rounding: nothing is left to predict
            break
        previous = coefficients.copy()
        for k in range(1, order + 1):
            coefficients[k] = previous[k] + reflection * previous[order - k]
        for n in range(len(forward)):
            error = forward[n]
            forward[n] += reflection * backward[n]
            backward[n] += reflection * error
        # The new energy from the old one, without summing all samples again.
        energy = (1 - reflection**2) * energy - forward[0] ** 2 - backward[-1] ** 2
        forward, backward = forward[1:], backward[:-1]
    return coefficients


@njit(cache=True, nogil=True)
def _warp(real, imag, alpha, largest_angle):
    """The polynomial (ORDER + 1,) of the poles with new angles; radii and real poles stay."""
    polynomial = np.zeros(ORDER + 1)
    polynomial[0] = 1.0
    partner = np.empty(ORDER, dtype=np.int64)
    partners(real, imag, partner)
    for i in range(ORDER):
        if partner[i] == i:
            _multiply(polynomial, -real[i], 0.0)
        elif i < partner[i]:  # each pair once
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


@njit(cache=True, nogil=True)
def _residual(prediction, frame):
    """What the prediction leaves of the frame, from zero state."""
    padded = np.concatenate((np.zeros(ORDER), frame))
    residual = frame.copy()
    for k in range(1, ORDER + 1, 4):  # four at a time: fewer passes through memory
        past = padded[ORDER - k - 3 :]
        for n in range(len(frame)):
            nearer = prediction[k] * past[n + 3] + prediction[k + 1] * past[n + 2]
            residual[n] += nearer + prediction[k + 2] * past[n + 1] + prediction[k + 3] * past[n]
    return residual


@njit(cache=True, nogil=True)
def _all_pole(polynomial, residual):
    """Filter by 1 / polynomial, from zero state.

    In transposed form: one short vector operation for each sample.
    """
    output = np.empty(len(residual))
    state = np.zeros(ORDER + 1)
    for n in range(len(residual)):
        sample = residual[n] + state[0]
        output[n] = sample
        for k in range(ORDER):
            state[k] = state[k + 1] - polynomial[k + 1] * sample
    return output


@njit(cache=True, nogil=True)
def find_poles(
    coefficients: NDArray[np.float64], real: NDArray[np.float64], imag: NDArray[np.float64]
) -> int:
    """Find all poles by the Aberth iteration, without deflation.

    Parameters
    ----------
    coefficients : array (ORDER + 1,)
    real, imag : array (ORDER,)
        Filled with the poles in no particular order. Zero coefficients at the end give poles that
        are exactly zero.

    Returns
    -------
    int : the iterations it took
    """
    order = ORDER
    while order > 0 and coefficients[order] == 0.0:
        order -= 1
    # The last coefficient is the product of all poles: their mean radius is a good start.
    radius = abs(coefficients[order]) ** (1 / max(order, 1))
    real[:] = 0.0
    imag[:] = 0.0
    # Turned off the real axis: points that mirror each other could never become real poles.
    for i in range(order):
        real[i] = radius * math.cos(2 * math.pi * i / order + 0.4)
        imag[i] = radius * math.sin(2 * math.pi * i / order + 0.4)
    value, slope, repulsion = np.empty((2, ORDER)), np.empty((2, ORDER)), np.empty((2, ORDER))
    for iteration in range(MAX_ITERATIONS):
        _evaluate(coefficients, order, real, imag, value[0], value[1], slope[0], slope[1])
        _repel(order, real, imag, repulsion[0], repulsion[1])
        if _move(order, real, imag, value, slope, repulsion) < CONVERGED:
            return iteration + 1
    return MAX_ITERATIONS


@njit(cache=True, nogil=True)
def _evaluate(coefficients, order, x, y, value_x, value_y, slope_x, slope_y):
    """The polynomial and its derivative at all points, by Horner's rule.

    Here and in ``_repel`` points from ``order`` on are computed too, and never used: the compiler
    knows the number ORDER, but not ``order``.
    """
    value_x[:] = 1.0
    value_y[:] = 0.0
    slope_x[:] = 0.0
    slope_y[:] = 0.0
    for k in range(1, order + 1):
        for i in range(ORDER):
            new_slope_x = slope_x[i] * x[i] - slope_y[i] * y[i] + value_x[i]
            new_slope_y = slope_x[i] * y[i] + slope_y[i] * x[i] + value_y[i]
            new_value_x = value_x[i] * x[i] - value_y[i] * y[i] + coefficients[k]
            new_value_y = value_x[i] * y[i] + value_y[i] * x[i]
            slope_x[i], slope_y[i] = new_slope_x, new_slope_y
            value_x[i], value_y[i] = new_value_x, new_value_y


@njit(cache=True, nogil=True)
def _repel(order, x, y, sum_x, sum_y):
    """The sum of 1 / (z_i - z_j) over all j but i, for every i."""
    sum_x[:] = 0.0
    sum_y[:] = 0.0
    for j in range(order):
        for i in range(ORDER):
            distance_x, distance_y = x[i] - x[j], y[i] - y[j]
            inverse = 1 / (distance_x * distance_x + distance_y * distance_y + TINY)
            sum_x[i] += distance_x * inverse  # 1 / z is its conjugate by its squared modulus
            sum_y[i] -= distance_y * inverse


@njit(cache=True, nogil=True)
def _move(order, x, y, value, slope, repulsion):
    """Move all points once, by value / (slope - value * repulsion); returns the longest move.

    Row 0 of value, slope and repulsion is their real part, row 1 the imaginary one.
    """
    largest = 0.0
    for i in range(order):
        below_x = slope[0, i] - (value[0, i] * repulsion[0, i] - value[1, i] * repulsion[1, i])
        below_y = slope[1, i] - (value[0, i] * repulsion[1, i] + value[1, i] * repulsion[0, i])
        inverse = 1 / (below_x * below_x + below_y * below_y + TINY)
        move_x = (value[0, i] * below_x + value[1, i] * below_y) * inverse
        move_y = (value[1, i] * below_x - value[0, i] * below_y) * inverse
        x[i] -= move_x
        y[i] -= move_y
        largest = max(largest, move_x * move_x + move_y * move_y)
    return math.sqrt(largest)


@njit(cache=True, nogil=True)
def partners(
    real: NDArray[np.float64], imag: NDArray[np.float64], partner: NDArray[np.int64]
) -> None:
    """Find the conjugate of every pole; a real pole is its own.

    Parameters
    ----------
    real, imag : array (n,)
        Poles of a polynomial with real coefficients, up to rounding.
    partner : array (n,) int64
        Filled with indices: partner[partner[i]] == i always. So complex poles come in pairs,
        whatever the rounding.
    """
    order = len(real)
    for i in range(order):
        nearest = math.inf
        for j in range(order):
            distance = (real[i] - real[j]) ** 2 + (imag[i] + imag[j]) ** 2
            if distance < nearest:
                nearest = distance
                partner[i] = j
    for i in range(order):
        if partner[partner[i]] != i:  # two chose the same one: who is left over counts as real
            partner[i] = i
