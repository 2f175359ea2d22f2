"""Read, resample and write speech: float32 mono samples in memory, 16-bit FLAC or WAV on disk."""

import errno
import math
import struct
from pathlib import Path
from typing import NamedTuple

import numpy as np
import soundfile

from voiceprivacy.inout.files import BadInput, refuse_endless, whole_or_absent

RATES_HZ = (4000, 384000)  # of speech; another rate is a broken header
BLOCK = 2**20  # samples that are read at a time
COMPRESSION = 0.875  # of FLAC, of 0 to 1: libsndfile's own choice makes files 6 % larger
STREAMED = 0x7FFFF000  # and above: the length in the header of a WAV that was written to a pipe
UNREADABLE = (soundfile.LibsndfileError, OSError, ValueError, AssertionError)


class Header(NamedTuple):
    """What an audio file says of itself."""

    sample_rate: int
    channels: int
    duration_s: float


def header(path):
    """Read the header of an audio file.

    Raises
    ------
    BadInput : the file is missing, empty, not audio, shorter than its header says, or sampled at a rate of no speech
    """
    refuse_endless(path)
    try:
        info = soundfile.info(str(path))
        missing = _missing_bytes(path) if info.format in ("WAV", "WAVEX") else 0
    except UNREADABLE as error:
        raise _unreadable(path, error) from None
    if missing:
        raise BadInput(f"{path}: truncated: {missing} bytes less than its header announces")
    if info.frames <= 0:
        raise BadInput(f"{path}: has no samples")
    if not RATES_HZ[0] <= info.samplerate <= RATES_HZ[1]:
        raise BadInput(
            f"{path}: is sampled at {info.samplerate} Hz: expected {RATES_HZ[0]} to {RATES_HZ[1]}"
        )
    return Header(info.samplerate, info.channels, info.frames / info.samplerate)


def _missing_bytes(path):
    """How many bytes of its data chunk a RIFF file lacks (0 where a stream's header could not know its length).

    libsndfile passes over that and reads what is there.
    """
    with open(path, "rb") as file:
        if file.read(4) != b"RIFF":
            return 0
        file.seek(12)
        while len(head := file.read(8)) == 8:
            name, size = struct.unpack("<4sI", head)
            if name == b"data":
                there = Path(path).stat().st_size - file.tell()
                return 0 if size >= STREAMED else max(0, size - there)
            file.seek(size + size % 2, 1)
    return 0


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
        blocks = list(_blocks(path))
    except UNREADABLE as error:
        raise _unreadable(path, error) from None
    samples = blocks[0] if len(blocks) == 1 else np.concatenate([np.zeros(0, np.float32), *blocks])
    if len(samples) != round(announced.duration_s * announced.sample_rate):
        raise BadInput(f"{path}: truncated: {len(samples)} samples where the header announces more")
    if not np.isfinite(samples).all():
        raise BadInput(f"{path}: holds samples that are NaN or infinite")
    return samples, announced.sample_rate


def _blocks(path):
    """Yield samples (N,), channels averaged; a header that announces too much takes no memory this way."""
    with soundfile.SoundFile(str(path)) as file:
        length = max(1, BLOCK // file.channels)
        while len(block := file.read(length, dtype="float32", always_2d=True)):
            with np.errstate(
                over="ignore", invalid="ignore"
            ):  # of numbers that are no samples: found out afterwards
                averaged = block.mean(axis=1) if file.channels > 1 else block[:, 0]
            yield averaged


def read_piece(path, *, start, length):
    """Read up to ``length`` samples from ``start`` on, channels averaged: array (<= length,) float32."""
    try:
        samples, _ = soundfile.read(
            str(path), start=start, frames=length, dtype="float32", always_2d=True
        )
    except UNREADABLE as error:
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
        import voiceprivacy.attack.torchaudio_loader  # noqa: F401  seconds to import: only where needed

        import torch
        import torchaudio
    except ImportError as error:
        raise BadInput(f"resampling needs torchaudio in this environment ({error})") from None
    return torchaudio.functional.resample(
        torch.from_numpy(samples), source_rate, target_rate
    ).numpy()


def resampled_length(duration_s, rate):
    """How many samples ``resample`` makes of a recording of this duration (of whole samples at its own rate)."""
    return math.ceil(round(duration_s * rate, 6))


def within_full_scale(samples):
    """Scale samples whose peak lies beyond [-1, 1] down to a peak of 1; others stay as they are."""
    return samples / max(1.0, np.abs(samples).max(initial=0.0))


def write(path, samples, sample_rate):
    """Write mono samples in [-1, 1] as 16-bit FLAC or WAV (by the path's ending), whole or not at all.

    Raises
    ------
    OSError : the disk does not take it
    """
    samples = np.asarray(samples)
    if samples.dtype != np.int16:
        samples = np.clip(np.rint(samples * 32768.0), -32768, 32767).astype(np.int16)
    with whole_or_absent(path) as temporary:
        try:
            level = COMPRESSION if Path(path).suffix.lower() == ".flac" else None
            soundfile.write(
                str(temporary), samples, sample_rate, subtype="PCM_16", compression_level=level
            )
            whole = soundfile.info(str(temporary)).frames == len(samples)
        except (
            soundfile.LibsndfileError,
            AssertionError,
        ):  # libsndfile does not say why it wrote fewer samples
            whole = False
        if not whole:
            raise OSError(errno.EIO, "cannot be written whole: is the disk full?", str(path))


def _unreadable(path, error):
    try:
        Path(path).stat()
    except OSError as why:
        what = (
            "not found"
            if isinstance(why, FileNotFoundError | NotADirectoryError)
            else f"cannot be read ({why.strerror})"
        )
        return BadInput(f"{path}: {what}")
    except ValueError:
        return BadInput(f"{path}: is no path")
    return BadInput(f"{path}: cannot be read as audio ({getattr(error, 'error_string', error)})")
