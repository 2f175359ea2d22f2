"""What CONTRIBUTING shows of adding things works: its diffs are applied to a copy of the tree."""

import json
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from support.calls import with_package

from voiceprivacy.inout.arrays import ScoreMatrix, write_matrix
from voiceprivacy.inout.files import SCRIPTS

ROOT = SCRIPTS.parent
LONGEST = 30  # lines
MEASURED = """
import json, subprocess, sys
from pathlib import Path
from snakemake.iocontainers import Wildcards
from voiceprivacy.catalogue import METRICS
from voiceprivacy.inout.tables import Utterance, read_table, write_manifest
from voiceprivacy.plan import configuration
from voiceprivacy.plan.inputs.results import UtilityInputs
from voiceprivacy.plan.plan import Plan

corpora = {"mine": {"synthetic": {"speakers": 4, "utterances": 4}}}
anonymisers, utility = {"b2": {"command": "b2"}}, {"length": {"type": "duration"}}
config = {"corpora": corpora, "anonymisers": anonymisers, "utility": utility}
plan = Plan(configuration.check(config))
for name, lasts in {"before.tsv": 2.0, "after.tsv": 1.5}.items():
    write_manifest(name, [Utterance("u", "s", "f", Path("u.wav"), lasts)])
job = Wildcards(fromdict={"corpus": "mine", "anonymiser": "b2", "measure": "length"})
asked = ["--measures", UtilityInputs(plan).asked_in_json(job)]
files = ["--original", "before.tsv", "--manifest", "after.tsv", "--output", "length.tsv"]
run = [sys.executable, "-P", "-m", "voiceprivacy.jobs.measure_utility"]
subprocess.run([*run, *asked, *files], check=True, stdout=subprocess.DEVNULL)
rows = read_table("length.tsv", ["utterance", "metric", "value"])
made = "results/utility/mine/trial/b2/length.tsv" in plan.utility.measures("mine")
print(json.dumps([rows, made, METRICS["duration_percent"].title]))
"""
DRAWN = """
import json
from pathlib import Path
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.plan import configuration
from voiceprivacy.plan.plan import Plan
from voiceprivacy.report.contents import planned
from voiceprivacy.report.figures import drawer
from voiceprivacy.report.page import CAPTIONS, read_caption
from voiceprivacy.report.plots.style import svg_of

corpora = {"mine": {"synthetic": {"speakers": 4, "utterances": 4}}}
extractors, backends = {"net": {"package": "resemblyzer"}}, {"cosine": {"type": "cosine"}}
config = {"corpora": corpora, "anonymisers": {"b2": {"command": "b2"}}}
config |= {"extractors": extractors, "backends": backends, "semi_informed": False}
figures = [one for one in planned(Plan(configuration.check(config))) if one.kind == "strongest"]
arguments = figures[0].arguments
for path, numbers in zip(arguments["metrics"], [{"oo": 3.0}, {"op": 1.0, "pp": 2.0}], strict=True):
    worst = {condition: {"worst_case_log10": number} for condition, number in numbers.items()}
    write_json(path, worst)
svg = svg_of(drawer("strongest")(**arguments))
systems = ["original", "b2"]
marks = [svg.count(f'data-system="{system}"') for system in systems]
captions = {name: read_caption(Path(f"workflow/report/{name}.rst")) for name in CAPTIONS}
print(json.dumps([[one.trials for one in figures], marks, captions["strongest"]]))
"""
USED = """
import json
import numpy as np
from voiceprivacy.attack.backends.backends import scorer
from voiceprivacy.catalogue import METRICS
from voiceprivacy.corpora.checks import examine_entry
from voiceprivacy.plan import configuration
from voiceprivacy.plan.plan import Plan

corpora = {"mine": {"speaker_folders": {"root": "speech"}}}
backends = {"near": {"type": "euclidean"}}
config = configuration.check({"corpora": corpora, "backends": backends})
examined = examine_entry("mine", config["corpora"])
points = np.eye(2)
scores = scorer("euclidean")(enrolment=points, counts=None, trial=points)
named = [named.path for named in Plan(config).named]
print(json.dumps([METRICS["mean_rank"].title, examined.parts["trial"][0], scores.tolist(), named]))
"""


def diffs():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return re.findall(r"^```diff\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the code with all that the diffs add."""
    tree = tmp_path_factory.mktemp("tree")
    no_caches = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SCRIPTS, tree / "scripts", ignore=no_caches)
    for name in ("envs", "workflow"):
        shutil.copytree(ROOT / name, tree / name, ignore=no_caches)
    for diff in diffs():
        command = ["git", "apply", "-"]
        subprocess.run(command, input=diff, text=True, cwd=tree, check=True)
    return tree


def python(tree, *words):
    environment = with_package() | {"PYTHONPATH": str(tree / "scripts")}
    command = [sys.executable, "-P", *words]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_diffs_are_short():
    assert len(diffs()) == 5
    assert all(diff.count("\n") < LONGEST for diff in diffs())


def test_a_metric_that_was_added_is_printed_by_its_command(tree):
    ids = np.array(["a1", "b1"])
    speakers = np.array(["a", "b"])
    scores = np.array([[2.0, 1.0], [2.0, 1.0]])  # a ranks first, b second
    matrix = ScoreMatrix(ids, np.array(["a", "b"]), speakers, speakers, scores, ids, speakers)
    write_matrix(tree / "m.npz", matrix)
    said = python(tree, "-m", "voiceprivacy.jobs.assess_ranks", "--matrix", "m.npz")
    assert re.search(r"^mean_rank +1\.5$", said, re.MULTILINE)


def test_a_corpus_and_a_back_end_that_were_added_are_known(tree):
    for name in ("anna", "bert"):
        (tree / "speech" / name).mkdir(parents=True)
        for number in range(5):
            (tree / "speech" / name / f"{name}{number}.wav").touch()
    title, n_trials, scores, named = json.loads(python(tree, "-c", USED))
    assert title == "mean rank" and n_trials == 4
    assert np.allclose(scores, [[0, -np.sqrt(2)], [-np.sqrt(2), 0]])
    assert "speech" in named


def test_a_measure_that_was_added_is_planned_and_made(tree):
    rows, is_planned, title = json.loads(python(tree, "-c", MEASURED))
    assert rows == [{"utterance": "u", "metric": "duration_percent", "value": "75.0"}]
    assert is_planned and title == "duration"


def test_a_figure_that_was_added_is_planned_and_drawn(tree):
    lists, marks, caption = json.loads(python(tree, "-c", DRAWN))
    assert lists == ["f", "m"] and marks == [1, 2]
    assert caption.startswith("The strongest single trial")
