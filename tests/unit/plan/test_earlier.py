"""Results that are there already: refused, kept, or made again."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from voiceprivacy.inout.files import SCRIPTS, BadInput
from voiceprivacy.inout.tables import Utterance, write_manifest
from voiceprivacy.plan import earlier
from voiceprivacy.plan.earlier import FORMAT, refuse_other_format


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write_provenance(text):
    Path("results").mkdir(exist_ok=True)
    Path("results/provenance.json").write_text(text)


def test_a_fresh_folder_gets_the_format_and_can_be_carried_on():
    refuse_other_format(remake=False, dry_run=True)
    assert not FORMAT.exists()
    refuse_other_format(remake=False, dry_run=False)
    Path("results/metrics").mkdir()
    refuse_other_format(remake=False, dry_run=False)


def test_results_that_say_this_format_are_carried_on():
    write_provenance('{"format": 3}')
    refuse_other_format(remake=False, dry_run=False)
    Path("results/provenance.json").unlink()  # as Snakemake does before it makes it again
    Path("results/metrics").mkdir()
    refuse_other_format(remake=False, dry_run=False)


@pytest.mark.parametrize("provenance", ['{"format": 1}', "{}", '{"format": 2}', '{"format": 4}'])
def test_results_of_another_format_are_refused(provenance):
    write_provenance(provenance)
    with pytest.raises(BadInput, match=r"--directory NEW.* --remake"):
        refuse_other_format(remake=False, dry_run=True)
    refuse_other_format(remake=True, dry_run=False)
    assert FORMAT.read_text() != "3\n", "they are of this format only when all is made"
    write_provenance('{"format": 3}')
    refuse_other_format(remake=False, dry_run=False)
    assert FORMAT.read_text() == "3\n"


def test_an_interrupted_run_of_another_format_is_refused():
    Path("results/checks").mkdir(parents=True)
    with pytest.raises(BadInput, match="made by another version"):
        refuse_other_format(remake=False, dry_run=False)


# Models.


class Job(SimpleNamespace):
    """A job of Snakemake's plan; ``why`` are the names of its reason's fields that hold."""

    __hash__ = object.__hash__

    def __init__(self, rule, outputs=(), inputs=(), before=(), **why):
        super().__init__(rule=SimpleNamespace(name=rule), output=outputs, input=inputs)
        self.before = dict.fromkeys(before)
        fields = {"forced": False, "incomplete_output": False, "derived": not why}
        names = list(why)
        self.reason = SimpleNamespace(**fields | why, get_names=lambda: names)


class Dag:
    """As much of Snakemake's plan as is asked for."""

    def __init__(self, *jobs):
        self.jobs = jobs
        self.dependencies = {job: job.before for job in jobs}

    def needrun_jobs(self, exclude_finished=True):
        return self.jobs

    def needrun(self, job):
        return job in self.jobs

    def reason(self, job):
        return job.reason

    def bfs(self, direction, job):
        yield job
        for earlier_job in direction.get(job, {}):
            yield from self.bfs(direction, earlier_job)


MODEL = ["results/models/ecapa/embedding_model.ckpt"]
FINGERPRINT = "results/sources/corpora/train.sha256"
CHANGED = SimpleNamespace(
    changed={"corpora/train": ["data/train/text", "b"], "corpora/other": ["c"]},
    file=lambda source: [f"results/sources/{source}.sha256"],
)
NONE = SimpleNamespace(changed={}, file=None)


def make(paths):
    for path in paths:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).touch()


def test_a_model_that_would_be_trained_again_is_named_with_what_has_changed():
    make(MODEL)
    check = Job("validate_corpus", inputs=[FINGERPRINT], updated_input=True)
    part = Job("prepare_part", inputs=[FINGERPRINT], before=[check])
    train = Job("train_extractor", MODEL, before=[part])
    assert earlier.retrained(Dag(check, part, train), CHANGED) == [
        "results/models/ecapa would be trained again:"
        " corpora/train has changed (data/train/text and 1 other file)"
    ]


def test_without_a_changed_source_the_reason_of_snakemake_is_told():
    make(MODEL)
    train = Job("train_extractor", MODEL, params_changed=True)
    (line,) = earlier.retrained(Dag(train), NONE)
    assert line.endswith("ecapa would be trained again: train_extractor: params_changed")
    said = earlier.refusal([line])
    assert "--directory NEW" in said and "--remake" in said


@pytest.mark.parametrize(
    ("job", "is_there"),
    [
        (Job("train_extractor", MODEL), False),
        (Job("train_extractor", MODEL, forced=True), True),
        (Job("train_extractor", MODEL, incomplete_output=True), True),
        (Job("fetch_model", MODEL), True),
        (Job("train_backend", ["results/backends/plda/ecapa.npz"]), True),
    ],
    ids=["a new one", "asked for", "a training that goes on", "fetched", "a back-end"],
)
def test_other_models_are_made_without_asking(job, is_there):
    make(job.output if is_there else [])
    assert earlier.retrained(Dag(job), NONE) == []


# Deleted speech.


@pytest.fixture
def manifest(tmp_path):
    """A manifest of two protected files, one in each of two shards, and of one of somebody's."""
    folder = Path("results/audio/tiny/trial/b2")
    files = [folder / "wav/0/a.flac", folder / "wav/1/b.flac", tmp_path / "c.flac"]
    make([*files, folder / "shards/0.tsv", folder / "shards/1.tsv"])
    lines = [Utterance(path.stem, "s", "f", path.absolute(), 1.0) for path in files]
    write_manifest(folder / "manifest.tsv", lines)
    for path in (folder / "manifest.tsv", folder / "wav", folder / "wav/0", folder / "wav/1"):
        os.utime(path, (1, 1))
    return folder / "manifest.tsv"


def test_speech_that_is_there_is_looked_at_once(manifest, monkeypatch):
    assert earlier.make_lost_speech_again(dry_run=False) == []
    monkeypatch.setattr(earlier, "read_manifest", None)
    assert earlier.make_lost_speech_again(dry_run=False) == []


def test_a_manifest_whose_speech_is_gone_is_removed_with_its_shard(manifest):
    assert earlier.make_lost_speech_again(dry_run=False) == []
    (manifest.parent / "wav/1/b.flac").unlink()
    assert earlier.make_lost_speech_again(dry_run=True) == [str(manifest)]
    assert manifest.exists()
    assert earlier.make_lost_speech_again(dry_run=False) == [str(manifest)]
    assert not manifest.exists()
    assert [path.name for path in (manifest.parent / "shards").iterdir()] == ["0.tsv"]
    assert earlier.make_lost_speech_again(dry_run=False) == []


def test_a_folder_of_speech_that_is_gone_is_noticed(manifest):
    assert earlier.make_lost_speech_again(dry_run=False) == []
    for name in ("0/a.flac", "1/b.flac"):
        (manifest.parent / "wav" / name).unlink()
    for name in ("0", "1", "."):
        (manifest.parent / "wav" / name).resolve().rmdir()
    assert earlier.make_lost_speech_again(dry_run=False) == [str(manifest)]


def test_a_manifest_of_speech_that_lies_elsewhere_is_read_once(manifest, tmp_path, monkeypatch):
    write_manifest(manifest, [Utterance("c", "s", "f", tmp_path / "c.flac", 1.0)])
    os.utime(manifest, (1, 1))
    shutil.rmtree(manifest.parent / "wav")
    assert earlier.make_lost_speech_again(dry_run=False) == []
    monkeypatch.setattr(earlier, "read_manifest", None)
    assert earlier.make_lost_speech_again(dry_run=False) == []


def test_speech_of_somebody_elses_is_no_matter_here(manifest, tmp_path):
    (tmp_path / "c.flac").unlink()
    assert earlier.make_lost_speech_again(dry_run=False) == []


BEHIND_ANCIENT = """
from snakemake.dag import DAG
from voiceprivacy.plan import earlier

if config["looks"]:
    earlier.look_behind_ancient(DAG)
    earlier.look_behind_ancient(DAG)  # once is enough


rule use:
    input:
        "trained",
    output:
        "used",
    shell:
        "cp {input} {output}"


rule train:
    input:
        ancient("checked"),
    output:
        "trained",
    params:
        seed=config["seed"],
    shell:
        "echo {params.seed} > {output}"


rule check:
    output:
        "checked",
    params:
        speakers=config["speakers"],
    shell:
        "touch {output}"
"""


@pytest.mark.parametrize("looks", [True, False], ids=["looked behind", "as Snakemake is"])
def test_a_change_behind_an_ancient_file_that_is_made_again_counts_in_the_same_run(looks):
    Path("Snakefile").write_text(BEHIND_ANCIENT)

    def run(**config):
        words = ["--cores", "1", "--quiet", "--config", f"looks={looks}"]
        words += [f"{name}={value}" for name, value in config.items()]
        done = subprocess.run(
            [sys.executable, "-m", "snakemake", *words],
            env={**os.environ, "PYTHONPATH": str(SCRIPTS)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr

    run(seed=1, speakers=1)
    made = Path("trained").stat().st_mtime_ns
    run(seed=1, speakers=2)
    assert Path("trained").stat().st_mtime_ns == made, "the check alone trains nothing again"
    run(seed=2, speakers=3)
    # Once Snakemake looks itself, the second case fails, and look_behind_ancient can go.
    assert Path("used").read_text() == ("2\n" if looks else "1\n")
