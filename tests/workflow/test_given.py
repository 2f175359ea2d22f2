"""Scores that somebody else made of two runs: C_ECE, with intervals where speakers are known."""

import re

import numpy as np
import pytest
import yaml
from support.runs import make_kaldi_directory, snakemake

from voiceprivacy.inout.json_files import read_json

SPEAKERS = "abcd"
CALIBRATION = "results/metrics/calibration/scores/all/b2/team7/given.json"


@pytest.fixture
def folder(tmp_path):
    draw = np.random.default_rng(0)
    for system, conditions in (
        ("original", ["oo"]),
        ("b2", ["op", "pp"]),
        ("b2_run1", ["op", "pp"]),
    ):
        for condition in conditions:
            lines = ["enrolment\ttrial\tlabel\tscore"]
            for enrolled in SPEAKERS:
                for tried in SPEAKERS:
                    label = "target" if enrolled == tried else "nontarget"
                    of_pair = draw.normal(enrolled == tried, size=3)
                    lines += [
                        f"{enrolled}\t{tried}-{index}\t{label}\t{score}"
                        for index, score in enumerate(of_pair)
                    ]
            path = tmp_path / "team7" / system / f"{condition}.tsv"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(lines) + "\n")
    names = [*SPEAKERS, *(f"{speaker}-{index}" for speaker in SPEAKERS for index in range(3))]
    (tmp_path / "map.tsv").write_text(
        "id\tspeaker\n" + "".join(f"{name}\t{name[0]}\n" for name in names)
    )
    return tmp_path


def test_two_runs_of_others_are_calibrated_with_intervals_where_speakers_are_known(folder):
    attack = {"scores": "team7/{anonymiser}/{condition}.tsv", "speakers": "map.tsv"}
    config = {"attacks": {"team7": attack}, "report": {"bootstrap": 40}}
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    finished = snakemake(
        folder, CALIBRATION, "--cores", "1", "--configfile", folder / "config.yaml"
    )
    assert finished.returncode == 0, finished.stderr
    path = folder / CALIBRATION
    assert -1 < read_json(path)["op"]["cece_linear_bit"] < 0.73
    intervals = read_json(path.with_suffix(".intervals.json"))
    assert intervals["op"]["cece_linear_bit"]["n_speakers"] == len(SPEAKERS)
    planned = snakemake(folder, "-n", "--configfile", folder / "config.yaml")
    assert planned.returncode == 0, planned.stderr


def test_scores_of_a_list_that_the_config_has_are_compared_with_it(tmp_path):
    make_kaldi_directory(tmp_path / "data" / "tiny", utterances=3, enrolled=1)
    for corpus in ("tiny", "elsewhere"):
        for name in ("original/oo", "b2/op", "b2/rr"):
            path = tmp_path / "team7" / corpus / "all" / f"{name}.tsv"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("enrolment\ttrial\tlabel\tscore\na\tb\ttarget\t1\na\tc\tnontarget\t0\n")
    config = {
        "corpora": {"tiny": {"kaldi": "data/tiny"}},
        "anonymisers": {"b2": {"command": "true"}},
        "attacks": {"team7": {"scores": "team7/{corpus}/{trials}/{anonymiser}/{condition}.tsv"}},
        "report": {"bootstrap": 0},
    }
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
    planned = snakemake(tmp_path, "-n", "-p", "--configfile", tmp_path / "config.yaml")
    assert planned.returncode == 0, planned.stderr
    compared = set()
    for line in planned.stdout.splitlines():
        if match := re.search(r"jobs\.(take_scores|assess_scores) .* (\S+/team7\S*) ", line):
            corpus = "tiny" if "/tiny/" in line else "elsewhere"
            within_release = "/rr.tsv" in line and "/op.tsv" not in line
            lists = "+".join(re.findall(r" results/trials/tiny/(\S+)", line))
            compared.add((match[1], corpus, within_release, lists))
    assert compared == {
        ("take_scores", "tiny", False, "all.tsv"),
        ("take_scores", "tiny", True, "all.release.tsv"),
        ("take_scores", "elsewhere", False, ""),
        ("take_scores", "elsewhere", True, ""),
        ("assess_scores", "tiny", False, "all.tsv+all.release.tsv"),
        ("assess_scores", "elsewhere", False, ""),
    }
