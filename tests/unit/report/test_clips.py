"""Clips for the page: playable Opus, the same bytes every time."""

import io

import numpy as np
import pytest
import soundfile

from voiceprivacy.report.listen import checksum, data_url, opus, with_serial_number

TONE = 0.3 * np.sin(2 * np.pi * 440 * np.arange(32000) / 16000)


@pytest.mark.parametrize(
    "rate, expected", [(16000, 16000), (22050, 24000), (44100, 48000), (8000, 8000)]
)
def test_any_rate_becomes_one_that_opus_has_and_the_duration_stays(rate, expected):
    samples, found = soundfile.read(io.BytesIO(opus(TONE, rate)))
    assert found == expected
    assert len(samples) / found == pytest.approx(len(TONE) / rate, abs=0.001)


def test_what_is_heard_is_what_was_given():
    samples, _ = soundfile.read(io.BytesIO(opus(TONE, 16000)))
    assert np.corrcoef(samples[1000:-1000], TONE[1000:-1000])[0, 1] > 0.99


def test_the_same_speech_is_the_same_bytes():
    assert opus(TONE, 16000) == opus(TONE, 16000)


def test_five_seconds_take_some_tens_of_kilobytes():
    noise = np.random.default_rng(0).normal(0, 0.1, 80000)
    assert len(opus(noise, 16000)) < 40_000


def test_the_checksum_is_that_of_libogg():
    """A file as the encoder wrote it has its own checksums; with its own serial number nothing
    changes.
    """
    content = io.BytesIO()
    soundfile.write(content, TONE, 16000, format="OGG", subtype="OPUS")
    written = content.getvalue()
    serial = int.from_bytes(written[14:18], "little")
    assert with_serial_number(written, serial) == written
    assert checksum(b"") == 0


def test_a_data_url_names_its_kind():
    assert data_url(b"abc", "audio/ogg") == "data:audio/ogg;base64,YWJj"
