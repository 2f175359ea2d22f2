"""Kaldi data directories, well-formed and not."""

import numpy as np
import pytest
from support.trees import edit, errors, kaldi, prepared, write_audio, write_lines

from voiceprivacy.corpora import checks
from voiceprivacy.corpora.kinds.kaldi import read_text
from voiceprivacy.corpora.listing import Findings, list_utterances, read_transcripts
from voiceprivacy.corpora.recordings import mono
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio, manifests


def ids(folder):
    return [line.split()[0] for line in (folder / "wav.scp").read_text().splitlines()]


def test_a_data_directory_is_listed_with_file_and_line_and_paths_may_have_spaces(tmp_path):
    source, _ = kaldi(tmp_path, men=["m1"])
    utterances = list_utterances(source, Findings())
    assert len(utterances) == 12
    path = tmp_path / "wav" / "m1-0.wav"
    assert utterances[0] == ("m1-0", "m1", "m", "", path, f"{tmp_path}/wav.scp", 9)
    source, _ = kaldi(tmp_path, women=["w1"])
    path = write_audio(tmp_path / "my wav" / "x.wav")
    write_lines(tmp_path / "wav.scp", [f"w1-{index} {path}" for index in range(4)])
    assert {utterance.audio for utterance in list_utterances(source, Findings())} == {path}


def test_a_directory_without_spk2gender_relies_on_the_others(tmp_path):
    kaldi(tmp_path / "a", women=["w1"])
    kaldi(tmp_path / "b", women=["w1"])
    (tmp_path / "a" / "spk2gender").unlink()
    paths = [f"w1-{index} {tmp_path}/a/wav/w1-{index}.wav" for index in range(4)]
    write_lines(tmp_path / "b" / "wav.scp", paths)
    source = {"kaldi": {"enrolment": str(tmp_path / "a"), "trial": [str(tmp_path / "b")]}}
    assert {utterance.gender for utterance in list_utterances(source, Findings())} == {"f"}
    assert errors(source) == []


def test_relative_paths_start_from_the_given_root(tmp_path, monkeypatch):
    kaldi(tmp_path / "data", women=["w1"])
    write_audio(tmp_path / "here" / "wav" / "w1-0.wav")
    monkeypatch.chdir(tmp_path / "here")
    options = {"directory": str(tmp_path / "data"), "root": str(tmp_path / "corpora")}
    audio = {utterance.audio for utterance in list_utterances({"kaldi": options}, Findings())}
    assert audio == {tmp_path / f"corpora/wav/w1-{index}.wav" for index in range(4)}


def test_the_chapter_in_the_ids_of_librispeech_is_the_session(tmp_path):
    source, _ = kaldi(tmp_path, women=["61"])
    for name in ("wav.scp", "utt2spk"):
        edit(tmp_path / name, "61-0 ", "61-70968-0000 ")
        edit(tmp_path / name, "61-1 ", "62-70968-0000 ")
    sessions = {one.utterance: one.session for one in list_utterances(source, Findings())}
    assert sessions == {"61-70968-0000": "70968", "62-70968-0000": "", "61-2": "", "61-3": ""}


def test_text_may_be_empty_and_names_utterances_once(tmp_path):
    source, _ = kaldi(tmp_path, women=["w1"])
    write_lines(tmp_path / "text", ["w1-0 HELLO  YOU", "w1-1", "w9-9 LOST", ""])
    assert read_text(tmp_path / "text", Findings())["w1-0"] == (1, "HELLO  YOU")
    write_lines(tmp_path / "text", ["w1-0 HELLO", "w1-0 AGAIN"])
    with pytest.raises(BadInput, match="text:2: utterance 'w1-0' occurs twice"):
        read_transcripts(source)


def test_utterances_of_segments_are_stretches_of_recordings(tmp_path):
    source, protocol = kaldi(tmp_path)
    names = ids(tmp_path)
    segments = [f"{name} {name} 0.02 0.06" for name in names[1:]]
    write_lines(tmp_path / "segments", [f"{names[0]} {names[0]} 0.05 -1", *segments])
    listed = list_utterances(source, findings := Findings())
    assert findings == [] and {one.utterance for one in listed} == set(names)
    for one in prepared(tmp_path, source, protocol, "enrolment"):
        whole, rate = audio.read(tmp_path / "wav" / f"{one.utterance}.wav")
        start, end = (0.05, None) if one.utterance == names[0] else (0.02, round(0.06 * rate))
        piece, _ = audio.read(one.path)
        assert len(piece) == len(whole[round(start * rate) : end])
        assert np.abs(piece - whole[round(start * rate) : end]).max() < 2 / 32768


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{0} nobody 0 1", "recording 'nobody' is not in"),
        ("{0} {0} 1 0.5", "'1 0.5' is no stretch of time in seconds"),
        ("{0} {0} 0", "expected 4 columns"),
        ("{0} {0} 0 99", "and has no piece from 0 to 99 s"),
    ],
)
def test_segments_that_cannot_be_are_named(tmp_path, line, said):
    source, protocol = kaldi(tmp_path)
    first, *names = ids(tmp_path)
    others = [f"{name} {name} 0 0.1" for name in names]
    write_lines(tmp_path / "segments", [line.format(first), *others])
    errors = checks.examine(source, protocol, 16000).findings.errors()
    assert any(said in str(error) for error in errors), errors


def test_a_command_may_be_longer_than_a_name(tmp_path):
    kaldi(tmp_path, women=["w1"])
    edit(tmp_path / "wav.scp", "w1-0 ", "w1-0 cat ")
    edit(tmp_path / "wav.scp", "w1-0.wav", f"w1-0.wav |{'cat |' * 60}")
    assert errors({"kaldi": str(tmp_path), "pipes": True}) == []


def test_a_stretch_that_is_tried_should_not_lie_in_one_that_enrols(tmp_path):
    source, protocol = kaldi(tmp_path, women=["w1", "w2"], enrolled=1)
    lines = [f"{name} {name} 0 0.06" for name in ("w1-0", "w1-1", "w1-2", "w2-0")]
    lines.append("w2-1 w2-0 0.06 0.1")  # beside it
    for last, is_said in (("w2-2 w2-2 0 0.1", False), ("w2-2 w2-0 0.05 0.1", True)):
        write_lines(tmp_path / "segments", [*lines, last])
        said = [str(one) for one in checks.examine(source, protocol, 16000).findings]
        such = [one for one in said if one.startswith(f"{tmp_path}/segments:6: 1 utterance")]
        assert len(such) == is_said and all("'w2-2' and 'w2-0'" in one for one in such)


def test_directories_that_contradict_each_other_are_an_error(tmp_path):
    kaldi(tmp_path / "a", women=["w1"])
    kaldi(tmp_path / "b", women=[], men=["w1"])
    source = {"kaldi": {"enrolment": str(tmp_path / "a"), "trial": [str(tmp_path / "b")]}}
    assert {
        f"{tmp_path}/b/spk2gender:1: speaker 'w1' has another gender elsewhere",
        f"{tmp_path}/b/wav.scp:1: utterance 'w1-0' differs from {tmp_path}/a/wav.scp:1",
    } <= {*errors(source)}


@pytest.mark.parametrize(
    ("channel", "n_channels", "said"),
    [
        ("1", 1, None),
        ("A", 1, None),
        ("B", 1, "segments:1: channel 'B' of 'w1-0'"),
        ("A", 2, "segments:1: recording 'w1-0' has 2 channels"),
        ("A x", 1, "segments:1: expected 4 columns"),
    ],
)
def test_a_channel_in_segments_is_that_of_a_file_with_one(tmp_path, channel, n_channels, said):
    source, _ = kaldi(tmp_path)
    write_audio(tmp_path / "wav" / "w1-0.wav", channels=n_channels)
    write_lines(tmp_path / "segments", [f"w1-0 w1-0 0 0.1 {channel}"])
    write_lines(tmp_path / "utt2spk", ["w1-0 w1"])
    assert bool(errors(source)) == bool(said)
    assert not said or said in errors(source)[0]


def test_turns_are_joined_by_the_window_of_their_centres(tmp_path):
    """Windows of 2 s: the second turn has its centre at 2 s, and begins the second window."""
    samples = 0.5 * np.linspace(0, 1, 5 * 16000, dtype=np.float32) ** 5  # the first turns are quiet
    audio.write(tmp_path / "a.wav", samples, 16000)
    write_lines(tmp_path / "wav.scp", [f"a {tmp_path}/a.wav"])
    cuts = ["x-3 a 3 3.5", "x-1 a 0 0.5", "x-2 a 1.5 2.5", "y-1 a 0.5 1"]
    write_lines(tmp_path / "segments", cuts)
    write_lines(tmp_path / "utt2spk", [f"{cut.split()[0]} {cut[0]}" for cut in cuts])
    write_lines(tmp_path / "text", ["x-2 said second", "x-3 third", "y-1 yes"])
    source = {"kaldi": {"directory": str(tmp_path), "windows": 2}}
    listed = {one.utterance: one for one in list_utterances(source, Findings())}
    assert list(listed) == ["x-a-000", "x-a-001", "y-a-000"]
    said = {"x-a-000": "", "x-a-001": "said second third", "y-a-000": "yes"}
    assert read_transcripts(source) == said
    prepared(tmp_path, source, {}, "train")
    assert list(manifests.read_positions(tmp_path / "positions.tsv").values()) == [0, 1, 2]
    heard, rate = mono(listed["x-a-001"].audio)
    assert rate == 16000
    np.testing.assert_allclose(heard, [*samples[24000:40000], *samples[48000:56000]], atol=1e-4)
    write_lines(tmp_path / "segments", [*cuts[:3], "y-1 a 0.5 -1"])
    with pytest.raises(BadInput, match="segments:4: windows need the end of turn 'y-1'"):
        list_utterances(source, Findings())
