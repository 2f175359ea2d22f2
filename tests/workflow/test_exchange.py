"""Two laboratories attack the same speech; their results are in one repository.

A protects speech, attacks it, and begins a repository. B has the speech and the repository of A, a
new attacker, another folder and, where this machine has one, another version of Python.
"""

import functools
import gzip
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import runs

from voiceprivacy.organise.recomputed import difference
from voiceprivacy.organise.records import Number, error_rate, read_repository
from voiceprivacy.organise.standings import boards
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.vocabulary import ORIGINAL, SCRIPTS

pytestmark = pytest.mark.nightly
SEED = 987654321
OTHER = "VOICEPRIVACY_OTHER_PYTHON"  # names one, wherever it lies
PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
VERSION = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
# What a run needs of voiceprivacy[run] where the extractor is a command and nothing is measured.
NEEDED = ("matplotlib", "snakemake", "soundfile", "tqdm")
WANTED = ["results/metrics.tsv", "results/provenance.json", "results/verdict.json"]
SYSTEMS = """
import numpy as np

def backwards(samples, sample_rate, *, utterance, speaker, seed):
    return samples[::-1]

def noise(samples, sample_rate, *, utterance, speaker, seed):
    return np.random.default_rng(seed).permutation(samples)
"""
# It knows who speaks, in noise of its own for every system and part: no two have the same scores.
KNOW = """
import csv, sys
import numpy as np

given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
rows = list(csv.DictReader(open(given["--manifest"]), delimiter="\\t"))
part = "/".join(rows[0]["path"].split("/")[-4:])
speakers = [row["speaker"] for row in rows]
known = 3 * np.eye(8)[[sorted(set(speakers)).index(speaker) for speaker in speakers]]
noise = np.random.default_rng(list(part.encode())).normal(size=known.shape)
ids = np.array([row["utterance"] for row in rows])
np.savez(given["--embeddings"], ids=ids, embeddings=noise + known)
"""


@functools.cache
def other_python():
    """A Python of another version that we support, the newest; None where there is none."""
    for version in ("3.13", "3.12", "3.11"):
        installed = sorted(PYENV.glob(f"versions/{version}.*/bin/python{version}"))
        for python in (os.environ.get(OTHER), *installed, shutil.which(f"python{version}")):
            is_other = not sys.version.startswith(f"{version}.")
            if python and is_other and version_of(python) == version:
                return str(python)
    return None


def version_of(python):
    """What a Python says of itself, such as 3.13; None where it does not start."""
    try:
        said = subprocess.run([python, "-c", VERSION], capture_output=True, text=True, timeout=60)
    except OSError:
        return None
    return said.stdout.strip() if said.returncode == 0 else None


def install_wheel(folder, python, *packages):
    """Our wheel in a new environment of a Python, with packages in the lock's versions; its bin."""
    uv("build", "--wheel", "--quiet", "--out-dir", folder / "dist", runs.ROOT)
    (wheel,) = (folder / "dist").glob("*.whl")
    uv("venv", "--quiet", "--python", python, folder / "venv")
    lock = runs.ROOT / "envs/requirements.txt"
    words = ["--quiet", "--python", folder / "venv", "--constraint", lock]
    uv("pip", "install", *words, wheel, *packages)
    return folder / "venv" / "bin"


def uv(*words):
    command = [sys.executable, "-m", "uv", *map(str, words)]
    runs.succeeded(subprocess.run(command, capture_output=True, text=True))


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    """How A and B call voiceprivacy: A in this checkout, B as a wheel under another Python."""
    own = [sys.executable, SCRIPTS / "main.py"]
    other = other_python()
    if other is None:
        return {"a": own, "b": own}
    installed = install_wheel(tmp_path_factory.mktemp("installed"), other, *NEEDED)
    return {"a": own, "b": [installed / "python", installed / "voiceprivacy"]}


@pytest.fixture(scope="module")
def say(commands):
    """A function: what a laboratory's command, which must succeed, says on stdout."""

    def say(name, folder, *words):
        finished = runs.call_in(folder, [*commands[name], *words], {})
        assert finished.returncode == 0, finished.stderr + finished.stdout
        return finished.stdout

    return say


def write_attack(folder, name, python, program, **sections):
    """A laboratory's folder: its copy of the corpus, its attacker, its config."""
    runs.make_kaldi_directory(folder / "data" / "tiny")
    (folder / "attacker.py").write_text(program)
    return runs.write_config(
        folder,
        extractors={f"attacker_{name}": {"command": f"{python} attacker.py"}},
        report={"bootstrap": 20, "pitch_correlation": False},
        utility=runs.WITHOUT_MEASURES,
        seed=SEED,
        **sections,
    )


@pytest.fixture(scope="module")
def first(commands, say, tmp_path_factory):
    """The folder of A: its run, its repository, and the speech of two systems for others."""
    folder = tmp_path_factory.mktemp("a")
    (folder / "systems.py").write_text(SYSTEMS)
    systems = {"x": {"function": "systems.py:backwards"}, "y": {"function": "systems.py:noise"}}
    config = write_attack(folder, "a", commands["a"][0], KNOW, anonymisers=systems)
    say("a", folder, "run", *WANTED, "--cores", "2", "--configfile", config)
    for part in ("enrolment", "trial"):
        for name in systems:
            made = folder / "results" / "audio" / "tiny" / part / name
            shutil.copytree(made, folder / "speech" / name / "1" / "tiny" / part)
    words = ["--repository", "board", "--laboratory", "A", "--revision", "1", "--public"]
    say("a", folder, "export-result", *words)
    (folder / "board" / "laboratories.tsv").write_text("laboratory\nA\nB\n")
    return folder


@pytest.fixture(scope="module")
def second(commands, say, first, tmp_path_factory):
    """The folder of B: what add-attacker says is called, and its results are in A's repository."""
    folder = tmp_path_factory.mktemp("b")
    config = write_attack(folder, "b", commands["b"][0], runs.HEAR)
    shutil.copytree(first / "board", folder / "board")
    speech = f"{first}/speech/{{system}}/{{revision}}/{{set}}"
    words = ["--repository", "board", "--config", config, "--speech", speech]
    said = say("b", folder, "add-attacker", *words, "--output", "run.yaml")
    run, *exports = [shlex.split(line)[1:] for line in said.splitlines()[1:]]
    say("b", folder, *run, "--cores", "2", "--", *WANTED)
    assert len(exports) == 2
    for export in exports:
        say("b", folder, *(word.replace("YOUR LABORATORY", "B") for word in export))
    return folder


@pytest.fixture(scope="module")
def repository(second):
    return second / "board"


def test_the_laboratories_have_other_versions_of_python_where_there_is_one(repository):
    results = read_repository(repository).results.values()
    versions = {one["laboratory"]: one["versions"]["python"] for one in results}
    assert (versions["A"] == versions["B"]) == (other_python() is None)


def test_both_stand_in_one_repository_that_has_no_findings_and_one_site(say, repository, tmp_path):
    sites = []
    for name in ("a", "b"):
        assert "board: no findings" in say(name, repository.parent, "check-result", "board")
        say(name, tmp_path, "leaderboard", repository, "--output", tmp_path / name)
        sites.append({path.name: path.read_bytes() for path in (tmp_path / name).rglob("*.*")})
    assert sites[0] == sites[1]
    results = read_repository(repository).results.values()
    assert {one["tier"] for one in results} == {"B"}
    who = {(one["laboratory"], one["attacker"], one["system"]) for one in results}
    pairs = (("A", "attacker_a_cosine"), ("B", "attacker_b_cosine"))
    assert who == {(*pair, system) for pair in pairs for system in "xy"}


def headlines(folder):
    """{system: attack} of a repository with one protocol."""
    (board,) = boards(read_repository(folder))
    return {standing.system: standing.headline for standing in board.counted}


def test_a_headline_changes_where_the_new_attacker_is_stronger_and_nowhere_else(first, repository):
    before, after = headlines(first / "board"), headlines(repository)
    assert after["x"].result["laboratory"] == "B"
    assert after["x"].number.value < before["x"].number.value
    assert after["y"] == before["y"] and after["y"].result["laboratory"] == "A"
    by_both = [one for one in read_repository(repository).results.values() if one["system"] == "y"]
    numbers = {one["laboratory"]: error_rate(one, "op")[1].value for one in by_both}
    assert numbers["A"] < numbers["B"]


def test_what_is_computed_again_is_what_the_run_says(first, second, repository):
    for result in read_repository(repository).results.values():
        folder, end = {"A": (first, ""), "B": (second, "_1")}[result["laboratory"]]
        n_compared = 0
        for line in read_metrics(folder / "results" / "metrics.tsv"):
            number = result["conditions"].get(line.condition, {}).get(line.metric)
            speech = ORIGINAL if line.condition == "oo" else f"{result['system']}{end}"
            if number is None or line.anonymiser != speech:
                continue
            n_compared += 1
            limits = [
                None if text in ("-", "undefined") else float(text)
                for text in (line.value, line.ci_low, line.ci_high)
            ]
            assert difference(number, Number(*limits)) is None, line
        assert n_compared > 60  # three conditions of more than twenty metrics


def test_laboratories_that_know_nothing_of_each_other_write_the_same_protocol(say, first, second):
    """So git merges their branches: no file of both has other bytes."""
    words = ["--repository", "alone", "--laboratory", "B", "--revision", "1", "--public"]
    say("b", second, "export-result", *words, "--system-name", "x_1=x", "y_1=y")
    both = (first / "board", second / "alone")
    files = [{path.relative_to(board) for path in board.rglob("*.*")} for board in both]
    shared = {str(path) for path in set.intersection(*files)}
    lists = {"protocols/tiny_all.json", "protocols/tiny_all.trials.gz"}
    assert shared == lists | {f"systems/{name}/1/system.json" for name in "xy"}
    for name in shared:
        one, other = (board / name for board in both)
        assert one.read_bytes() == other.read_bytes()


@pytest.fixture
def refused(commands, first):
    """A function: what is said to A whose result may not be written into a repository."""

    def export(repository, *words, laboratory="A"):
        words = ["--repository", repository, "--laboratory", laboratory, "--revision", "1", *words]
        ended = runs.call_in(first, [*commands["a"], "export-result", *words], {})
        assert ended.returncode == 2
        return ended.stderr

    return export


def test_what_another_laboratory_measured_stays_and_a_replication_lies_beside_it(
    say, refused, first, repository, tmp_path
):
    board = tmp_path / "board"
    shutil.copytree(repository, board)
    (path,) = board.glob("attackers/attacker_b_cosine/*")
    before = {path: path.read_bytes() for path in board.rglob("*.json")}
    assert "--laboratory ' ': is no name" in refused(board, laboratory=" ")
    mine = f"attacker_a/cosine=attacker_b_cosine@{path.name}"
    words = ["--repository", board, "--laboratory", "A", "--revision", "1", "--attacker-name", mine]
    said = say("a", first, "export-result", *words)
    assert f"attacker_b_cosine@{path.name}@a.json" in said
    assert before.items() <= {path: path.read_bytes() for path in board.rglob("*.json")}.items()


def test_no_file_holds_a_seed_a_path_or_a_program(commands, first, second, repository):
    pythons = [str(command[0]) for command in commands.values()]
    for path in repository.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            content = gzip.decompress(content) if path.suffix == ".gz" else content
            for secret in (str(SEED), "attacker.py", *pythons, str(first), str(second)):
                assert secret.encode() not in content, path


def test_of_a_corpus_that_is_not_public_only_numbers_leave_and_are_replaced(say, first, tmp_path):
    words = ["--repository", tmp_path / "board", "--laboratory", "A", "--revision", "1"]
    say("a", first, "export-result", *words, "--anonymiser", "x")
    assert not list(tmp_path.rglob("*.gz"))
    results = read_repository(tmp_path / "board").results.values()
    assert [result["tier"] for result in results] == ["A"]
    say("a", tmp_path, "check-result", "board")
    say("a", first, "export-result", *words, "--public", "--anonymiser", "x")
    assert len(read_repository(tmp_path / "board").results) == 1


def test_other_lists_under_the_name_of_a_protocol_are_refused(refused, repository, tmp_path):
    protocol = repository / "protocols" / "tiny_all.json"
    other = tmp_path / "protocols" / "tiny_all.json"
    other.parent.mkdir()
    text = protocol.read_text()
    start = text.index('"trials": "') + len('"trials": "')
    other.write_text(text[:start] + "0" * 64 + text[start + 64 :])
    said = refused(tmp_path, "--public")
    assert "tiny_all.json: has other sha256 than the protocol of this run" in said
