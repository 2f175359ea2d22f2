"""The measure by Praat's tracker, with a stand-in for Praat: tracks are compared as YIN's are."""

import importlib.util
import sys
import types

import numpy as np
import pytest

from voiceprivacy.inout import audio
from voiceprivacy.inout.files import RESOURCES
from voiceprivacy.inout.tables import Utterance, write_manifest
from voiceprivacy.utility.measures import read_measured
from voiceprivacy.utility.pitch_correlation import pitch_correlation

RATE = 16000
MELODY = 120 + 30 * np.sin(np.linspace(0, 9, 200))


class Sound:
    """Its pitch is the loudness of every 10 ms, times 1,000."""

    def __init__(self, samples, sampling_frequency):
        self.samples, self.rate = samples, sampling_frequency

    def to_pitch_ac(self, *, time_step, pitch_floor, pitch_ceiling):
        assert (time_step, pitch_floor, pitch_ceiling) == (0.01, 75, 500)
        track = 1000 * self.samples[:: int(self.rate * time_step)]
        return types.SimpleNamespace(selected_array={"frequency": track})


@pytest.fixture
def plugin(monkeypatch):
    praat = types.ModuleType("parselmouth")
    praat.Sound = Sound
    monkeypatch.setitem(sys.modules, "parselmouth", praat)
    spec = importlib.util.spec_from_file_location(
        "praat_pitch", RESOURCES / "plugins/praat_pitch.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tracks():
    half_voiced, few = MELODY.copy(), np.zeros(200)
    half_voiced[20:110], few[:9] = 0, 100
    return {
        "the same": MELODY,
        "turned around": 300 - MELODY,
        "slower": np.interp(np.linspace(0, 199, 300), np.arange(200), MELODY),
        "later": np.roll(MELODY, 3),
        "half voiced": half_voiced,
        "hardly voiced": few,
        "one tone": np.full(200, 100.0),
        "silent": np.zeros(180),
        "empty": np.zeros(0),
    }


@pytest.mark.parametrize("original", tracks())
@pytest.mark.parametrize("protected", tracks())
def test_tracks_are_compared_as_those_of_yin(plugin, original, protected):
    pair = tracks()[original], tracks()[protected]
    assert plugin.correlation(*pair) == pytest.approx(pitch_correlation(*pair))


def test_the_table_has_every_utterance_and_short_ones_do_not_reach_praat(
    plugin, tmp_path, monkeypatch
):
    lines = []
    for name, track in {"a": MELODY / 1000, "b": MELODY[::-1] / 1000, "c": MELODY[:3]}.items():
        path = tmp_path / f"{name}.wav"
        audio.write(path, np.repeat(track, RATE // 100).astype(np.float32), RATE)
        lines.append(Utterance(name, "s", "f", path, len(track) / 100))
    write_manifest(tmp_path / "m.tsv", lines)
    arguments = ["--manifest", tmp_path / "m.tsv", "--original", tmp_path / "m.tsv"]
    arguments += ["--output", tmp_path / "out.tsv"]
    monkeypatch.setattr(sys, "argv", ["praat_pitch.py", *map(str, arguments)])
    monkeypatch.chdir(tmp_path)
    plugin.main()
    values = [line.value for line in read_measured(tmp_path / "out.tsv", ["a", "b", "c"])]
    assert values == [pytest.approx(1), pytest.approx(1), "undefined"]
