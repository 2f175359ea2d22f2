"""VCTK 0.92 and 0.80: microphones, a table of speakers that lacks fields, common sentences."""

import re
import shutil

import pytest
from support.trees import edit, listed, vctk, write_audio, write_lines

from voiceprivacy.corpora.kinds.vctk import is_common
from voiceprivacy.corpora.listing import Findings, read_facts
from voiceprivacy.corpora.protocols import enrol_trial
from voiceprivacy.errors import BadInput

LISTS = {"enrolment_utterances": 1, "lists": ["f", "m", "f_common", "m_common"]}


def test_one_microphone_is_listed_with_speaker_and_gender(tmp_path):
    source = vctk(tmp_path)
    utterances, findings = listed(source)
    names = [("p225_001_mic2", "p225", "f", ""), ("p225_024_mic2", "p225", "f", "")]
    assert [utterance[:4] for utterance in utterances[:2]] == names
    assert (len(utterances), findings) == (10, [])
    source["vctk"]["microphone"] = "mic1"
    assert {utterance.utterance[-4:] for utterance in listed(source)[0]} == {"mic1"}


def test_capitals_are_read_and_a_file_with_another_speaker_s_name_is_an_error(tmp_path):
    source, folder = vctk(tmp_path), tmp_path / "wav48_silence_trimmed"
    path = folder / "p225" / "p225_024_mic2.flac"
    path.rename(path.with_suffix(".FLAC"))
    shutil.move(folder / "p226" / "p226_024_mic2.flac", folder / "p225")
    utterances, findings = listed(source)
    assert len(utterances) == 10
    lies = f"error {folder}/p225/p226_024_mic2.flac: has the name of 'p226'"
    assert len(findings) == 1 and findings[0].startswith(lies)


def test_a_speaker_without_the_microphone_is_left_out_and_said(tmp_path):
    source = vctk(tmp_path)
    for path in (tmp_path / "wav48_silence_trimmed" / "p225").glob("*_mic2.flac"):
        path.unlink()
    utterances, (oddity,) = listed(source)
    assert {utterance.speaker for utterance in utterances} == {"p226"}
    expected = f"oddity {tmp_path}/wav48_silence_trimmed/p225: has no file *_mic2"
    assert oddity.startswith(expected)
    for path in (tmp_path / "wav48_silence_trimmed").glob("*/*_mic2.flac"):
        path.unlink()
    with pytest.raises(BadInput, match=f"^{re.escape(str(tmp_path))}: holds no utterance"):
        listed(source)


def test_version_0_80_has_one_microphone_and_lists_the_same(tmp_path):
    newer = [one[:4] for one in listed(vctk(tmp_path / "newer"))[0]]
    source = vctk(tmp_path, microphones=("mic2",))
    for path in (tmp_path / "wav48_silence_trimmed").glob("*/*"):
        target = tmp_path / "wav48" / path.parent.name / f"{path.stem.removesuffix('_mic2')}.wav"
        write_audio(target, sample_rate=48000)
    shutil.rmtree(tmp_path / "wav48_silence_trimmed")
    utterances, findings = listed(source)
    assert findings == []
    older = [(name.removesuffix("_mic2"), *others) for name, *others in newer]
    assert [one[:4] for one in utterances] == older
    # Speech of the newer one in a folder of that name: one microphone, too.
    shutil.rmtree(tmp_path / "wav48")
    vctk(tmp_path)
    (tmp_path / "wav48_silence_trimmed").rename(tmp_path / "wav48")
    assert [one[:4] for one in listed(source)[0]] == newer


@pytest.mark.parametrize(
    "line",
    [
        "p225  23  F    English    Southern  England",
        "p225  F  English",
        "  p225  18  f  American  New England (Text and mic2 files unavailable)  ",
    ],
)
def test_spellings_of_the_table_of_speakers(tmp_path, line):
    source = vctk(tmp_path, men=())
    write_lines(tmp_path / "speaker-info.txt", ["ID  AGE  GENDER  ACCENTS", "", line])
    utterances, findings = listed(source)
    assert {one.gender for one in utterances} == {"f"} and findings == []


def test_a_line_without_a_gender_and_a_speaker_without_a_line_are_said(tmp_path):
    source = vctk(tmp_path)
    edit(tmp_path / "speaker-info.txt", "p225  23  F    ", "p225  23  ")
    edit(tmp_path / "speaker-info.txt", "p226  23  M    English    Southern  England\n", "")
    utterances, (one, other) = listed(source)
    assert {utterance.gender for utterance in utterances} == {"-"}
    info = tmp_path / "speaker-info.txt"
    assert one.startswith(f"oddity {info}:2: no gender of speaker 'p225' in 'p225  23  English")
    assert other.startswith(f"oddity {info}: speaker 'p226' is not listed")


def test_ages_and_accents_are_read_where_lines_have_them(tmp_path):
    source = vctk(tmp_path)
    lines = [
        "ID  AGE  GENDER  ACCENTS  REGION COMMENTS",
        "p225  23  F    English    Southern  England",
        "226  M  NorthernIrish",
        "p280  -  F  Unknown  France",
        "p281  29  F",
        "p282  30",
        "",
    ]
    write_lines(tmp_path / "speaker-info.txt", lines)
    accents = {"p225": "English", "p226": "NorthernIrish"}
    assert read_facts(source) == {"age": {"p225": "23", "p281": "29"}, "accent": accents}


def test_the_first_24_sentences_are_common_and_are_tried_apart_and_do_not_enrol(tmp_path):
    common = ("p225_001_mic1", "p225_024_mic1", "p225_024_mic2_seg003", "p225_024")
    others = ("p225_025_mic1", "p225_366_mic1", "p225-001", "p225_025")
    assert all(map(is_common, common)) and not any(map(is_common, others))
    source = vctk(tmp_path)
    utterances, _ = listed(source)
    enrolment, trial = enrol_trial.split(source, LISTS, utterances, Findings())
    assert not any(map(is_common, enrolment))
    parts = [[one for one in utterances if one.utterance in part] for part in (enrolment, trial)]
    tried, common = (
        {trial.trial for trial in enrol_trial.list_trials(source, LISTS, name, *parts, None)[0]}
        for name in ("f", "f_common")
    )
    assert common == {"p225_001_mic2", "p225_024_mic2"}
    assert len(tried) == 2 and not tried & common
    alone = LISTS | {"lists": ["f"]}
    assert len(enrol_trial.split({}, alone, utterances, Findings())[1]) == 8
