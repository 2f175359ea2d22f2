"""The workflow as a part of another one, beside a file that has our name."""

import shutil

import pytest
import yaml
from support.runs import ROOT, WITHOUT_MEASURES, make_kaldi_directory, snakemake, write_config

pytestmark = pytest.mark.long
B2 = "python {scripts}/anonymise_mcadams.py --alpha 0.8 --level corpus"
LARGER = f"""
configfile: "larger.yaml"


module voiceprivacy:
    snakefile:
        "{ROOT}/Snakefile"
    config:
        config["evaluation"]


use rule * from voiceprivacy as voiceprivacy_*


rule sum_up:
    default_target: True
    input:
        "results/metrics.tsv",
        "results/verdict.json",
    output:
        "sizes.txt",
    shell:
        "wc -c {{input}} > {{output}}"
"""
SAME = ("metrics.tsv", "verdict.json")


def make_folder(folder, model):
    make_kaldi_directory(folder / "data" / "tiny")
    shutil.copytree(model, folder / "model")
    anonymisers = {"b2": {"command": B2}}
    return write_config(folder, anonymisers=anonymisers, utility=WITHOUT_MEASURES)


def test_a_module_of_another_workflow_makes_the_same_numbers(tmp_path, model_folder):
    alone, larger = tmp_path / "alone", tmp_path / "larger"
    config = make_folder(alone, model_folder)
    targets = [f"results/{name}" for name in SAME]
    done = snakemake(alone, *targets, "--cores", "2", "--configfile", config)
    assert done.returncode == 0, done.stderr
    evaluation = yaml.safe_load(make_folder(larger, model_folder).read_text())
    (larger / "larger.yaml").write_text(yaml.safe_dump({"evaluation": evaluation, "other": 1}))
    (larger / "Snakefile").write_text(LARGER)
    (larger / "voiceprivacy.py").write_text("raise SystemExit(__file__)\n")
    done = snakemake(larger, "--cores", "2", snakefile=larger / "Snakefile")
    assert done.returncode == 0, done.stderr
    assert (larger / "sizes.txt").exists()
    for name in SAME:
        made = [(folder / "results" / name).read_bytes() for folder in (alone, larger)]
        assert made[0] == made[1]
