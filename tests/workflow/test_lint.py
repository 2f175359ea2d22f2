"""Snakemake's own lint of the rules; a test, because one of its findings is wanted."""

import re

from support.runs import snakemake

# Input functions stand above the rule that uses them, where a reader looks for them.
WANTED = {"Mixed rules and functions in same snakefile."}


def test_snakemake_finds_no_fault_in_the_rules(tmp_path):
    linted = snakemake(tmp_path, "--lint")
    assert "Lints for" in linted.stderr
    assert set(re.findall(r"^ +\* (.+):$", linted.stderr, re.MULTILINE)) == WANTED
