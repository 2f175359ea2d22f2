"""Recordings as people have them: containers, bit depths, scales, headers and channels.

Every recording holds the same sound, made here, whose samples are known.
"""

import struct
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import soundfile
from scipy.signal import resample_poly

RATE = 16000


class Odd(NamedTuple):
    """One recording: how it is written, and how like the known samples it has to be.

    ``write`` is called with a path. ``likeness`` is a correlation. ``slack`` are samples at 16 kHz
    that a codec may add, and by which it may shift the sound.
    """

    write: Callable[[Path], None]
    likeness: float = 0.9999
    slack: int = 0


def sound(rate: int = RATE, seconds: float = 2.0) -> np.ndarray:
    """A made-up voice (N,), peak 0.4: harmonics of a moving pitch, pauses and a little noise."""
    t = np.arange(round(RATE * seconds)) / RATE
    phase = 2 * np.pi * np.cumsum(140 + 25 * np.sin(2.5 * t)) / RATE
    harmonics = sum(np.sin(k * phase) / k for k in range(1, 16))
    samples = harmonics * np.clip(np.sin(2 * np.pi * 1.7 * t) + 0.5, 0, 1)
    samples = 0.39 * samples / np.abs(samples).max()
    samples += 0.002 * np.random.default_rng(0).standard_normal(len(t))
    return samples if rate == RATE else resample_poly(samples, rate // 25, RATE // 25)


def plain(kind, subtype, *, gain=1.0, rate=RATE, channels=(1.0,), **options):
    """Write the sound by libsndfile; ``channels`` are gains of the sound in each of them."""

    def write(path):
        samples = gain * np.outer(sound(rate), channels)
        soundfile.write(path, samples, rate, format=kind, subtype=subtype, **options)

    return write


def changed(write, change):
    """Write a recording, then change its bytes."""

    def write_changed(path):
        write(path)
        path.write_bytes(change(bytearray(path.read_bytes())))

    return write_changed


def streamed(size):
    """Write a WAV whose RIFF and data chunks have the size that a stream's header has."""

    def change(content):
        for chunk in (b"RIFF", b"data"):
            start = content.index(chunk) + 4
            content[start : start + 4] = struct.pack("<I", size)
        return content

    return changed(plain("WAV", "PCM_16"), change)


def flac_of_unknown_length(content):
    content[21] &= 0xF0
    content[22:42] = bytes(20)  # the number of samples and their MD5
    return content


def mp3_without_header(content):
    """Remove the frame named Xing or Info: what recorders and pipes write has none."""
    second = content.index(content[:2], 4)
    while content[second + 1] & 0xF6 != content[1] & 0xF6:
        second = content.index(content[:2], second + 2)
    return content[second:]


def id3(content, *, size=70_000):
    """Put a tag in front that holds words of a header, and is longer than what pipes keep."""
    text = b"Xing Info VBRI".ljust(size, b"x")
    digits = bytes((size >> shift) & 127 for shift in (21, 14, 7, 0))
    return b"ID3\x04\x00\x00" + digits + text + content


def header_of_a_part(content):
    """State half of the frames in the header of an MP3."""
    at = max(content.find(b"Xing"), content.find(b"Info")) + 8
    frames = int.from_bytes(content[at : at + 4], "big")
    content[at : at + 4] = (frames // 2).to_bytes(4, "big")
    return content


def in_a_wav(content):
    """An MP3 as the samples of a WAV, as video editors and telephones write it."""
    form = struct.pack("<HHIIHHHHIHHH", 0x55, 1, RATE, 8000, 1, 0, 12, 1, 2, 576, 1, 0)
    chunks = (b"fmt ", form), (b"fact", struct.pack("<I", 2 * RATE)), (b"data", bytes(content))
    body = b"".join(name + struct.pack("<I", len(own)) + own for name, own in chunks)
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WAVE" + body


MP3 = plain("MP3", "MPEG_LAYER_III")
MP3_VBR = plain("MP3", "MPEG_LAYER_III", bitrate_mode="VARIABLE", compression_level=0.6)
MP3_48K = plain("MP3", "MPEG_LAYER_III", rate=48000)
MP3_STEREO = plain("MP3", "MPEG_LAYER_III", channels=(1, 1))
BARE, VBR = changed(MP3, mp3_without_header), changed(MP3_VBR, mp3_without_header)
LOSSY = {"likeness": 0.98, "slack": 5000}

RECORDINGS: dict[str, Odd] = {
    # containers and bit depths
    "u8.wav": Odd(plain("WAV", "PCM_U8"), 0.999),
    "16_bit.wav": Odd(plain("WAV", "PCM_16")),
    "24_bit.wav": Odd(plain("WAV", "PCM_24")),
    "32_bit.wav": Odd(plain("WAV", "PCM_32")),
    "double.wav": Odd(plain("WAV", "DOUBLE")),
    "ulaw.wav": Odd(plain("WAV", "ULAW"), 0.999),
    "alaw.wav": Odd(plain("WAV", "ALAW"), 0.999),
    "adpcm.wav": Odd(plain("WAV", "IMA_ADPCM"), 0.99, slack=1000),
    "extensible.wav": Odd(plain("WAVEX", "PCM_16")),
    "rf64.wav": Odd(plain("RF64", "PCM_16")),
    "wave64.w64": Odd(plain("W64", "PCM_16")),
    "aiff.aiff": Odd(plain("AIFF", "PCM_16")),
    "sun.au": Odd(plain("AU", "PCM_16")),
    "core.caf": Odd(plain("CAF", "PCM_16")),
    "sphere.wav": Odd(plain("NIST", "PCM_16")),
    "16_bit.flac": Odd(plain("FLAC", "PCM_16")),
    "24_bit.flac": Odd(plain("FLAC", "PCM_24")),
    "vorbis.ogg": Odd(plain("OGG", "VORBIS"), 0.98),
    "opus.ogg": Odd(plain("OGG", "OPUS"), **LOSSY),
    "mp3_in.wav": Odd(changed(BARE, in_a_wav), **LOSSY),
    # scales and rates
    "float.wav": Odd(plain("WAV", "FLOAT")),
    "float_beyond.wav": Odd(plain("WAV", "FLOAT", gain=4)),
    "float_of_int16.wav": Odd(plain("WAV", "FLOAT", gain=32768)),
    "float_divided_twice.wav": Odd(plain("WAV", "FLOAT", gain=1 / 32768)),
    "quiet_24_bit.wav": Odd(plain("WAV", "PCM_24", gain=0.003), 0.999),
    "float_of_int16_48k.wav": Odd(plain("WAV", "FLOAT", gain=32768, rate=48000), 0.999),
    "8k.wav": Odd(plain("WAV", "PCM_16", rate=8000), 0.99),
    "22k.wav": Odd(plain("WAV", "PCM_16", rate=22050), 0.999, slack=1),
    "44k.flac": Odd(plain("FLAC", "PCM_24", rate=44100), 0.999, slack=1),
    # headers that do not say the length, or say another one
    "streamed_ff.wav": Odd(streamed(0xFFFFFFFF)),
    "streamed_7f.wav": Odd(streamed(0x7FFFF000)),
    "streamed_0.wav": Odd(streamed(0)),
    "streamed.flac": Odd(changed(plain("FLAC", "PCM_16"), flac_of_unknown_length)),
    "streamed_24_bit.flac": Odd(changed(plain("FLAC", "PCM_24"), flac_of_unknown_length)),
    "header.mp3": Odd(MP3, **LOSSY),
    "constant.mp3": Odd(BARE, **LOSSY),
    "variable.mp3": Odd(VBR, **LOSSY),
    "variable_48k.mp3": Odd(changed(MP3_48K, mp3_without_header), **LOSSY),
    "tagged.mp3": Odd(changed(VBR, id3), **LOSSY),
    "tagged_header.mp3": Odd(changed(MP3, id3), **LOSSY),
    "half_a_frame.mp3": Odd(changed(VBR, lambda content: content + content[:100]), **LOSSY),
    "header_of_a_part.mp3": Odd(changed(MP3, header_of_a_part), **LOSSY),
    # channels
    "stereo.wav": Odd(plain("WAV", "PCM_16", channels=(1, 1))),
    "one_side.wav": Odd(plain("WAV", "PCM_16", channels=(0, 1))),
    "stereo.mp3": Odd(changed(MP3_STEREO, mp3_without_header), **LOSSY),
    "six_channels.flac": Odd(plain("FLAC", "PCM_16", channels=(1, 1, 1, 0.1, 0.5, 0.5))),
}
CANCELLED = plain("WAV", "PCM_16", channels=(1, -1))
