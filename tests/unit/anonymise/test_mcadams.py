"""McAdams: the published programs' numbers and their mistakes, and a plain loop as oracle."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import plain_mcadams
from support.memory import peak_of
from support.sounds import speech_like, tone

from voiceprivacy.anonymise.functions import mcadams
from voiceprivacy.anonymise.functions.frames import EPSILON, ORDER, burg, find_poles, partners
from voiceprivacy.anonymise.functions.mcadams import VARIANTS, anonymise, anonymise_file, to_int16
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.manifests import Utterance

GOLDEN = Path("tests/data/mcadams")
RATES = [8000, 11025, 16000, 22050, 24000, 44100, 48000]


def b2(samples):
    return anonymise(samples, 16000, alpha=0.8)


def golden_cases():
    for case in ("3frames", "odd_len", "espeak2"):
        with np.load(GOLDEN / f"{case}.npz", allow_pickle=False) as file:
            yield from ((case, name) for name in file.files if name != "in_int16")


@pytest.mark.parametrize(("case", "name"), list(golden_cases()))
def test_the_published_programs_are_met_sample_for_sample(case, name):
    with np.load(GOLDEN / f"{case}.npz", allow_pickle=False) as file:
        samples, expected = file["in_int16"] / 32768, file[name]
    alpha, variant, stage = name.split("_")
    protected = anonymise(samples, 16000, alpha=float(alpha), variant=variant)
    if stage == "int16":
        assert np.abs(to_int16(protected).astype(int) - expected).max() <= 1
    else:
        np.testing.assert_allclose(protected, expected, rtol=0, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("sample_rate", RATES)
@pytest.mark.parametrize("alpha", [0.5, 0.8, 1.1])
@pytest.mark.parametrize("variant", VARIANTS)
def test_ours_is_the_plain_loop_at_every_rate(sample_rate, alpha, variant):
    samples, published = speech_like(sample_rate), variant == "vpc2020"
    options = {"alpha": alpha, "first_frame": int(published), "clip": published}
    plain = plain_mcadams.anonymise(samples, sample_rate, **options)
    ours = anonymise(samples, sample_rate, alpha=alpha, variant=variant)
    np.testing.assert_allclose(ours, plain, rtol=0, atol=1e-8 * np.abs(plain).max())


@pytest.mark.parametrize("sample_rate", RATES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_recording_in_blocks_has_the_bytes_of_the_whole(monkeypatch, sample_rate, variant):
    samples = speech_like(sample_rate)
    for length in (len(samples), sample_rate // 17, sample_rate // 40, sample_rate // 90):
        whole = anonymise(samples[:length], sample_rate, alpha=0.8, variant=variant)
        with monkeypatch.context() as patch:
            patch.setattr(mcadams, "BLOCK_FRAMES", 3)
            in_blocks = anonymise(samples[:length], sample_rate, alpha=0.8, variant=variant)
        assert in_blocks.tobytes() == whole.tobytes()


def test_a_long_recording_is_protected_without_copies_of_it_in_memory(tmp_path, monkeypatch):
    """Three hours took 4.8 GB; they may take 1 GB more than the 0.35 GB of their samples."""
    original = tmp_path / "long.flac"
    loud = np.tanh(20 * np.tile(speech_like(8000), 100))
    loud *= np.linspace(0.1, 0.99, len(loud))  # what is protected is beyond full scale at its end
    audio.write(original, loud, 8000)
    n_samples = len(audio.read(original)[0])
    utterance = Utterance("u", "s", "f", original, n_samples / 8000)
    protected = anonymise(audio.read(original)[0], 8000, alpha=0.8)
    assert np.abs(protected).max() > 1
    whole = to_int16(protected)
    for module, name in ((mcadams, "BLOCK"), (mcadams, "BLOCK_FRAMES"), (audio, "BLOCK")):
        monkeypatch.setattr(module, name, 100 if name == "BLOCK_FRAMES" else 10_000)
    options = {"variant": "vpc2020", "audio_dir": tmp_path}
    line, peak = peak_of(lambda: anonymise_file((utterance, 0.8), **options))
    assert peak < 5 * 2 * n_samples + 500_000
    assert (audio.read(line.path)[0] * 32768 == whole).all() and line == utterance._replace(
        path=line.path
    )


def test_alpha_one_gives_the_speech_back_between_the_ends():
    samples = speech_like(16000)
    protected = anonymise(samples, 16000, alpha=1.0, variant="vpc2024")
    weight = np.hanning(320).reshape(2, 160).sum(axis=0) / (np.hanning(320).sum() / 160)
    expected = samples[160:1440] * np.tile(weight, 8)
    np.testing.assert_allclose(protected[160:1440], expected, atol=1e-6)


@pytest.mark.parametrize(("length", "end"), [(1157, 1120), (1119, 960), (1120, 1120)])
def test_samples_after_the_last_whole_frame_are_zero(length, end):
    protected = b2(tone(0)[:length])
    assert not protected[end:].any()
    assert protected[end - 160 : end - 1].all()


def test_the_first_frame_is_left_out_where_there_is_a_second():
    assert not b2(tone(0)[:480])[:160].any()
    assert b2(tone(0)[:479])[1:160].all()


@pytest.mark.parametrize("length", [1, 2, 159, 160, 318, 319])
def test_a_signal_shorter_than_a_frame_lies_in_its_middle(length):
    frame, before = np.full(320, -EPSILON), (320 - length) // 2
    frame[before : before + length] = tone(0)[:length]
    assert b2(tone(0)[:length]).tolist() == b2(frame)[before : before + length].tolist()


def test_samples_in_single_precision_are_protected_in_double():
    single = tone(0)[:1000]
    assert b2(single).tolist() == b2(single.astype(float)).tolist()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("length", [1, 2, 19, 21, 100, 319, 320, 321, 479, 480, 481])
def test_short_audio_keeps_its_length_and_is_heard(length, variant):
    samples = 0.1 + tone(0)[:length]
    protected = anonymise(samples, 16000, alpha=0.8, variant=variant)
    assert protected.shape == (length,)
    assert np.isfinite(protected).all()
    assert np.abs(to_int16(protected)).max() == 32766


@pytest.mark.parametrize("sample_rate", RATES)
@pytest.mark.parametrize("value", [1.0, 0.5, -0.5, 1 / 32768, 1e-20, -EPSILON])
def test_a_constant_gives_finite_audio(value, sample_rate):
    protected = anonymise(np.full(4000, value), sample_rate, alpha=0.8)
    assert np.isfinite(protected).all()
    assert np.abs(to_int16(protected)).max() in (0, 32766)


@pytest.mark.parametrize("frequency", [100, 440, 1000, 3999])
def test_a_perfectly_predictable_frame_leaves_a_stable_filter(frequency):
    """Rounding makes reflection coefficients far beyond 1 here, unless the recursion ends."""
    frame = np.hanning(320) * np.sin(2 * np.pi * frequency * np.arange(320) / 16000)
    assert np.abs(np.roots(burg(frame))).max() < 1 + 1e-6


def test_a_rate_whose_frames_are_shorter_than_the_filter_is_refused():
    with pytest.raises(BadInput, match="1999 Hz"):
        anonymise(tone(0), 1999, alpha=0.8)
    assert anonymise(tone(0), 2000, alpha=0.8).any()


def test_int16_is_cut_towards_zero():
    assert to_int16(np.ones(2)).dtype == to_int16(np.zeros(2)).dtype == np.int16
    cut = to_int16(np.array([1.0, -1.0, 0.00009, -0.00009, 0.5]))
    assert cut.tolist() == [32766, -32766, 2, -2, 16383]


@pytest.mark.parametrize(
    "roots",
    [
        [0.9, 0.5, -0.3],
        [0.5 + 0.5j, 0.5 - 0.5j],
        [0.0, 0.0, 0.7],
        [0.9, 0.9 - 1e-4, -0.9, -0.9 + 1e-4],
        [0.99 * np.exp(2j * np.pi * k / 20) for k in range(20)],
        [],
    ],
)
def test_known_poles_are_found(roots):
    coefficients = np.zeros(ORDER + 1)
    coefficients[: len(roots) + 1] = np.real(np.poly(roots))
    real, imag = np.empty(ORDER), np.empty(ORDER)
    find_poles(coefficients, real, imag)
    padded = np.array([*roots, *[0.0] * (ORDER - len(roots))], dtype=complex)
    distances = np.abs((real + 1j * imag)[:, None] - padded)
    assert max(distances.min(axis=0).max(), distances.min(axis=1).max()) < 1e-8


@given(
    st.lists(st.complex_numbers(max_magnitude=1, allow_nan=False), min_size=ORDER, max_size=ORDER)
)
def test_complex_poles_come_in_pairs_whatever_the_rounding(poles):
    partner = np.empty(ORDER, dtype=np.int64)
    partners(np.real(poles).copy(), np.imag(poles).copy(), partner)
    assert (partner[partner] == np.arange(ORDER)).all()
