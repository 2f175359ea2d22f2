"""Real speech, a real attacker: B2 hides a voice from the ignorant, not the informed."""

import csv
import statistics

import pytest
import yaml
from support import needs
from support.runs import ROOT, WITHOUT_MEASURES, snakemake, write_config

pytestmark = [
    pytest.mark.long,
    needs.data("VOICEPRIVACY_SPEECH", "VOICEPRIVACY_ASV"),
]


def test_b2_on_real_speech_has_a_far_higher_eer_under_op_than_oo_and_pp(tmp_path):
    sections = yaml.safe_load((ROOT / "config" / "excerpt.yaml").read_text())
    sections |= {"utility": WITHOUT_MEASURES, "report": {"bootstrap": 200}}
    config = write_config(tmp_path, **sections)
    finished = snakemake(tmp_path, "--cores", "2", "--configfile", config)
    assert finished.returncode == 0, finished.stderr
    with open(tmp_path / "results" / "metrics.tsv", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))

    def mean(metric, anonymiser, condition):
        key = (metric, anonymiser, condition)
        return statistics.mean(
            float(row["value"])
            for row in rows
            if (row["metric"], row["anonymiser"], row["condition"]) == key
        )

    unprotected = mean("eer_percent", "original", "oo")
    ignorant, informed = mean("eer_percent", "b2", "op"), mean("eer_percent", "b2", "pp")
    assert unprotected < 5
    assert ignorant > 3 * max(unprotected, informed)
    assert mean("deid_percent", "b2", "op") > 20
    assert (
        mean("dece_bit", "original", "oo")
        > mean("dece_bit", "b2", "pp")
        > mean("dece_bit", "b2", "op")
    )
