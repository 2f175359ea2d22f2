"""Transcripts of every kind of corpus that has some; speakers and genders of a list."""

import random
from itertools import chain

import pytest

from voiceprivacy.corpora import listing
from voiceprivacy.corpora.listing import (
    Findings,
    Listed,
    kind_of,
    protocol_of,
    read_transcripts,
)
from voiceprivacy.errors import BadInput
from voiceprivacy.vocabulary import RESOURCES, SCRIPTS


def test_synthetic_speakers_say_sentences_and_a_folder_without_a_table_none():
    texts = read_transcripts({"synthetic": {"speakers": 2, "utterances": 2, "first_speaker": 0}})
    assert len(texts) == 4
    assert all(text.endswith(".") for text in texts.values())
    with pytest.raises(BadInput, match="this corpus has no transcripts"):
        read_transcripts({"folder": {"root": "x"}})


def test_kaldi_directories_without_a_file_text_are_passed_over_if_another_has_one(tmp_path):
    for name in ("enrolment", "trial"):
        (tmp_path / name).mkdir()
    (tmp_path / "trial" / "text").write_text("u1 so it is\nu2\n")
    options = {"enrolment": str(tmp_path / "enrolment"), "trial": [str(tmp_path / "trial")]}
    assert read_transcripts({"kaldi": options}) == {"u1": "so it is", "u2": ""}
    (tmp_path / "trial" / "text").unlink()
    with pytest.raises(BadInput, match="text: not found"):
        read_transcripts({"kaldi": options})


def test_vctk(tmp_path):
    options = {"vctk": {"root": str(tmp_path), "microphone": "mic2"}}
    with pytest.raises(BadInput, match=r"txt: has no speaker/sentence\.txt"):
        read_transcripts(options)
    (tmp_path / "txt" / "p225").mkdir(parents=True)
    (tmp_path / "txt" / "p225" / "p225_001.txt").write_text("Please call Stella.\n")
    assert read_transcripts(options) == {"p225_001_mic2": "Please call Stella."}


def table(path, *rows):
    path.write_text("\n".join(["utterance\ttext", *rows, ""]))
    return str(path)


def test_folder(tmp_path):
    path = table(tmp_path / "said.tsv", "u1\tso it is", "u2\t")
    texts = read_transcripts({"folder": {"root": "x", "transcripts": path}})
    assert texts == {"u1": "so it is", "u2": ""}


@pytest.mark.parametrize(
    ("rows", "level", "message"),
    [
        (["a-1\tyes", "a-2\tno"], None, ""),
        (["a-1\tyes"], "oddity", "1 utterance has no transcript, such as 'a-2'"),
        (["wavs/a-1.wav\tyes"], "error", "none is of an utterance such as 'a-1'"),
    ],
)
def test_transcripts_of_a_folder_are_compared_with_its_utterances(tmp_path, rows, level, message):
    (tmp_path / "a").mkdir()
    for name in ("a-1", "a-2"):
        (tmp_path / "a" / f"{name}.wav").touch()
    path = table(tmp_path / "said.tsv", *rows)
    options = {"root": str(tmp_path), "pattern": "{speaker}/{utterance}.wav", "transcripts": path}
    source, findings = {"folder": options}, Findings()
    listing.check_transcripts(source, listing.list_utterances(source, findings), findings)
    expected = [(level, message)] if level else []
    assert [(finding.level, finding.what) for finding in findings] == expected


NAMES = ["s1-a", "s1-b", "s10-a", "s2-a", "s2-b"]


def listed(name, gender="f"):
    return Listed(name, name.split("-")[0], gender, "", None, "list.tsv", 7)


def test_speakers_and_their_utterances_come_in_the_order_of_their_ids():
    shuffled = [listed(name) for name in NAMES]
    random.Random(0).shuffle(shuffled)
    groups = listing.by_speaker(shuffled)
    assert list(groups) == ["s1", "s10", "s2"]
    assert [one.utterance for one in chain.from_iterable(groups.values())] == NAMES


@pytest.mark.parametrize(
    ("gender", "lists", "is_wrong"),
    [
        ("-", ["f", "m"], True),
        ("-", ["mixed", "m_common"], True),
        ("-", ["mixed", "mixed_common"], False),
        ("f", ["f", "m"], False),
    ],
)
def test_a_list_of_one_gender_needs_genders(gender, lists, is_wrong):
    findings = Findings()
    listing.require_gender(listed("s1-a", gender), lists, findings)
    assert [finding.line for finding in findings] == [7] * is_wrong
    assert all("speaker 's1' has no gender" in finding.what for finding in findings)


def test_our_folders_are_filled_in_of_each_kind_and_protocol():
    """{resources} was accepted of each kind, and found of folders alone."""
    options = {"enrolment": "{resources}/a", "trial": ["{scripts}/b"], "windows": 2}
    filled = {"enrolment": f"{RESOURCES}/a", "trial": [f"{SCRIPTS}/b"], "windows": 2}
    assert kind_of({"kaldi": options})[1] == filled
    assert protocol_of({"given": {"all": "{resources}/a"}})[1] == {"all": f"{RESOURCES}/a"}
