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
