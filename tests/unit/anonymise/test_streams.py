"""Streams: what chunks give is what the whole gives, and how long a sample waits."""

import textwrap
from pathlib import Path

import numpy as np
import pytest
from support.shards import run_part
from support.sounds import RATE, tone

from voiceprivacy.anonymise import call_function, streams
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.vocabulary import STREAMED

pytestmark = pytest.mark.usefixtures("this_process")

EXAMPLE = Path("workflow/resources/plugins/streamed_low_pass.py").absolute()
NAMES = {"utterance": "u", "speaker": "s", "seed": 1}
CLASS = """import numpy as np
class Voice:
    def __init__(self, sample_rate, *, utterance, speaker, seed, gain=1.0):
        self.gain, self.kept = gain, np.zeros(0, np.float32)
"""


class Delay:
    """Gives samples as they came, so many of them late."""

    def __init__(self, ahead):
        self.ahead, self.kept = ahead, np.zeros(0)

    def push(self, chunk):
        self.kept = np.concatenate([self.kept, chunk])
        n_ready = max(0, len(self.kept) - self.ahead)
        ready, self.kept = self.kept[:n_ready], self.kept[n_ready:]
        return ready

    def finish(self):
        return self.kept


@pytest.mark.parametrize(
    ("ahead", "n_samples", "latency_ms"),
    [
        (0, 16000, 20),  # a chunk has to be complete
        (80, 16000, 25),  # 5 ms of what follows
        (320, 16000, 40),
        (100_000, 16000, 1000),  # nothing before the end
        (0, 100, 6.25),  # shorter than a chunk
        (0, 330, 20),
    ],
)
def test_latency_is_the_longest_delay_of_a_sample(ahead, n_samples, latency_ms):
    samples = np.arange(n_samples, dtype=np.float32) / n_samples
    measured = streams.latency_ms(lambda: Delay(ahead), samples, RATE, streams.Chunks())
    assert measured == pytest.approx(latency_ms)


@pytest.mark.parametrize(("late_s", "longer"), [(1.0, True), (0.3, False), (0.0, False)])
def test_speech_behind_zeros_is_late(late_s, longer):
    class Late:
        def __init__(self):
            self.kept = np.zeros(round(late_s * RATE), np.float32)

        def push(self, chunk):
            said = np.concatenate([self.kept, -chunk])
            self.kept = said[len(chunk) :]
            return said[: len(chunk)]

        def finish(self):
            return self.kept if longer else self.kept[:0]

    draw = np.random.default_rng(0)
    loudness = np.repeat(draw.uniform(size=40), RATE // 20)
    samples = (0.2 * loudness * draw.standard_normal(2 * RATE)).astype(np.float32)
    measured = streams.latency_ms(Late, samples, RATE, streams.Chunks())
    assert measured == pytest.approx(20 + 1000 * late_s, abs=6)


def test_a_stream_may_give_samples_of_16_bits():
    class Steps(Delay):
        def push(self, chunk):
            return np.int16(1000 * super().push(chunk))

    samples = np.linspace(-1, 1, 100, dtype=np.float32)
    given = streams.whole(lambda: Steps(0), samples)
    np.testing.assert_array_equal(32768 * given, np.int16(1000 * samples))


def test_the_latency_of_the_example_is_its_filter_and_a_chunk(protect_part):
    speech = protect_part({"function": f"{EXAMPLE}:LowPass", "options": {"cutoff_hz": 1000}})
    assert 20 + 1000 * 127 / RATE <= read_json(speech / STREAMED)["latency_ms"] <= 40


def test_the_example_leaves_what_is_low_in_its_place_and_takes_what_is_high(tmp_path):
    time_s = np.arange(8000) / RATE
    low, high = np.sin(2 * np.pi * 300 * time_s), np.sin(2 * np.pi * 5000 * time_s)
    make = call_function.load_function(f"{EXAMPLE}:LowPass")
    filtered = streams.whole(lambda: make(RATE, **NAMES), (low + high).astype(np.float32))
    np.testing.assert_allclose(filtered[200:-200], low[200:-200], atol=5e-3)
    assert len(streams.whole(lambda: make(RATE, **NAMES), low[:5].astype(np.float32))) == 5


@pytest.fixture
def protect_part(original, tmp_path):
    """Protect the original manifest; the folder of the speech."""

    def protect(anonymiser, threads=1):
        return run_part(original, anonymiser, tmp_path, threads=threads).parent / "wav/0"

    return protect


@pytest.fixture
def stream(tmp_path):
    """Write the two methods of a class; its anonymiser."""

    def write(push, finish="return []", **voice):
        text = CLASS
        for name, body in {"push(self, chunk)": push, "finish(self)": finish}.items():
            text += f"    def {name}:\n{textwrap.indent(body, '        ')}\n"
        (tmp_path / "voice.py").write_text(text)
        return {"function": f"{tmp_path / 'voice.py'}:Voice", **voice}

    return write


@pytest.mark.parametrize("threads", [1, 2])
def test_a_stream_makes_every_utterance_and_is_tried_on_the_first(protect_part, stream, threads):
    voice = stream("return -self.gain * chunk", options={"gain": 0.5})
    speech = protect_part(voice | {"streaming": {"chunk_ms": 10}}, threads=threads)
    lines = read_manifest(speech.parents[1] / "manifest.tsv")
    assert len(lines) == 8 and all(line.path.is_file() for line in lines)
    np.testing.assert_allclose(audio.read(speech / "s0_1.flac")[0], -tone(1) / 2, atol=1 / 32768)
    assert read_json(speech / STREAMED) == {"latency_ms": 10}


REFUSED = {
    "each chunk has a loudness of its own": ["return chunk / np.abs(chunk).max()"],
    "the array behind a chunk is looked at": [
        "whole = chunk if chunk.base is None else chunk.base\nreturn chunk / np.abs(whole).max()"
    ],
    "the first sample of each chunk is lost": ["return chunk[1:]"],
    "a state is kept in the class": [
        "cls = type(self)\ncls.gain = getattr(cls, 'gain', 1.0) * 0.9\nreturn cls.gain * chunk"
    ],
    "what was heard of the whole is kept": [  # chunks come before the whole
        "cls, peak = type(self), np.abs(chunk).max()\n"
        "cls.peak = max(getattr(cls, 'peak', 0), peak)\nreturn chunk / (1 + cls.peak)"
    ],
}


def tried(voice, **chunks):
    """The latency of a stream, tried in this process."""
    make = call_function.load_function(voice["function"])
    return streams.latency_ms(lambda: make(RATE, **NAMES), tone(3), RATE, streams.Chunks(**chunks))


@pytest.mark.parametrize("case", REFUSED)
def test_chunks_that_give_something_else_than_the_whole_are_refused(stream, case):
    with pytest.raises(BadInput, match="chunks of 20 ms give"):
        tried(stream(*REFUSED[case]))


def test_a_buffer_that_is_used_again_spoils_nothing(stream):
    push = """if not hasattr(type(self), 'buffer'):
    type(self).buffer = np.zeros(100_000, np.float32)
type(self).buffer[: len(chunk)] = chunk
return type(self).buffer[: len(chunk)]"""
    assert tried(stream(push)) == 20


def test_the_tolerance_is_what_is_asked_for(stream):
    push = "return chunk + 5e-4 * (len(chunk) > 320)"
    with pytest.raises(BadInput, match=r"differ by up to 0.0005 \(tolerance 0.0001\)"):
        tried(stream(push))
    assert tried(stream(push), tolerance=1e-3, chunk_ms=10) == 10


@pytest.mark.parametrize(
    ("push", "said"),
    [
        ("return chunk[None]", r"samples \(n,\), not an array of shape \(1, 320\)"),
        ("return chunk + np.nan", "another sample than the whole after 0.000 s"),
        ("return 1 / 0", r"ZeroDivisionError: division by zero \(voice.py, line 6\)"),
    ],
)
def test_what_a_stream_does_wrong_is_told(protect_part, stream, push, said):
    with pytest.raises(BadInput, match=f"utterance 's._.': .*Voice: .*{said}"):
        protect_part(stream(push))


def test_a_stream_that_cannot_be_made_is_told_how_it_is_called(protect_part, stream):
    voice = stream("return chunk", options={"strength": 3})
    with pytest.raises(BadInput, match=r"called with \(sample_rate, \*, utterance, speaker, seed"):
        protect_part(voice)


def test_how_chunks_are_is_said_of_a_stream_only(protect_part):
    voice = {"function": f"{EXAMPLE.with_name('reversed.py')}:anonymise"}
    with pytest.raises(BadInput, match="'streaming', and is no class"):
        protect_part(voice | {"streaming": {"chunk_ms": 20}})
    assert not (protect_part(voice) / STREAMED).exists()
