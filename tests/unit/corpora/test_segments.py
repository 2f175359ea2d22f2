"""Pieces of utterances: equal lengths, ids that keep the source, and no pair of one source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trees import call, edit, kaldi, librispeech, prepare, write_audio

from voiceprivacy import audio, tables
from voiceprivacy.corpora import checks
from voiceprivacy.corpora.segments import piece_length

ENROL_TRIAL = {"enrol_trial": {"enrolment_utterances": 1, "lists": ["f", "m"]}}


@pytest.mark.parametrize(
    ("duration", "bounds", "expected"),
    [
        (12, (4, 4), (3, 4)),
        (11.9, (4, 4), (2, 4)),
        (3.9, (4, 4), (0, 0)),
        (12, (3, 5), (3, 4)),
        (10, (3, 5), (2, 5)),
        (7, (3, 5), (2, 3.5)),
        (5.5, (3, 5), (1, 5)),
        (3, (3, 5), (1, 3)),
        (2.9, (3, 5), (0, 0)),
    ],
)
def test_lengths_by_hand(duration, bounds, expected):
    assert piece_length(duration, bounds) == expected


@given(duration=st.floats(0.01, 60), shortest=st.floats(0.5, 5), more=st.floats(0, 5))
def test_pieces_are_equal_fit_and_have_an_allowed_length(duration, shortest, more):
    count, length = piece_length(duration, (shortest, shortest + more))
    assert count * length <= duration * (1 + 1e-12)
    assert (count == 0) == (duration < shortest)
    if count:
        assert shortest * (1 - 1e-12) <= length <= shortest + more


def test_the_id_of_a_piece_leads_back_to_its_source():
    assert tables.piece_id("11-100-0000", 7) == "11-100-0000_seg007"
    assert tables.source_of("11-100-0000_seg007") == tables.source_of("11-100-0000_seg1007") == "11-100-0000"
    assert tables.source_of("11-100_seg") == "11-100_seg"


def test_utterances_are_cut_and_nothing_else_is_left(tmp_path):
    source = librispeech(tmp_path / "libri", women=["11"], men=[], chapters=1) | {"segments": {"seconds": [0.03, 0.04]}}
    original = write_audio(tmp_path / "libri/dev/11/100/11-100-0001.flac", sample_rate=8000)
    assert prepare(tmp_path, source, {}, "train", threads=2).returncode == 0
    manifest = tables.read_manifest(tmp_path / "train.tsv")
    assert [of.utterance for of in manifest[:4]] == [*(f"11-100-0000_seg00{n}" for n in range(3)), "11-100-0001_seg000"]
    assert {of.duration_s for of in manifest} == {533 / 16000}
    assert {audio.header(of.path) for of in manifest} == {(16000, 1, 533 / 16000)}
    whole, _ = audio.read(tmp_path / "libri/dev/11/100/11-100-0000.flac")
    assert (audio.read(manifest[1].path)[0] == whole[533 : 2 * 533]).all()
    assert {path.stem for path in (tmp_path / "train").iterdir()} == {of.utterance for of in manifest}
    assert original.exists()


def test_pieces_of_one_source_are_never_enrolled_and_tried(tmp_path):
    source = librispeech(tmp_path / "libri", women=["11", "13"], chapters=1) | {"segments": {"seconds": 0.02}}
    sources = {}
    for part in ("enrolment", "trial"):
        assert prepare(tmp_path, source, ENROL_TRIAL, part).returncode == 0
        sources[part] = [tables.source_of(of.utterance) for of in tables.read_manifest(tmp_path / f"{part}.tsv")]
        assert len(sources[part]) == 5 * len(set(sources[part]))
    assert not set(sources["enrolment"]) & set(sources["trial"])


def test_given_lists_name_whole_utterances_whose_pieces_stand_for_them(tmp_path):
    source, protocol = kaldi(tmp_path / "data")
    source |= {"segments": {"seconds": 0.05}}
    for part in ("enrolment", "trial"):
        assert prepare(tmp_path, source, protocol, part).returncode == 0
    manifests = {part: tmp_path / f"{part}.tsv" for part in ("enrolment", "trial")}
    outputs = {"output_trials": tmp_path / "t.tsv", "output_enrolments": tmp_path / "e.tsv"}
    assert call("list_trials", source=source, protocol=protocol, trials="all", **manifests, **outputs).returncode == 0
    trials = tables.read_trials(tmp_path / "t.tsv")
    assert len(trials) == 2 * 8
    assert trials[:2] == [("w1", "w1-2_seg000", "target"), ("w1", "w1-2_seg001", "target")]
    assert tables.read_enrolments(tmp_path / "e.tsv")["w2"] == [f"w2-{n}_seg00{k}" for n in (0, 1) for k in (0, 1)]


def test_what_is_too_short_is_said(tmp_path):
    source = librispeech(tmp_path, women=["11"], men=[], chapters=1)
    write_audio(tmp_path / "dev/11/100/11-100-0001.flac", seconds=0.05)
    path = tmp_path / "dev/11/100/11-100-0001.flac"
    (oddity,) = checks.check(source | {"segments": {"seconds": [0.06, 0.1]}}, {}, 16000)
    assert str(oddity) == f"{path}: 1 utterances are shorter than 0.06 s and left out, such as '11-100-0001'"
    findings = checks.check(source | {"segments": {"seconds": 4}}, {}, 16000)
    assert "segments: speaker '11' has no utterance of 4 s in a part" in map(str, findings.errors())


def test_a_corpus_of_pieces_is_not_cut_again(tmp_path):
    source, protocol = kaldi(tmp_path)
    for name in ("wav.scp", "utt2spk"):
        edit(tmp_path / name, "w1-0 ", "w1-0_seg000 ")
    found = [str(finding) for finding in checks.check(source | {"segments": {"seconds": 0.05}}, protocol, 16000)]
    assert f"{tmp_path}/wav.scp:1: utterance 'w1-0_seg000' has the id of a piece already: leave segments out" in found
