"""Short pieces of speech as they are put into a page: Opus in an Ogg container, the same bytes every time.

References
----------
RFC 3533 (Ogg pages, their serial number and checksum), RFC 7845 (Opus in Ogg).
"""

import base64
import io
from typing import NamedTuple

import numpy as np
import soundfile
from scipy.signal import resample_poly

from voiceprivacy.inout.files import read_json, write_json

RATES_HZ = (8000, 12000, 16000, 24000, 48000)  # that Opus has
COMPRESSION = 0.9  # libsndfile's scale; about 35 kbit/s for speech
SERIAL = slice(14, 18)
CHECKSUM = slice(22, 26)
POLYNOMIAL = 0x04C11DB7


def opus(samples, sample_rate):
    """Encode samples (N,) in [-1, 1]; another rate than Opus has becomes its next higher one.

    Returns
    -------
    bytes : an Ogg Opus file
    """
    rate = next((rate for rate in RATES_HZ if rate >= sample_rate), RATES_HZ[-1])
    divisor = np.gcd(rate, sample_rate)
    samples = (
        resample_poly(samples, rate // divisor, sample_rate // divisor)
        if rate != sample_rate
        else samples
    )
    content = io.BytesIO()
    options = {"format": "OGG", "subtype": "OPUS", "compression_level": COMPRESSION}
    soundfile.write(content, np.clip(samples, -1, 1), rate, **options)
    return with_serial_number(content.getvalue())


def data_url(content, media_type):
    """Bytes as a data URL."""
    return f"data:{media_type};base64,{base64.b64encode(content).decode('ascii')}"


def with_serial_number(content, serial=0):
    """An Ogg file with this serial number instead of the random one that the encoder draws."""
    content, start = bytearray(content), 0
    while start < len(content):
        n_segments = content[start + 26]
        end = start + 27 + n_segments + sum(content[start + 27 : start + 27 + n_segments])
        page = content[start:end]
        page[SERIAL] = serial.to_bytes(4, "little")
        page[CHECKSUM] = bytes(4)
        page[CHECKSUM] = checksum(page).to_bytes(4, "little")
        content[start:end] = page
        start = end
    return bytes(content)


def checksum(page):
    """CRC-32 of an Ogg page: bits not reflected, starting from 0."""
    value = 0
    for byte in page:
        value = (value << 8) & 0xFFFFFFFF ^ TABLE[value >> 24 ^ byte]
    return value


def _entry(value):
    value <<= 24
    for _ in range(8):
        value = value << 1 ^ POLYNOMIAL if value & 0x80000000 else value << 1
    return value & 0xFFFFFFFF


TABLE = [_entry(value) for value in range(256)]


# The file of clips to listen to: what embed_audio hands to the page.


class Clip(NamedTuple):
    """One version of an utterance: who protected it, and sound and picture as data URLs."""

    anonymiser: str
    sound: str
    picture: str


class Example(NamedTuple):
    """One utterance of a trial list and all its versions, the original first; ``cut`` if it goes on after the clip."""

    corpus: str
    trials: str
    utterance: str
    speaker: str
    gender: str
    cut: bool
    clips: list


def write_examples(path, found):
    """Write a list of Example as JSON."""
    rows = [of._asdict() | {"clips": [clip._asdict() for clip in of.clips]} for of in found]
    write_json(path, {"examples": rows})


def read_examples(paths):
    """Read what write_examples wrote: list of Example."""
    rows = [row for path in paths for row in read_json(path)["examples"]]
    return [Example(**row | {"clips": [Clip(**clip) for clip in row["clips"]]}) for row in rows]
