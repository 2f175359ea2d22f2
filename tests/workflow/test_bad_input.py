"""What people get wrong: one clear line with its name, and nothing that a second run believes."""

import sys

import pytest
from support.runs import ROOT, call_in, snakemake, write_config

LOSES = """
def anonymise(samples, sample_rate, *, utterance, speaker, seed):
    raise RuntimeError("no such voice")
"""
LOSING_COMMAND = """
import argparse, csv
parser = argparse.ArgumentParser()
for name in ("manifest", "seed", "audio-dir", "output-manifest"):
    parser.add_argument(f"--{name}")
arguments = parser.parse_args()
rows = open(arguments.manifest).read().splitlines()
open(arguments.output_manifest, "w").write("\\n".join(rows[:-1]) + "\\n")
"""


def misspell_a_key(folder):
    write_config(folder, anonymisers={"b2": {"comand": "python x.py"}})


def break_an_audio_file(folder):
    (folder / "data/tiny/wav/emil-4.wav").write_text("not audio")
    write_config(folder)


def fail_in_a_function(folder):
    (folder / "mine.py").write_text(LOSES)
    write_config(folder, anonymisers={"mine": {"function": "mine.py:anonymise"}})


def lose_a_file(folder):
    (folder / "lose.py").write_text(LOSING_COMMAND)
    write_config(folder, anonymisers={"lossy": {"command": "python lose.py"}})


def repeat_what_draws_nothing(folder):
    write_config(
        folder,
        anonymisers={"mine": {"function": "{resources}/plugins/reversed.py:anonymise", "runs": 2}},
    )


@pytest.mark.parametrize(
    ("mistake", "messages"),
    [
        (misspell_a_key, ["anonymisers", "comand"]),
        (break_an_audio_file, ["emil-4.wav: cannot be read as audio"]),
        (fail_in_a_function, ["utterance 'anna-", "no such voice"]),
        (lose_a_file, ["'emil-", "is missing"]),
        (
            repeat_what_draws_nothing,
            ["mine/manifest.tsv", "very same audio of all 15 utterances", "'runs: 1'"],
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_mistake_is_named_and_a_second_run_names_it_again(run_folder, mistake, messages):
    mistake(run_folder)
    for _ in range(2):
        words = ["run", "--cores", "2", "--configfile", run_folder / "config.yaml"]
        finished = call_in(run_folder, [sys.executable, ROOT / "scripts" / "main.py", *words], {})
        output = finished.stderr + finished.stdout
        assert finished.returncode != 0
        named = [
            line for line in output.splitlines() if all(message in line for message in messages)
        ]
        assert named, output
        assert "Traceback" not in output
    assert not (run_folder / "results" / "metrics.tsv").exists()
    assert not [
        path for path in (run_folder / "results").rglob(".*") if path.name != ".snakemake_timestamp"
    ]


def test_a_function_that_fails_is_told_before_an_attacker_has_heard_anything(run_folder):
    fail_in_a_function(run_folder)
    words = ("--cores", "1", "--keep-going", "--configfile", run_folder / "config.yaml")
    finished = snakemake(run_folder, "results/metrics.tsv", *words)
    assert finished.returncode != 0
    logs = [line for line in finished.stderr.splitlines() if line.startswith("    log: ")]
    began = [line.split("/")[2] for line in logs]  # log: results/logs/RULE/...
    embedded = began.index("extract_embeddings")
    assert began.index("validate_corpus") < began.index("anonymise_part") < embedded
