"""How alpha is drawn: ours from seed and id alone, and by the rule of 2024, also in a run."""

import hashlib
import itertools
from pathlib import Path

import numpy as np
import pytest
from support.calls import flags, refused, succeeds
from support.shards import run_shard
from support.sounds import RATE, tone
from support.trees import write_kaldi, write_lines

from voiceprivacy.anonymise import plugins
from voiceprivacy.anonymise.functions.mcadams import draw_alphas
from voiceprivacy.anonymise.joining import gather_manifests
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio, manifests, tables
from voiceprivacy.inout.manifests import Utterance

UTTERANCES = [Utterance(f"u{n}", f"s{n // 2}", "f", f"u{n}.flac", 1.0) for n in range(6)]


def drawn(utterances=UTTERANCES, low=0.5, high=0.9, level="speaker", draw="ours", seed=1):
    alphas = draw_alphas(utterances, (low, high), level=level, draw=draw, seed=seed).tolist()
    return {line.utterance: alpha for line, alpha in zip(utterances, alphas, strict=True)}


@pytest.mark.parametrize(("level", "distinct"), [("corpus", 1), ("speaker", 3), ("utterance", 6)])
def test_an_alpha_is_shared_at_its_level(level, distinct):
    alphas = drawn(level=level)
    assert len(set(alphas.values())) == distinct
    assert all(0.5 <= alpha < 0.9 for alpha in alphas.values())
    if level == "speaker":
        assert alphas["u2"] == alphas["u3"] != alphas["u4"]


@pytest.mark.parametrize("level", ["corpus", "speaker", "utterance"])
def test_order_and_company_do_not_matter_and_the_seed_does(level):
    everything = drawn(level=level)
    assert drawn(UTTERANCES[::-1], level=level) == everything
    assert drawn(UTTERANCES[4:], level=level) == {name: everything[name] for name in ("u4", "u5")}
    other = drawn(level=level, seed=2)  # as of attackers, who do not hold the user's pseudonym
    assert all(other[name] != alpha for name, alpha in everything.items())


@pytest.mark.parametrize("draw", ["ours", "vpc2024"])
@pytest.mark.parametrize("level", ["corpus", "speaker", "utterance"])
def test_a_fixed_value_is_everybodys(level, draw):
    assert set(drawn(low=0.8, high=0.8, level=level, draw=draw).values()) == {0.8}


def test_the_rule_of_2024():
    speakers = [Utterance("a", "1089", "m", "a", 1.0), Utterance("b", "p225", "f", "b", 1.0)]
    assert drawn(speakers, draw="vpc2024") == {"a": 0.7272700462000519, "b": 0.6397319919474549}
    alphas = drawn(UTTERANCES[:3], draw="vpc2024", level="utterance")
    assert list(alphas.values()) == [0.6875880725850418, 0.567471028445037, 0.7592414130478444]
    with pytest.raises(BadInput, match="--level corpus"):
        drawn(draw="vpc2024", level="corpus")


def test_positions_of_other_speech_are_read_only_where_a_draw_counts_them(tmp_path):
    audio.write(tmp_path / "own" / "u.wav", tone(0), RATE)
    line = Utterance("u", "s", "f", tmp_path / "own/u.wav", 1.0)
    manifests.write_manifest(tmp_path / "m.tsv", [line])
    (tmp_path / "positions.tsv").write_text("utterance\tposition\nother\t0\n")
    words = flags(manifest=tmp_path / "m.tsv", seed=1, alpha=[0.5, 0.9], level="utterance")
    words += flags(audio_dir=tmp_path / "wav", output_manifest=tmp_path / "p.tsv")
    succeeds("anonymise_mcadams", *words)
    said = refused("anonymise_mcadams", *words, "--draw", "vpc2024")
    assert said.endswith("positions.tsv: utterance 'u' is missing\n")


GENDERS = {"clara": "f", "anna": "f", "david": "m", "emil": "m"}
# Speakers in the order of wav.scp, which is that of no alphabet.
DIRECTORIES = {"enrolls": [*GENDERS], "trials_f": ["clara", "anna"], "trials_m": ["emil", "david"]}


@pytest.fixture(scope="module")
def directories(tmp_path_factory):
    """Three directories of the challenge, whose tables but wav.scp are sorted."""
    folder = tmp_path_factory.mktemp("data")
    for directory, speakers in DIRECTORIES.items():
        names = {who: [f"{who}_{directory}_{number}" for number in (2, 0, 1)] for who in speakers}
        for name in itertools.chain(*names.values()):
            audio.write(folder / "wav" / f"{name}.wav", tone(len(name)), RATE)
        how = {"enrolled": 3 * (directory == "enrolls"), "path": f"{folder}/wav/{{}}.wav".format}
        write_kaldi(folder / directory, GENDERS, names, **how)
        for table in ("utt2spk", "enrolls", "trials"):
            lines = (folder / directory / table).read_text().splitlines()
            write_lines(folder / directory / table, sorted(lines))
    return folder


def generator(text):
    return np.random.default_rng(int(hashlib.sha256(text.encode()).hexdigest()[:8], 16))


@pytest.mark.parametrize("level", ["utterance", "speaker"])
@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("part", ["enrolment", "trial"])
def test_draws_are_those_of_the_challenge(directories, tmp_path, monkeypatch, part, shards, level):
    """The command runs in this process: a program of its own takes a second to begin."""
    enrolled, *tried = [f"{directories}/{name}" for name in DIRECTORIES]
    (tmp_path / "excluded.tsv").write_text("utterance\twhy\nclara_trials_f_2\tthe config\n")
    original = tmp_path / "original" / "manifest.tsv"
    source = {"kaldi": {"enrolment": enrolled, "trial": tried}, "exclude": ["clara_trials_f_2"]}
    words = flags(source=source, protocol={"given": dict(zip("fm", tried, strict=True))})
    words += flags(part=part, excluded=tmp_path / "excluded.tsv", sample_rate=RATE)
    words += flags(audio_dir=tmp_path / "original" / "wav", manifest=original)
    succeeds("prepare_part", *words)

    monkeypatch.setattr(plugins.programs, "run", lambda words, **options: succeeds(*words))
    b2 = {"command": f"anonymise_mcadams --alpha 0.5 0.9 --draw vpc2024 --level {level}"}
    of_shards = [
        run_shard(original, b2, tmp_path / "b2", shard=shard, shards=shards)
        for shard in range(shards)
    ]
    gathered = tmp_path / "b2" / "manifest.tsv"
    gather_manifests(original, of_shards, gathered)

    in_table = {
        row["utterance"]: float(row["alpha"])
        for row in tables.read_table(manifests.alphas_path(gathered), manifests.ALPHAS)
    }
    expected = {}
    for directory in tried if part == "trial" else [enrolled]:
        # The challenge's rule: one generator for a directory, or one that a speaker begins anew.
        of_directory = generator("VPC2024")
        for line in Path(directory, "wav.scp").read_text().splitlines():
            name = line.split()[0]
            own = of_directory if level == "utterance" else generator(name.split("_")[0])
            expected[name] = own.uniform(0.5, 0.9)
    names = [line.utterance for line in manifests.read_manifest(original)]
    assert len(names) == (11 if part == "trial" else 12)
    assert in_table == {name: expected[name] for name in names}
