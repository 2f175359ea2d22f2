"""The challenges' configs on their recipes' directories: every set is there, the run plans."""

import re
from itertools import product

import pytest
import yaml
from support.runs import ROOT, finish

LISTS = {"libri": ["f", "m"], "vctk": ["f", "m", "f_common", "m_common"]}
ALL_SETS = ["libri_dev", "libri_test", "vctk_dev", "vctk_test"]
SEMI_INFORMED = {
    "vpc2022": "semi_on_b2/plda_semi_on_b2",
    "vpc2024": "semi_on_b2/cosine",
    "vpc2026": "semi_on_b2/cosine",
    "reproduce_vpc2024_b2": "semi_on_b2/cosine",
}
SETS = {
    "vpc2020": ALL_SETS,
    "vpc2022": ALL_SETS,
    "vpc2024": ["libri_dev", "libri_test"],
    "reproduce_vpc2024_b2": ["libri_test"],
}


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    directories = ["train-clean-360", "train_german"]
    for name in ALL_SETS:
        lists = (f"trials_{trials}" for trials in LISTS[name.split("_")[0]])
        directories += [f"{name}_{directory}" for directory in ("enrolls", *lists)]
    for name, split in product(("libri", "de"), ("dev", "test")):
        directories += [f"{name}_{split}_enrolls", f"{name}_{split}_trials_mixed"]
    for name in directories:
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "text").touch()
    return folder


@pytest.mark.parametrize("year", SETS)
def test_the_config_of_a_challenge_names_its_sets_and_plans(tmp_path, data, year):
    config = ROOT / "config" / f"{year}.yaml"
    content = yaml.safe_load(config.read_text())
    lists = {
        name: list(corpus["protocol"]["given"])
        for name, corpus in content["corpora"].items()
        if "protocol" in corpus
    }
    assert lists == {name: LISTS[name.split("_")[0]] for name in SETS[year]}
    planned = finish(tmp_path, "-n", "-p", config=config, VPC_DATA=str(data))
    listed = set(re.findall(r"results/trials/(\w+/\w+)\.tsv", planned.stdout))
    assert listed == {f"{name}/{trials}" for name in lists for trials in lists[name]}
    pattern = r"results/comparisons/over-corpora/([\w-]+)/\w+/\w+\.tsv"
    averages = content.get("report", {}).get("averages", {})
    over_corpora = {"all-lists", *averages} if len(lists) > 1 else set()
    assert set(re.findall(pattern, planned.stdout)) == over_corpora
    assert ("rule compare_expected:" in planned.stdout) == ("expected" in content)
    if year in SEMI_INFORMED:
        ranked_by = rf"results/scores/(\w+/\w+)/b2/{SEMI_INFORMED[year]}/pp\.tsv"
        assert set(re.findall(ranked_by, planned.stdout)) == listed
        assert "results/audio/train_clean_360/train/b2/manifest.tsv" in planned.stdout
    if year == "vpc2024":
        require_word_errors(planned.stdout, '"vpc2024"', SETS[year])


def test_the_first_track_of_2026_plans_with_one_encoder_for_both_attackers(tmp_path, data):
    config = ROOT / "config" / "vpc2026.yaml"
    planned = finish(tmp_path, "-n", "-p", config=config, VPC_DATA=str(data))
    lists = set(re.findall(r"results/trials/(\w+/\w+)\.tsv", planned.stdout))
    assert lists == {"libri_dev/mixed", "libri_test/mixed"}
    for name in lists:
        assert f"results/scores/{name}/b2/{SEMI_INFORMED['vpc2026']}/pp.tsv" in planned.stdout
        assert f"results/scores/{name}/b2/ecapa_ssl/cosine/pp.tsv" in planned.stdout
    jobs = dict(re.findall(r"^(\w+) +(\d+)$", planned.stdout, re.MULTILINE))
    assert (jobs["fetch_encoder"], jobs["train_extractor"]) == ("1", "2")
    assert "--model microsoft/wavlm-large --revision c1423ed94bb01d80a3f5" in planned.stdout
    assert planned.stdout.count("--encoder results/encoders/ecapa_ssl") == 1
    assert "--start results/models/ecapa_ssl" in planned.stdout


def test_the_second_track_of_2026_measures_word_errors_in_its_language(tmp_path, data):
    config = ROOT / "config" / "vpc2026_track2.yaml"
    variables = {"VPC_DATA": str(data), "VPC_LANGUAGE": "de", "VPC_TRAINING": "train_german"}
    planned = finish(tmp_path, "-n", "-p", config=config, **variables)
    assert "results/scores/test/mixed/b2/semi_on_b2/cosine/pp.tsv" in planned.stdout
    require_word_errors(planned.stdout, '"vpc2026", "language": "de"', ["dev", "test"])


def require_word_errors(planned, definition, sets):
    """Some job fetches the listener, and the words of original and protected speech are heard."""
    assert {*re.findall(r"^fetch_listener +(\d+)$", planned, re.MULTILINE)} == {"1"}
    assert f'"definition": {definition}, "device": "cuda"' in planned
    for corpus, system in product(sets, ("original", "b2")):
        assert f"results/utility/{corpus}/trial/{system}/wer.tsv" in planned
