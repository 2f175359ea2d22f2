"""A checkout against a run: what decides the numbers, and what only explains their last digits."""

import json
from pathlib import Path

import pytest
from support.calls import here
from support.plans import voices

from voiceprivacy.plan import configuration
from voiceprivacy.provenance import record
from voiceprivacy.provenance.record import NOT_FOUND, differences, edits, provenance
from voiceprivacy.vocabulary import RESULTS_FORMAT


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A folder with a list of trials and the provenance of a run on it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results/trials").mkdir(parents=True)
    (tmp_path / "results/trials/f.tsv").write_text("enrolment\ttrial\tlabel\n")
    then = provenance(config={"seed": 1}, files=[Path("results/trials/f.tsv")])
    (tmp_path / "results/provenance.json").write_text(json.dumps(then))
    return tmp_path, then


def reproduce(folder, *arguments):
    return here("reproduce", folder / "results/provenance.json", *arguments, cwd="/")


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
    before_it_was_written = {name: value for name, value in then.items() if name != "format"}
    decisive, _ = differences(before_it_was_written, directory=folder)
    assert decisive == [("format", 1, RESULTS_FORMAT)]


@pytest.mark.parametrize("state", ["clean", "with uncommitted changes"])
def test_the_command_finds_the_runs_folder_and_says_what_differs(run, monkeypatch, state):
    folder, then = run
    git = {"git_commit": "0123abc", "git_state": state}
    monkeypatch.setattr(record, "state_of", lambda tree: git)
    (folder / "results/provenance.json").write_text(json.dumps(then | git))
    same = reproduce(folder)
    assert (same.returncode, same.stderr) == (0, "")
    assert f"No relevant difference: commit 0123abc, {state}.\nSpeech, scores and" in same.stdout
    assert ("it may be other code" in same.stdout) == (state != "clean")
    elsewhere = reproduce(folder, "--directory", "/nowhere")
    assert elsewhere.returncode == 1
    assert "sha256 results/trials/f.tsv" in elsewhere.stdout and NOT_FOUND in elsewhere.stdout


def test_the_config_of_the_run_is_written_to_be_run_again(run):
    folder, then = run
    corpora = {"demo": voices(20, 4), "mine": {"kaldi": str(folder)}}  # a list given: all
    config = {"corpora": corpora, "report": {"controls": True}}
    then["config"] = configuration.check(config)
    (folder / "results/provenance.json").write_text(json.dumps(then))
    same = reproduce(folder, "--config", folder / "again.yaml")
    assert same.returncode == 0 and same.stdout.splitlines()[0].endswith("again.yaml")
    assert configuration.check(configuration.read(folder / "again.yaml")) == then["config"]
    assert then["git_commit"] in (folder / "again.yaml").read_text().splitlines()[0]
    again = reproduce(folder, "--config", folder / "again.yaml")
    assert again.returncode == 2 and "again.yaml: is there already" in again.stderr
    then["sha256"]["results/secret_seed"] = "0" * 64
    (folder / "results/provenance.json").write_text(json.dumps(then))
    secret = reproduce(folder, "--config", folder / "secret.yaml")
    assert "secret.yaml --seed-file results/secret_seed\n" in secret.stdout


@pytest.mark.parametrize("field", ["git_commit", "created"])
def test_a_foreign_provenance_with_more_than_a_line_in_a_field_writes_nothing(run, field):
    folder, then = run
    then[field] = "x\n__definitions__: [import os]\u2028more: 1\r- y"
    (folder / "results/provenance.json").write_text(json.dumps(then))
    refused = reproduce(folder, "--config", folder / "again.yaml")
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1
    assert "provenance.json: " in refused.stderr and not (folder / "again.yaml").exists()


def test_another_json_is_refused_in_one_line(run):
    folder, _ = run
    (folder / "results/provenance.json").write_text("{}")
    refused = reproduce(folder)
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1 and "no provenance.json" in refused.stderr


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
    old = {
        "version": "1",
        "packages": {"numpy": "2.0", "torch": "2"},
        "sha256": {"results/sources/anonymisers/mine.sha256": "a", "results/trials/a/f.tsv": "b"},
        "config": {"anonymisers": {"mine": {"command": "python /home/x.py", "alpha": 0.5}}},
    }
    new = {
        "version": "2",
        "packages": {"numpy": "2.1", "torch": "2"},
        "sha256": {"results/sources/anonymisers/mine.sha256": "c", "results/trials/a/f.tsv": "d"},
        "config": {
            "anonymisers": {"mine": {"command": "python /home/y.py", "alpha": 0.7}, "b2": {"a": 1}}
        },
    }
    assert edits(old, old) == ([], [])
    assert edits(old, new) == (
        ["anonymisers.mine.command", "anonymisers.mine.alpha 0.5 -> 0.7", "anonymisers.b2"],
        ["voiceprivacy", "numpy 2.0 -> 2.1", "files of anonymisers.mine"],
    )
