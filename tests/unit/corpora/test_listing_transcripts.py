"""Transcripts of every kind of corpus that has some."""

import pytest

from voiceprivacy.corpora.listing import read_transcripts
from voiceprivacy.inout.files import BadInput


def test_librispeech(tmp_path):
    chapter = tmp_path / "test-clean" / "61" / "70968"
    chapter.mkdir(parents=True)
    (chapter / "61-70968.trans.txt").write_text(
        "61-70968-0000 HE BEGAN A CONFUSED COMPLAINT\n61-70968-0001 GO\n"
    )
    texts = read_transcripts({"librispeech": {"root": str(tmp_path), "subsets": ["test-clean"]}})
    assert texts == {"61-70968-0000": "HE BEGAN A CONFUSED COMPLAINT", "61-70968-0001": "GO"}


def test_a_subset_without_transcripts_is_named(tmp_path):
    with pytest.raises(BadInput, match="dev: has no speaker/chapter"):
        read_transcripts({"librispeech": {"root": str(tmp_path), "subsets": ["dev"]}})


def test_kaldi(tmp_path):
    (tmp_path / "text").write_text("u1 so it is\nu2\n")
    assert read_transcripts({"kaldi": str(tmp_path)}) == {"u1": "so it is", "u2": ""}


def test_synthetic_speakers_say_english_sentences():
    texts = read_transcripts({"synthetic": {"speakers": 2, "utterances": 2, "first_speaker": 0}})
    assert len(texts) == 4
    assert all(text.endswith(".") for text in texts.values())


def test_others_have_none():
    with pytest.raises(BadInput, match="this corpus has no transcripts"):
        read_transcripts({"folder": {"root": "x"}})
