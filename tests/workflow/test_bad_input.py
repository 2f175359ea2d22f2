"""What people get wrong: one clear line with its name, and nothing that a second run believes.

What is bad is left out of all that a corpus is used for, where its entry says so.
"""

import re
import sys

import pytest
from support.runs import LOSES, REVERSED, ROOT, call_in, write_config

from voiceprivacy.inout import tables

LOSING_COMMAND = """
import argparse, csv
parser = argparse.ArgumentParser()
for name in ("manifest", "seed", "audio-dir", "output-manifest"):
    parser.add_argument(f"--{name}")
arguments = parser.parse_args()
rows = open(arguments.manifest).read().splitlines()
open(arguments.output_manifest, "w").write("\\n".join(rows[:-1]) + "\\n")
"""
CONFIG = {
    "corpora": {
        "strict": {"kaldi": "data/tiny"},
        "tiny": {"kaldi": "data/tiny", "on_bad_audio": "exclude", "exclude": ["anna-0"]},
    },
    "anonymisers": {
        "good": REVERSED,
        "mine": {"function": "mine.py:anonymise"},
        "lossy": {"command": "python lose.py"},
        "same": REVERSED | {"runs": 2},  # of what draws nothing
    },
}
AUDIO = "results/audio/tiny"
LIST = "results/trials/tiny/all"
CHECKED = "results/checks/strict.tsv"
BAD = [f"{AUDIO}/trial/{name}/manifest.tsv" for name in ("mine", "lossy", "same_run1")]
GOOD = [f"{AUDIO}/{part}/good/manifest.tsv" for part in ("enrolment", "trial")]
HEARD = "results/embeddings/tiny/trial/original/random.npz"
MESSAGES = [
    ["emil-4.wav: cannot be read as audio"],
    ["utterance 'anna-", "no such voice"],
    ["'emil-", "is missing"],
    ["same/manifest.tsv", "very same audio of all 14 utterances", "'runs: 1'"],
]


@pytest.fixture
def folder(run_folder):
    """A folder to run in, with a broken recording and wrong plug-ins."""
    (run_folder / "data/tiny/wav/emil-4.wav").write_text("not audio")
    (run_folder / "mine.py").write_text(LOSES)
    (run_folder / "lose.py").write_text(LOSING_COMMAND)
    write_config(run_folder, **CONFIG)
    return run_folder


def test_mistakes_are_named_a_second_run_names_them_again_and_what_is_excluded_is_nowhere(folder):
    command = [sys.executable, ROOT / "scripts" / "main.py", "run", "--cores", "2", "--keep-going"]
    command += ["--configfile", folder / "config.yaml"]
    for _ in range(2):
        finished = call_in(folder, [*command, CHECKED, f"{LIST}.tsv", *BAD, *GOOD, HEARD], {})
        output = finished.stderr + finished.stdout
        assert finished.returncode != 0
        for words in MESSAGES:
            assert [line for line in output.splitlines() if all(word in line for word in words)]
        assert "Traceback" not in output
    assert not [name for name in (CHECKED, *BAD) if (folder / name).exists()]
    assert {path.name for path in (folder / "results").rglob(".*")} <= {".snakemake_timestamp"}
    require_that_plug_ins_come_first(folder)
    for path in GOOD:
        kept = {recording.utterance for recording in tables.read_manifest(folder / path)}
        assert not {"emil-4", "anna-0"} & kept
    assert "emil-4" not in {trial.trial for trial in tables.read_trials(folder / f"{LIST}.tsv")}
    assert tables.read_enrolments(folder / f"{LIST}.enrolments.tsv")["anna"] == ["anna-1"]
    findings = tables.read_table(folder / "results/checks/tiny.tsv", tables.FINDINGS)
    excluded = [
        row["what"].rpartition("utterance '")[2] for row in findings if row["level"] == "excluded"
    ]
    assert excluded == ["anna-0')", "emil-4')"]


def require_that_plug_ins_come_first(folder):
    """A function that fails is named before an attacker has heard anything."""
    first, *_ = sorted((folder / ".snakemake" / "log").glob("*.log"))
    logs = re.findall(r"^    log: results/logs/(\w+)/", first.read_text(), re.MULTILINE)
    embedded = logs.index("extract_embeddings")
    assert logs.index("validate_corpus") < logs.index("anonymise_part") < embedded
