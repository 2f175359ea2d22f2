"""LibriSpeech's folder tree."""

import shutil
from collections import Counter
from pathlib import Path

import pytest
from support import needs
from support.trees import SPEECH, errors, librispeech, prepared, write_audio

from voiceprivacy.corpora.kinds.librispeech import read_transcripts
from voiceprivacy.corpora.listing import Findings, list_utterances
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio

ENROL_TRIAL = {"enrol_trial": {"enrolment_utterances": 2, "lists": ["f", "m"]}}


def test_speaker_gender_chapter_and_transcripts_are_read_and_hidden_files_are_neither(tmp_path):
    source = librispeech(tmp_path)
    utterances = list_utterances(source, Findings())
    assert len(utterances) == 24
    assert utterances[0][:4] == ("11-100-0000", "11", "f", "100")
    assert utterances[-1][:4] == ("14-101-0002", "14", "m", "101")
    chapter = tmp_path / "dev" / "11" / "100"
    write_audio(chapter / "._11-100-0000.flac")
    (chapter / "._11-100.trans.txt").write_bytes(b"\0\5\x16\7")  # as macOS leaves them on disks
    with pytest.raises(BadInput, match=r"has no speaker/chapter/\*\.trans\.txt"):
        read_transcripts(source["librispeech"])
    (chapter / "11-100.trans.txt").write_text("\n11-100-0000\tHELLO YOU\n11-100-0001\n\n")
    texts = {"11-100-0000": "HELLO YOU", "11-100-0001": ""}
    assert read_transcripts(source["librispeech"]) == texts
    assert len(list_utterances(source, Findings())) == 24


def test_files_of_any_kind_are_read_and_those_in_no_chapter_are_said(tmp_path):
    source = librispeech(tmp_path)
    chapter = tmp_path / "dev" / "11" / "100"
    (chapter / "11-100-0000.flac").rename(chapter / "11-100-0000.FLAC")
    (chapter / "11-100-0001.flac").rename(chapter / "11-100-0001.m4a")
    shutil.move(tmp_path / "dev/12/100/12-100-0000.flac", tmp_path / "dev/12")
    findings = Findings()
    assert len(list_utterances(source, findings)) == 23
    assert [one.what for one in findings if "1 audio file is in no folder" in one.what]


def test_a_file_with_another_speaker_s_name_is_an_error(tmp_path):
    source = librispeech(tmp_path)
    path = tmp_path / "dev" / "11" / "100" / "12-109-0000.flac"
    shutil.move(tmp_path / "dev" / "12" / "100" / "12-100-0000.flac", path)
    (error,) = errors(source)
    assert error.startswith(f"{path}: has the name of '12' and lies with speaker '11'")
    # In a tree of one's own, names may be numbers, as speakers are.
    for chapter in (tmp_path / "dev").glob("*/*"):
        for number, file in enumerate(sorted(chapter.glob("*.flac"))):
            own = f"{chapter.parent.name}-{chapter.name}"
            file.rename(file.with_name(f"{11 + number}-{own}.flac"))
    assert errors(source) == []


def test_sexes_are_written_in_the_words_of_all_tables(tmp_path):
    source, table = librispeech(tmp_path), tmp_path / "SPEAKERS.TXT"
    table.write_text(table.read_text().replace("| F |", "| female |").replace("| M |", "| m |"))
    assert {one.gender for one in list_utterances(source, Findings())} == {"f", "m"}
    assert errors(source) == []


def test_an_utterance_in_two_subsets_is_an_error(tmp_path):
    source = librispeech(tmp_path)
    shutil.copytree(tmp_path / "dev" / "11" / "100", tmp_path / "test" / "11" / "100")
    source["librispeech"]["subsets"].append("test")
    again = tmp_path / "test" / "11" / "100" / "11-100-0001.flac"
    first = f"{tmp_path}/dev/11/100/11-100-0001.flac"
    assert f"{again}: utterance '11-100-0001' is also {first}" in errors(source)


def test_mono_audio_of_the_right_rate_stays_where_it_lies(tmp_path):
    source = librispeech(tmp_path / "libri")
    manifest = prepared(tmp_path / "out", source, ENROL_TRIAL, "train")
    assert all(utterance.path.is_relative_to(tmp_path / "libri") for utterance in manifest)
    assert {utterance.duration_s for utterance in manifest} == {0.1}


@pytest.mark.parametrize("properties", [{"sample_rate": 8000}, {"channels": 2}])
def test_other_audio_is_converted(tmp_path, properties):
    source = librispeech(tmp_path / "libri", women=["11"], men=[], chapters=1)
    write_audio(tmp_path / "libri" / "dev" / "11" / "100" / "11-100-0001.flac", **properties)
    manifest = prepared(tmp_path / "out", source, {}, "train", threads=2)
    converted = tmp_path / "out" / "train" / "11-100-0001.flac"
    assert [utterance.path == converted for utterance in manifest] == [False, True, False]
    assert audio.header(converted)[:3] == (16000, 1, 0.1)


@needs.data("VOICEPRIVACY_SPEECH")
def test_the_excerpt_of_librispeech_is_read_as_it_is(tmp_path):
    source = {"librispeech": {"root": SPEECH, "subsets": ["test-other"]}}
    protocol = {"enrol_trial": {"enrolment_utterances": 3, "lists": ["f", "m"]}}
    for part, count in (("enrolment", 30), ("trial", 70)):
        manifest = prepared(tmp_path, source, protocol, part)
        genders = Counter(utterance.gender for utterance in manifest)
        assert genders == {"f": count // 2, "m": count // 2}
        assert all(utterance.path.is_relative_to(Path(SPEECH)) for utterance in manifest)
