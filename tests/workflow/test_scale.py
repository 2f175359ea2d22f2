"""Large runs, planned on files that are not there: quickly, and in few submitted jobs."""

import re

import pytest
import yaml
from support import needs
from support.runs import ROOT, finish, many_systems

pytestmark = pytest.mark.nightly
SUBMITTED = 150
LARGEST_GROUP = 100  # jobs: Snakemake's check of a group takes the square of them
MOST_JOBS = {1: 1_900, 4: 4_850}  # by number of attackers; docs/internals/load.md counts them


def write_run(folder, **numbers):
    (folder / "config.yaml").write_text(yaml.safe_dump(many_systems(folder, **numbers)))


@pytest.mark.parametrize("attackers", [1, 4])
def test_twenty_anonymisers_on_twelve_sets_are_planned(tmp_path, attackers):
    each = 1 if attackers == 1 else 2
    write_run(tmp_path, anonymisers=20, sets=12, extractors=each, backends=each)
    planned = finish(tmp_path, "-n", "--quiet", "rules")
    jobs = int(re.search(r"^total +(\d+)", planned.stdout + planned.stderr, re.MULTILINE).group(1))
    assert MOST_JOBS[attackers] * 0.8 < jobs <= MOST_JOBS[attackers]


@needs.program("slurm")
def test_ten_anonymisers_on_twelve_sets_are_at_most_150_submitted_jobs(tmp_path):
    write_run(tmp_path, anonymisers=10, sets=12, extractors=1, backends=1)
    profile = ROOT / "workflow" / "profiles" / "slurm"
    planned = finish(tmp_path, "-n", "--workflow-profile", profile)
    output = planned.stdout + planned.stderr
    submitted = re.findall(r"^(?:\[.+\] Group job \w+|rule \w+:)", output, re.MULTILINE)
    assert 50 <= len(submitted) <= SUBMITTED
    groups = re.split(r"^\[.+\] Group job ", output, flags=re.MULTILINE)[1:]
    in_groups = [re.findall(r"^ +(?:local)?rule \w+:", group, re.MULTILINE) for group in groups]
    assert max(map(len, in_groups)) <= LARGEST_GROUP
    jobs = int(re.search(r"^total +(\d+)", output, re.MULTILINE).group(1))
    assert jobs > 5 * len(submitted)
