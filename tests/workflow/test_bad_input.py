"""What people get wrong: one clear line with its name, and nothing that a second run believes.

What is bad is left out of all that a corpus is used for, where its entry says so.
"""

import re

from support.runs import HEAR, LOSES, REVERSED, make_kaldi_directory, voiceprivacy, write_config

from voiceprivacy.inout import enrolments, manifests, tables, trial_lists

LOSING_COMMAND = """
import sys
given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
rows = open(given["--manifest"]).read().splitlines()
open(given["--output-manifest"], "w").write("\\n".join(rows[:-1]) + "\\n")
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
    "extractors": {"spectra": {"command": "python hear.py"}},
}
AUDIO = "results/audio/tiny"
LIST = "results/trials/tiny/all"
CHECKED = "results/checks/strict.tsv"
BAD = [f"{AUDIO}/trial/{name}/manifest.tsv" for name in ("mine", "lossy", "same_run1")]
GOOD = [f"{AUDIO}/{part}/good/manifest.tsv" for part in ("enrolment", "trial")]
HEARD = "results/embeddings/tiny/trial/original/spectra.npz"
MESSAGES = [
    ["emil-4.wav: cannot be read as audio"],
    ["utterance 'anna-", "no such voice"],
    ["'emil-", "is missing"],
    ["same/manifest.tsv", "very same audio of all 14 utterances", "'runs: 1'"],
]


def test_mistakes_are_named_twice_and_what_is_excluded_is_nowhere(tmp_path):
    """Also by a second run, which believes nothing of the first."""
    make_kaldi_directory(tmp_path / "data" / "tiny")
    (tmp_path / "data/tiny/wav/emil-4.wav").write_text("not audio")
    for name, text in {"mine.py": LOSES, "lose.py": LOSING_COMMAND, "hear.py": HEAR}.items():
        (tmp_path / name).write_text(text)
    write_config(tmp_path, **CONFIG)
    words = ("run", "--cores", "2", "--keep-going", "--configfile", "config.yaml")
    for _ in range(2):
        finished = voiceprivacy(tmp_path, *words, CHECKED, f"{LIST}.tsv", *BAD, *GOOD, HEARD)
        output = finished.stderr + finished.stdout
        assert finished.returncode != 0
        for parts in MESSAGES:
            assert [line for line in output.splitlines() if all(part in line for part in parts)]
        assert "Traceback" not in output
    assert not [name for name in (CHECKED, *BAD) if (tmp_path / name).exists()]
    assert {path.name for path in (tmp_path / "results").rglob(".*")} <= {".snakemake_timestamp"}
    # A function that fails is named before an attacker has heard anything.
    first, *_ = sorted((tmp_path / ".snakemake" / "log").glob("*.log"))
    logs = re.findall(r"^    log: results/logs/(\w+)/", first.read_text(), re.MULTILINE)
    order = ("validate_corpus", "anonymise_part", "extract_embeddings")
    assert sorted(order, key=logs.index) == [*order]
    for path in GOOD:
        kept = {recording.utterance for recording in manifests.read_manifest(tmp_path / path)}
        assert not {"emil-4", "anna-0"} & kept
    trials = trial_lists.read_trials(tmp_path / f"{LIST}.tsv")
    assert "emil-4" not in {trial.trial for trial in trials}
    assert enrolments.read_enrolments(tmp_path / f"{LIST}.enrolments.tsv")["anna"] == ["anna-1"]
    findings = tables.read_table(tmp_path / "results/checks/tiny.tsv", tables.FINDINGS)
    excluded = [
        row["what"].rpartition("utterance '")[2] for row in findings if row["level"] == "excluded"
    ]
    assert excluded == ["anna-0')", "emil-4')"]
