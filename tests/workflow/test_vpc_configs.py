"""The challenges' configs on their recipes' directories: every set is there, the run plans."""

import re

import pytest
import yaml
from support.runs import ROOT, snakemake

LISTS = {"libri": ["f", "m"], "vctk": ["f", "m", "f_common", "m_common"]}
ALL_SETS = ["libri_dev", "libri_test", "vctk_dev", "vctk_test"]
SEMI_INFORMED = {"vpc2022": "semi_on_b2/plda_semi_on_b2", "vpc2024": "semi_on_b2/cosine"}
SETS = {"vpc2020": ALL_SETS, "vpc2022": ALL_SETS, "vpc2024": ["libri_dev", "libri_test"]}


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    for name in ALL_SETS:
        for directory in ("enrolls", *(f"trials_{trials}" for trials in LISTS[name.split("_")[0]])):
            (folder / f"{name}_{directory}").mkdir(parents=True)
    (folder / "train-clean-360").mkdir()
    return folder


@pytest.mark.parametrize("year", SETS)
def test_the_config_of_a_challenge_names_its_sets_and_plans(tmp_path, data, year):
    config = ROOT / "config" / f"{year}.yaml"
    corpora = yaml.safe_load(config.read_text())["corpora"]
    lists = {
        name: list(corpus["protocol"]["given"])
        for name, corpus in corpora.items()
        if "protocol" in corpus
    }
    assert lists == {name: LISTS[name.split("_")[0]] for name in SETS[year]}
    planned = snakemake(tmp_path, "-n", "--configfile", config, VPC_DATA=str(data))
    assert planned.returncode == 0, planned.stderr
    listed = set(re.findall(r"results/trials/(\w+/\w+)\.tsv", planned.stdout))
    assert listed == {f"{name}/{trials}" for name in lists for trials in lists[name]}
    averages = {
        "all-lists",
        *yaml.safe_load(config.read_text()).get("report", {}).get("averages", {}),
    }
    compared = set(
        re.findall(r"results/comparisons/over-corpora/([\w-]+)/\w+/\w+\.tsv", planned.stdout)
    )
    assert compared == averages
    if year in SEMI_INFORMED:
        semi_informed = re.findall(
            rf"results/scores/(\w+/\w+)/b2/{SEMI_INFORMED[year]}/pp\.tsv", planned.stdout
        )
        assert set(semi_informed) == listed, "the attack that the challenge ranks by"
        assert "results/audio/train_clean_360/train/b2/manifest.tsv" in planned.stdout
