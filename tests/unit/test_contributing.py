"""What CONTRIBUTING shows of adding things works: its diffs are applied to a copy of the tree."""

import json
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from support.calls import with_package

from voiceprivacy.privacy.matrices.matrix_files import write_matrix
from voiceprivacy.privacy.rows import ScoreMatrix
from voiceprivacy.vocabulary import SCRIPTS

ROOT = SCRIPTS.parent
LONGEST = 30  # lines
ADDED = """
import json, subprocess, sys
from pathlib import Path
import numpy as np
from snakemake.iocontainers import Wildcards
from voiceprivacy.attack.backends.backends import scorer
from voiceprivacy.catalogue import METRICS
from voiceprivacy.corpora.checks import examine_entry
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.manifests import Utterance, write_manifest
from voiceprivacy.inout.tables import read_table
from voiceprivacy.plan import configuration
from voiceprivacy.plan.inputs.results import UtilityInputs
from voiceprivacy.plan.plan import Plan
from voiceprivacy.report.contents import planned
from voiceprivacy.report.figures import drawer
from voiceprivacy.report.page import CAPTIONS, read_caption
from voiceprivacy.report.plots.drawing import svg_of

config = {"corpora": {"mine": {"speaker_folders": {"root": "speech"}}}}
config = configuration.check(config | {"backends": {"near": {"type": "euclidean"}}})
examined = examine_entry("mine", config["corpora"])
scores = scorer("euclidean")(enrolment=np.eye(2), counts=None, trial=np.eye(2))
used = [METRICS["mean_rank"].title, examined.parts["trial"][0], scores.tolist()]
used.append([named.path for named in Plan(config).named])

config = {"corpora": {"mine": {"synthetic": {"speakers": 4, "utterances": 4}}}}
config |= {"anonymisers": {"b2": {"command": "b2"}}, "utility": {"length": {"type": "duration"}}}
config |= {"extractors": {"net": {"package": "resemblyzer"}}, "semi_informed": False}
plan = Plan(configuration.check(config | {"backends": {"cosine": {"type": "cosine"}}}))
for name, lasts in {"before.tsv": 2.0, "after.tsv": 1.5}.items():
    write_manifest(name, [Utterance("u", "s", "f", Path("u.wav"), lasts)])
job = Wildcards(fromdict={"corpus": "mine", "anonymiser": "b2", "measure": "length"})
asked = ["--measures", UtilityInputs(plan).asked_in_json(job)]
files = ["--original", "before.tsv", "--manifest", "after.tsv", "--output", "length.tsv"]
run = [sys.executable, "-P", "-m", "voiceprivacy.jobs.measure_utility"]
subprocess.run([*run, *asked, *files], check=True, stdout=subprocess.DEVNULL)
measured = [read_table("length.tsv", ["utterance", "metric", "value"])]
measured.append("results/utility/mine/trial/b2/length.tsv" in plan.utility.measures("mine"))
measured.append(METRICS["duration_percent"].title)

figures = [one for one in planned(plan) if one.kind == "strongest"]
arguments = figures[0].arguments
for path, numbers in zip(arguments["metrics"], [{"oo": 3.0}, {"op": 1.0, "pp": 2.0}], strict=True):
    worst = {condition: {"worst_case_log10": number} for condition, number in numbers.items()}
    write_json(path, worst)
svg = svg_of(drawer("strongest")(**arguments))
marks = [svg.count(f'data-system="{system}"') for system in ("original", "b2")]
captions = {name: read_caption(Path(f"workflow/report/{name}.rst")) for name in CAPTIONS}
drawn = [[one.trials for one in figures], marks, captions["strongest"]]
print(json.dumps([used, measured, drawn]))
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the code with all that the diffs add."""
    tree = tmp_path_factory.mktemp("tree")
    no_caches = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SCRIPTS, tree / "scripts", ignore=no_caches)
    for name in ("envs", "workflow"):
        shutil.copytree(ROOT / name, tree / name, ignore=no_caches)
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    diffs = re.findall(r"^```diff\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(diffs) == 5 and all(diff.count("\n") < LONGEST for diff in diffs)
    for diff in diffs:
        command = ["git", "apply", "-"]
        subprocess.run(command, input=diff, text=True, cwd=tree, check=True)
    return tree


def python(tree, *words):
    environment = with_package() | {"PYTHONPATH": str(tree / "scripts")}
    command = [sys.executable, "-P", *words]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_metric_that_was_added_is_printed_by_its_command(tree):
    ids, speakers = np.array(["a1", "b1"]), np.array(["a", "b"])
    scores = np.array([[2.0, 1.0], [2.0, 1.0]])  # a ranks first, b second
    matrix = ScoreMatrix(ids, speakers, speakers, speakers, scores, ids, speakers)
    write_matrix(tree / "m.npz", matrix)
    said = python(tree, "-m", "voiceprivacy.jobs.assess_ranks", "--matrix", "m.npz")
    assert re.search(r"^mean_rank +1\.5$", said, re.MULTILINE)


def test_corpus_back_end_measure_and_figure_that_were_added_are_planned_and_work(tree):
    for name in ("anna", "bert"):
        (tree / "speech" / name).mkdir(parents=True)
        for number in range(5):
            (tree / "speech" / name / f"{name}{number}.wav").touch()
    used, measured, drawn = json.loads(python(tree, "-c", ADDED))
    title, n_trials, scores, named = used
    assert title == "mean rank" and n_trials == 4 and "speech" in named
    assert np.allclose(scores, [[0, -np.sqrt(2)], [-np.sqrt(2), 0]])
    row = {"utterance": "u", "metric": "duration_percent", "value": "75.0"}
    assert measured == [[row], True, "duration"]
    lists, marks, caption = drawn
    assert lists == ["f", "m"] and marks == [1, 2] and caption
