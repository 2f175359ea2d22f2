"""Without a seed in its config a run draws a secret, which nothing but its file holds."""

import shutil
import stat
from pathlib import Path

import pytest
from support.calls import call
from support.runs import B2R, make_kaldi_directory, write_config

from voiceprivacy.inout import seeds
from voiceprivacy.inout.tables import ALPHAS, read_table

# It leaves its seed outside of the results, for this test alone.
FUNCTION = """
import os

def anonymise(samples, sample_rate, *, utterance, speaker, seed):
    with open(os.path.join(os.path.dirname(__file__), "seen.txt"), "a") as file:
        print(seed, file=file)
    return samples[::-1]
"""
SECRET = "results/secret_seed"
PARTS = {
    name: f"results/audio/tiny/{part}/{name}/manifest.tsv"
    for name, part in (("b2r", "trial"), ("b2r_run1", "enrolment"), ("mine", "trial"))
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory, model_folder):
    folder = tmp_path_factory.mktemp("secret")
    make_kaldi_directory(folder / "data" / "tiny", utterances=3, enrolled=1)
    (folder / "model").symlink_to(model_folder)
    (folder / "mine.py").write_text(FUNCTION)
    anonymisers = {"b2r": {"command": B2R, "runs": 2}, "mine": {"function": "mine.py:anonymise"}}
    write_config(folder, anonymisers=anonymisers, seed=None)
    return folder


def protect(folder, *words):
    """Run the workflow as far as the protected speech."""
    targets = (*PARTS.values(), "--cores", "2", "--configfile", "config.yaml")
    return call("run", *targets, *words, cwd=folder)


def coefficients(folder, name="b2r"):
    """{speaker: alpha} of a part."""
    path = (folder / PARTS[name]).with_name("manifest.alphas.tsv")
    return {row["speaker"]: float(row["alpha"]) for row in read_table(path, ALPHAS)}


def test_the_secret_is_drawn_once_and_lies_in_its_file_alone(folder):
    dry = protect(folder, "--dry-run")
    assert dry.returncode == 0, dry.stderr
    assert not (folder / SECRET).exists()

    first = protect(folder, "--printshellcmds", "--verbose")
    assert first.returncode == 0, first.stderr
    secret = (folder / SECRET).read_bytes()
    assert stat.S_IMODE((folder / SECRET).stat().st_mode) == 0o600
    public = {
        name: seeds.generator(0, "alpha", "speaker", name).uniform(0.7, 0.9)
        for name in coefficients(folder)
    }
    for name in ("b2r", "b2r_run1"):
        assert not set(coefficients(folder, name).values()) & set(public.values())

    numbers = set((folder / "seen.txt").read_text().split())
    assert len(numbers) == 1 and int(*numbers) >= 2**32
    hidden = [secret.strip(), *(number.encode() for number in numbers)]
    assert not [word for word in hidden if word.decode() in first.stdout + first.stderr]
    written = [path for root in ("results", ".snakemake") for path in (folder / root).rglob("*")]
    holding = [
        path.relative_to(folder)
        for path in written
        if path.is_file() and any(word in path.read_bytes() for word in hidden)
    ]
    assert holding == [Path(SECRET)]

    again = protect(folder)
    assert "Nothing to be done" in again.stdout + again.stderr
    assert (folder / SECRET).read_bytes() == secret


def test_a_copy_of_the_secret_repeats_a_run(folder, tmp_path):
    """The last test: it makes the run again."""
    kept, drawn = tmp_path / "secret", coefficients(folder)
    shutil.copy(folder / SECRET, kept)
    digit = b"1" if kept.read_bytes().startswith(b"0") else b"0"
    (folder / SECRET).write_bytes(digit + kept.read_bytes()[1:])
    refused = protect(folder, "--seed-file", kept)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "was made with another" in refused.stderr

    shutil.rmtree(folder / "results")
    dry = protect(folder, "--seed-file", kept, "--dry-run")
    assert dry.returncode == 0 and not (folder / SECRET).exists()
    repeated = protect(folder, "--seed-file", kept)
    assert repeated.returncode == 0, repeated.stderr
    assert coefficients(folder) == drawn
    assert stat.S_IMODE((folder / SECRET).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("seed", "content", "said"),
    [
        (0, "a" * 64, "the config has a seed"),
        (None, "no-digits\n", "holds no secret"),
        (None, None, "not found"),
    ],
)
def test_a_seed_file_that_cannot_be_used_is_refused(run_folder, seed, content, said):
    write_config(run_folder, anonymisers={"b2r": {"command": B2R}}, seed=seed)
    if content:
        (run_folder / "given").write_text(content)
    refused = protect(run_folder, "--dry-run", "--seed-file", "given")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert said in refused.stderr and "no-digits" not in refused.stderr
