"""What can be wrong with recordings, in corpora and in what anonymisers hand back.

(what, command that reads it, file, how it is spoilt, what the error says)
"""

# ruff: noqa: E501  a row of the table is a line

import struct

import numpy as np
import soundfile

from support.spoilers import cut, huge, into_folder, into_pipe, remove, sound, write
from support.world import RATE, SECONDS, speech

ORIGINAL, PROTECTED = "data/wav/anna-2.wav", "submission/anna-2.wav"
CHECK, PLUG = "a Kaldi directory", "a plug-in's audio"
GOOD = speech("anna-2")


def flac_cut(path):
    """FLAC in spite of the name, cut off."""
    soundfile.write(path, GOOD, RATE, format="FLAC")
    cut(0.5)(path)


def flac_that_announces(samples):
    """FLAC whose header has another number of samples (36 bits before the checksum)."""

    def change(path):
        soundfile.write(path, GOOD, RATE, format="FLAC")
        content = bytearray(path.read_bytes())
        content[21] = content[21] & 0xF0 | samples >> 32
        content[22:26] = struct.pack(">I", samples & 0xFFFFFFFF)
        path.write_bytes(content)

    return change


def length(of_data):
    """A WAV whose header announces so many bytes of samples."""

    def change(path):
        content = bytearray(path.read_bytes())
        start = content.index(b"data") + 4
        content[start : start + 4] = struct.pack("<I", of_data)
        path.write_bytes(content)

    return change


def rate(hertz):
    """A WAV whose header says another sample rate."""
    return lambda path: path.write_bytes(
        path.read_bytes()[:24] + struct.pack("<I", hertz) + path.read_bytes()[28:]
    )


NAN = np.where(np.arange(len(GOOD)) == 100, np.nan, GOOD)
DAMAGES = [
    ("no file", remove, ["anna-2", ""]),
    ("an empty file", write(""), ["anna-2.wav: cannot be read as audio"]),
    ("a folder named .wav", into_folder, ["anna-2.wav: cannot be read"]),
    ("a text file named .wav", write("RIFF? no, only text\n" * 50), ["anna-2.wav: cannot be read as audio"]),
    ("half a WAV", cut(0.5), ["anna-2.wav: truncated: ", "bytes less than its header announces"]),
    ("a WAV whose header claims 2 GB", length(0x7FFFEFFF), ["anna-2.wav: truncated"]),
    ("a WAV without samples", sound(np.zeros(0, np.float32)), ["anna-2.wav: has no samples"]),
    ("half a FLAC", flac_cut, ["anna-2.wav: "]),
    ("a FLAC that claims 64 billion samples", flac_that_announces(2**36 - 1), ["anna-2.wav: "]),
    ("NaN samples", sound(NAN, subtype="FLOAT"), ["anna-2.wav: holds samples that are NaN or infinite"]),
    ("a rate of 1 Hz", rate(1), ["anna-2.wav: is sampled at 1 Hz"]),
    ("a named pipe", into_pipe, ["anna-2.wav: is a pipe or a device, not a file"]),
    ("a terabyte of nothing", huge, ["anna-2.wav: cannot be read as audio"]),
    ("one sample", sound(np.array([0.5], np.float32)), ["anna-2.wav: lasts 0.0"]),
]  # fmt: skip
ONE_SIDED = (
    "one sample",
    "a folder named .wav",
    "a named pipe",
    "a device",
)  # other words for these, or none
OF_PROTECTED = [
    ("a folder named .wav", into_folder, ["'anna-2' is missing"]),
    ("another rate", sound(GOOD, 22050), ["anna-2.wav: is sampled at 22050 Hz instead of 16000"]),
    ("silence", sound(np.zeros_like(GOOD)), ["anna-2.wav: is silent, the original is not"]),
    ("twice the length", sound(np.tile(GOOD, 4)), [f"anna-2.wav: lasts 1.20 s, the original {SECONDS:.2f} s"]),
]  # fmt: skip

CASES = [(damage, CHECK, ORIGINAL, spoil, words) for damage, spoil, words in DAMAGES]
CASES += [
    (damage, PLUG, PROTECTED, spoil, words)
    for damage, spoil, words in DAMAGES
    if damage not in ONE_SIDED
]
CASES += [(damage, PLUG, PROTECTED, spoil, words) for damage, spoil, words in OF_PROTECTED]
