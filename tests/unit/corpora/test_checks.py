"""What is found before hours of work: all of it at once, in a table and on the terminal."""

import numpy as np
import pytest
import soundfile
from support.trees import call, edit, kaldi, librispeech, messages, write_audio

from voiceprivacy.corpora import checks
from voiceprivacy.corpora.listing import Findings
from voiceprivacy.corpora.recordings import is_clipped
from voiceprivacy.inout import tables

ENROL_TRIAL = {"enrol_trial": {"enrolment_utterances": 2, "lists": ["f", "m"]}}


def test_audio_below_the_rate_of_the_corpus_is_an_oddity(tmp_path):
    source = librispeech(tmp_path, women=["11"], men=[], chapters=1)
    odd = tmp_path / "dev" / "11" / "100" / "11-100-0001.flac"
    write_audio(odd, sample_rate=8000)
    mixed, finding = checks.examine(source, {}, 16000).findings
    assert mixed.level == "oddity"
    assert mixed.what == f"mixed sample rates: 1 of 8000 Hz such as {odd}, 2 of 16000 Hz"
    assert finding.level == "oddity"
    assert finding.what == "1 file has 8000 Hz and will have 16000 Hz: no sound above 4000 Hz"


def test_utterances_that_were_not_transcribed_are_an_oddity(tmp_path):
    source = librispeech(tmp_path, women=["11"], men=[], chapters=1)
    said = tmp_path / "dev" / "11" / "100" / "11-100.trans.txt"
    said.write_text("11-100-0000 ONE\n11-100-0002 TWO\n")
    assert not checks.examine(source, {}, 16000).findings
    (finding,) = checks.examine(source, {}, 16000, transcripts=True).findings
    assert finding.level == "oddity"
    assert finding.what.startswith("1 utterance has no transcript, such as '11-100-0001'")


def samples_of(path, samples):
    soundfile.write(path, np.asarray(samples, dtype=np.float32), 16000)


def test_silent_and_clipped_audio_of_an_evaluated_corpus_is_an_oddity(tmp_path):
    women, men = ([f"{number}" for number in range(first, first + 10)] for first in (11, 31))
    source = librispeech(tmp_path, women=women, men=men)
    noise = np.random.default_rng(0).normal(scale=0.6, size=1600)
    silent, clipped = (tmp_path / "dev" / "11" / "100" / f"11-100-000{n}.flac" for n in (0, 1))
    samples_of(silent, np.full(1600, 1e-4))
    samples_of(clipped, np.clip(np.repeat(noise, 4), -1, 1))
    assert messages(source, ENROL_TRIAL) == [
        f"{silent}: is silent: no sample beyond 0.001 of full scale (utterance '11-100-0000')",
        f"{clipped}: is clipped: 4 and more samples in a row at full scale"
        " (utterance '11-100-0001')",
    ]
    assert messages(source, {}) == []


def test_a_peak_at_full_scale_is_not_clipped():
    samples = np.zeros(1000)
    samples[[10, 20, 30, 500, 501, 502]] = 1
    assert not is_clipped(samples)
    samples[503] = -1
    assert is_clipped(samples)


def test_enrolment_and_trial_from_one_session_are_an_oddity(tmp_path):
    source = librispeech(tmp_path, women=["11", "13"], men=["12", "14"], chapters=1)
    sessions = [finding for finding in messages(source, ENROL_TRIAL) if "session" in finding]
    (session,) = sessions  # many that are alike are one line
    assert session.startswith(f"{tmp_path}/dev/11/100/11-100-000")
    assert session.endswith(
        ": speaker '11' is enrolled and tried from the same session '100' (and 3 more like this)"
    )


def test_speakers_who_train_attackers_are_not_evaluated(tmp_path):
    source = librispeech(tmp_path / "evaluated", women=["11", "13"])
    training = {"train": librispeech(tmp_path / "train", women=["11", "15"], men=[])}
    findings = checks.examine(source, ENROL_TRIAL, 16000, training).findings
    path = f"{tmp_path}/train/dev/11/100/11-100-0000.flac"
    assert list(map(str, findings.errors())) == [
        f"{path}: speaker '11' trains attackers (corpus 'train'), but enrols or is tried here"
        ": exclude or rename one"
    ]
    evaluated = {"mine": {"source": source, "protocol": ENROL_TRIAL}}
    written = {"checks": tmp_path / "c.tsv"}
    finished = call("compare_speakers", evaluated=evaluated, training=training, **written)
    assert finished.returncode == 2
    assert "speaker '11' trains attackers" in finished.stderr
    assert "enrols or is tried in corpus 'mine'" in finished.stderr
    assert not (tmp_path / "c.tsv").exists()


def test_speakers_who_are_left_out_may_train_attackers(tmp_path):
    source = librispeech(tmp_path / "evaluated", women=["11", "13"])
    training = {"train": librispeech(tmp_path / "train", women=["11", "15"], men=[])}
    names = [f"11-{chapter}-000{index}" for chapter in (100, 101) for index in range(3)]
    evaluated = {"mine": {"source": source | {"exclude": names}, "protocol": ENROL_TRIAL}}
    assert checks.compare_speakers(evaluated, training) == []
    evaluated["mine"]["source"] = source
    assert checks.compare_speakers(evaluated, training)
    training["train"]["exclude"] = names
    assert checks.compare_speakers(evaluated, training) == []


def test_a_corpus_that_will_be_downloaded_is_said_and_not_checked(tmp_path):
    tree = {"root": str(tmp_path), "subsets": ["test-clean"], "download": True}
    asked = {"use": "evaluation", "sample_rate": 16000, "protocol": ENROL_TRIAL}
    (oddity,) = checks.examine_entry("clean", {"clean": {"librispeech": tree} | asked}).findings
    said = "is not there: 347 MB will be downloaded; check again afterwards"
    assert (oddity.level, str(oddity)) == ("oddity", f"{tmp_path}/test-clean: {said}")


def test_an_unknown_kind_is_one_clear_finding():
    assert messages({"checks": {}}, {}) == ["checks: there is no such kind of corpus or protocol"]


def test_oddities_pass_and_are_written(tmp_path):
    source, protocol = kaldi(tmp_path)
    finished = call("validate_corpus", source=source, protocol=protocol, checks=tmp_path / "c.tsv")
    assert finished.returncode == 0
    rows = tables.read_table(tmp_path / "c.tsv", tables.FINDINGS)
    assert [row["level"] for row in rows] == ["oddity"]
    assert rows[0]["what"] in finished.stderr


def test_errors_fail_all_at_once_and_leave_no_file(tmp_path):
    source, protocol = kaldi(tmp_path)
    edit(tmp_path / "trials", "w1 w1-2 target", "w1 w1-2 nontarget")
    edit(tmp_path / "wav.scp", "w2-0 wav/w2-0.wav", "w2-0 wav/b.wav")
    finished = call("validate_corpus", source=source, protocol=protocol, checks=tmp_path / "c.tsv")
    assert finished.returncode == 2
    assert finished.stderr.count("error: ") == 2
    assert not (tmp_path / "c.tsv").exists()


@pytest.mark.parametrize(
    ("speakers", "utterances", "fewest", "more", "said"),
    [
        (1, 4, 1, {}, ["corpus 'train': has 1 speaker, and attackers learn from two or more"]),
        (4, 4, 1, {"limit": {"speakers": 1}}, ["corpus 'train': has 1 speaker, and attackers"]),
        (4, 1, 2, {}, ["corpus 'train': has one utterance of each speaker, and attackers learn"]),
        (4, 1, 1, {}, []),
        (4, 1, 2, {"segments": {"seconds": 1}}, []),
        (2, 2, 2, {}, []),
    ],
)
def test_training_speech_from_which_nobody_can_learn_is_refused(
    speakers, utterances, fewest, more, said
):
    source = {"synthetic": {"speakers": speakers, "utterances": utterances, "first_speaker": 0}}
    findings = checks.check_learnt({"train": source | more, "units": source}, {"train": fewest})
    assert len(findings) == len(said)
    for finding, words in zip(findings, said, strict=True):
        assert finding.level == "error" and str(finding).startswith(words)
        assert ("segments" in str(finding)) == (speakers > 1 == utterances)  # pieces would do


@pytest.mark.parametrize(
    ("speakers", "utterances", "least", "more", "said"),
    [
        (4, 4, [5, 0], {}, "has 4 speakers, which allow lda_dim: 3 at most, not 4: lower it"),
        (4, 4, [4, 16], {}, None),
        (4, 4, [4, 17], {}, "has 16 utterances, and PLDA needs 17, as many as dimensions: write"),
        (4, 4, [4, 17], {"segments": {"seconds": 1}}, None),
        (4, 4, [4, 16], {"limit": {"speakers": 4, "utterances": 3}}, "has 12 utterances, and"),
    ],
)
def test_training_speech_that_is_too_little_for_plda_is_refused(
    speakers, utterances, least, more, said
):
    source = {"synthetic": {"speakers": speakers, "utterances": utterances, "first_speaker": 0}}
    findings = checks.check_learnt({"train": source | more}, {"train": 2}, {"train": least})
    assert [finding.level for finding in findings] == (["error"] if said else [])
    assert said is None or f"corpus 'train': {said}" in str(findings[0])


def test_what_is_said_of_sound_names_nobody_and_has_the_count():
    """Of errors, which have to be mended, the first ten are said one by one."""
    findings = Findings()
    for number in range(14):
        findings.error(f"flac {number}.flac |", "-", f"exit code 127 (utterance 'anna-{number}')")
    for number in range(5):
        message = f"is clipped (utterance 'anna-{number}')"
        findings.oddity(f"{number}.wav", "-", message, "a recording is clipped")
    findings.oddity("list", "-", "speaker 'anna' is enrolled twice")
    findings.group()
    said = "a recording is clipped (and 4 more like this)"
    assert [finding.sound for finding in findings[10:]] == [said, "-"]
    said = "flac 9.flac |: exit code 127 (utterance 'anna-9') (and 4 more like this)"
    assert str(findings[9]) == said
