"""How alpha is drawn: ours from seed and id alone, and by the rule of 2024, also in a run."""

import hashlib
import json
import sys

import numpy as np
import pytest
from support.calls import call, flags, here
from support.shards import run_shard
from support.sounds import RATE, tone

from voiceprivacy.anonymise.functions.mcadams import draw_alphas
from voiceprivacy.anonymise.part import gather_manifests
from voiceprivacy.inout import audio
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import (
    ALPHAS,
    Utterance,
    alphas_path,
    read_manifest,
    read_table,
    write_manifest,
)

UTTERANCES = [Utterance(f"u{n}", f"s{n // 2}", "f", f"u{n}.flac", 1.0) for n in range(6)]


def drawn(utterances=UTTERANCES, low=0.5, high=0.9, level="speaker", draw="ours", seed=1):
    alphas = draw_alphas(utterances, (low, high), level=level, draw=draw, seed=seed)
    return {
        utterance.utterance: alpha
        for utterance, alpha in zip(utterances, alphas.tolist(), strict=True)
    }


@pytest.mark.parametrize(("level", "distinct"), [("corpus", 1), ("speaker", 3), ("utterance", 6)])
def test_an_alpha_is_shared_at_its_level(level, distinct):
    alphas = drawn(level=level)
    assert len(set(alphas.values())) == distinct
    assert all(0.5 <= alpha < 0.9 for alpha in alphas.values())
    if level == "speaker":
        assert alphas["u2"] == alphas["u3"] != alphas["u4"]


@pytest.mark.parametrize("level", ["corpus", "speaker", "utterance"])
def test_order_and_company_do_not_matter(level):
    everything = drawn(level=level)
    assert drawn(UTTERANCES[::-1], level=level) == everything
    assert drawn(UTTERANCES[4:], level=level) == {name: everything[name] for name in ("u4", "u5")}


@pytest.mark.parametrize("level", ["corpus", "speaker", "utterance"])
def test_another_seed_gives_the_same_speaker_another_alpha(level):
    """The attacker has a seed of his own, so he does not hold the user's pseudonym."""
    assert all(
        drawn(level=level)[name] != alpha for name, alpha in drawn(level=level, seed=2).items()
    )


@pytest.mark.parametrize("draw", ["ours", "vpc2024"])
@pytest.mark.parametrize("level", ["corpus", "speaker", "utterance"])
def test_a_fixed_value_is_everybodys(level, draw):
    assert set(drawn(low=0.8, high=0.8, level=level, draw=draw).values()) == {0.8}


def test_the_rule_of_2024():
    speakers = [Utterance("a", "1089", "m", "a", 1.0), Utterance("b", "p225", "f", "b", 1.0)]
    assert drawn(speakers, draw="vpc2024") == {"a": 0.7272700462000519, "b": 0.6397319919474549}
    alphas = drawn(UTTERANCES[:3], draw="vpc2024", level="utterance")
    assert list(alphas.values()) == [0.6875880725850418, 0.567471028445037, 0.7592414130478444]


def test_the_rule_of_2024_knows_no_corpus():
    with pytest.raises(BadInput, match="no rule for --level corpus"):
        drawn(draw="vpc2024", level="corpus")


def test_positions_of_other_speech_are_read_only_where_a_draw_counts_them(tmp_path):
    audio.write(tmp_path / "own" / "u.wav", tone(0), RATE)
    write_manifest(tmp_path / "m.tsv", [Utterance("u", "s", "f", tmp_path / "own/u.wav", 1.0)])
    (tmp_path / "positions.tsv").write_text("utterance\tposition\nother\t0\n")
    words = flags(manifest=tmp_path / "m.tsv", seed=1, alpha=[0.5, 0.9], level="utterance")
    words += flags(audio_dir=tmp_path / "wav", output_manifest=tmp_path / "p.tsv")
    assert here("anonymise_mcadams", *words).returncode == 0
    done = here("anonymise_mcadams", *words, "--draw", "vpc2024")
    assert done.stderr.endswith("positions.tsv: utterance 'u' is missing\n")


DRAWN = "scripts/anonymise_mcadams.py --alpha 0.5 0.9 --draw vpc2024"
# Data directories: speakers in the order of wav.scp, which is that of no alphabet.
DIRECTORIES = {
    "enrolls": ["clara", "anna", "david", "emil"],
    "trials_f": ["clara", "anna"],
    "trials_m": ["emil", "david"],
}
SOURCE = {
    "kaldi": {"enrolment": "enrolls", "trial": ["trials_f", "trials_m"]},
    "exclude": ["clara_trials_f_2"],
}
PROTOCOL = {"given": {"f": "trials_f", "m": "trials_m"}}


@pytest.fixture(scope="module")
def directories(tmp_path_factory):
    """Three directories of the challenge; an utterance of each part is left out."""
    folder = tmp_path_factory.mktemp("data")
    for directory, speakers in DIRECTORIES.items():
        (folder / directory).mkdir()
        names = [f"{speaker}_{directory}_{number}" for number in (2, 0, 1) for speaker in speakers]
        for name in names:
            audio.write(folder / "wav" / f"{name}.wav", tone(len(name)), RATE)
        tables = {
            "wav.scp": [f"{name} {folder}/wav/{name}.wav" for name in names],
            "utt2spk": [f"{name} {name.split('_')[0]}" for name in sorted(names)],
            "spk2gender": [f"{name} {'f' if name in 'clara anna' else 'm'}" for name in speakers],
            "enrolls": sorted(name for name in names if "enrolls" in name),
            "trials": [
                f"{enrolled} {name} {'target' if name.startswith(enrolled) else 'nontarget'}"
                for enrolled in speakers
                for name in sorted(names)
            ],
        }
        for table, lines in tables.items():
            (folder / directory / table).write_text("\n".join(lines) + "\n")
    return folder


def of_the_challenge(directory, folder, *, level):
    """The challenge's rule: one generator for a directory, or one that a speaker begins anew."""

    def generator(text):
        return np.random.default_rng(int(hashlib.sha256(text.encode()).hexdigest()[:8], 16))

    alphas, of_directory = {}, generator("VPC2024")
    for line in (folder / directory / "wav.scp").read_text().splitlines():
        name = line.split()[0]
        own = of_directory if level == "utterance" else generator(name.split("_")[0])
        alphas[name] = own.uniform(0.5, 0.9)
    return alphas


@pytest.mark.parametrize("level", ["utterance", "speaker"])
@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("part", ["enrolment", "trial"])
def test_all_draws_are_those_of_the_challenge(directories, tmp_path, part, shards, level):
    source = json.loads(json.dumps(SOURCE).replace('"trials', f'"{directories}/trials'))
    source["kaldi"]["enrolment"] = f"{directories}/enrolls"
    protocol = json.dumps(PROTOCOL).replace('"trials', f'"{directories}/trials')
    (tmp_path / "excluded.tsv").write_text("utterance\twhy\nclara_trials_f_2\tthe config\n")
    original = tmp_path / "original" / "manifest.tsv"
    words = ["--source", json.dumps(source), "--protocol", protocol, "--part", part]
    words += ["--excluded", tmp_path / "excluded.tsv", "--sample-rate", RATE]
    words += ["--audio-dir", tmp_path / "original" / "wav", "--manifest", original]
    prepared = call("prepare_part", *words)
    assert prepared.returncode == 0, prepared.stderr

    b2 = {"command": f"{sys.executable} {DRAWN} --level {level}"}
    manifests = [
        run_shard(original, b2, tmp_path / "b2", shard=shard, shards=shards)
        for shard in range(shards)
    ]
    gathered = tmp_path / "b2" / "manifest.tsv"
    gather_manifests(original, manifests, gathered)

    in_table = {
        row["utterance"]: float(row["alpha"]) for row in read_table(alphas_path(gathered), ALPHAS)
    }
    expected = {}
    for directory in source["kaldi"]["trial"] if part == "trial" else ["enrolls"]:
        expected |= of_the_challenge(directory, directories, level=level)
    names = [line.utterance for line in read_manifest(original)]
    assert len(names) == (11 if part == "trial" else 12) and in_table.keys() == set(names)
    assert in_table == {name: expected[name] for name in names}
