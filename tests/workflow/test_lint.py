"""Snakemake's own lint of the rules."""

from support.runs import snakemake


def test_snakemake_finds_no_fault_in_the_rules(tmp_path):
    linted = snakemake(tmp_path, "--lint")
    assert linted.returncode == 0, linted.stderr
    assert "Lints for" not in linted.stderr
    assert "Congratulations" in linted.stderr
