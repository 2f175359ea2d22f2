"""Snakemake's own lint of the rules; a test, because one of its findings is wanted."""

import re

from support.runs import snakemake

# Input functions stand above the rule that uses them, where a reader looks for them. Our scripts
# count by fingerprint, so that another copy of them repeats nothing: none is an input.
WANTED = {
    "Mixed rules and functions in same snakefile.",
    "Shell command directly uses variable PAGE from outside of the rule",
    "Shell command directly uses variable SCRIPTS from outside of the rule",
}


def test_snakemake_finds_no_fault_in_the_rules(tmp_path):
    linted = snakemake(tmp_path, "--lint")
    assert "Lints for" in linted.stderr
    assert set(re.findall(r"^ +\* (.+):$", linted.stderr, re.MULTILINE)) == WANTED
