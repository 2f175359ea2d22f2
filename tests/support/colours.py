"""How different two colours look, to most people and to the colour-blind."""

import math

import numpy as np

# Machado, Oliveira and Fernandes, 2009: of linear RGB, at full severity.
SEEN_BY = {
    "everybody": np.eye(3),
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_XYZ = [
    [0.4124564, 0.3575761, 0.1804375],
    [0.2126729, 0.7151522, 0.0721750],
    [0.0193339, 0.1191920, 0.9503041],
]
WHITE = np.sum(TO_XYZ, axis=1)


def lab(colour, sight):
    """L*, a*, b* of a colour #RRGGBB as somebody of SEEN_BY sees it."""
    encoded = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    xyz = np.matmul(TO_XYZ, np.clip(np.matmul(SEEN_BY[sight], linear), 0, 1)) / WHITE
    x, y, z = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one, other, sight="everybody"):
    """CIE 1976: about 2 is just seen, 15 is clearly different."""
    return math.dist(lab(one, sight), lab(other, sight))
