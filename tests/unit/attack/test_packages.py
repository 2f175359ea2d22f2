"""Embeddings made elsewhere, by packages, commands or in files: equal to theirs, and checked."""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from support.calls import flags, succeeds
from support.models import write_tones
from support.sounds import recording

from voiceprivacy.attack.extractors import of_others, packages
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import read_embeddings
from voiceprivacy.inout.manifests import read_manifest, write_manifest
from voiceprivacy.models import fetching, mel
from voiceprivacy.models.pinned import is_installed
from voiceprivacy.plan.attackers import PACKAGE_DIMENSIONS

DATA = Path(__file__).parents[2] / "data"
# The d-vector's network computes in 8 bits, which processors without VNNI round otherwise.
SAME = {"resemblyzer": 1e-5, "campplus": 1e-4, "dvector": 2e-3}
MISSING = "not installed (make test-long installs it)"


def package(name):
    """A parameter: the name of a package, skipped where its weights are not there."""
    lacks = pytest.mark.skipif(not is_installed(name), reason=f"{name}: {MISSING}")
    return pytest.param(name, marks=lacks)


EACH = pytest.mark.parametrize("name", [package(name) for name in SAME])


@pytest.fixture(scope="module")
def signals():
    """The signals that tests/data/encoders/README.md describes."""
    sentence = np.load(DATA / "mcadams" / "espeak2.npz")["in_int16"] / np.float32(32768)
    longer, shorter = np.zeros(24000, np.float32), np.zeros(16000, np.float32)
    return {
        "sentence": sentence,
        "quiet": sentence / 50,
        "with_pauses": np.concatenate([sentence, longer, sentence[::-1], shorter, sentence]),
        "short": sentence[4000:12000],
    }


@EACH
def test_embeddings_are_those_of_the_package(signals, name):
    reference = np.load(DATA / "encoders" / "embeddings.npz")
    encoder = packages.ENCODERS[name]()
    for signal, expected in zip(reference["ids"], reference[name], strict=True):
        embedding = encoder.embed(signals[signal])
        np.testing.assert_allclose(embedding, expected, atol=SAME[name])
        lengths = np.linalg.norm(embedding) * np.linalg.norm(expected)
        assert 1 - embedding @ expected / lengths < SAME[name] / 10


@EACH
def test_the_number_of_processes_changes_nothing(signals, name, tmp_path):
    utterances = [recording(tmp_path, name, samples) for name, samples in signals.items()]
    write_manifest(tmp_path / "manifest.tsv", utterances)
    for threads in ("1", "2"):
        files = flags(manifest=tmp_path / "manifest.tsv", embeddings=tmp_path / f"{threads}.npz")
        succeeds("extract_embeddings", *files, "--package", name, "--threads", threads)
    alone, together = read_embeddings(tmp_path / "1.npz"), read_embeddings(tmp_path / "2.npz")
    assert alone.ids.tolist() == list(signals)
    assert alone.embeddings.shape == (4, PACKAGE_DIMENSIONS[name])
    np.testing.assert_array_equal(alone.embeddings, together.embeddings)


@pytest.mark.parametrize("name", [package("campplus")])
def test_a_gpu_embeds_together_only_what_has_one_length(signals, name, monkeypatch, tmp_path):
    """Where there is no GPU, a CPU stands in for it."""
    signals = {name: signals[name] for name in ("sentence", "short")}
    signals["again"] = signals["sentence"][::-1]
    utterances = [recording(tmp_path, name, samples) for name, samples in signals.items()]
    if not torch.cuda.is_available():
        monkeypatch.setattr("voiceprivacy.models.campplus.torch_device", lambda wanted: "cpu")
    alone = packages.embed_manifest(utterances, package=name)
    together = packages.embed_manifest(utterances, package=name, device="cuda", threads=2)
    assert together.ids.tolist() == list(signals)
    exactness = 1e-3 if torch.cuda.is_available() else 1e-5
    np.testing.assert_allclose(together.embeddings, alone.embeddings, atol=exactness)


@EACH
@pytest.mark.parametrize(
    ("sample_rate", "n_samples", "message"),
    [(8000, 8000, "has 8000 Hz, the encoder is for 16000 Hz"), (16000, 500, "lasts 0.031 s")],
)
def test_speech_that_cannot_be_embedded_is_named(name, sample_rate, n_samples, message, tmp_path):
    utterance = recording(tmp_path, "a", np.full(n_samples, 0.1), sample_rate)
    if name == "resemblyzer" and sample_rate == 16000:
        assert len(packages.embed_manifest([utterance], package=name).embeddings) == 1
        return  # it fills short speech up
    with pytest.raises(BadInput, match=message):
        packages.embed_manifest([utterance], package=name)


@pytest.mark.parametrize(
    ("name", "library"),
    [("resemblyzer", "webrtcvad"), ("campplus", "torch"), ("dvector", "onnxruntime")],
)
def test_what_is_not_there_is_named_with_what_brings_it(name, library, monkeypatch, tmp_path):
    monkeypatch.setenv(fetching.VARIABLE, str(tmp_path))
    with pytest.raises(BadInput, match=f"{tmp_path}/{name}/.* voiceprivacy fetch-models {name}"):
        packages.ENCODERS[name]()
    monkeypatch.setattr(packages, "read_pinned", lambda *names: b"")
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(BadInput, match=f"package: {name}.* {library}, .* --sdm conda"):
        packages.ENCODERS[name]()


def test_a_pause_is_kept_within_three_windows_of_speech():
    flags = np.zeros(60, dtype=bool)
    flags[20:32] = True
    # A mean of eight windows, from three before to four after, is above a half from 21 - 4 + 5 on.
    kept = np.flatnonzero(packages.widened(flags))
    means = np.array([flags[max(0, i - 3) : i + 5].sum() / 8 for i in range(60)])
    voiced = np.flatnonzero(means > 0.5)
    assert kept.tolist() == list(range(voiced[0] - 3, voiced[-1] + 4))


@pytest.mark.parametrize("n_windows", [0, 1, 4, 5])
def test_speech_of_less_than_five_windows_is_no_speech(n_windows):
    flags = np.ones(n_windows, dtype=bool)
    assert packages.widened(flags).tolist() == [n_windows > 4] * n_windows


@pytest.mark.parametrize(
    ("n_samples", "starts"),
    [
        (0, [0]),
        (25600, [0]),  # 1.6 s: the next partial would begin at 0.77 s and be half filled
        (160 * 77 + 19200, [0, 77]),  # three quarters of the second partial
        (160 * 77 + 19199, [0]),
    ],
)
def test_partials_begin_every_077_seconds_and_the_last_holds_three_quarters_of_speech(
    n_samples, starts
):
    assert packages.partial_starts(n_samples) == starts


def test_a_band_lets_its_own_tone_through():
    """A tone at a band's centre: most of the power is in that band."""
    corners = mel.mel_to_hz(np.linspace(0, mel.hz_to_mel(8000), 42))
    time = np.arange(16000) / 16000
    for band in (5, 20, 35):
        tone = np.sin(2 * np.pi * corners[band + 1] * time).astype(np.float32)
        powers = packages.mel_spectrogram(tone, mel.hann(512)).mean(axis=0)
        assert powers.argmax() == band


def test_long_speech_is_transformed_in_blocks(monkeypatch):
    samples = np.random.default_rng(0).normal(0, 0.1, 8000).astype(np.float32)
    whole = packages.mel_spectrogram(samples, mel.hann(400))
    monkeypatch.setattr(packages, "BLOCK", 7)
    np.testing.assert_allclose(packages.mel_spectrogram(samples, mel.hann(400)), whole, rtol=1e-5)
    assert whole.shape == (1 + (8000 - 400) // 160, 40)


COMMAND = """
import csv, os, sys
import numpy as np
given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
with open(given["--manifest"]) as file:
    rows = list(csv.DictReader(file, delimiter="\\t"))
ids = [row["utterance"] for row in rows]
assert all(os.path.isabs(row["path"]) and os.path.isfile(row["path"]) for row in rows)
embeddings = np.arange(len(ids) * int(given["--size"])).reshape(len(ids), -1)
np.savez(given["--embeddings"], ids=np.array(ids[::-1]), embeddings=embeddings)
"""


@pytest.fixture
def manifest(tmp_path):
    return write_tones(tmp_path / "speech", speakers=2, utterances=2, seconds=0.1)


def saved(path, ids, embeddings):
    np.savez(path, ids=np.array(ids), embeddings=np.array(embeddings, dtype=np.float32))
    return path


def test_a_command_gives_embeddings_in_any_order(manifest, tmp_path):
    (tmp_path / "mine.py").write_text(COMMAND, encoding="utf-8")
    command = f"{sys.executable} {tmp_path / 'mine.py'} --size {{threads}}"
    made = of_others.from_command(command, read_manifest(manifest), threads=2)
    assert made.ids.tolist() == ["s0-0", "s0-1", "s1-0", "s1-1"]
    assert made.embeddings.tolist() == [[6, 7], [4, 5], [2, 3], [0, 1]]
    assert made.embeddings.dtype == np.float32


def test_a_file_may_hold_more_than_is_asked_for(manifest, tmp_path):
    ids = ["other", "s1-1", "s1-0", "s0-1", "s0-0"]
    path = saved(tmp_path / "e.npz", ids, np.arange(10).reshape(5, 2))
    made = of_others.from_file(path, read_manifest(manifest))
    assert made.embeddings.tolist() == [[8, 9], [6, 7], [4, 5], [2, 3]]


@pytest.mark.parametrize(
    ("ids", "embeddings", "reason"),
    [
        (["s0-0", "s0-1", "s1-0"], np.ones((3, 2)), "has no embedding of 's1-1'"),
        (["s0-0", "s0-1", "s1-0", "s1-1"], np.full((4, 2), np.nan), "'s0-0' is not finite"),
        (["s0-0", "s0-0", "s0-1", "s1-0", "s1-1"], np.ones((5, 2)), "occurs twice"),
        (["s0-0", "s0-1", "s1-0", "s1-1"], np.array([[1, 1]] * 3 + [[0, 1e-39]]), "'s1-1' is zero"),
    ],
)
def test_embeddings_that_lack_something_are_refused(manifest, tmp_path, ids, embeddings, reason):
    with pytest.raises(BadInput, match=reason):
        of_others.from_file(saved(tmp_path / "e.npz", ids, embeddings), read_manifest(manifest))


def test_an_embedding_of_whisper_has_signed_roots_of_the_mean_over_frames():
    encoder = packages.WhisperEncoder()
    encoder.network = SimpleNamespace(frames=lambda samples: np.float32([[3, -9, 0], [5, -9, 0]]))
    assert encoder.embed(np.zeros(160, np.float32)).tolist() == [2, -3, 0]
