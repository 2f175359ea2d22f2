"""Short-time spectra, their envelopes by linear prediction, and samples again.

Conventions
-----------
* Frames are (F, size) float64: 32 ms, every 8 ms, under a Hann window. The signal is padded with
  zeros, so that every sample lies in four frames.
* A spectrum is the Fourier transform of a frame, (F, size // 2 + 1) complex.
* An envelope is -log |A|, (F, size // 2 + 1), of a frame's prediction polynomial A of order 20
  (Burg's method, as in McAdams). So it says nothing of loudness.

References
----------
Griffin and Lim, Signal estimation from modified short-time Fourier transform, IEEE TASSP 32, 1984:
the window before and after, divided by the sum of its squares.
Makhoul, Linear prediction: a tutorial review, Proc. IEEE 63, 1975.
"""

import numpy as np
from numpy.typing import NDArray

from voiceprivacy.anonymise.functions.contract import Signal, fitted
from voiceprivacy.anonymise.functions.frames import burg
from voiceprivacy.models.mel import hann

WINDOW_S = 0.032
FRAMES_IN_WINDOW = 4  # a window is so many steps long
LARGEST_GAIN = np.log(10 ** (24 / 20))  # 24 dB: a valley that becomes a formant is mostly noise
SMALLEST = 1e-9  # added to magnitudes before their logarithm

Rows = NDArray[np.float64]
Spectra = NDArray[np.complex128]


def window_length(sample_rate: int, seconds: float = WINDOW_S) -> int:
    """Samples of a window, a multiple of FRAMES_IN_WINDOW."""
    return round(seconds * sample_rate / FRAMES_IN_WINDOW) * FRAMES_IN_WINDOW


def frames_of(samples: Signal, size: int) -> Rows:
    """Frames (F, size) of samples (N,), every size // 4."""
    hop = size // FRAMES_IN_WINDOW
    n_frames = -(-(len(samples) + size) // hop)
    padded = np.zeros((n_frames - 1) * hop + size)
    padded[size - hop :][: len(samples)] = samples
    return np.lib.stride_tricks.sliding_window_view(padded, size)[::hop] * hann(size)


def samples_of(spectra: Spectra, length: int) -> Signal:
    """Samples (length,) of the spectra of frames as ``frames_of`` makes them, changed or not."""
    size = 2 * (spectra.shape[1] - 1)
    hop = size // FRAMES_IN_WINDOW
    frames = np.fft.irfft(spectra, size) * hann(size)
    blocks = np.zeros((len(frames) + FRAMES_IN_WINDOW - 1, hop))
    for part in range(FRAMES_IN_WINDOW):
        blocks[part : part + len(frames)] += frames[:, part * hop : (part + 1) * hop]
    # At every sample, the squares of four Hann windows add up to 3 / 2.
    return fitted(blocks.ravel()[size - hop :] / 1.5, length)


def envelopes_of(frames: Rows) -> Rows:
    """Envelopes (F, size // 2 + 1) of frames (F, size)."""
    predictions = np.array([burg(frame) for frame in frames])  # (F, 21)
    transfer = np.fft.rfft(predictions, frames.shape[1])
    return -np.log(np.abs(transfer) + SMALLEST)


def limited(log_gains: Rows) -> Rows:
    """Logarithms of gains, none beyond 24 dB up or down."""
    return np.clip(log_gains, -LARGEST_GAIN, LARGEST_GAIN)
