"""What is found before hours of work: all of it at once, in a table and on the terminal."""

import numpy as np
import pytest
import soundfile
from support import calls
from support.plans import voices
from support.trees import edit, kaldi, librispeech, messages, write_audio

from voiceprivacy.corpora import checks, training_checks
from voiceprivacy.corpora.listing import Findings
from voiceprivacy.corpora.recordings import is_clipped
from voiceprivacy.inout import tables

ENROL_TRIAL = {"enrol_trial": {"enrolment_utterances": 2, "lists": ["f", "m"]}}


def test_audio_below_the_rate_of_the_corpus_is_an_oddity(tmp_path):
    source = librispeech(tmp_path, women=["11"], men=[], chapters=1)
    odd = tmp_path / "dev" / "11" / "100" / "11-100-0001.flac"
    write_audio(odd, sample_rate=8000)
    mixed, finding = checks.examine(source, {}, 16000).findings
    assert (mixed.level, finding.level) == ("oddity", "oddity")
    assert mixed.what == f"mixed sample rates: 1 of 8000 Hz such as {odd}, 2 of 16000 Hz"
    assert finding.what.endswith("no sound above 4000 Hz")


def test_utterances_that_were_not_transcribed_are_an_oddity(tmp_path):
    source = librispeech(tmp_path, women=["11"], men=[], chapters=1)
    said = tmp_path / "dev" / "11" / "100" / "11-100.trans.txt"
    said.write_text("11-100-0000 ONE\n11-100-0002 TWO\n")
    assert not checks.examine(source, {}, 16000).findings
    (finding,) = checks.examine(source, {}, 16000, transcripts=True).findings
    assert finding.level == "oddity"
    assert finding.what.startswith("1 utterance has no transcript, such as '11-100-0001'")


def test_silent_and_clipped_audio_of_an_evaluated_corpus_is_an_oddity(tmp_path):
    women, men = ([f"{number}" for number in range(first, first + 10)] for first in (11, 31))
    source = librispeech(tmp_path, women=women, men=men)
    noise = np.random.default_rng(0).normal(scale=0.6, size=1600)
    silent, clipped = (tmp_path / "dev" / "11" / "100" / f"11-100-000{n}.flac" for n in (0, 1))
    soundfile.write(silent, np.full(1600, 1e-4), 16000)
    soundfile.write(clipped, np.clip(np.repeat(noise, 4), -1, 1), 16000)
    one, other = messages(source, ENROL_TRIAL)
    assert one.startswith(f"{silent}: is silent") and one.endswith("(utterance '11-100-0000')")
    assert other.startswith(f"{clipped}: is clipped: 4 and more samples in a row at full scale")
    assert messages(source, {}) == []
    peaks = np.zeros(1000)
    peaks[[10, 20, 30, 500, 501, 502]] = 1
    assert not is_clipped(peaks)
    peaks[503] = -1
    assert is_clipped(peaks)


def test_enrolment_and_trial_from_one_session_are_an_oddity(tmp_path):
    source = librispeech(tmp_path, women=["11", "13"], men=["12", "14"], chapters=1)
    (session,) = [finding for finding in messages(source, ENROL_TRIAL) if "session" in finding]
    assert session.startswith(f"{tmp_path}/dev/11/100/11-100-000")
    assert "speaker '11'" in session and session.endswith("session '100' (and 3 more like this)")


def test_speakers_who_train_attackers_are_not_evaluated(tmp_path):
    source = librispeech(tmp_path / "evaluated", women=["11", "13"])
    training = {"train": librispeech(tmp_path / "train", women=["11", "15"], men=[])}
    (error,) = checks.examine(source, ENROL_TRIAL, 16000, training).findings.errors()
    said = f"{tmp_path}/train/dev/11/100/11-100-0000.flac: speaker '11' trains attackers"
    assert str(error).startswith(f"{said} (corpus 'train')")
    evaluated = {"mine": {"source": source, "protocol": ENROL_TRIAL}}
    given = {"evaluated": evaluated, "training": training, "checks": tmp_path / "c.tsv"}
    said = calls.refused("compare_speakers", *calls.flags(**given))
    assert "speaker '11' trains attackers" in said
    assert "enrols or is tried in corpus 'mine'" in said
    assert not (tmp_path / "c.tsv").exists()
    # Whoever is left out may train them.
    names = [f"11-{chapter}-000{index}" for chapter in (100, 101) for index in range(3)]
    excluded = {"mine": {"source": source | {"exclude": names}, "protocol": ENROL_TRIAL}}
    assert training_checks.compare_speakers(excluded, training) == []
    training["train"]["exclude"] = names
    assert training_checks.compare_speakers(evaluated, training) == []


def test_a_corpus_that_will_be_downloaded_is_said_and_not_checked(tmp_path):
    tree = {"root": str(tmp_path), "subsets": ["test-clean"], "download": True}
    asked = {"use": "evaluation", "sample_rate": 16000, "protocol": ENROL_TRIAL}
    (oddity,) = checks.examine_entry("clean", {"clean": {"librispeech": tree} | asked}).findings
    said = "is not there: 347 MB will be downloaded; check again afterwards"
    assert (oddity.level, str(oddity)) == ("oddity", f"{tmp_path}/test-clean: {said}")


def test_an_unknown_kind_is_one_clear_finding():
    assert messages({"checks": {}}, {}) == ["checks: there is no such kind of corpus or protocol"]


def test_oddities_pass_and_are_written_and_errors_fail_all_at_once(tmp_path):
    source, protocol = kaldi(tmp_path)
    written = tmp_path / "c.tsv"
    words = calls.flags(source=source, protocol=protocol, checks=written)
    finished = calls.here("validate_corpus", *words)
    assert finished.returncode == 0
    (row,) = tables.read_table(written, tables.FINDINGS)
    assert row["level"] == "oddity" and row["what"] in finished.stderr
    written.unlink()
    edit(tmp_path / "trials", "w1 w1-2 target", "w1 w1-2 nontarget")
    edit(tmp_path / "wav.scp", "w2-0 wav/w2-0.wav", "w2-0 wav/b.wav")
    assert calls.refused("validate_corpus", *words).count("error: ") == 2
    assert not written.exists()


ONLY = {"limit": {"speakers": 1}}
TWELVE = {"limit": {"speakers": 4, "utterances": 3}}
PIECES = {"segments": {"seconds": 1}}


@pytest.mark.parametrize(
    ("size", "more", "fewest", "least", "said"),
    [
        ((1, 4), {}, 1, None, "has 1 speaker, and"),
        ((4, 4), ONLY, 1, None, "has 1 speaker, and"),
        ((4, 1), {}, 2, None, "has one utterance of each speaker, and"),
        ((4, 1), {}, 1, None, None),
        ((4, 1), PIECES, 2, None, None),
        ((2, 2), {}, 2, None, None),
        # PLDA: speakers for its dimensions, and utterances for those of an embedding.
        ((4, 4), {}, 2, [5, 0], "has 4 speakers, which allow lda_dim: 3 at most, not 4"),
        ((4, 4), {}, 2, [4, 16], None),
        ((4, 4), {}, 2, [4, 17], "has 16 utterances, and PLDA needs 17"),
        ((4, 4), PIECES, 2, [4, 17], None),
        ((4, 4), TWELVE, 2, [4, 16], "has 12 utterances, and"),
    ],
)
def test_training_speech_from_which_nobody_can_learn_is_refused(size, more, fewest, least, said):
    source = voices(*size, first=0)
    learnt = {"train": source | more, "units": source}
    needed = {"train": least} if least else {}
    findings = training_checks.check_learnt(learnt, {"train": fewest}, needed)
    assert [finding.level for finding in findings] == (["error"] if said else [])
    for finding in findings:
        assert str(finding).startswith(f"corpus 'train': {said}")
        assert least or ("segments" in str(finding)) == (size == (4, 1))  # pieces would do


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


# A corpus of the size of train-clean-360; how long it takes: docs/internals/load.md.

SPEAKERS, UTTERANCES = 920, 113  # 103,960 utterances


@pytest.mark.nightly
def test_104_000_utterances_take_less_than_2_gb(tmp_path):
    """A LibriSpeech tree of links to a few files."""
    for number in range(4):
        write_audio(tmp_path / "audio" / f"{number}.flac", seconds=12)
    lines = []
    for speaker in range(1000, 1000 + SPEAKERS):
        lines.append(f"{speaker} | {'FM'[speaker % 2]} | train | 25 | x\n")
        for index in range(UTTERANCES):
            folder = tmp_path / "train" / str(speaker) / str(index // 60)
            folder.mkdir(parents=True, exist_ok=True)
            link = folder / f"{speaker}-{index // 60}-{index:04d}.flac"
            link.symlink_to(tmp_path / "audio" / f"{index % 4}.flac")
    (tmp_path / "SPEAKERS.TXT").write_text("".join(lines))
    source = {"librispeech": {"root": str(tmp_path), "subsets": ["train"]}}
    made = {"manifest": tmp_path / "m.tsv", "audio_dir": tmp_path / "wav"}
    for script, arguments in (
        ("validate_corpus", {"checks": tmp_path / "c.tsv"}),
        ("prepare_part", made | {"part": "train", "threads": 2}),
    ):
        done = calls.call_measured(script, *calls.flags(source=source, **arguments))
        assert done.returncode == 0
        assert done.memory < 2e9
    assert len((tmp_path / "m.tsv").read_text().splitlines()) == 1 + SPEAKERS * UTTERANCES
