"""Two laboratories attack the same speech in other folders; their results are in one repository."""

import gzip
import sys

import pytest
from support.calls import call
from support.runs import EMBED, make_kaldi_directory, snakemake, write_config

from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.tools.exchange.evidence import difference
from voiceprivacy.tools.exchange.records import Number
from voiceprivacy.tools.exchange.repository import read_repository

pytestmark = pytest.mark.long
SEED = 987654321
FUNCTION = """
def anonymise(samples, sample_rate, *, utterance, speaker, seed):
    return samples[::-1]
"""


@pytest.fixture(scope="module")
def laboratories(tmp_path_factory):
    """Runs of A and B: the same corpus and system, each with an attacker of its own."""
    folders = {}
    for name, strength in (("a", "2"), ("b", "0.5")):
        folder = folders[name] = tmp_path_factory.mktemp(name)
        make_kaldi_directory(folder / "data" / "tiny")
        (folder / "x.py").write_text(FUNCTION)
        assert EMBED.count("2 * np.eye") == 1
        program = EMBED.replace("2 * np.eye", f"{strength} * np.eye")
        (folder / "embed.py").write_text(program)
        config = write_config(
            folder,
            anonymisers={"x": {"function": "x.py:anonymise"}},
            extractors={f"attacker_{name}": {"command": f"{sys.executable} embed.py"}},
            report={"bootstrap": 20, "pitch_correlation": False},
            utility={},
            seed=SEED,
        )
        wanted = ["results/metrics.tsv", "results/provenance.json", "results/verdict.json"]
        finished = snakemake(folder, *wanted, "--cores", "2", "--configfile", config)
        assert finished.returncode == 0, finished.stderr
    return folders


@pytest.fixture(scope="module")
def repository(laboratories, tmp_path_factory):
    folder = tmp_path_factory.mktemp("repository")
    for name, run_folder in laboratories.items():
        words = ["--repository", folder, "--laboratory", name.upper(), "--revision", "1"]
        exported = call("export_result", *words, "--public", cwd=run_folder)
        assert exported.returncode == 0, exported.stderr
    return folder


def test_both_stand_in_one_repository_that_has_no_findings(repository):
    checked = call("check_result", repository, cwd=repository)
    assert (checked.returncode, checked.stderr) == (0, ""), checked.stdout
    results = read_repository(repository).results
    who = {(result.laboratory, result.attacker, result.tier) for result in results}
    assert who == {("A", "attacker_a_cosine", "B"), ("B", "attacker_b_cosine", "B")}


def test_what_is_computed_again_is_what_the_run_says(laboratories, repository):
    for result in read_repository(repository).results:
        folder = laboratories[result.laboratory.lower()]
        n_compared = 0
        for line in read_metrics(folder / "results" / "metrics.tsv"):
            number = result.conditions.get(line.condition, {}).get(line.metric)
            if number is None or line.anonymiser not in ("x", "original"):
                continue
            n_compared += 1
            limits = [as_number(getattr(line, field)) for field in ("value", "ci_low", "ci_high")]
            assert difference(number, Number(*limits)) is None, line
        assert n_compared > 60  # three conditions of more than twenty metrics


def as_number(text):
    return None if text in ("-", "undefined") else float(text)


def test_no_file_holds_a_seed_a_path_or_a_program(laboratories, repository):
    for path in repository.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            content = gzip.decompress(content) if path.suffix == ".gz" else content
            for secret in (str(SEED), "embed.py", sys.executable, *map(str, laboratories.values())):
                assert secret.encode() not in content, path


def test_of_a_corpus_that_is_not_public_only_numbers_leave(laboratories, tmp_path):
    words = ["--repository", tmp_path, "--laboratory", "A", "--revision", "1"]
    exported = call("export_result", *words, cwd=laboratories["a"])
    assert exported.returncode == 0, exported.stderr
    assert not list(tmp_path.rglob("*.gz"))
    assert [result.tier for result in read_repository(tmp_path).results] == ["A"]
    checked = call("check_result", tmp_path, cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout


def test_other_lists_under_the_name_of_a_protocol_are_refused(laboratories, repository, tmp_path):
    protocol = repository / "protocols" / "tiny_all.json"
    other = tmp_path / "protocols" / "tiny_all.json"
    other.parent.mkdir()
    text = protocol.read_text()
    start = text.index('"trials": "') + len('"trials": "')
    other.write_text(text[:start] + "0" * 64 + text[start + 64 :])
    words = ["--repository", tmp_path, "--laboratory", "A", "--revision", "1", "--public"]
    exported = call("export_result", *words, cwd=laboratories["a"])
    assert exported.returncode == 2
    assert "tiny_all is of other lists than tiny/all of this run" in exported.stderr
