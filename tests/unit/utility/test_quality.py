"""Quality: DNSMOS as its package has it, ESTOI where the timing is kept, and odd recordings."""

import sys
import types
from pathlib import Path

import numpy as np
import pytest
from support.sounds import recording

from voiceprivacy.errors import BadInput
from voiceprivacy.models import onnx_network
from voiceprivacy.report.metrics import possible
from voiceprivacy.utility.kinds import quality
from voiceprivacy.utility.kinds.quality import Dnsmos, estoi, measure, read, starts
from voiceprivacy.vocabulary import UNDEFINED

RATE = 16000
OF_4_6_S = {"dnsmos_overall": 1.125646, "dnsmos_speech": 1.152081, "dnsmos_background": 1.141714}


def babble(seconds, seed=0):
    """Noise (N,) whose loudness rises and falls as that of syllables."""
    generator = np.random.default_rng(seed)
    time_s = np.arange(int(seconds * RATE)) / RATE
    return (0.1 * generator.standard_normal(len(time_s)) * np.sin(9 * time_s)).astype(np.float32)


@pytest.fixture(scope="module")
def network():
    return Dnsmos()


@pytest.fixture(scope="module")
def package():
    """speechmos itself on one thread, without its other network, whose input librosa makes."""
    other = types.SimpleNamespace(run=lambda *_: [[[0]]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "librosa", types.ModuleType("librosa"))
        from speechmos import dnsmos

        sessions = {"sig_bak_ovr.onnx": onnx_network.session, "model_v8.onnx": lambda _: other}
        open_session = {"InferenceSession": lambda path: sessions[Path(path).name](path)}
        patch.setattr(dnsmos, "ort", types.SimpleNamespace(**open_session))
        patch.setattr(dnsmos.DNSMOS, "audio_melspec", lambda self, audio: [[0]])
        yield lambda samples: dnsmos.run(samples, RATE)


# One window that is doubled; two; doubled three times and twice; as long as a window to the sample,
# and one less; eleven windows, which share most of what the network computes.
@pytest.mark.parametrize("seconds", [4.6, 11.2, 1.5, 4, 9.01, 9.00994, 20.3])
def test_dnsmos_is_that_of_its_package(network, package, seconds):
    samples = babble(seconds)
    expected, opinions = package(samples), network.opinions(samples)
    for name, short in (("overall", "ovrl"), ("speech", "sig"), ("background", "bak")):
        assert opinions[f"dnsmos_{name}"] == pytest.approx(expected[f"{short}_mos"], abs=1e-4)


@pytest.mark.parametrize("length", [144160, 12 * RATE, 30 * RATE, 30 * RATE - 1])
def test_windows_are_whole_and_begin_every_second(length):
    """Some are left out, as the package does: rounding makes these a sample shorter."""
    begins = starts(length)
    assert begins[0] == 0 and begins[-1] * RATE + 144160 <= length
    assert set(np.diff(begins)) <= {1, 2}


def test_half_a_window_has_the_opinions_that_the_package_has_of_it(network):
    assert network.opinions(babble(4.6)) == pytest.approx(OF_4_6_S, abs=1e-4)


@pytest.mark.parametrize("samples", [np.ones(1, np.float32), np.zeros(145_000, np.float32)])
def test_one_sample_and_silence_have_opinions(network, samples):
    assert all(0 < value < 6 for value in network.opinions(samples).values())


def test_metrics_take_an_opinion_of_what_is_no_speech(network):
    """The speech of clicks is below 1, though people give 1 to 5."""
    clicks = np.arange(145_000) % (RATE // 4) == 0
    opinions = network.opinions(clicks.astype(np.float32))
    assert opinions["dnsmos_speech"] < 1
    for metric, value in opinions.items():
        assert possible(metric, str(value), "metrics.tsv", words="")


def test_estoi_of_the_original_is_one_and_falls_with_noise():
    speech = babble(2)
    values = [estoi(speech, speech + level * babble(2, seed=1)) for level in (0, 0.3, 3)]
    assert values[0] == pytest.approx(1) and values[0] > values[1] > values[2]
    assert estoi(speech, speech + 3 * babble(2, seed=1)) == values[2], "the same twice"


@pytest.mark.parametrize(("fewer", "is_defined"), [(0, True), (410, True), (411, False)])
def test_estoi_wants_the_timing_of_the_original(fewer, is_defined):
    speech = babble(2)
    shorter = speech[: len(speech) - fewer]
    assert (estoi(speech, shorter) != UNDEFINED) is is_defined
    assert (estoi(shorter, speech) != UNDEFINED) is is_defined


def test_estoi_of_silence_and_of_hardly_any_speech():
    speech, silence = babble(2), np.zeros(2 * RATE, np.float32)
    assert estoi(speech, silence) == 0
    assert estoi(silence, speech) == estoi(silence, silence) == UNDEFINED
    for seconds in (0.0001, 0.02, 0.3):
        assert estoi(babble(seconds), babble(seconds)) == UNDEFINED


def test_every_utterance_has_every_metric_whatever_its_sample_rate(tmp_path, monkeypatch):
    opinions = dict.fromkeys(quality.POLYNOMIALS, 3.0)
    network = types.SimpleNamespace(opinions=lambda samples: opinions)
    monkeypatch.setattr(quality, "Dnsmos", lambda: network)
    speech = babble(3)
    rates = {"a": RATE, "b": 8000, "c": 44100}
    lines = [recording(tmp_path, name, speech, rate) for name, rate in rates.items()]
    measured = list(measure(lines, lines))
    assert [line.utterance for line in measured] == sorted(4 * ["a", "b", "c"])
    assert len(read(lines[1].path)) == 2 * len(speech)
    assert all(line.value == 1 for line in measured if line.metric == "estoi")


def test_a_package_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr(quality, "folder_of_package", lambda module: None)
    with pytest.raises(BadInput, match="speechmos, which is not installed"):
        Dnsmos()
