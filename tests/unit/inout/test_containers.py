"""Files of audio that lack their end, of every kind that is read, and kinds that are not."""

import struct

import numpy as np
import pytest
import soundfile

from voiceprivacy.inout import audio
from voiceprivacy.inout.containers import KINDS
from voiceprivacy.inout.files import BadInput

RATE = 16000
SAMPLES = np.random.default_rng(0).normal(0, 0.1, 2 * RATE).astype(np.float32)
KINDS_WRITTEN = [
    *[("WAV", code) for code in ("PCM_16", "PCM_24", "PCM_U8", "FLOAT", "ULAW", "IMA_ADPCM")],
    *[("WAVEX", "PCM_16"), ("RF64", "PCM_16"), ("RF64", "FLOAT"), ("W64", "PCM_16")],
    *[("W64", "PCM_U8"), ("AIFF", "PCM_16"), ("AIFF", "PCM_S8"), ("AU", "PCM_16")],
    *[("CAF", "PCM_16"), ("NIST", "PCM_16"), ("FLAC", "PCM_16")],
    *[("OGG", "VORBIS"), ("OGG", "OPUS"), ("MP3", "MPEG_LAYER_III")],
]
OTHERS = [(kind, None) for kind in soundfile.available_formats().keys() - KINDS - {"RAW"}]
OTHERS += [("CAF", "ALAC_16")]
OTHERS = [pair for pair in OTHERS if soundfile.check_format(*pair)]  # libsndfile writes them
ORDERS = [(kind, order) for kind in ("WAV", "AIFF", "CAF", "AU") for order in ("LITTLE", "BIG")]


def written(path, kind, code, samples=SAMPLES, rate=RATE, **options):
    soundfile.write(path, samples, rate, format=kind, subtype=code, **options)
    return path.read_bytes()


@pytest.mark.parametrize(("kind", "code"), KINDS_WRITTEN)
def test_a_file_is_read_whole_or_not_at_all(tmp_path, kind, code):
    path = tmp_path / "speech"
    content = written(path, kind, code)
    whole, _ = audio.read(path)
    assert len(whole) >= len(SAMPLES)  # some codes fill their last block
    for missing in (1, 2, 3, 40, len(content) // 4, len(content) // 2, len(content) - 60):
        path.write_bytes(content[: len(content) - missing])
        with pytest.raises(BadInput, match=f"^{path}: "):
            audio.read(path)


@pytest.mark.parametrize(("kind", "order"), [*ORDERS, ("RF64", "LITTLE")])
def test_the_order_of_bytes_does_not_matter(tmp_path, kind, order):
    path = tmp_path / "speech"
    content = written(path, kind, "PCM_16", endian=order)
    assert len(audio.read(path)[0]) == len(SAMPLES)
    path.write_bytes(content[:-10])
    with pytest.raises(BadInput, match="truncated: 10 bytes less than its header announces"):
        audio.read(path)


@pytest.mark.parametrize(("kind", "code"), sorted(OTHERS, key=str))
def test_of_other_kinds_nobody_can_say_whether_they_are_whole(tmp_path, kind, code):
    path = tmp_path / "speech"
    written(path, kind, code)
    with pytest.raises(BadInput, match=f"{kind} .* does not show .* convert it to WAV or FLAC"):
        audio.header(path)


def test_a_stream_could_not_know_its_length(tmp_path):
    path = tmp_path / "speech.wav"
    content = bytearray(written(path, "WAV", "PCM_16"))
    start = content.index(b"data") + 4
    content[start : start + 4] = struct.pack("<I", 0xFFFFFFFF)
    path.write_bytes(content)
    assert len(audio.read(path)[0]) == len(SAMPLES)


def test_a_stream_that_knows_the_length_of_the_file_must_be_whole(tmp_path):
    path = tmp_path / "speech.wav"
    content = bytearray(written(path, "WAV", "PCM_16"))
    start = content.index(b"data") + 4
    content[start : start + 4] = struct.pack("<I", 0xFFFFFFFF)
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(BadInput, match="truncated"):
        audio.read(path)


@pytest.mark.parametrize(
    ("block", "bits"),
    [(0, 16), (4, 16), (2, 17)],
)
def test_samples_that_do_not_fit_their_blocks_are_no_speech(tmp_path, block, bits):
    path = tmp_path / "speech.wav"
    content = bytearray(written(path, "WAV", "PCM_16"))
    content[32:36] = struct.pack("<HH", block, bits)
    path.write_bytes(content)
    with pytest.raises(BadInput, match=r"speech\.wav"):
        audio.header(path)


@pytest.mark.parametrize("code", ["PCM_16", "PCM_24"])
@pytest.mark.parametrize("channels", [1, 2])
def test_a_flac_with_other_samples_than_it_had_is_damaged(tmp_path, code, channels):
    path = tmp_path / "speech.flac"
    content = bytearray(written(path, "FLAC", code, samples=np.stack([SAMPLES] * channels, 1)))
    assert len(audio.read(path, verify=True)[0]) == len(SAMPLES)
    content[30] ^= 1  # in the MD5, as if the samples were others
    path.write_bytes(content)
    with pytest.raises(BadInput, match="is damaged"):
        audio.read(path, verify=True)


@pytest.mark.parametrize(
    ("start", "chunk"),
    [
        (b"RIFF", struct.pack("<4sI", b"junk", 0)),
        (b"caff", struct.pack(">4sq", b"junk", -12)),
        (b"FORM", struct.pack(">4sI", b"junk", 0)),
    ],
)
def test_chunks_that_lead_nowhere_take_no_time(tmp_path, start, chunk):
    path = tmp_path / "speech"
    kind = {b"RIFF": "WAV", b"caff": "CAF", b"FORM": "AIFF"}[start]
    content = written(path, kind, "PCM_16")
    cut = 8 if kind == "CAF" else 12
    path.write_bytes(content[:cut] + chunk * 20_000 + content[cut:])
    with pytest.raises(BadInput):
        audio.header(path)


def test_days_of_silence_in_a_small_file_are_refused_before_they_are_read(tmp_path):
    path = tmp_path / "silence.flac"
    with soundfile.SoundFile(path, "w", RATE, 1, "PCM_16") as file:
        for _ in range(3 * 60):
            file.write(np.zeros(60 * RATE, np.int16))
    with pytest.raises(BadInput, match=r"silence.flac: 3 hours of audio in 0\.\d+ MB"):
        audio.header(path)
