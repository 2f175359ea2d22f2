"""One shard of an anonymised part: chosen, protected, checked, kept, gathered; and its commands."""

import itertools
import os
import re
import shutil
import sys
import uuid

import numpy as np
import pytest
import soundfile
from support.calls import flags, refused, succeeds
from support.shards import REVERSED, run_part, run_shard
from support.sounds import RATE, tone

from voiceprivacy.anonymise import findings, joining, part
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.manifests import Utterance, alphas_path, read_manifest, write_manifest
from voiceprivacy.vocabulary import MCADAMS

pytestmark = pytest.mark.usefixtures("this_process")

COMMAND = {"command": f"{sys.executable} {{scripts}}/anonymise_mcadams.py"}
DRAWN = {"function": MCADAMS, "options": {"alpha": [0.7, 0.9], "level": "speaker"}}


@pytest.fixture
def submit(original, team, tmp_path):
    """Protect a part by the team's files; its manifest."""
    files = {"audio": str(tmp_path / "team")}
    return lambda **options: run_shard(original, files | options, tmp_path / "out")


@pytest.mark.parametrize("anonymiser", [DRAWN, REVERSED], ids=["drawn", "reversed"])
def test_any_number_of_shards_gives_the_audio_of_one(original, tmp_path, anonymiser):
    joined, alphas = {}, {}
    for shards in (1, 3, 10):
        folder = tmp_path / str(shards)
        manifests = [
            run_shard(original, anonymiser, folder, shard=shard, shards=shards)
            for shard in range(shards)
        ]
        joined[shards] = joining.gather_manifests(original, manifests, folder / "manifest.tsv")
        alphas[shards] = alphas_path(folder / "manifest.tsv").read_text()
        assert read_manifest(folder / "manifest.tsv") == joined[shards]
    for before, *protected in zip(read_manifest(original), *joined.values(), strict=True):
        assert {line._replace(path=None) for line in protected} == {before._replace(path=None)}
        assert len({line.path.read_bytes() for line in protected}) == 1
        assert audio.is_16_bit_mono(protected[0].path, RATE)
    assert alphas[1] == alphas[3] == alphas[10]
    assert ("s0_0" in alphas[1]) == (anonymiser is DRAWN)


@pytest.mark.parametrize(
    "options",
    [
        {"alpha": 0.8, "level": "corpus"},
        {"alpha": [0.5, 0.9], "level": "utterance", "variant": "vpc2024"},
        {"alpha": [0.5, 0.9], "level": "speaker", "draw": "vpc2024"},
    ],
    ids=str,
)
def test_mcadams_is_the_same_as_a_command_and_as_a_function(original, tmp_path, options):
    made = []
    for number, program in enumerate((COMMAND, {"function": MCADAMS})):
        manifest = run_shard(original, program | {"options": options}, tmp_path / str(number))
        files = [line.path.read_bytes() for line in read_manifest(manifest)]
        made.append((files, alphas_path(manifest).read_text()))
    assert made[0] == made[1] and len(made[0][0]) == 8


def test_shards_are_a_partition_that_depends_on_the_ids_only(original):
    utterances = read_manifest(original)
    shards = [part.select_shard(utterances, shard, 3) for shard in range(3)]
    assert sorted(itertools.chain(*shards)) == sorted(utterances)
    assert sorted(part.select_shard(utterances[::-1], 1, 3)) == sorted(shards[1])
    assert part.select_shard(utterances, 0, 1) == utterances
    with pytest.raises(BadInput, match="--shard 3"):
        part.select_shard(utterances, 3, 3)


def test_audio_that_is_good_stays_where_it_is(submit, tmp_path, team):
    assert {line.utterance: line.path for line in read_manifest(submit())} == team
    assert list((tmp_path / "out/wav/0").iterdir()) == []


def test_a_submission_with_the_sound_of_another_utterance_is_refused(original, submit, team):
    before = {line.utterance: line.path for line in read_manifest(original)}
    for copied, said in (
        (team["s0_0"], "'s0_1' is the same file as that of 's0_0'"),
        (before["s0_0"], "'s0_1' is the original of 's0_0'"),
    ):
        shutil.copy(copied, team["s0_1"])
        with pytest.raises(BadInput, match=said):
            submit()


@pytest.mark.parametrize("how", ["hard link", "link", "copy", "quieter"])
def test_an_original_as_a_submission_is_refused(original, tmp_path, submit, team, how):
    path = original.parent / "s0_1.flac"
    if how == "quieter":
        soundfile.write(team["s0_1"], -0.4 * audio.read(path)[0], RATE)
    else:
        team["s0_1"].unlink()
        do = {"hard link": os.link, "link": os.symlink, "copy": shutil.copy}
        do[how](path, team["s0_1"])
    with pytest.raises(BadInput, match=r"1 of 8 .*: 's0_1' is its original"):
        submit()
    assert not (tmp_path / "out/shards/0.tsv").exists()


def test_speech_of_another_length_is_refused_by_a_rule_that_the_config_can_lift(
    original, submit, team
):
    for path in team.values():
        soundfile.write(path, audio.read(path)[0][::4], RATE)
    with pytest.raises(BadInput, match=r"0\.12 s, the original 0\.50 s.*25 %.*lengths: free"):
        submit()
    lasting = {line.duration_s for line in read_manifest(submit(lengths="free"))}
    assert lasting == {0.125}, "the manifest has the lengths of protected speech"


def test_a_submission_that_changes_next_to_nothing_is_judged(original, submit, team):
    for line in read_manifest(original):
        samples, _ = audio.read(line.path)
        tremolo = 1 + 0.02 * np.sin(2 * np.pi * 4 * np.arange(len(samples)) / RATE)
        soundfile.write(team[line.utterance], tremolo * samples, RATE)
    assert len(read_manifest(submit())) == len(team)


def test_float_audio_at_another_rate_is_converted_with_a_note(submit, tmp_path, team, capsys):
    samples = np.repeat(tone(0), 3)
    soundfile.write(team["s0_0"], 2 * samples / np.abs(samples).max(), 48000, subtype="FLOAT")
    manifest = submit(resample=True)
    assert "1 file resampled from 48000 to 16000 Hz" in capsys.readouterr().err
    (path,) = [line.path for line in read_manifest(manifest) if line.utterance == "s0_0"]
    assert path == tmp_path / "out/wav/0/s0_0.flac"
    assert audio.header(path)[:3] == (RATE, 1, 0.5)
    assert np.abs(audio.read(path)[0]).max() < 1


def test_what_a_killed_run_left_is_removed_by_the_next_run_of_the_same_job(original, tmp_path):
    out = tmp_path / "out"
    for start in ("wav/.0.", "wav/.1.", "shards/.0.", "shards/.0.alphas."):
        leftover = out / f"{start}{uuid.uuid4().hex}"
        if start.startswith("wav"):
            audio.write(leftover / "input" / "s0_0.flac", tone(0), RATE)
        else:
            leftover.parent.mkdir(exist_ok=True)
            leftover.with_name(f"{leftover.name}.tsv").write_text("half")
    (out / "wav/.0.mine").mkdir()
    run_shard(original, REVERSED, out)
    hidden = sorted(path.relative_to(out).as_posix()[:8] for path in out.rglob(".*"))
    assert hidden == ["wav/.0.m", "wav/.1." + hidden[1][-1]]


def names_of(manifest):
    return [utterance.utterance for utterance in read_manifest(manifest)]


def shard_manifest(path, original, names):
    write_manifest(path, [line for line in read_manifest(original) if line.utterance in names])
    return path


def test_gathering_finds_what_is_lost_twice_or_strange(original, tmp_path):
    names = names_of(original)
    first = shard_manifest(tmp_path / "a.tsv", original, names[:4])
    overlap = shard_manifest(tmp_path / "b.tsv", original, names[3:])
    lost = shard_manifest(tmp_path / "c.tsv", original, names[5:])
    strange = tmp_path / "d.tsv"
    lines = [line for line in read_manifest(original) if line.utterance in names[4:]]
    write_manifest(strange, [*lines, Utterance("x", "s", "f", "x", 1)])
    for second, message in (
        (overlap, f"b.tsv: utterance '{names[3]}' is also in .*a.tsv"),
        (lost, f"1 utterance is in none of the shards: {names[4]}"),
        (strange, "d.tsv: utterance 'x' is not in .*original"),
    ):
        with pytest.raises(BadInput, match=message):
            joining.gather_manifests(original, [first, second], tmp_path / "joined.tsv")
    assert not (tmp_path / "joined.tsv").exists()


def test_alphas_of_some_utterances_and_a_first_run_of_others_are_refused(original, tmp_path):
    names = names_of(original)
    drawn = shard_manifest(tmp_path / "a.tsv", original, names[:7])
    plain = shard_manifest(tmp_path / "b.tsv", original, names[7:])
    rows = "".join(f"{name}\ts\t0.8\n" for name in names[:7])
    alphas_path(drawn).write_text(f"utterance\tspeaker\talpha\n{rows}")
    with pytest.raises(BadInput, match=f"1 utterance .* tables of alphas.*{names[7]}"):
        joining.gather_manifests(original, [drawn, plain], tmp_path / "joined.tsv")
    with pytest.raises(BadInput, match=f"b.tsv: has no utterance '{names[0]}'"):
        joining.gather_manifests(original, [drawn, plain], tmp_path / "joined.tsv", first_run=plain)


def test_a_run_that_differs_in_one_sample_is_another_run(original, tmp_path, submit, team):
    shutil.copytree(tmp_path / "team", tmp_path / "first")
    first = run_shard(original, {"audio": str(tmp_path / "first")}, tmp_path / "first_run")
    changed = tone(7)[::-1].copy()
    changed[100] += 0.01
    audio.write(team["s3_1"], changed, RATE)
    assert (
        len(joining.gather_manifests(original, [submit()], tmp_path / "m.tsv", first_run=first))
        == 8
    )


def test_a_part_at_once_is_its_gathered_shard(original, tmp_path):
    shard = run_shard(original, DRAWN, tmp_path / "gathered")
    joining.gather_manifests(original, [shard], tmp_path / "gathered/manifest.tsv")
    run_part(original, DRAWN, tmp_path / "at_once")
    for name in ("manifest.tsv", "manifest.alphas.tsv"):
        files = [tmp_path / folder / name for folder in ("gathered", "at_once")]
        assert files[0].read_bytes() == files[1].read_bytes(), name
    left = sorted(path.name for path in (tmp_path / "at_once").iterdir())
    assert left == ["manifest.alphas.tsv", "manifest.tsv", "wav"]


def test_a_part_at_once_has_the_order_and_the_speakers_of_the_original(original, tmp_path):
    """An anonymiser of training speech is given pseudo-speakers."""
    pseudo = tmp_path / "pseudo_manifest.tsv"
    given = [line._replace(speaker=line.utterance) for line in read_manifest(original)]
    write_manifest(pseudo, given[::-1])
    joined = read_manifest(run_part(original, REVERSED, tmp_path / "out", manifest=pseudo))
    for before, after in zip(read_manifest(original), joined, strict=True):
        assert before._replace(path=None) == after._replace(path=None)


def test_a_second_run_at_once_with_the_same_audio_is_refused(original, tmp_path):
    first = run_part(original, REVERSED, tmp_path / "b2")
    with pytest.raises(BadInput, match="same audio of all 8 utterances"):
        run_part(original, REVERSED, tmp_path / "b2_run1", seed=2, first_run=first)
    assert not (tmp_path / "b2_run1/manifest.tsv").exists()
    first = run_part(original, DRAWN, tmp_path / "b2r")
    run_part(original, DRAWN, tmp_path / "b2r_run1", seed=2, first_run=first)


def test_a_part_that_fails_leaves_nothing_of_earlier_or_killed_runs(original, tmp_path):
    manifest = run_part(original, DRAWN, tmp_path / "out")
    killed = tmp_path / f"out/.shards.{uuid.uuid4().hex}"
    killed.mkdir()
    with pytest.raises(BadInput):
        run_part(original, {"command": "false"}, tmp_path / "out")
    assert not any(path.exists() for path in (killed, manifest, alphas_path(manifest)))


def test_a_whole_part_is_anonymised_from_the_command_line(original, tmp_path):
    arguments = flags(manifest=original, original=original, anonymiser=REVERSED, seed=1)
    arguments += flags(audio_dir=tmp_path / "wav/0", output_manifest=tmp_path / "manifest.tsv")
    assert "8 utterances:" in succeeds("anonymise_part", *arguments)
    assert names_of(tmp_path / "manifest.tsv") == names_of(original)
    assert "--threads 0" in refused("anonymise_part", *arguments, "--threads", "0")


@pytest.mark.parametrize("n_samples", [999, 1000, 2345])
def test_an_original_is_recognised_in_pieces(tmp_path, monkeypatch, n_samples):
    """Hours of speech are compared in pieces: they end with, before and after the recording."""
    monkeypatch.setattr(audio, "BLOCK", 1000)
    samples = np.random.default_rng(1).normal(0, 0.1, n_samples)
    rest = np.concatenate([samples[:-400], samples[-400:][::-1]])
    versions = {"original": samples, "quieter": -0.5 * samples, "shorter": samples[:-1]}
    for name, version in (versions | {"other_end": rest}).items():
        soundfile.write(tmp_path / f"{name}.wav", version, RATE)
    same = [
        name
        for name in ("quieter", "shorter", "other_end")
        if findings.is_the_original(tmp_path / "original.wav", tmp_path / f"{name}.wav")
    ]
    assert same == ["quieter"]


def test_every_kind_of_broken_audio_is_found(tmp_path, submit, team):
    """All at once; hardening/test_malformed.py has each kind alone."""
    soundfile.write(team["s0_0"], np.zeros(8000), RATE)
    team["s0_1"].unlink()
    team["s2_0"].write_bytes(b"not audio")
    said = r"^3 of 8 .*: 's0_0' .*is silent.*; 's2_0' .*cannot be read.*; 's0_1' is missing"
    with pytest.raises(BadInput, match=said):
        submit()
    assert not (tmp_path / "out/shards/0.tsv").exists()
    assert list((tmp_path / "out/wav").iterdir()) == []


def test_a_file_that_stays_is_named_in_full(original, tmp_path, submit, team):
    team["s2_0"].write_bytes(b"not audio")
    with pytest.raises(BadInput, match=rf"'s2_0' {re.escape(str(team['s2_0']))}: cannot be read"):
        submit()
    (tmp_path / "silence.py").write_text(
        "def silence(samples, rate, **_):\n    return 0 * samples\n"
    )
    with pytest.raises(BadInput, match=r"'s0_0' s0_0\.flac: is silent"):
        run_shard(original, {"function": f"{tmp_path / 'silence.py'}:silence"}, tmp_path / "out")


def test_silence_may_stay_silent(tmp_path):
    audio.write(tmp_path / "zero.flac", np.zeros(8000), RATE)
    original = Utterance("u", "s", "f", tmp_path / "zero.flac", 0.5)
    assert findings.finding(original, tmp_path / "zero.flac", RATE) is None


def test_several_channels_are_mixed_down_of_ready_speech_only(tmp_path, submit, team, capfd):
    one, other = tone(6), tone(7)
    for name, channels in (("s3_0", [one, other]), ("s3_1", [one] * 3)):
        soundfile.write(team[name], np.stack(channels, axis=1), RATE, subtype="FLOAT")
    submit()
    assert capfd.readouterr().err.count("warning: 2 files have several channels") == 1
    mixed, _ = audio.read(tmp_path / "out" / "wav" / "0" / "s3_0.flac")
    assert np.abs(mixed - (one + other) / 2).max() < 1e-4
    utterance = Utterance("s3_0", "s3", "f", team["s3_0"], 0.5)
    assert findings.finding(utterance, team["s3_0"], RATE) == "has 2 channels instead of one"
    soundfile.write(team["s3_0"], np.outer(one, (1, -1)), RATE)
    assert "cancel" in findings.finding(utterance, team["s3_0"], RATE, mixed_down=True)


@pytest.mark.parametrize(
    ("made_s", "original_s", "said"),
    [
        *((seconds, 10.0, None) for seconds in (8.0, 10.0, 12.0)),  # a quarter more or less
        *((seconds, 10.0, f"lasts {seconds:.2f} s, the original 10.00") for seconds in (7.0, 13.0)),
        (2.0, 2.2, None),
        (1.0, 2.0, "half as long"),
        (4.1, 2.0, "twice as long"),
        (2.0, 6.0, "a third as long"),
        (6.0, 2.0, "three times as long"),
        (3.0, 2.0, "lasts 3.00 s, the original 2.00 s"),
        (1.0, 0.0, "lasts 1.00 s, the original 0.00 s"),  # a manifest that somebody wrote
    ],
)
def test_a_length_that_a_wrong_rate_makes_is_named_for_what_it_is(made_s, original_s, said):
    fault = findings.unlike_length(made_s, original_s)
    if said is None:
        assert fault is None
    else:
        assert said in fault and ("as long" in said) == ("as long" in fault)
