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
    shutil.copytree(ROOT / "workflow", tree / "workflow", ignore=no_caches)
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
    assert len(diffs()) == 3
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
