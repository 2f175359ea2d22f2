"""Read, resample and write speech: float32 mono samples in memory, 16-bit FLAC or WAV on disk."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import soundfile

from voiceprivacy.files import BadInput, whole_or_absent


class Header(NamedTuple):
    """What an audio file says of itself."""

    sample_rate: int
    channels: int
    duration_s: float


def header(path):
    """Read the header of an audio file.

    Raises
    ------
    BadInput : the file is missing, empty or not audio
    """
    try:
        info = soundfile.info(str(path))
    except (soundfile.LibsndfileError, OSError) as error:
        raise _unreadable(path, error) from None
    if info.frames == 0:
        raise BadInput(f"{path}: has no samples")
    return Header(info.samplerate, info.channels, info.frames / info.samplerate)


def is_16_bit_mono(path, sample_rate):
    """Whether an audio file is mono 16-bit FLAC or WAV at this rate, so that a manifest can refer to it in place."""
    info = soundfile.info(str(path))
    encoding = (info.channels, info.samplerate, info.subtype)
    return info.format in ("FLAC", "WAV") and encoding == (1, sample_rate, "PCM_16")


def read(path):
    """Read an audio file, channels averaged.

    Returns
    -------
    array (N,) float32 in [-1, 1], int : samples and sample rate in Hz

    Raises
    ------
    BadInput : the file is missing, unreadable, truncated, empty, or holds NaN or infinite samples
    """
    announced = header(path)
    try:
        samples, sample_rate = soundfile.read(str(path), dtype="float32", always_2d=True)
    except (soundfile.LibsndfileError, OSError) as error:
        raise _unreadable(path, error) from None
    if len(samples) != round(announced.duration_s * sample_rate):
        raise BadInput(f"{path}: truncated: {len(samples)} samples where the header announces more")
    if not np.isfinite(samples).all():
        raise BadInput(f"{path}: holds samples that are NaN or infinite")
    return samples.mean(axis=1) if samples.shape[1] > 1 else samples[:, 0], sample_rate


def read_piece(path, *, start, length):
    """Read up to ``length`` samples from ``start`` on, channels averaged: array (<= length,) float32."""
    try:
        samples, _ = soundfile.read(str(path), start=start, frames=length, dtype="float32", always_2d=True)
    except (soundfile.LibsndfileError, OSError) as error:
        raise _unreadable(path, error) from None
    return samples.mean(axis=1)


def resample(samples, *, source_rate, target_rate):
    """Change the sample rate by torchaudio's windowed sinc interpolation.

    Parameters
    ----------
    samples : array (N,) float32
    source_rate, target_rate : int, Hz

    Returns
    -------
    array (ceil(N target_rate / source_rate),) float32

    Raises
    ------
    BadInput : torchaudio is not in this environment
    """
    if source_rate == target_rate:
        return samples
    try:
        import voiceprivacy.torchaudio_loader  # noqa: F401  seconds to import: only where needed

        import torch
        import torchaudio
    except ImportError as error:
        raise BadInput(f"resampling needs torchaudio in this environment ({error})") from None
    return torchaudio.functional.resample(torch.from_numpy(samples), source_rate, target_rate).numpy()


def within_full_scale(samples):
    """Scale samples whose peak lies beyond [-1, 1] down to a peak of 1; others stay as they are."""
    return samples / max(1.0, np.abs(samples).max(initial=0.0))


def write(path, samples, sample_rate):
    """Write mono samples in [-1, 1] as 16-bit FLAC or WAV (by the path's ending), whole or not at all."""
    samples = np.asarray(samples)
    if samples.dtype != np.int16:
        samples = np.clip(np.rint(samples * 32768.0), -32768, 32767).astype(np.int16)
    with whole_or_absent(path) as temporary:
        soundfile.write(str(temporary), samples, sample_rate, subtype="PCM_16")


def _unreadable(path, error):
    if not Path(path).exists():
        return BadInput(f"{path}: not found")
    return BadInput(f"{path}: cannot be read as audio ({getattr(error, 'error_string', error)})")
