"""What people get wrong: one clear line with its name, and nothing that a second run believes."""

import re
import sys

import pytest
from support.runs import ROOT, call_in, write_config

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


def do_wrong_in_each_plug_in(folder):
    """One fails, one loses a file, and one has two runs of what draws nothing."""
    (folder / "mine.py").write_text(LOSES)
    (folder / "lose.py").write_text(LOSING_COMMAND)
    anonymisers = {
        "mine": {"function": "mine.py:anonymise"},
        "lossy": {"command": "python lose.py"},
        "same": {"function": "{resources}/plugins/reversed.py:anonymise", "runs": 2},
    }
    write_config(folder, anonymisers=anonymisers)


METRICS = "results/metrics.tsv"
SPOKEN = [
    f"results/audio/tiny/trial/{name}/manifest.tsv" for name in ("mine", "lossy", "same_run1")
]
HEARD = "results/embeddings/tiny/trial/original/random.npz"


@pytest.mark.parametrize(
    ("mistake", "targets", "messages"),
    [
        (misspell_a_key, [METRICS], [["anonymisers", "comand"]]),
        (break_an_audio_file, [METRICS], [["emil-4.wav: cannot be read as audio"]]),
        (
            do_wrong_in_each_plug_in,
            [*SPOKEN, HEARD],
            [
                ["utterance 'anna-", "no such voice"],
                ["'emil-", "is missing"],
                ["same/manifest.tsv", "very same audio of all 15 utterances", "'runs: 1'"],
            ],
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_mistake_is_named_and_a_second_run_names_it_again(run_folder, mistake, targets, messages):
    mistake(run_folder)
    main = [sys.executable, ROOT / "scripts" / "main.py"]
    for _ in range(2):
        words = ["run", "--cores", "1", "--keep-going", "--configfile", run_folder / "config.yaml"]
        finished = call_in(run_folder, [*main, *words, *targets], {})
        output = finished.stderr + finished.stdout
        assert finished.returncode != 0
        for words in messages:
            assert [line for line in output.splitlines() if all(word in line for word in words)]
        assert "Traceback" not in output
    assert not [name for name in (METRICS, *SPOKEN) if (run_folder / name).exists()]
    assert not [
        path for path in (run_folder / "results").rglob(".*") if path.name != ".snakemake_timestamp"
    ]
    if mistake is do_wrong_in_each_plug_in:
        require_that_plug_ins_come_first(run_folder)


def require_that_plug_ins_come_first(folder):
    """A function that fails is named before an attacker has heard anything."""
    first, *_ = sorted((folder / ".snakemake" / "log").glob("*.log"))
    logs = re.findall(r"^    log: results/logs/(\w+)/", first.read_text(), re.MULTILINE)
    embedded = logs.index("extract_embeddings")
    assert logs.index("validate_corpus") < logs.index("anonymise_part") < embedded
