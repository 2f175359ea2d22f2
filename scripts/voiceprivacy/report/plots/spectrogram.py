"""Small spectrograms for the page: time to the right, frequency upwards, no axes."""

import io

import numpy as np
from matplotlib.image import imsave
from scipy.signal import ShortTimeFFT, get_window

COLOURS = "magma"
WINDOW_S, STRIDE_S = 0.025, 0.01
HEIGHT = 128
HIGHEST_HZ = 8000
RANGE_DB = 70


def levels_db(samples, sample_rate, *, seconds):
    """Power of samples (N,) in dB, silence behind their end: array (128, seconds / 10 ms), rows from 0 to 8 kHz."""
    window = get_window("hann", round(WINDOW_S * sample_rate))
    stride = round(STRIDE_S * sample_rate)
    n_frames = round(seconds / STRIDE_S)
    padded = np.zeros(n_frames * stride)
    padded[: len(samples)] = samples[: len(padded)]
    transform = ShortTimeFFT(window, stride, sample_rate, mfft=max(1024, len(window)), scale_to="magnitude")
    power = transform.spectrogram(padded, p0=0, p1=n_frames)
    places = np.linspace(0, HIGHEST_HZ, HEIGHT, endpoint=False)
    bins = np.clip(np.rint(places / transform.delta_f).astype(int), 0, len(power) - 1)
    found = 10 * np.log10(np.maximum(power[bins], 1e-12))
    found[places > sample_rate / 2] = -120.0
    return found


def webp(levels, *, loudest_db):
    """A picture of levels (F, T) in dB: black is 70 dB below ``loudest_db``.

    Returns
    -------
    bytes : a WebP file, T x F pixels
    """
    content = io.BytesIO()
    limits = {"vmin": loudest_db - RANGE_DB, "vmax": loudest_db}
    imsave(content, levels[::-1], cmap=COLOURS, format="webp", pil_kwargs={"quality": 75, "method": 6}, **limits)
    return content.getvalue()
