"""A run in chunks makes what a run in one graph would have made, job by job."""

import re
import sys

import pytest
from support.runs import EMBED, ROOT, call_in, make_kaldi_directory, write_config

MINE = """
def anonymise(samples, sample_rate, *, utterance, speaker, seed, gain):
    return gain * samples[::-1]
"""
# How often each rule is planned in the two chunks: original speech and b, then a and c, each under
# two attackers; channels of original speech are fused once, of protected speech under OP and PP.
OF_SYSTEM = {
    "score_system": [2, 4],
    "score_matrices": [2, 4],
    "assess_scores": [2, 4],
    "assess_matrices": [2, 4],
    "assess_atlas": [3, 4],
}


@pytest.fixture
def config(tmp_path):
    return config_in(tmp_path)


def config_in(folder):
    """Three systems under one attack, and the speech, in a folder."""
    folder.mkdir(exist_ok=True)
    make_kaldi_directory(folder / "data" / "tiny")
    (folder / "mine.py").write_text(MINE)
    (folder / "embed.py").write_text(EMBED)
    gains = {"a": 0.5, "b": 0.4, "c": 0.3}
    return write_config(
        folder,
        anonymisers={
            name: {"function": "mine.py:anonymise", "options": {"gain": gain}}
            for name, gain in gains.items()
        },
        extractors={"random": {"command": f"{sys.executable} embed.py"}},
        atlas={"channels": ["timing"]},
        utility={"quality": False},
        report={"bootstrap": 2},
    )


def run(folder, *words):
    return call_in(folder, [sys.executable, ROOT / "scripts" / "main.py", "run", *words], {})


def count(planned, rule):
    """How often a rule runs, in each of the graphs that were planned."""
    return [int(number) for number in re.findall(rf"^{rule} +(\d+)$", planned, re.MULTILINE)]


def test_each_system_is_planned_in_one_chunk(config):
    planned = run(config.parent, "-n", "--chunks", "2", "--configfile", config)
    assert planned.returncode == 0, planned.stderr
    said = planned.stdout + planned.stderr
    assert {rule: count(said, rule) for rule in OF_SYSTEM} == OF_SYSTEM
    assert not count(said, "collect_metrics")
    assert not (config.parent / "results").exists()


@pytest.mark.long
def test_chunks_give_the_numbers_of_one_graph_which_then_finds_nothing_to_do(config):
    made = run(config.parent, "--chunks", "2", "--cores", "2", "--configfile", config)
    assert made.returncode == 0, made.stderr
    at_once = config_in(config.parent / "at_once")
    finished = run(at_once.parent, "--cores", "2", "--configfile", at_once)
    assert finished.returncode == 0, finished.stderr
    for table in ("metrics.tsv", "curves/channels/tiny/all.tsv", "verdict.json"):
        of_chunks, of_one = (
            folder / "results" / table for folder in (config.parent, at_once.parent)
        )
        assert of_chunks.read_bytes() == of_one.read_bytes()
    again = run(config.parent, "--cores", "2", "--configfile", config)
    assert again.returncode == 0
    assert "Nothing to be done" in again.stderr + again.stdout
