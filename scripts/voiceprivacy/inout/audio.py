"""Read, resample and write speech: float32 mono samples in memory, 16-bit FLAC or WAV on disk."""

import contextlib
import errno
import hashlib
import io
import itertools
import math
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import soundfile
from numpy.typing import ArrayLike, NDArray
from soundfile import SoundFile

import voiceprivacy.inout.torch_imports  # noqa: F401  # how torch and torchaudio are loaded
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import unstated
from voiceprivacy.inout.files import FilePath, refuse_endless
from voiceprivacy.inout.sound_headers import KINDS, missing_part, refuse_false_mp3
from voiceprivacy.inout.writing import whole_or_absent

Samples: TypeAlias = NDArray[np.float32]

LOWEST_RATE_HZ, HIGHEST_RATE_HZ = 4000, 384000  # of speech; another rate is a broken header
SLACK_S = 0.1  # ends of segments are rounded, and lie a little behind the recording's
BLOCK = 2**20  # samples that are read at a time
FLAC_COMPRESSION = 0.875  # of 0 to 1: libsndfile's own choice makes files 6 % larger
FULL_SCALE = 32768.0  # of 16 bits
MOST_STEPS = 2e7  # product of two rates without common divisors: memory grows with it
QUIET, USUAL_PEAK = 0.02, 0.5  # a recording below the first peak is brought to the second
SILENT = 1e-3  # no sample beyond -60 dB of full scale, whatever their mean
SILENT_FLOAT = 1e-7  # the same in files of floating-point numbers, whatever their scale
# Speech whose samples correlate more than this with the original's, at any gain and delay, is that
# original for an ear. McAdams with a coefficient of 0.9 reaches 0.7.
NEARLY_THE_SAME = 0.95
CANCELLED = 0.1  # of the power that unrelated channels would have in their sum is left
# What a recording may take in memory: so many bytes, or its bytes on disk so many times. FLAC makes
# days of silence small, and a header can announce anything.
MOST_BYTES, MOST_TIMES = 400e6, 20
UNRECOGNISED, START = 1, 24  # what libsndfile calls a file of no kind it knows; bytes shown
LACKING = (1, 3, 4, 18, 64, 161)  # and one that other programs may read: BW64, shorten, AAC in WAV
UNREADABLE = (
    soundfile.LibsndfileError,
    OSError,
    TypeError,
    ValueError,
    AssertionError,
    LookupError,
    struct.error,
)


class Header(NamedTuple):
    """What an audio file says of itself."""

    sample_rate: int
    channels: int
    duration_s: float
    subtype: str = "PCM_16"  # libsndfile's name of how samples are written


def header(path: FilePath) -> Header:
    """Read the header of an audio file.

    Raises
    ------
    BadInput : the file is missing, empty, not audio, shorter than its header says, or sampled at
        a rate of no speech
    """
    refuse_endless(path)
    with _opened(path) as (file, n_samples):
        if n_samples is None:
            n_samples = sum(map(len, _blocks(path, file)))
        return Header(file.samplerate, file.channels, n_samples / file.samplerate, file.subtype)


@contextlib.contextmanager
def _opened(path: FilePath) -> Iterator[tuple[SoundFile, int | None]]:
    """Open a file; yield it and how many samples its header states, None where it states none.

    Raises
    ------
    BadInput : see ``header``; what libsndfile raises in the block is one, too
    """
    try:
        with contextlib.ExitStack() as stack:
            if str(path).lower().endswith(".wav"):
                with open(path, "rb") as raw:
                    refuse_false_mp3(raw)
            # soundfile.info asks for much more, which takes as long as opening the file.
            file = stack.enter_context(SoundFile(str(path)))
            kind = file.format
            _refuse_kind(path, kind, file)
            with open(path, "rb") as raw:
                missing = missing_part(raw, kind)
            if missing:
                raise BadInput(f"{path}: truncated: {missing}")
            n_samples: int | None = file.frames
            if file.subtype.startswith("MPEG") or not 0 < file.frames < unstated.UNKNOWN_LENGTH:
                whole = Path(path).read_bytes()
                file, n_samples = stack.enter_context(unstated.opened(whole, file))
            if n_samples is not None and n_samples <= 0:
                raise BadInput(f"{path}: has no samples")
            if _is_endless(path, file, n_samples or 0):
                raise _endless(path, (n_samples or 0) / file.samplerate)
            yield file, n_samples
    except UNREADABLE as error:
        raise _unreadable(path, error) from None


def _refuse_kind(path: FilePath, kind: str, file: SoundFile) -> None:
    if kind not in KINDS or (kind == "CAF" and file.subtype.startswith("ALAC")):
        raise BadInput(
            f"{path}: {kind} {file.subtype} does not show whether a file is whole: convert"
            f" it to WAV or FLAC (read here: {', '.join(sorted(KINDS))})"
        )
    if not LOWEST_RATE_HZ <= file.samplerate <= HIGHEST_RATE_HZ:
        raise BadInput(
            f"{path}: is sampled at {file.samplerate} Hz:"
            f" expected {LOWEST_RATE_HZ} to {HIGHEST_RATE_HZ}"
        )


def _is_endless(path: FilePath, file: SoundFile, n_samples: int) -> bool:
    n_bytes = 4 * file.channels * n_samples
    return n_bytes > MOST_BYTES and n_bytes > MOST_TIMES * Path(path).stat().st_size


def _endless(path: FilePath, duration_s: float) -> BadInput:
    return BadInput(
        f"{path}: {duration_s / 3600:.3g} hours of audio in"
        f" {Path(path).stat().st_size / 1e6:.2g} MB is implausible for speech;"
        " if it is right, split the file"
    )


def is_16_bit_mono(path: FilePath, sample_rate: int) -> bool:
    """Whether a manifest can refer to a file in place: mono 16-bit FLAC or WAV at this rate.

    A header that does not state the length is refused, because other programs may not read it.
    """
    info = soundfile.info(str(path))
    encoding = (info.channels, info.samplerate, info.subtype)
    return encoding == (1, sample_rate, "PCM_16") and is_lossless(path)


def is_lossless(path: FilePath) -> bool:
    """Whether a file is a FLAC or WAV, without an MP3 in it, whose header states its length."""
    info = soundfile.info(str(path))
    is_kind = info.format in ("FLAC", "WAV") and "MPEG" not in info.subtype
    return is_kind and 0 < info.frames < unstated.UNKNOWN_LENGTH


def read(path: FilePath) -> tuple[Samples, int]:
    """Read an audio file, channels averaged.

    Returns
    -------
    array (N,) float32 in [-1, 1], int : samples and sample rate in Hz; files of floating-point
        numbers may lie beyond [-1, 1]

    Raises
    ------
    BadInput : the file is missing, unreadable, truncated, empty, damaged, or holds NaN or infinite
        samples
    """
    samples, its_header = read_channels(path)
    return averaged(samples), its_header.sample_rate


def read_channels(path: FilePath, *, verify: bool = False) -> tuple[Samples, Header]:
    """Read an audio file: array (N, channels) and the header, at one opening; as ``read`` does.

    ``verify`` compares the samples of a FLAC with the MD5 that its header states.
    """
    refuse_endless(path)
    with _opened(path) as (file, n_samples):
        blocks = _blocks(path, file)
        if n_samples is None:
            # The empty array is for a file without any sample.
            samples = np.concatenate([np.zeros((0, file.channels), np.float32), *blocks])
            n_read = len(samples)
        else:
            # Hours of speech are in memory once: a list of blocks and their sum would be twice.
            samples, n_read = np.empty((n_samples, file.channels), np.float32), 0
            while n_read < n_samples and (block := next(blocks, None)) is not None:
                samples[n_read : n_read + len(block)] = block
                n_read += len(block)
        sample_rate, subtype = file.samplerate, file.subtype
        is_flac = verify and file.format == "FLAC"
    if n_read != len(samples):
        raise BadInput(f"{path}: truncated: {n_read} samples where the header announces more")
    if not n_read:
        raise BadInput(f"{path}: has no samples")
    _refuse_not_finite(path, samples)
    if is_flac and not _has_its_sum(path, samples):
        raise BadInput(f"{path}: is damaged: its samples have another MD5 than its header states")
    return samples, Header(sample_rate, samples.shape[1], n_read / sample_rate, subtype)


def _refuse_not_finite(path: FilePath, samples: Samples) -> None:
    if not are_finite(samples):
        raise BadInput(f"{path}: holds samples that are NaN or infinite")


def are_finite(samples: NDArray) -> bool:
    """Whether samples (N, ...) are neither NaN nor infinite."""
    return all(np.isfinite(block).all() for block in _in_blocks(samples))


def _in_blocks(samples: NDArray) -> Iterator[NDArray]:
    """Parts of an array (N, ...), so that what is made of each of them is small."""
    return (samples[start : start + BLOCK] for start in range(0, len(samples), BLOCK))


def _has_its_sum(path: FilePath, samples: Samples) -> bool:
    """Whether the samples of a FLAC have the MD5 in its header (RFC 9639, 8.2), if it has one."""
    with open(path, "rb") as file:
        head = file.read(42)
    stated, n_bits = head[26:], ((head[20] & 1) << 4 | head[21] >> 4) + 1
    if head[:4] != b"fLaC" or not any(stated) or n_bits not in (16, 24):
        return True
    digest = hashlib.md5(usedforsecurity=False)
    for block in _in_blocks(samples):
        numbers = np.rint(block * 2.0 ** (n_bits - 1)).astype("<i4")
        digest.update(numbers.view(np.uint8).reshape(-1, 4)[:, : n_bits // 8].tobytes())
    return digest.digest() == stated


def cancelled(channels: Samples, average: Samples) -> str | None:
    """What is wrong where channels (N, C) are in opposite phase; None where they are not.

    Unrelated channels have in their sum (C times the average, N) the power of all together.
    """
    count = channels.shape[1]
    if count == 1 or count**2 * np.var(average) >= CANCELLED * np.var(channels, axis=0).sum():
        return None
    return f"its {count} channels cancel each other where they are averaged"


def averaged(samples: Samples) -> Samples:
    """Average the channels of samples (N, channels): array (N,)."""
    if samples.shape[1] == 1:
        return samples[:, 0]
    # Infinite and NaN samples are refused by the readers.
    with np.errstate(over="ignore", invalid="ignore"):
        return samples.mean(axis=1)


def _blocks(path: FilePath, file: SoundFile) -> Iterator[Samples]:
    """Yield samples (N, channels) to the end; a header that announces too much takes no memory."""
    length, n_read = max(1, BLOCK // file.channels), 0
    while len(block := file.read(length, dtype="float32", always_2d=True)):
        n_read += len(block)
        if _is_endless(path, file, n_read):
            raise _endless(path, n_read / file.samplerate)
        yield block


def read_piece(path: FilePath, *, start: int, length: int) -> Samples:
    """Read up to ``length`` samples from ``start`` on, channels averaged: array (<= length,)."""
    return averaged(_piece(path, start, length))


def _piece(path: FilePath, start: int, length: int) -> Samples:
    with _opened(path) as (file, n_samples):
        if n_samples is None:  # nothing can be sought in it
            samples = np.concatenate(list(_blocks(path, file)))[start : start + length]
        else:
            file.seek(start)
            samples = file.read(length, dtype="float32", always_2d=True)
    _refuse_not_finite(path, samples)
    return samples


def side_by_side(one: FilePath, other: FilePath) -> Iterator[tuple[Samples, Samples]]:
    """Yield the pieces of two recordings, channels averaged, to the end of the shorter one.

    Hours of speech are never in memory. Where lengths differ, the last two pieces do.
    """
    for start in itertools.count(0, BLOCK):
        pieces = [read_piece(path, start=start, length=BLOCK) for path in (one, other)]
        yield pieces[0], pieces[1]
        if min(map(len, pieces)) < BLOCK:
            return


def write_stretches(
    source: FilePath, target: FilePath, stretches: Iterable[tuple[float, float]]
) -> None:
    """Write stretches of a recording as one file, with 16 bits and all of its channels.

    Each has a start and an end in seconds. An end below zero, or up to SLACK_S beyond the
    recording, is the recording's own. What is silent stays so; other stretches are fitted.

    Raises
    ------
    BadInput : the recording cannot be read, or has no such stretch
    """
    whole, pieces = header(source), []
    for start_s, end_s in stretches:
        end_s = whole.duration_s if end_s < 0 else end_s
        first, last = round(start_s * whole.sample_rate), round(end_s * whole.sample_rate)
        begins_within = 0 <= first < min(last, round(whole.duration_s * whole.sample_rate))
        if not begins_within or end_s > whole.duration_s + SLACK_S:
            raise BadInput(
                f"{source}: lasts {whole.duration_s:.2f} s, and has no piece"
                f" from {start_s:g} to {end_s:g} s"
            )
        pieces.append(_piece(source, first, last - first))
    samples = np.concatenate(pieces)
    is_silent = np.ptp(samples) < 2 * silence(whole.subtype)  # a gain would hide it
    write(target, samples if is_silent else fitted(samples), whole.sample_rate)


def resample(samples: Samples, *, source_rate: int, target_rate: int) -> Samples:
    """Change the sample rate by torchaudio's windowed sinc interpolation.

    It would take gigabytes where rates have next to no divisor in common, as 16001 Hz and 16 kHz:
    there scipy does it.

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
    if math.lcm(source_rate, target_rate) / math.gcd(source_rate, target_rate) > MOST_STEPS:
        from scipy.signal import resample_poly

        return resample_poly(samples, target_rate, source_rate)
    try:
        import torch  # seconds: only where needed
        import torchaudio
    except ImportError as error:
        raise BadInput(f"resampling needs torchaudio in this environment ({error})") from None
    waveform = torch.from_numpy(samples)
    return torchaudio.functional.resample(waveform, source_rate, target_rate).numpy()


def resampled_length(duration_s: float, rate: int) -> int:
    """How many samples ``resample`` makes of a recording of this duration.

    The duration is that of whole samples at the recording's own rate.
    """
    return math.ceil(round(duration_s * rate, 6))  # 3.0000000001 samples are 3


def likeness(one: NDArray, other: NDArray) -> float:
    """Largest correlation of two recordings (N,) and (M,) at any delay, from 0 to 1.

    It does not change with gain and sign. Silence is like nothing.
    """
    one, other = one - one.mean(), other - other.mean()
    energy = np.sqrt((one @ one) * (other @ other))
    length = 2 ** (len(one) + len(other)).bit_length()  # room for every delay, and fast
    products = np.fft.rfft(one, length) * np.fft.rfft(other, length).conj()
    return float(np.abs(np.fft.irfft(products, length)).max() / energy) if energy else 0.0


def within_full_scale(samples: NDArray) -> NDArray:
    """Scale samples whose peak lies beyond [-1, 1] down to a peak of 1; others stay as they are."""
    return samples / max(1.0, peak_of(samples))


def peak_of(samples: NDArray) -> Any:
    """The largest magnitude in a recording (N,), 0 of none; no second array is made for it."""
    return max(samples.max(initial=0.0), -samples.min(initial=0.0))


def silence(subtype: str) -> float:
    """The peak below which a recording is silent, by how its samples are written."""
    return SILENT_FLOAT if subtype in ("FLOAT", "DOUBLE") else SILENT


def fitted(samples: NDArray) -> NDArray:
    """Scale a recording (N,) or (N, channels) whose scale does not fit 16 bits, by one gain.

    Peaks beyond full scale would be cut off, and few steps would be left of a very quiet recording.
    """
    peak = peak_of(samples)
    if fits(samples):
        return samples
    return samples / peak * (USUAL_PEAK if peak < QUIET else 1)


def fits(samples: NDArray) -> bool:
    """Whether the scale of a recording (N,) fits 16 bits; silence fits."""
    peak = peak_of(samples)
    return bool(peak == 0 or QUIET <= peak <= 1)


def write(path: FilePath, samples: ArrayLike, sample_rate: int) -> None:
    """Write samples as 16-bit FLAC or WAV (by the path's ending), whole or not at all.

    Parameters
    ----------
    path : path
    samples : array (N,) or (N, channels)
        int16, or numbers in [-1, 1]; what lies beyond is clipped.
    sample_rate : int, Hz

    Raises
    ------
    OSError : the disk does not take it
    """
    samples = steps_of(np.asarray(samples))
    with whole_or_absent(path) as temporary:
        compression = FLAC_COMPRESSION if temporary.suffix.lower() == ".flac" else None
        options = {"subtype": "PCM_16", "compression_level": compression}
        with contextlib.suppress(soundfile.LibsndfileError, AssertionError):
            soundfile.write(str(temporary), samples, sample_rate, **options)
            if soundfile.info(str(temporary)).frames == len(samples):
                return
        # libsndfile does not say why it wrote fewer of them.
        raise OSError(errno.EIO, "cannot be written whole: is the disk full?", str(path))


def steps_of(samples: NDArray) -> NDArray[np.int16]:
    """Samples (N, ...) in [-1, 1] as steps of 16 bits; those that are steps stay as they are."""
    if samples.dtype == np.int16:
        return samples
    steps = np.empty(samples.shape, np.int16)
    for written, given in zip(_in_blocks(steps), _in_blocks(samples), strict=True):
        written[:] = np.clip(np.rint(given * FULL_SCALE), -FULL_SCALE, FULL_SCALE - 1)
    return steps


def mp3(samples: NDArray, sample_rate: int, *, compression: float, is_constant: bool) -> bytes:
    """Encode samples (N,) as MP3, of which a sample rate is one; what lies beyond is clipped.

    ``compression`` is libsndfile's scale of 0 to 1, ``is_constant`` whether the bitrate is constant
    and not the average. The encoder writes the same bytes every time.
    """
    content = io.BytesIO()
    options = {"format": "MP3", "subtype": "MPEG_LAYER_III", "compression_level": compression}
    if is_constant:
        options["bitrate_mode"] = "CONSTANT"
    soundfile.write(content, np.clip(samples, -1, 1), sample_rate, **options)
    return content.getvalue()


def _unreadable(path: FilePath, error: Exception) -> BadInput:
    """Say why a file cannot be read: libsndfile calls all reasons by one name."""
    try:
        if Path(path).stat().st_size == 0:
            error = ValueError("the file is empty")
    except (FileNotFoundError, NotADirectoryError):
        return BadInput(f"{path}: not found")
    except OSError as reason:
        return BadInput(f"{path}: cannot be read ({reason.strerror})")
    except ValueError:  # it holds a NUL, as a text of JSON can
        return BadInput(f"{path}: is no path")
    why, code = getattr(error, "error_string", error), getattr(error, "code", None)
    if Path(path).is_dir():
        return BadInput(f"{path}: is a folder, not a file")
    if code == UNRECOGNISED and Path(path).is_file():
        # A page of a server, a pointer of Git LFS.
        with open(path, "rb") as file:
            why = f"{why} It begins with {file.read(START)!r}"
    remedy = ": if a player plays it, convert it (ffmpeg -i OLD NEW.wav)" if code in LACKING else ""
    return BadInput(f"{path}: cannot be read as audio ({why}){remedy}")
