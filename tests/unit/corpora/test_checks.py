"""What is found before hours of work: all of it at once, in a table and on the terminal."""

import pytest
from trees import call, edit, kaldi, librispeech, write_audio

from voiceprivacy import tables
from voiceprivacy.corpora import checks
from voiceprivacy.corpora.listing import FINDING

ENROL_TRIAL = {"enrol_trial": {"enrolment_utterances": 2, "lists": ["f", "m"]}}


def found(source, protocol):
    return [str(finding) for finding in checks.check(source, protocol, 16000)]


def test_ten_speakers_a_list_are_nothing_to_report():
    source = {"synthetic": {"speakers": 20, "utterances": 4}}
    assert found(source, ENROL_TRIAL) == []


def test_fewer_than_ten_speakers_are_an_oddity():
    source = {"synthetic": {"speakers": 19, "utterances": 4}}
    assert [finding[0] for finding in checks.check(source, ENROL_TRIAL, 16000)] == ["oddity"]


def test_a_corpus_that_trains_needs_no_protocol(tmp_path):
    assert found(librispeech(tmp_path), {}) == []


@pytest.mark.parametrize(
    ("content", "what"), [(b"not audio", "cannot be read as audio"), (b"", "cannot be read as audio")]
)
def test_unreadable_audio_is_named_with_its_utterance(tmp_path, content, what):
    path = tmp_path / "dev" / "11" / "100" / "11-100-0000.flac"
    source = librispeech(tmp_path)
    path.write_bytes(content)
    (error,) = found(source, {})
    assert error.startswith(f"{path}: {what}")
    assert error.endswith("(utterance '11-100-0000')")


def test_audio_without_samples_and_audio_that_is_missing_are_named(tmp_path):
    source, _ = kaldi(tmp_path, women=["w1"])
    write_audio(tmp_path / "wav" / "empty.wav", seconds=0)
    edit(tmp_path / "wav.scp", "w1-2 wav/a.wav", "w1-2 wav/empty.wav")
    edit(tmp_path / "wav.scp", "w1-3 wav/a.wav", "w1-3 wav/b.wav")
    assert found(source, {}) == [
        f"{tmp_path}/wav/empty.wav: has no samples (utterance 'w1-2')",
        f"{tmp_path}/wav/b.wav: not found (utterance 'w1-3')",
    ]


def test_audio_below_the_rate_of_the_corpus_is_an_oddity(tmp_path):
    source = librispeech(tmp_path, women=["11"], men=[], chapters=1)
    write_audio(tmp_path / "dev" / "11" / "100" / "11-100-0001.flac", sample_rate=8000)
    mixed, finding = checks.check(source, {}, 16000)
    assert (mixed.level, mixed.what) == ("oddity", "mixed sample rates: 1 of 8000 Hz, 2 of 16000 Hz")
    assert finding.level == "oddity"
    assert finding.what == "1 files have 8000 Hz and are made 16000 Hz: no sound above 4000 Hz"


def test_a_missing_folder_is_a_finding_too():
    source = {"librispeech": {"root": "/no/where", "subsets": ["dev"]}}
    assert found(source, ENROL_TRIAL) == ["/no/where: not found"]


def test_an_unknown_kind_is_one_clear_finding():
    assert found({"checks": {}}, {}) == ["checks: there is no such kind of corpus or protocol"]


def test_oddities_pass_and_are_written(tmp_path):
    source, protocol = kaldi(tmp_path)
    finished = call("validate_corpus", source=source, protocol=protocol, sample_rate=16000, checks=tmp_path / "c.tsv")
    assert finished.returncode == 0
    rows = tables.read_table(tmp_path / "c.tsv", FINDING)
    assert [row["level"] for row in rows] == ["oddity"]
    assert rows[0]["what"] in finished.stderr


def test_errors_fail_all_at_once_and_leave_no_file(tmp_path):
    source, protocol = kaldi(tmp_path)
    edit(tmp_path / "trials", "w1 w1-2 target", "w1 w1-2 nontarget")
    edit(tmp_path / "wav.scp", "w2-0 wav/a.wav", "w2-0 wav/b.wav")
    finished = call("validate_corpus", source=source, protocol=protocol, checks=tmp_path / "c.tsv")
    assert finished.returncode == 2
    assert finished.stderr.count("error: ") == 2
    assert not (tmp_path / "c.tsv").exists()
