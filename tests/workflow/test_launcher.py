"""``voiceprivacy run``: wrong configs are one line, and nothing that lies around displaces us."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.runs import ROOT, succeeded, voiceprivacy

from voiceprivacy.jobs import run as run_command
from voiceprivacy.running.command import run
from voiceprivacy.tools import launcher

TARGET = "results/checks/demo.tsv"
CORPORA = "corpora:\n  demo: {synthetic: {speakers: 6, utterances: 6}}\n"
MARK = "marked"
CODE = "open('marked', 'w').close()"


# Configs that are refused: {what they are: (their text or bytes, the line, words of the message)}.
HOSTILE = {
    "a key twice": (f"seed: 1\n{CORPORA}seed: 2\n", 4, "key 'seed' occurs twice"),
    "a key twice in other words": ("yes: 1\non: 2\n", 2, "key 'on' occurs twice"),
    "a key twice in JSON": ('{"seed": 1,\n\t"seed": 2}', 2, "key 'seed' occurs twice"),
    "a Python call": (f'seed: !!python/object/apply:eval ["{CODE}"]\n', 1, "is not supported"),
    "a tag of binary data": ("seed: !!binary aGVsbG8=\n", 1, "a binary"),
    "UTF-16": (CORPORA.encode("utf-16"), 1, "not UTF-8"),
    "Latin-1": (f"{CORPORA}# José\n".encode("latin-1"), 3, "not UTF-8"),
    "an alias of itself": ("corpora: &a {mine: *a}\n", 1, "alias holds itself"),
    "5000 digits": (f"{CORPORA}seed: {'9' * 5000}\n", 3, "5000 digits"),
    "a list for a key": (f"{CORPORA}? [a, b]\n: c\n", 3, "a key that is no text"),
    "a date": (f"{CORPORA}seed: 2001-01-01\n", 3, "reads 2001-01-01 as a timestamp, not as text"),
    "a date that is none": ("seed: 2001-99-99\n", 1, "put it in quotes"),
    "a set": (f"{CORPORA}report: !!set {{a, b}}\n", 3, "this is a set"),
    "lists in lists": (f"seed:\n  {'[' * 3000}{']' * 3000}\n", 2, "nested too deeply"),
    "an empty file": ("", 1, "is empty"),
    "a list": ("- corpora\n", 1, "expected sections"),
    "two documents": (f"{CORPORA}---\n{CORPORA}", 3, "not YAML"),
    "tabs": ("corpora:\n\tdemo: {}\n", 2, "not YAML"),
    "a mark inside the text": ("seed: 1\n\ufeffcorpora: {}\n", 2, "byte-order mark"),
}


def refused(finished):
    """The one line of a command that refuses what it is given, and makes nothing of it."""
    assert finished.returncode == 2, finished.stderr + finished.stdout
    assert finished.stdout == ""
    (line,) = finished.stderr.splitlines()
    return line


@pytest.fixture
def launch(in_tmp_path, monkeypatch, capfd):
    """Call ``voiceprivacy run`` in this process; Snakemake must not even be started."""
    monkeypatch.setattr(launcher, "start", lambda options: pytest.fail("Snakemake was started"))

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["voiceprivacy run", *words])
        with pytest.raises(SystemExit) as ended:
            run(run_command.run)
        said = capfd.readouterr()
        return subprocess.CompletedProcess(words, ended.value.code, said.out, said.err)

    return call


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_config_is_refused_in_one_line_and_nothing_is_run(tmp_path, launch, kind):
    """As the only config and as the second one."""
    content, number, words = HOSTILE[kind]
    (tmp_path / "my.yaml").write_bytes(content.encode() if isinstance(content, str) else content)
    (tmp_path / "first.yaml").write_text(CORPORA)
    for configs in (["my.yaml"], ["first.yaml", "my.yaml"]):
        line = refused(launch("--cores", "1", "--configfile", *configs))
        assert line.startswith(f"error: my.yaml:{number}:") and words in line, line
        assert line.isprintable() and len(line) < 400
    assert {path.name for path in tmp_path.iterdir()} == {"my.yaml", "first.yaml"}  # no results


@pytest.mark.parametrize(
    ("words", "text", "line"),
    [
        pytest.param([], "sed: 1", "/my.yaml:3: sed: 'sed'", marks=pytest.mark.everyday),
        (["--config", "seed=zero"], "seed: 1", "error: seed: 'zero'"),
    ],
)
def test_what_no_config_can_mean_is_one_line(tmp_path, words, text, line):
    """What --config gives is said of no file."""
    (tmp_path / "my.yaml").write_text(f"{CORPORA}{text}\n")
    finished = voiceprivacy(tmp_path, "run", "--configfile", "my.yaml", *words)
    assert line in refused(finished)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--configfile", "folder"], "error: folder: is a folder, not a file"),
        (["--configfile", "my.yaml", "nowhere.yaml"], "error: nowhere.yaml: not found"),
        (["--configfile"], "error: argument --configfile/--configfiles: expected at least"),
        (["--config", "seed"], "error: --config: Invalid config definition"),
        (["--profile", "nowhere"], "error: profile directory given (nowhere), but no"),
        (["--unheard-of"], "error: unrecognized arguments: --unheard-of"),
        (["--cores", "many"], "error: Error parsing number of cores"),
        (["--cores", "0"], "error: --cores 0: a whole number of at least 1, or all"),
        (["-j", "-1"], "error: --jobs -1: a whole number of at least 1, or all"),
        (["--set-resources", "x"], "error: "),
    ],
)
def test_a_slip_on_the_command_line_is_one_line(tmp_path, launch, words, line):
    (tmp_path / "folder").mkdir()
    (tmp_path / "my.yaml").write_text(CORPORA)
    assert refused(launch("-n", *words)).startswith(line)


@pytest.mark.parametrize(
    ("variable", "words", "said"),
    [
        ("HOME", (), None),
        ("XDG_CACHE_HOME", (), "XDG_CACHE_HOME: /proc/x: No such file or directory: set it"),
        ("", ("--directory", "/proc/x"), "/proc/x: No such file or directory: work in a folder"),
    ],
)
def test_a_folder_that_cannot_be_written_is_named(
    tmp_path, launch, monkeypatch, variable, words, said
):
    """Without a home, sources lie beside the results."""
    (tmp_path / "my.yaml").write_text(CORPORA)
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    if variable:
        monkeypatch.setenv(variable, "/proc/x")
    monkeypatch.setattr(launcher, "start", lambda options: 0)
    finished = launch("--configfile", "my.yaml", "-n", *words)
    if said:
        assert refused(finished).startswith(f"error: {said}")
    else:
        assert os.environ["XDG_CACHE_HOME"] == str(tmp_path / ".snakemake" / "cache")


def test_a_target_may_follow_the_config(tmp_path, in_tmp_path):
    (tmp_path / "my.yaml").write_text(CORPORA)
    (tmp_path / "paper").mkdir()  # a folder of a target's name is no config
    options = launcher.parse(["-n", "--configfile", "my.yaml", "paper"])
    launcher.check_configs(options)
    assert (options.configfile, options.targets) == ([Path("my.yaml")], ["paper"])


def test_an_unknown_target_is_one_line_with_a_question(tmp_path):
    line = refused(voiceprivacy(tmp_path, "run", "-n", "papr"))
    assert line == "error: papr: no such target: did you mean paper?"


def test_a_dry_run_counts_jobs_and_lists_them_only_when_it_is_asked_to(tmp_path):
    words = ["run", "-n", "--cores", "1", "--directory", tmp_path]
    counted = voiceprivacy(tmp_path, *words)
    assert counted.returncode == 0 and len(counted.stdout.splitlines()) <= 60
    assert "anonymise_part " in counted.stdout and "rule anonymise_part" not in counted.stdout
    assert "rule anonymise_part" in voiceprivacy(tmp_path, *words, "--verbose").stdout


def test_snakemakes_options_pass_through_and_a_profile_that_lies_around_displaces_nothing(tmp_path):
    (tmp_path / "my.yaml").write_text(CORPORA)
    (tmp_path / "profiles" / "default").mkdir(parents=True)
    profile = f'__use_yte__: true\n__definitions__:\n- "{CODE}"\ntouch: true\n'
    (tmp_path / "profiles" / "default" / "config.yaml").write_text(profile)
    words = ["--configfile", tmp_path / "my.yaml", "--directory", tmp_path / "there"]
    planned = voiceprivacy(tmp_path, "run", TARGET, "--dry-run", "--printshellcmds", *words)
    assert "voiceprivacy.jobs.validate_corpus" in planned.stdout
    assert not (tmp_path / "there" / "results").exists()
    succeeded(voiceprivacy(tmp_path, "run", *words, "--", TARGET))
    assert (tmp_path / "there" / TARGET).stat().st_size > 0
    succeeded(voiceprivacy(tmp_path, "run", "--unlock", *words))
    assert not (tmp_path / ".snakemake").exists() and not (tmp_path / MARK).exists()


@pytest.mark.parametrize("option", ["--profile", "SNAKEMAKE_PROFILE"])
def test_ones_own_profile_is_used(tmp_path, in_tmp_path, monkeypatch, option):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "config.yaml").write_text("dry-run: true\nconfigfile: [my.yaml]\n")
    words = [option, "mine"]
    if option == "SNAKEMAKE_PROFILE":
        monkeypatch.setenv(*words)
        words = []
    options = launcher.parse(words)
    assert options.dryrun and options.configfile == [Path("my.yaml")]


@pytest.mark.parametrize(
    ("words", "most"),
    [
        ([], None),
        (["--max-jobs-per-timespan", "7/2s"], 7),
        (["--executor", "slurm"], 100),
        (["--profile", "mine"], 8),
    ],
    ids=["here", "asked for", "elsewhere", "of a profile"],
)
def test_jobs_that_run_here_start_at_no_rate_that_nobody_asked_for(
    tmp_path, in_tmp_path, words, most
):
    """With a rate, Snakemake looks at all jobs that wait once a second for each that has ended."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "config.yaml").write_text("cores: 2\nmax-jobs-per-timespan: 8/1s\n")

    rate = launcher.parse(["--cores", "2", *words]).max_jobs_per_timespan

    assert (rate and rate.max_jobs) == most


def test_the_command_in_a_virtual_environment_runs_the_checkout_that_it_lies_in(tmp_path):
    (tmp_path / "scripts").symlink_to(ROOT / "scripts")
    bin_folder = tmp_path / ".venv" / "bin"
    bin_folder.mkdir(parents=True)
    shutil.copy(ROOT / "envs" / "voiceprivacy.sh", bin_folder / "voiceprivacy")
    python = bin_folder / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    for path in bin_folder.iterdir():
        path.chmod(0o755)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "vp").symlink_to("../.venv/bin/voiceprivacy")
    for command in (bin_folder / "voiceprivacy", tmp_path / "elsewhere" / "vp"):
        shown = subprocess.run([command, "run", "--help"], capture_output=True, text=True)
        assert shown.returncode == 0 and "usage: voiceprivacy run" in shown.stdout, shown.stderr
    (tmp_path / "scripts").unlink()
    lost = subprocess.run([command, "run"], capture_output=True, text=True)
    assert lost.returncode == 2 and lost.stderr.count("\n") == 1
