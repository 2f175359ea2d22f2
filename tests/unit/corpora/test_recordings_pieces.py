"""Pieces of utterances: equal lengths, nothing left over on the disk, no pair of one source."""

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st
from support.trees import edit, kaldi, librispeech, prepare_list, prepared, write_audio

from voiceprivacy.corpora import checks
from voiceprivacy.corpora.recordings import pieces_of
from voiceprivacy.inout import audio, enrolments, ids, trial_lists

ENROL_TRIAL = {"enrol_trial": {"enrolment_utterances": 1, "lists": ["f", "m"]}}


def cut(root, seconds, women=("11",), men=()):
    return librispeech(root, women=women, men=men, chapters=1) | {"segments": {"seconds": seconds}}


@pytest.mark.parametrize(
    ("n_samples", "seconds", "expected"),
    [
        (12000, 4, (3, 4000)),
        (11999, 4, (2, 4000)),
        (3999, 4, (0, 0)),
        (12000, [3, 5], (3, 4000)),
        (10000, [3, 5], (2, 5000)),
        (7000, [3, 5], (2, 3500)),
        (7001, [3, 5], (2, 3500)),
        (5500, [3, 5], (1, 5000)),
        (3000, [3, 5], (1, 3000)),
        (2999, [3, 5], (0, 0)),
        (300, 0.1, (3, 100)),  # 0.3 / 0.1 is less than 3 in floating point
        (700, [0.1, 0.7], (1, 700)),
    ],
)
def test_lengths_at_1000_hz_by_hand(n_samples, seconds, expected):
    assert pieces_of(n_samples, {"seconds": seconds}, 1000) == expected


@given(
    n_samples=st.integers(1, 10**6),
    shortest=st.integers(500, 5000),
    more=st.integers(0, 5000),
    rate=st.sampled_from([8000, 16000, 22050, 44100, 48000]),
)
def test_pieces_are_equal_fit_and_have_an_allowed_length(n_samples, shortest, more, rate):
    between = [shortest / rate, (shortest + more) / rate]
    count, length = pieces_of(n_samples, {"seconds": between}, rate)
    assert count * length <= n_samples
    assert (count == 0) == (n_samples < shortest)
    if count:
        assert shortest <= length <= shortest + more


@pytest.mark.parametrize(("n_samples", "rate"), [(4800, 16000), (6615, 22050)])
def test_what_is_estimated_is_what_is_cut(tmp_path, rate, n_samples):
    """Pieces of 0.1 s, of durations around 0.3 s, at other rates than the corpus's too."""
    source = cut(tmp_path / "libri", 0.1)
    for path in (tmp_path / "libri/dev/11/100").glob("*.flac"):
        soundfile.write(path, np.random.default_rng(0).normal(0, 0.1, n_samples), rate)
    size = checks.examine(source, {}, 16000).parts["train"]
    manifest = prepared(tmp_path, source, {}, "train")
    assert size.utterances == len(manifest)
    assert size.seconds == pytest.approx(sum(utterance.duration_s for utterance in manifest))


def test_utterances_are_cut_and_nothing_else_is_left(tmp_path):
    source = cut(tmp_path / "libri", [0.03, 0.04])
    original = write_audio(tmp_path / "libri/dev/11/100/11-100-0001.flac", sample_rate=8000)
    manifest = prepared(tmp_path, source, {}, "train", threads=2)
    names = [one.utterance for one in manifest]
    assert names[:4] == [*(f"11-100-0000_seg00{n}" for n in range(3)), "11-100-0001_seg000"]
    assert {one.duration_s for one in manifest} == {533 / 16000}
    assert {audio.header(one.path)[:3] for one in manifest} == {(16000, 1, 533 / 16000)}
    whole, _ = audio.read(tmp_path / "libri/dev/11/100/11-100-0000.flac")
    assert (audio.read(manifest[1].path)[0] == whole[533 : 2 * 533]).all()
    assert {path.stem for path in (tmp_path / "train").iterdir()} == {*names}
    assert original.exists()


def test_pieces_of_one_source_are_never_enrolled_and_tried(tmp_path):
    source = cut(tmp_path / "libri", 0.02, women=["11", "13"], men=["12", "14"])
    sources = {}
    for part in ("enrolment", "trial"):
        manifest = prepared(tmp_path, source, ENROL_TRIAL, part)
        sources[part] = [ids.source_of(one.utterance) for one in manifest]
        assert len(sources[part]) == 5 * len(set(sources[part]))
    assert not set(sources["enrolment"]) & set(sources["trial"])


def test_given_lists_name_whole_utterances_whose_pieces_stand_for_them(tmp_path):
    source, protocol = kaldi(tmp_path / "data")
    source |= {"segments": {"seconds": 0.05}}
    listed, enrolled = prepare_list(tmp_path, source, protocol, "all")
    trials = trial_lists.read_trials(listed)
    assert len(trials) == 2 * 8
    assert trials[:2] == [("w1", "w1-2_seg000", "target"), ("w1", "w1-2_seg001", "target")]
    pieces = [f"w2-{n}_seg00{k}" for n in (0, 1) for k in (0, 1)]
    assert enrolments.read_enrolments(enrolled)["w2"] == pieces


def test_what_is_too_short_is_said(tmp_path):
    source = cut(tmp_path, [0.06, 0.1])
    path = write_audio(tmp_path / "dev/11/100/11-100-0001.flac", seconds=0.05)
    (oddity,) = checks.examine(source, {}, 16000).findings
    assert str(oddity).startswith(f"{path}: 1 utterance is shorter than 0.06 s and left out")
    findings = checks.examine(source | {"segments": {"seconds": 4}}, {}, 16000).findings
    assert "segments: speaker '11' has no utterance of 4 s in a part" in map(str, findings.errors())


def test_a_corpus_of_pieces_is_not_cut_again(tmp_path):
    source, protocol = kaldi(tmp_path)
    for name in ("wav.scp", "utt2spk"):
        edit(tmp_path / name, "w1-0 ", "w1-0_seg000 ")
    findings = checks.examine(source | {"segments": {"seconds": 0.05}}, protocol, 16000).findings
    said = f"{tmp_path}/wav.scp:1: utterance 'w1-0_seg000' has the id of a piece already:"
    assert f"{said} leave segments out" in map(str, findings)
