"""--draw vpc2024 inside a run: the draws of the challenge, whatever parts and shards there are."""

import hashlib
import json
import sys

import numpy as np
import pytest
from support.calls import call
from support.shards import run_shard
from support.sounds import RATE, tone

from voiceprivacy.anonymise.part import gather_manifests
from voiceprivacy.inout import audio
from voiceprivacy.inout.tables import ALPHAS, alphas_path, read_manifest, read_table

MCADAMS = "scripts/anonymise_mcadams.py --alpha 0.5 0.9 --draw vpc2024"
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

    b2 = {"command": f"{sys.executable} {MCADAMS} --level {level}"}
    manifests = [
        run_shard(original, b2, tmp_path / "b2", shard=shard, shards=shards)
        for shard in range(shards)
    ]
    gathered = tmp_path / "b2" / "manifest.tsv"
    gather_manifests(original, manifests, gathered)

    drawn = {
        row["utterance"]: float(row["alpha"]) for row in read_table(alphas_path(gathered), ALPHAS)
    }
    expected = {}
    for directory in source["kaldi"]["trial"] if part == "trial" else ["enrolls"]:
        expected |= of_the_challenge(directory, directories, level=level)
    names = [line.utterance for line in read_manifest(original)]
    assert len(names) == (11 if part == "trial" else 12) and drawn.keys() == set(names)
    assert drawn == {name: expected[name] for name in names}
