"""What runs again after a change: exactly what it concerns, counted on a finished run."""

import re
import shutil
from collections import Counter

import pytest
import yaml
from support import runs

from voiceprivacy.plan.measures import of_every_run

pytestmark = pytest.mark.long
PRIVACY = "scripts/voiceprivacy/privacy"
FUNCTIONS = "scripts/voiceprivacy/anonymise/functions"
ANONYMISERS = {
    "b2": {"command": runs.B2, "inputs": ["{scripts}/anonymise_mcadams.py"]},
    "vtln": {"function": "{scripts}/voiceprivacy/anonymise/functions/warping.py:vtln"},
    "mine": {"function": "mine.py:anonymise", "options": {"gain": 0.5}},
}
# Of the tree itself, like everything else that another copy of it has too.
EXTRACTORS = {"shipped": {"model": "{resources}/ecapa_small"}}
SYSTEMS = 4  # original and all anonymisers
CHANGED = "\nlen('changed')\n"  # of a module: it counts wherever this is imported
OF_ONE_ANONYMISER = {  # jobs of one anonymiser with one attacker on one list
    "anonymise_part": 2,
    "extract_embeddings": 1,
    "score_system": 1,
    "score_matrices": 1,
    "assess_scores": 1,
    "assess_matrices": 1,
}
FAMILIES = ("prepare_", "list_", "anonymise_", "gather_", "extract_", "train_", "score_")
FAMILIES += ("assess_", "normalise_")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder with a copy of the tree, a config and the results of its run.

    The copy has nothing of what organisers have.
    """
    folder = tmp_path_factory.mktemp("changes")
    for name in ("scripts", "workflow", "envs", "config"):
        shutil.copytree(
            runs.ROOT / name, folder / "tree" / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    for name in ("Snakefile", "pyproject.toml"):
        shutil.copy(runs.ROOT / name, folder / "tree" / name)
    shutil.rmtree(folder / "tree" / "scripts" / "voiceprivacy" / "organise")
    runs.make_kaldi_directory(folder / "data" / "tiny")
    (folder / "mine.py").write_text(runs.GAIN)
    utility = {name: False for name in of_every_run() if name != "pitch_correlation"}
    runs.write_config(folder, anonymisers=ANONYMISERS, extractors=EXTRACTORS, utility=utility)
    runs.finish(folder, tree=folder / "tree")
    return folder


@pytest.fixture
def after(finished):
    """A function that changes a file or sections of the config, and counts the planned jobs.

    It gives {(rule, anonymiser or nothing): jobs}. The file is as before afterwards.
    """

    def plan(path="mine.py", addition="", tree="tree", **sections):
        config = yaml.safe_load((finished / "config.yaml").read_text()) | sections
        (finished / "changed.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
        with runs.edited(finished / path, addition.encode()):
            return runs.planned_jobs(finished, config="changed.yaml", tree=finished / tree)

    return plan


def of_families(jobs):
    """{rule: jobs} that make speech, embeddings, scores and metrics; the others only show these."""
    rules = Counter()
    for (rule, _), count in jobs.items():
        if rule.startswith(FAMILIES):
            rules[rule.partition("_of_")[0]] += count  # assess_scores_of_original is assess_scores
    return rules


def anonymisers(jobs):
    return {anonymiser for rule, anonymiser in jobs if anonymiser and rule.startswith(FAMILIES)}


def test_a_run_needs_nothing_of_what_organisers_have(finished):
    for name in ("report/index.html", "metrics.tsv", "verdict.json", "provenance.json"):
        assert (finished / "results" / name).stat().st_size > 0
    overview = runs.voiceprivacy(finished, "--help", tree=finished / "tree")
    assert overview.returncode == 0 and "export" in overview.stdout


@pytest.fixture(scope="module")
def other(finished):
    """Another copy of the code, as an installation beside the checkout would be."""
    shutil.copytree(finished / "tree", finished / "other" / "tree")
    return "other/tree"


def test_without_a_change_after_a_touch_and_in_another_copy_there_is_nothing_to_do(after, other):
    zebra = f"tree/{PRIVACY}/scores/zebra.py"
    assert after() == after(zebra) == after(zebra, "\n# a comment\nUNUSED = 1\n") == Counter()
    assert after(tree=other) == Counter()


@pytest.mark.parametrize(
    ("path", "repeated"),
    [
        ("scripts/voiceprivacy/jobs/assess_scores.py", {"assess_scores": SYSTEMS}),
        ("workflow/report/page.js", {}),
    ],
)
def test_of_another_copy_what_was_edited_there_repeats_what_it_concerns(
    after, other, path, repeated
):
    jobs = after(f"{other}/{path}", CHANGED, tree=other)
    assert of_families(jobs) == repeated
    assert jobs["write_report", ""] == 1


def test_a_shipped_model_that_was_edited_in_another_copy_embeds_again(after, other):
    model = f"{other}/workflow/resources/ecapa_small/hyperparams.yaml"
    jobs = of_families(after(model, "\n# changed\n", tree=other))
    assert jobs["extract_embeddings"] == SYSTEMS and "anonymise_part" not in jobs


# What is measured on matrices: these are made again, because they are removed after use. Those of
# the original speech are kept. Nothing is scored again that is assessed without matrices.
MEASURED_ON_MATRICES = {"score_matrices": SYSTEMS - 1, "assess_matrices": SYSTEMS - 1}
# Of the original speech only ranks are measured, by a rule of its own.
RANKS = MEASURED_ON_MATRICES | {"assess_ranks": 1}
INTERVALS = RANKS | {"assess_scores": SYSTEMS, "assess_inference": 1, "assess_utility": 1}


@pytest.mark.parametrize(
    ("module", "report", "repeated"),
    [
        ("scores/zebra.py", {}, {"assess_scores": SYSTEMS}),
        ("matrices/similarity.py", {}, RANKS),
        (None, {"seed": 1}, INTERVALS),
        (None, {"p_target": 0.05}, {"assess_scores": SYSTEMS}),
        (None, {"rank_fit": "ms"}, RANKS),
        (None, {"similarity": {"pairs": "upper"}}, MEASURED_ON_MATRICES),
    ],
)
def test_another_metric_seed_or_definition_repeats_what_it_defines_and_the_report(
    after, module, report, repeated
):
    edit = (f"tree/{PRIVACY}/{module}", CHANGED) if module else ()
    jobs = after(*edit, **({"report": report} if report else {}))
    assert of_families(jobs) == repeated
    assert jobs["collect_metrics", ""] == jobs["write_report", ""] == 1
    if module == "scores/zebra.py":
        assert jobs["plot_tiny__all__shipped__cosine", ""] == jobs["compare_anonymisers", ""] == 1
        assert not jobs["describe_corpora", ""]


@pytest.mark.parametrize(
    ("path", "anonymiser"),
    [
        ("mine.py", "mine"),
        (f"tree/{FUNCTIONS}/mcadams.py", "b2"),
        (f"tree/{FUNCTIONS}/spectra.py", "vtln"),  # imports it
    ],
)
def test_a_changed_anonymiser_runs_again_and_nothing_else(after, path, anonymiser):
    jobs = after(path, CHANGED)
    assert anonymisers(jobs) == {anonymiser}
    assert OF_ONE_ANONYMISER.items() <= of_families(jobs).items()


def test_a_new_anonymiser_shares_what_is_known_of_the_original(after):
    new = {"function": "mine.py:anonymise", "options": {"gain": 0.75}}
    jobs = after(anonymisers=ANONYMISERS | {"new": new})
    assert anonymisers(jobs) == {"new"}
    assert OF_ONE_ANONYMISER.items() <= of_families(jobs).items()


def test_a_second_run_of_the_workflow_after_an_edited_metric_writes_no_score_again(finished):
    """What is planned is done: the last test, because it changes the results."""
    scores = sorted((finished / "results" / "scores").rglob("*.tsv"))
    written = {path: path.stat().st_mtime_ns for path in scores}
    assert len(written) == 2 + 4 * (SYSTEMS - 1), "oo and rr of the original, op, pp, po and rr"
    module = finished / "tree" / PRIVACY / "matrices" / "similarity.py"
    module.write_text(module.read_text() + CHANGED)
    run = runs.finish(finished, "results/metrics.tsv", tree=finished / "tree")
    assert {path: path.stat().st_mtime_ns for path in scores} == written
    ran = set(re.findall(r"^(?:local)?rule (\w+):", run.stderr + run.stdout, re.MULTILINE))
    assert {"score_matrices", "assess_matrices"} <= ran
    assert not {"score_system", "score_original", "assess_scores"} & ran
    assert not list((finished / "results").glob("pairs/*/*/mine/*/*/*.npz")), "removed after use"
