"""What README, docs and notebooks tell people to type works as it stands there."""

import itertools
import json
import re
import textwrap

import matplotlib
import numpy as np
import pytest
import yaml
from support.calls import succeeds
from support.pages import as_jobs

from voiceprivacy.anonymise import plugins
from voiceprivacy.inout import audio, manifests, trial_lists
from voiceprivacy.inout.scored_trials import write_scores
from voiceprivacy.plan import configuration
from voiceprivacy.report.metrics import Number, write_metrics
from voiceprivacy.vocabulary import SCRIPTS

ROOT = SCRIPTS.parent
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
SECTIONS = ("corpora", "anonymisers", "extractors", "backends", "attacks", "utility", "report")
COMMAND = re.compile(
    r"^ *(?:PYTHONPATH=scripts )?python -m voiceprivacy.jobs.(\w+ .*?)(?:  +#.*)?$", re.MULTILINE
)
README, GUIDE = ROOT / "README.md", ROOT / "docs/guide"
CONFIG, DATA, SCORES = (GUIDE / name for name in ("config.md", "data.md", "scores.md"))
FIVE_MINUTES = "## Add your anonymiser in five minutes"


def indented(text):
    """The indented blocks of a Markdown text; a list's are indented twice."""
    blocks = re.findall(r"(?:^(?:    +.*)?\n)+", text, re.MULTILINE)
    return [textwrap.dedent(block).strip("\n") for block in blocks if block.strip()]


def section(title):
    return README.read_text(encoding="utf-8").partition(title)[2].partition("\n## ")[0]


def configs(page):
    starts = tuple(f"{name}:\n" for name in SECTIONS)
    blocks = indented(page.read_text(encoding="utf-8"))
    return [yaml.safe_load(block) for block in blocks if block.startswith(starts)]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if configs(page)], ids=lambda page: page.stem
)
def test_configs_of_a_page_together_lack_nothing_but_their_files(page):
    together = {}
    for config in configs(page):
        for name, entries in config.items():
            together[name] = together.get(name, {}) | entries
    problems = [str(problem) for problem in configuration.problems(together)]
    # The reader's own; and corpora of one block have no transcripts for attackers of another.
    excused = [": not found", "reads transcripts"]
    if page not in (README, CONFIG, DATA):
        excused += ["there is no corpus", "needs two anonymisers"]
    assert [problem for problem in problems if not any(words in problem for words in excused)] == []


@pytest.fixture
def scores(tmp_path, in_tmp_path):
    draw = np.random.default_rng(0)
    ids = itertools.product(range(4), range(40))
    labels = {True: "target", False: "nontarget"}
    pairs = [trial_lists.Trial(f"s{e}", f"u{t}", labels[e == t % 4]) for e, t in ids]
    for number, name in enumerate(("scores", "oo", "b2", "run0", "run1")):
        values = [draw.normal(number * (trial.label == "target")) for trial in pairs]
        write_scores(f"{name}.tsv", pairs, values)
    rows = [line.split("\t") for line in (tmp_path / "scores.tsv").read_text().splitlines()[1:]]
    (tmp_path / "scores.txt").write_text("".join(f"{e} {t} {score}\n" for e, t, _, score in rows))
    (tmp_path / "trials.txt").write_text("".join(f"{e} {t} {label}\n" for e, t, label, _ in rows))
    numbers = [
        Number("a", "f", name, "e", "cosine", condition, "tag", "C")
        for name, condition in (("original", "oo"), ("b2", "op"))
    ]
    write_metrics("results/metrics.tsv", numbers)


@pytest.mark.parametrize("command", COMMAND.findall(as_jobs(SCORES.read_text(encoding="utf-8"))))
def test_the_commands_for_a_score_file_work_as_they_stand(scores, tmp_path, command):
    before = set(tmp_path.iterdir())
    job, *words = command.split()
    succeeds(job, *words)
    named = {tmp_path / word for word in words if re.fullmatch(r"\w+\.(json|pdf|tex|md)", word)}
    assert named and named == set(tmp_path.iterdir()) - before


def test_the_ten_lines_of_the_five_minutes_are_an_anonymiser(tmp_path, in_tmp_path):
    python, config, *_ = indented(section(FIVE_MINUTES))
    (tmp_path / "my_anonymiser.py").write_text(python + "\n")
    assert len(python.splitlines()) <= 10
    path, samples = tmp_path / "a.wav", np.random.default_rng(0).normal(0, 0.1, 16000)
    audio.write(path, samples, 16000)
    utterances = [manifests.Utterance(name, name[0], "f", path, 1.0) for name in ("a1", "a2", "b1")]
    (anonymiser,) = yaml.safe_load(config)["anonymisers"].values()
    made = {}
    for seed in (1, 2):
        (tmp_path / str(seed)).mkdir()
        options = {"seed": seed, "threads": 1, "scratch": tmp_path / str(seed)}
        paths = plugins.protect(anonymiser, utterances, **options)
        made[seed] = {name: audio.read(path)[0] for name, path in paths.items()}
    assert np.array_equal(made[1]["a1"], made[1]["a2"]), "a speaker keeps one voice"
    assert len({len(samples) for samples in (made[1]["a1"], made[1]["b1"], made[2]["a1"])}) == 3
    assert all(0.8 < len(samples) / 16000 < 1.26 for samples in made[1].values())
    assert configuration.problems(yaml.safe_load(config)) == []


def test_the_demo_config_takes_the_anonymiser_of_the_five_minutes(tmp_path, in_tmp_path):
    (tmp_path / "my_anonymiser.py").touch()
    text = section(FIVE_MINUTES)
    config = configuration.read(str(ROOT / "config" / "config.yaml"))
    for name in re.findall("Delete its back-end `(.+?)`", text):
        del config["backends"][name]
    config |= yaml.safe_load(indented(text)[1])
    assert configuration.problems(config) == []


NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_cells_of_a_notebook_run_in_order(path, tmp_path, in_tmp_path, capsys):
    matplotlib.use("agg")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    names = {}
    for cell in cells:
        assert not cell.get("outputs"), "a notebook is committed without outputs"
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert names["judged"].states == {"mine": "open"}
    assert re.search("^mine +NOT PROTECTED", capsys.readouterr().out, re.MULTILINE)
    assert {made.name for made in tmp_path.iterdir()} == {"zebra.pdf", "det.pdf"}
