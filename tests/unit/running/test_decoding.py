"""Files that only ffmpeg reads: what it is told, never given, and what is said without it.

A stand-in of ffmpeg notes its arguments; the real one is tried where it is installed.
"""

import itertools
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
import soundfile
from support import needs

from voiceprivacy.corpora.recordings import inspect
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.inputs import guarding_inputs, refuse_input
from voiceprivacy.running import boxes, decoding

STAND_IN = """#!{python}
import pathlib, shutil, sys
pathlib.Path({told!r}).write_text("\\n".join(sys.argv[1:]))
given = sys.argv[sys.argv.index("-i") + 1].removeprefix("file:")
if "-version" in sys.argv or b"broken" in open(given, "rb").read(99):
    sys.exit("Invalid data found")
shutil.copy({sound!r}, sys.argv[-1])
"""
with_ffmpeg = needs.program("ffmpeg")
TONE = np.sin(2 * np.pi * 440 * np.arange(22050) / 22050) / 3


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """A folder with talk.m4a, and a stand-in of ffmpeg that says what it was told there."""
    soundfile.write(tmp_path / "sound.wav", np.stack([TONE, 0 * TONE], axis=1), 22050)
    told, sound = str(tmp_path / "told"), str(tmp_path / "sound.wav")
    program = tmp_path / "bin" / "ffmpeg"
    program.parent.mkdir()
    program.write_text(STAND_IN.format(python=sys.executable, told=told, sound=sound))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(boxes, "why_not", lambda: "it could not say what it was told")
    (tmp_path / "talk.m4a").write_bytes(b"\0\0\0 ftypM4A ")
    return tmp_path


def refused(path, said):
    with pytest.raises(BadInput, match=said), decoding.decoded(path):
        pass


def test_a_film_is_read_as_any_recording_and_leaves_nothing_behind(stand_in):
    (inspection,) = inspect([stand_in / "talk.m4a"], samples=True)
    assert inspection.error is None
    assert inspection.header[:3] == (22050, 2, 1.0)
    with decoding.decoded(stand_in / "talk.m4a") as file:
        samples, _ = audio.read(file)
    assert np.abs(samples - TONE / 2).max() < 1e-3
    assert not file.exists()


def test_how_a_file_begins_decides_not_what_it_is_called(stand_in):
    shutil.copy(stand_in / "talk.m4a", stand_in / "talk.wav")
    shutil.copy(stand_in / "sound.wav", stand_in / "sound.m4a")
    talk, sound = inspect([stand_in / "talk.wav", stand_in / "sound.m4a"], samples=True)
    assert (talk.error, sound.error) == (None, None)
    assert (stand_in / "told").read_text().split("\n")[-1].endswith("sound.wav")
    (stand_in / "told").unlink()
    inspect([stand_in / "sound.m4a"], samples=True)
    assert not (stand_in / "told").exists(), "libsndfile reads it"


def test_ffmpeg_may_open_files_only_and_no_list_of_others(stand_in):
    with decoding.decoded(stand_in / "talk.m4a"):
        told = (stand_in / "told").read_text().split("\n")
    options = dict(itertools.pairwise(told))
    assert options["-protocol_whitelist"] == "file"
    assert options["-i"] == f"file:{stand_in}/talk.m4a"
    allowed = options["-format_whitelist"].split(",")
    assert not {"hls", "concat", "dash", "concatf", "sdp", "rtsp", "image2", "tty"} & set(allowed)
    assert told.index("-format_whitelist") < told.index("-i"), "an option of the input"
    assert "-nostdin" in told


@pytest.mark.parametrize(
    "content", [b"#EXTM3U\nfile:///etc/passwd", b"ffconcat version 1.0\nfile x", b"\n<MPD", b""]
)
def test_lists_of_other_files_and_empty_ones_are_refused_before_ffmpeg_sees_them(stand_in, content):
    (stand_in / "list.mp4").write_bytes(content)
    said = "is a list of other files" if content else "is empty"
    refused(stand_in / "list.mp4", f"list.mp4: {said}")
    assert not (stand_in / "told").exists()


def test_what_is_decoded_is_an_input_and_no_pipe(stand_in):
    """A film could be overwritten by a command that had read it; a named pipe never ended."""
    os.mkfifo(stand_in / "pipe.m4a")
    refused(stand_in / "pipe.m4a", "is a pipe or a device")
    of_input = pytest.raises(BadInput, match="is an input of this command")
    with guarding_inputs(), decoding.decoded(stand_in / "talk.m4a"), of_input:
        refuse_input(stand_in / "talk.m4a")


def test_what_ffmpeg_cannot_read_is_named_with_its_reason(stand_in):
    (stand_in / "bad.mkv").write_bytes(b"broken")
    bad, none = inspect([stand_in / "bad.mkv", stand_in / "none.mkv"], samples=True)
    assert "ffmpeg finds no sound that it can read (Invalid data found)" in bad.error
    assert none.error == "not found"


def test_what_takes_ffmpeg_too_long_is_not_called_no_sound(stand_in, monkeypatch):
    monkeypatch.setattr(decoding, "LIMIT_MINUTES", 0)
    refused(stand_in / "talk.m4a", "talk.m4a: .* within 0 minutes")


def test_without_ffmpeg_it_is_said_that_it_is_needed(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "talk.webm").write_bytes(b"x")
    (inspection,) = inspect([tmp_path / "talk.webm"], samples=False)
    assert inspection.error.startswith("needs ffmpeg, which is not installed")


def encoded(path, samples, *codec):
    tone = path.with_name("tone.wav")
    soundfile.write(tone, samples, 22050)
    subprocess.run(["ffmpeg", "-loglevel", "error", "-i", tone, *codec, path], check=True)
    return path


@with_ffmpeg
@pytest.mark.parametrize("boxed", [False, True])
@pytest.mark.parametrize("ending", ["m4a", "webm"])
def test_the_real_one_gives_the_sound_back(tmp_path, monkeypatch, ending, boxed):
    if boxed:
        needs.program_or_skip("bubblewrap", boxes.why_not)
    else:
        monkeypatch.setattr(boxes, "why_not", lambda: "not wanted")
    codec = ["-c:a", "libopus"] if ending == "webm" else []
    path = encoded(tmp_path / f"a b.{ending}", TONE, *codec)
    with decoding.decoded(path) as file:
        samples, rate = audio.read(file)
    assert len(samples) / rate == pytest.approx(1, abs=0.12)
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    assert spectrum.argmax() * rate / len(samples) == pytest.approx(440, abs=2)


@with_ffmpeg
def test_the_real_one_opens_no_playlist_that_hides_behind_an_ending(tmp_path):
    soundfile.write(tmp_path / "tone.wav", TONE, 22050)
    # A line before the mark: our own look at the start does not see it, ffmpeg must not either.
    (tmp_path / "list.mp4").write_text("# x\nffconcat version 1.0\nfile tone.wav\n")
    refused(tmp_path / "list.mp4", "ffmpeg finds no sound")
    shutil.copy(tmp_path / "tone.wav", tmp_path / "tone.mp4")
    refused(tmp_path / "tone.mp4", "ffmpeg finds no sound")
    assert decoding.version()


@with_ffmpeg
@pytest.mark.parametrize("ending", ["m4a", "mkv", "aac"])
def test_half_a_file_is_not_taken_for_a_short_recording(tmp_path, ending):
    codec = ["-c:a", "aac", *(["-movflags", "faststart"] if ending == "m4a" else [])]
    path = encoded(tmp_path / f"a.{ending}", np.tile(TONE, 5), *codec)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 6 // 10])
    refused(path, r"a\.\w+: truncated or damaged, as ffmpeg says")
    path.write_bytes(content)
    with decoding.decoded(path) as file:
        assert audio.header(file).duration_s == pytest.approx(5, abs=0.12)
