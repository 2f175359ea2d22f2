"""Every shipped config plans, or says in one line what is not there; the workflow is lint-free."""

import importlib.metadata
import os
import re
import sys
from pathlib import Path

import pytest
from nightly import zoo
from support.runs import ROOT, finish, snakemake, succeeded

from voiceprivacy.errors import BadInput
from voiceprivacy.plan import configuration

PLANNED_BELOW = ("config", "ranks")
CONFIGS = [
    path for path in sorted((ROOT / "config").glob("*.yaml")) if path.stem not in PLANNED_BELOW
]


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.stem)
def test_a_shipped_config_plans_or_names_what_is_not_found(tmp_path, in_tmp_path, config):
    variables = re.findall(r"\$\{(\w+)\}", config.read_text())
    missing = [name for name in variables if name not in os.environ]
    if missing:
        with pytest.raises(BadInput, match=f"{missing[0]}: not found"):
            configuration.check(configuration.read(config))
        return
    if config.stem == "zoo":  # its pieces are cut by make zoo
        zoo.write_pieces(Path(os.environ["VOICEPRIVACY_SPEECH"]), tmp_path)
    finish(tmp_path, "-n", "--quiet", config=config)


def test_the_first_page_waits_for_no_measure_of_utility(tmp_path):
    demo = ROOT / "config" / "config.yaml"
    before = jobs_of(finish(tmp_path, "results/report/privacy.html", "-n", config=demo).stdout)
    later = jobs_of(finish(tmp_path, "-n", config=demo).stdout)
    assert "write_verdict" in before and "write_first_page" in later
    measured = {"measure_shipped", "measure_voices", "assess_utility", "write_report"}
    assert measured <= later.keys() - before.keys()
    # So they begin when a processor has nothing else to do.
    assert min(before.values()) > max(later[rule] for rule in measured)


def jobs_of(dry_run):
    """{rule: lowest priority of its jobs} of what Snakemake would do."""
    priorities = {}
    for job in re.split(r"^\[.*\]$", dry_run, flags=re.MULTILINE)[1:]:
        rule = re.search(r"^rule (\w+):", job, flags=re.MULTILINE)[1]
        said = re.search(r"^ +priority: (\d+)$", job, flags=re.MULTILINE)
        priority = int(said[1]) if said else 0
        priorities[rule] = min(priority, priorities.get(rule, priority))
    return priorities


def test_no_first_page_where_nothing_is_measured_after_it(tmp_path):
    rules = jobs_of(finish(tmp_path, "-n", config=ROOT / "config" / "ranks.yaml").stdout)
    assert "write_report" in rules and "write_first_page" not in rules


def test_no_script_hides_a_library():
    """`python scripts/x.py` puts scripts/ first on the path: torch once took our tabulate.py."""
    installed = set(importlib.metadata.packages_distributions())
    scripts = {path.stem for path in (ROOT / "scripts").glob("*.py")}
    assert scripts & (installed | set(sys.stdlib_module_names)) == set()


def test_snakemake_finds_no_fault_in_the_rules(tmp_path):
    linted = succeeded(snakemake(tmp_path, "--lint"))
    assert "Lints for" not in linted.stderr
    assert "Congratulations" in linted.stderr
