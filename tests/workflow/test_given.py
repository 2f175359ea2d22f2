"""Scores that somebody else made: intervals, calibration of two runs, averages over corpora."""

import re
from itertools import product

import pytest
import yaml
from support.runs import finish, make_kaldi_directory, rows

from voiceprivacy.inout.enrolments import write_speakers
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.tables import write_table
from voiceprivacy.inout.trial_lists import SCORES

SHIFTS = {"original/oo": 9, "b2/op": 6, "b2_run1/op": 6, "b2/pp": 5, "b2r/pp": 4}


def write_given_scores(folder):
    """Scores of four speakers in two lists, and who speaks."""
    generator = iter(range(10**6))
    for trials in ("f", "m"):
        for name, shift in SHIFTS.items():
            scored = []
            for enrolled, tried in product(range(4), range(8)):
                label = "target" if tried % 4 == enrolled else "nontarget"
                score = (next(generator) * 37 % 11) + shift * (label == "target")
                scored.append((f"s{enrolled}", f"u{tried}", label, score))
            write_table(folder / "team7" / trials / f"{name}.tsv", SCORES, scored)
        ids = {f"s{k}": f"s{k}" for k in range(4)} | {f"u{k}": f"s{k % 4}" for k in range(8)}
        write_speakers(folder / f"speakers_{trials}.tsv", ids)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Results of two corpora with the same scores."""
    folder = tmp_path_factory.mktemp("given")
    for corpus in ("one", "two"):
        write_given_scores(folder / corpus)
    (folder / "tags.yaml").write_text(
        "little: {from_log10: 0, meaning: little}\nmuch: {from_log10: 0.3, meaning: much}\n"
    )
    attack = {"scores": "{corpus}/team7/{trials}/{anonymiser}/{condition}.tsv"}
    attack |= {"speakers": "{corpus}/speakers_{trials}.tsv"}
    config = {"attacks": {"team7": attack}, "report": {"bootstrap": 50, "tags": "tags.yaml"}}
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    lists = ("one/f", "one/m", "one/mean", "over-corpora/all-lists")
    compared = [f"results/comparisons/{name}/team7/given.systems.tsv" for name in lists]
    finish(folder, "results/metrics.tsv", *compared)
    return folder / "results"


def test_given_scores_have_intervals_tags_and_are_compared(results):
    table = rows(results / "metrics.tsv")
    eers = [row for row in table if row["metric"] == "eer_percent"]
    assert len(eers) == 2 * 2 * 4
    assert all(float(row["ci_low"]) <= float(row["ci_high"]) for row in eers)
    tags = {row["value"] for row in table if row["metric"].startswith("tag")}
    assert tags <= {"little", "much"}
    for trials in ("f", "m", "mean"):
        (pair,) = {
            (row["anonymiser_a"], row["anonymiser_b"])
            for row in rows(results / "comparisons" / "one" / trials / "team7" / "given.tsv")
        }
        assert pair == ("b2", "b2r")


def test_two_runs_are_calibrated_with_intervals(results):
    path = results / "metrics" / "calibration" / "one" / "f" / "b2" / "team7" / "given.json"
    assert -1 < read_json(path)["op"]["cece_linear_bit"] < 0.73
    intervals = read_json(path.with_suffix(".intervals.json"))
    assert intervals["op"]["cece_linear_bit"]["n_speakers"] == 4


def test_the_average_over_the_same_lists_twice_is_that_of_one_corpus(results):
    of_average, of_one = (
        {
            (row["condition"], row["metric"], row["anonymiser"]): [
                float(row[name]) for name in ("ci_low", "ci_high")
            ]
            for row in rows(results / "comparisons" / folder / "team7" / "given.systems.tsv")
            if row["metric"] in ("eer_percent", "cllr_bit")
        }
        for folder in ("over-corpora/all-lists", "one/mean")
    )
    assert of_average == {key: pytest.approx(limits) for key, limits in of_one.items()}


def test_scores_of_a_list_that_the_config_has_are_compared_with_it(tmp_path):
    make_kaldi_directory(tmp_path / "data" / "tiny", utterances=3, enrolled=1)
    for corpus in ("tiny", "elsewhere"):
        for name in ("original/oo", "b2/op", "b2/rr"):
            scored = [("a", "b", "target", 1), ("a", "c", "nontarget", 0)]
            write_table(tmp_path / "team7" / corpus / "all" / f"{name}.tsv", SCORES, scored)
    config = {
        "corpora": {"tiny": {"kaldi": "data/tiny"}},
        "anonymisers": {"b2": {"command": "true"}},
        "attacks": {"team7": {"scores": "team7/{corpus}/{trials}/{anonymiser}/{condition}.tsv"}},
        "report": {"bootstrap": 0},
    }
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
    planned = finish(tmp_path, "-n", "-p")
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
