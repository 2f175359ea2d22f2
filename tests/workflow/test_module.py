"""The workflow as a part of another one, with a prefix for its files."""

import pytest
import yaml
from support.runs import snakemake, succeeded, write_larger

SAME = ("metrics.tsv", "verdict.json", "report/tables/comparison.tsv")


@pytest.mark.long
def test_a_module_of_another_workflow_makes_the_same_numbers(same_folder, tiny_run):
    evaluation = yaml.safe_load((same_folder / "config.yaml").read_text())
    results = write_larger(same_folder, evaluation, "vp")
    words = ("--cores", "2")
    succeeded(snakemake(same_folder, *words, snakefile=same_folder / "Snakefile"))
    assert (same_folder / "sizes.txt").exists() and not (same_folder / "results").exists()
    for name in SAME:
        assert (results / name).read_bytes() == (tiny_run / "results" / name).read_bytes()
    again = snakemake(same_folder, *words, snakefile=same_folder / "Snakefile")
    assert again.returncode == 0 and "Nothing to be done" in again.stderr
