"""What is wrong with protected utterances: found, counted and named."""

import re

import numpy as np
import pytest
import soundfile
from support.shards import run_shard
from support.sounds import RATE, tone

from voiceprivacy.anonymise import part as check
from voiceprivacy.inout import audio
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import Utterance


def spoil(team, **spoiled):
    for name, (samples, sample_rate) in spoiled.items():
        soundfile.write(team[name], samples, sample_rate, subtype="FLOAT")


def test_every_kind_of_broken_audio_is_found(original, tmp_path, team):
    nan, loud = tone(3).copy(), tone(6)
    nan[5] = np.nan
    silent, half, stereo = np.zeros(8000), tone(2)[:3000], np.stack([loud, loud], axis=1)
    spoil(team, s0_0=(silent, RATE), s1_0=(half, RATE), s1_1=(nan, RATE), s3_0=(stereo, RATE))
    team["s0_1"].unlink()
    team["s2_0"].write_bytes(b"not audio")
    with pytest.raises(BadInput) as error:
        run_shard(original, {"audio": str(tmp_path / "team")}, tmp_path / "out")
    message = str(error.value)
    assert message.startswith("5 of 8 protected utterances are unusable: ")
    findings = message.split(": ", 1)[1].split("; ")
    by_utterance = {finding.split("'")[1]: finding for finding in findings}
    expected = {
        "s0_0": "is silent",
        "s0_1": "is missing",
        "s1_0": "lasts 0.19 s, the original 0.50 s",
    }
    expected |= {"s1_1": "NaN", "s2_0": "cannot be read as audio"}
    assert by_utterance.keys() == expected.keys()
    assert all(text in by_utterance[name] for name, text in expected.items())
    assert not (tmp_path / "out/shards/0.tsv").exists()
    assert not (tmp_path / "out/wav/0").exists()
    assert list((tmp_path / "out/wav").iterdir()) == []


def test_a_file_that_stays_is_named_in_full_one_that_does_not_by_its_end(original, tmp_path, team):
    team["s2_0"].write_bytes(b"not audio")
    with pytest.raises(
        BadInput, match=rf"'s2_0' {re.escape(str(team['s2_0']))}: cannot be read as audio"
    ):
        run_shard(original, {"audio": str(tmp_path / "team")}, tmp_path / "out")
    (tmp_path / "silence.py").write_text(
        "def anonymise(samples, sample_rate, **_):\n    return 0 * samples\n"
    )
    with pytest.raises(BadInput, match=r"'s0_0' s0_0\.flac: is silent, the original is not; "):
        run_shard(original, {"function": f"{tmp_path / 'silence.py'}:anonymise"}, tmp_path / "out")


def test_silence_may_stay_silent(tmp_path):
    audio.write(tmp_path / "zero.flac", np.zeros(8000), RATE)
    original = Utterance("u", "s", "f", tmp_path / "zero.flac", 0.5)
    assert check.finding(original, tmp_path / "zero.flac", RATE) is None


@pytest.mark.parametrize(
    ("seconds", "good"), [(10.0, True), (8.0, True), (12.0, True), (7.0, False), (13.0, False)]
)
def test_the_length_may_differ_by_a_quarter(tmp_path, seconds, good):
    audio.write(tmp_path / "u.flac", tone(1, seconds), RATE)
    text = check.finding(
        Utterance("u", "s", "f", tmp_path / "original.flac", 10.0), tmp_path / "u.flac", RATE
    )
    assert (text is None) == good


def test_ten_findings_are_told_and_the_others_counted():
    with pytest.raises(BadInput) as error:
        check.raise_findings([(f"u{n}", "is missing") for n in range(13)], n_utterances=40)
    assert str(error.value).startswith(
        "13 of 40 protected utterances are unusable: 'u0' is missing; 'u1'"
    )
    assert "'u9' is missing; and 3 more (mend the anonymiser, or name them in 'exclude'" in str(
        error.value
    )


def test_several_channels_are_mixed_down_of_ready_speech_only(original, tmp_path, team, capfd):
    one, other = tone(6), tone(7)
    spoil(team, s3_0=(np.stack([one, other], axis=1), RATE), s3_1=(np.stack([one] * 3, 1), RATE))
    run_shard(original, {"audio": str(tmp_path / "team")}, tmp_path / "out")
    assert capfd.readouterr().err.count("warning: 2 files have several channels") == 1
    mixed, _ = audio.read(tmp_path / "out" / "wav" / "0" / "s3_0.flac")
    assert np.abs(mixed - (one + other) / 2).max() < 1e-4
    utterance = Utterance("s3_0", "s3", "f", team["s3_0"], 0.5)
    assert check.finding(utterance, team["s3_0"], RATE) == "has 2 channels instead of one"


@pytest.mark.parametrize(
    ("made_s", "original_s", "said"),
    [
        (2.0, 2.2, None),
        (1.0, 2.0, "half as long (does its header name another sample rate?)"),
        (4.1, 2.0, "twice as long"),
        (2.0, 6.0, "a third as long"),
        (6.0, 2.0, "three times as long"),
        (3.0, 2.0, "lasts 3.00 s, the original 2.00 s"),
    ],
)
def test_a_length_that_a_wrong_rate_makes_is_named_for_what_it_is(made_s, original_s, said):
    fault = check.unlike_length(made_s, original_s)
    if said is None:
        assert fault is None
    else:
        assert said in fault and ("as long" in said) == ("as long" in fault)
