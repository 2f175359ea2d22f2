"""Real speech and a real attacker, where they are: B2 hides a voice from the ignorant, not from the informed."""

import csv
import os

import pytest
from conftest import ROOT, snakemake

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        not {"VOICEPRIVACY_SPEECH", "VOICEPRIVACY_ASV"} <= set(os.environ),
        reason="VOICEPRIVACY_SPEECH (a LibriSpeech folder) and VOICEPRIVACY_ASV (a SpeechBrain folder) are not set",
    ),
]


def test_b2_on_real_speech_has_a_far_higher_eer_under_op_than_oo_and_pp(tmp_path):
    finished = snakemake(tmp_path, "--cores", "2", "--configfile", ROOT / "config" / "excerpt.yaml")
    assert finished.returncode == 0, finished.stderr
    with open(tmp_path / "results" / "metrics.tsv", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["trials"] == "mixed"]
    eer = {(row["anonymiser"], row["condition"]): float(row["value"]) for row in rows if row["metric"] == "eer_percent"}
    assert eer["original", "oo"] < 5
    assert eer["b2", "op"] > 3 * max(eer["original", "oo"], eer["b2", "pp"])
    deid = {row["anonymiser"]: float(row["value"]) for row in rows if row["metric"] == "deid_percent"}
    assert deid["b2"] > 20
