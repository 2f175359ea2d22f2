"""What looks odd and is legal is read right: encodings of audio and text, strange ids."""

import os

import numpy as np
import pytest
from support import world
from support.calls import call
from support.spoilers import append, edit, sound

from voiceprivacy.corpora import checks
from voiceprivacy.corpora.listing import Findings, list_utterances
from voiceprivacy.inout import audio, manifests, trial_lists
from voiceprivacy.inout.files import read_lines
from voiceprivacy.inout.scored_trials import read_scored_trials, write_scores

TONE = (0.5 * np.sin(2 * np.pi * 440 * np.arange(16000) / 16000)).astype(np.float32)
TOUCH = "touch${IFS}stolen"
STRANGE = [f";{TOUCH}", f"$({TOUCH})", "a'b\"c", "*", "~", "%s{}", "日本語", "é" * 100]
KALDI = {"kaldi": "data"}


def test_chunks_before_and_after_the_samples_are_passed_over(tmp_path):
    path = tmp_path / "a.wav"
    audio.write(path, TONE, 16000)
    content = path.read_bytes()
    extra = b"LIST" + (7).to_bytes(4, "little") + b"INFOxyz\0"  # odd, so with a byte of padding
    path.write_bytes(content[:36] + extra + content[36:] + extra)
    np.testing.assert_allclose(audio.read(path)[0], TONE, atol=1 / 32768)


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        (np.full(8000, 0.5, np.float32), "is silent: no sample beyond 0.001 of full scale"),
        (np.tile(TONE, 900), "lasts 15 minutes"),
    ],
    ids=["a constant", "very long"],
)
def test_what_can_be_used_and_is_odd_is_an_oddity(folder, samples, said):
    sound(samples, subtype="FLOAT")(folder / "data/wav/anna-2.wav")
    findings = checks.examine(KALDI | {"on_bad_audio": "exclude"}, {}, 16000).findings
    (oddity,) = [str(finding) for finding in findings if "anna-2" in str(finding)]
    assert said in oddity


@pytest.mark.parametrize(
    ("one", "other", "level", "said"),
    [
        ("anna-2", "Anna-2", "oddity", "utterances 'Anna-2' and 'anna-2' look alike"),
        ("jose\u0301-2", "jos\u00e9-2", "error", "utterance 'jos\u00e9-2' occurs twice"),
    ],
)
def test_ids_that_look_alike_are_named(folder, one, other, level, said):
    """Capitals, which some disks take for one, and an accent in two forms, which is one here."""
    for name in ("wav.scp", "utt2spk", "trials"):
        for old, new in (("anna-2 ", f"{one} "), ("berta-2 ", f"{other} ")):
            edit(old, new, count=-1)(folder / "data" / name)
    findings = Findings()
    list_utterances(KALDI, findings)
    assert any(one.level == level and one.what.startswith(said) for one in findings)


NAMES = ["nan", "NA", "None", "null", "1e5", "007", "7", "True", "inf", "0x10"]


def test_ids_that_look_like_numbers_or_nothing_stay_what_they_are(tmp_path):
    trials = [trial_lists.Trial(name, other, "target") for name in NAMES for other in NAMES]
    write_scores(tmp_path / "scores.tsv", trials, range(len(trials)))
    append("nan\tx\tnontarget\t0\n")(tmp_path / "scores.tsv")
    scored = read_scored_trials(tmp_path / "scores.tsv")
    assert list(map(scored.named, range(len(trials)))) == trials
    assert scored.classes["target"].tolist() == list(range(len(trials)))


@pytest.mark.parametrize(
    "change", [lambda text: "\ufeff" + text, lambda text: text.replace("\n", "\r\n")]
)
@pytest.mark.parametrize(
    "command", ["verification", "verification of Kaldi's files", "LibriSpeech"]
)
def test_a_byte_order_mark_and_line_ends_of_windows_change_nothing(folder, command, change):
    def made():
        assert world.call(command) == 0
        contents = world.contents(folder).items()
        return {key: content for key, content in contents if key.startswith("out")}

    before = made()
    for pattern in ("[!o]*.ts*", "*.txt", "*.dic", "libri/*.TXT"):
        for path in folder.glob(pattern):
            path.write_text(change(path.read_text()), newline="")
    assert made() == before != {}


def test_a_kaldi_directory_may_have_tabs_empty_lines_and_line_ends_of_windows(folder):
    plain = list_utterances(KALDI, Findings())
    for name in ("wav.scp", "utt2spk", "spk2gender"):
        path = folder / "data" / name
        text = path.read_text().replace(" ", "\t  ").replace("\n", " \r\n\r\n")
        path.write_text(f"\ufeff{text}", newline="")
    findings = Findings()
    changed = list_utterances(KALDI, findings)
    assert findings == []
    assert [utterance[:5] for utterance in changed] == [utterance[:5] for utterance in plain]


def test_only_line_ends_end_a_line(tmp_path):
    """Python's splitlines also cuts at separators that occur inside transcripts."""
    (tmp_path / "a").write_text("one\u2028still one\x0b\x85\ntwo")
    assert read_lines(tmp_path / "a") == ["one\u2028still one\x0b\x85", "two"]


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_id_goes_through_plug_ins_and_tables_and_does_nothing(folder, name):
    edit("anna-0\t", f"{name}\t")(folder / "speech" / "manifest.tsv")
    (folder / "submission" / "anna-0.wav").rename(folder / "submission" / f"{name}.wav")
    for command in ("a plug-in's command", "a plug-in's audio", "an extractor's command"):
        assert world.call(command) == 0
    assert manifests.read_manifest("out.tsv")[0].utterance == name
    assert name in np.load("out.npz")["ids"].tolist()
    assert not (folder / "stolen").exists()


@pytest.mark.parametrize("debug", [[], ["--debug"]])
def test_a_real_process_says_one_line_too(tmp_path, debug):
    environment = os.environ | {"VOICEPRIVACY_DEBUG": ""}
    done = call("verify", "x\x1b[31m", *debug, cwd=tmp_path, env=environment)
    assert done.returncode == 2
    assert done.stderr.endswith("error: x\\x1b[31m/provenance.json: not found\n")
    assert ("Traceback" in done.stderr) == bool(debug)
    assert list(tmp_path.iterdir()) == []
