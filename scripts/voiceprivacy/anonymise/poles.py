"""All poles of an all-pole filter at once, in compiled code.

Conventions
-----------
A filter of order n is its monic prediction polynomial, ``coefficients`` (n + 1,) float64 with coefficients[0] == 1;
its poles are the roots. Complex numbers are pairs of float64 arrays: the loops over poles then use the processor's
vector instructions. Sums may be reordered (fastmath) but infinity and NaN keep their meaning.

References
----------
Aberth, Iteration methods for finding all zeros of a polynomial simultaneously, Math. Comp. 27, 1973.
"""

import math

import numpy as np
from numba import njit

REORDER = {"reassoc", "contract", "nsz"}
MAX_ITERATIONS = 60
CONVERGED = 1e-10  # the iteration is cubic: after a last step of this size only rounding is left
TINY = 1e-300  # instead of a division by zero


@njit(cache=True, nogil=True, fastmath=REORDER)
def find_poles(coefficients, real, imag):
    """Find all poles by the Aberth iteration, without deflation.

    Parameters
    ----------
    coefficients : array (n + 1,)
    real, imag : array (n,)
        Filled with the poles in no particular order; zero coefficients at the end give poles that are exactly zero.

    Returns
    -------
    int : the iterations it took
    """
    order = len(coefficients) - 1
    real[:] = 0.0
    imag[:] = 0.0
    while order > 0 and coefficients[order] == 0.0:
        order -= 1
    radius = abs(coefficients[order]) ** (1 / max(order, 1))
    for i in range(order):  # turned off the real axis: points that mirror each other could never become real poles
        real[i] = radius * math.cos(2 * math.pi * i / order + 0.4)
        imag[i] = radius * math.sin(2 * math.pi * i / order + 0.4)
    for iteration in range(MAX_ITERATIONS):
        if _step(coefficients[: order + 1], real[:order], imag[:order]) < CONVERGED:
            return iteration + 1
    return MAX_ITERATIONS


@njit(cache=True, nogil=True, fastmath=REORDER)
def _step(coefficients, x, y):
    """Move all approximations once; returns the largest distance moved, relative to the largest pole."""
    order = len(x)
    value_x, value_y, slope_x, slope_y = _evaluate(coefficients, x, y)
    repel_x, repel_y = _repulsion(x, y)
    largest = 0.0
    for i in range(order):
        below_x = slope_x[i] - (value_x[i] * repel_x[i] - value_y[i] * repel_y[i])
        below_y = slope_y[i] - (value_x[i] * repel_y[i] + value_y[i] * repel_x[i])
        inverse = 1 / (below_x * below_x + below_y * below_y + TINY)
        move_x = (value_x[i] * below_x + value_y[i] * below_y) * inverse
        move_y = (value_y[i] * below_x - value_x[i] * below_y) * inverse
        x[i] -= move_x
        y[i] -= move_y
        largest = max(largest, move_x * move_x + move_y * move_y)
    return math.sqrt(largest)


@njit(cache=True, nogil=True, fastmath=REORDER)
def _evaluate(coefficients, x, y):
    """The polynomial and its derivative at all points, by Horner's rule."""
    order = len(x)
    value_x, value_y = np.ones(order), np.zeros(order)
    slope_x, slope_y = np.zeros(order), np.zeros(order)
    for k in range(1, order + 1):
        for i in range(order):
            step_x = slope_x[i] * x[i] - slope_y[i] * y[i] + value_x[i]
            slope_y[i] = slope_x[i] * y[i] + slope_y[i] * x[i] + value_y[i]
            slope_x[i] = step_x
            step_x = value_x[i] * x[i] - value_y[i] * y[i] + coefficients[k]
            value_y[i] = value_x[i] * y[i] + value_y[i] * x[i]
            value_x[i] = step_x
    return value_x, value_y, slope_x, slope_y


@njit(cache=True, nogil=True, fastmath=REORDER)
def _repulsion(x, y):
    """The sum of 1 / (z_i - z_j) over all j but i, for every i."""
    order = len(x)
    sum_x, sum_y = np.zeros(order), np.zeros(order)
    for j in range(order):
        for i in range(order):
            distance_x, distance_y = x[i] - x[j], y[i] - y[j]
            inverse = 1 / (distance_x * distance_x + distance_y * distance_y + TINY)
            sum_x[i] += distance_x * inverse
            sum_y[i] -= distance_y * inverse
    return sum_x, sum_y


@njit(cache=True, nogil=True)
def partners(real, imag, partner):
    """Find the conjugate of every pole; a real pole is its own.

    Parameters
    ----------
    real, imag : array (n,)
        Poles of a polynomial with real coefficients, up to rounding.
    partner : array (n,) int64
        Filled with indices: partner[partner[i]] == i always, so complex poles come in pairs whatever the rounding.
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
        if partner[partner[i]] != i:
            partner[i] = i
