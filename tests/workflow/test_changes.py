"""What runs again after a change: exactly what it concerns, counted on a finished run."""

import re
import shutil
from collections import Counter

import pytest
import yaml
from support.runs import ROOT, make_kaldi_directory, snakemake, write_config

pytestmark = pytest.mark.long
PRIVACY = "scripts/voiceprivacy/privacy"
FUNCTION = """
def anonymise(samples, sample_rate, *, utterance, speaker, seed, gain):
    return gain * samples[::-1]
"""
ANONYMISERS = {
    "b2": {
        "command": "python {scripts}/anonymise_mcadams.py --alpha 0.8 --level corpus",
        "inputs": ["{scripts}/anonymise_mcadams.py"],
    },
    "mine": {"function": "mine.py:anonymise", "options": {"gain": 0.5}},
}
KEPT = {"keep_matrices": True}  # else they are scored again for whoever needs them again
SYSTEMS = 3  # original and both anonymisers
OF_ONE_ANONYMISER = {  # jobs of one anonymiser with one attacker on one list
    "anonymise_part": 2,
    "gather_manifests": 2,
    "extract_embeddings": 2,
    "score_system": 1,
    "assess_scores": 1,
    "assess_matrices": 1,
}
FAMILIES = (
    "prepare_",
    "list_",
    "anonymise_",
    "gather_",
    "extract_",
    "train_",
    "score_",
    "assess_",
    "normalise_",
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory, model_folder):
    """A folder with a copy of the tree, a config and the results of its run."""
    folder = tmp_path_factory.mktemp("changes")
    for name in ("scripts", "workflow", "envs", "config"):
        shutil.copytree(
            ROOT / name, folder / "tree" / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    for name in ("Snakefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / "tree" / name)
    make_kaldi_directory(folder / "data" / "tiny")
    shutil.copytree(model_folder, folder / "model")
    (folder / "mine.py").write_text(FUNCTION)
    write_config(folder, anonymisers=ANONYMISERS, report=KEPT)
    run = snakemake(
        folder, "--cores", "2", "--configfile", folder / "config.yaml", tree=folder / "tree"
    )
    assert run.returncode == 0, run.stderr
    return folder


@pytest.fixture
def after(finished):
    """A function that changes files or sections of the config, and counts the planned jobs.

    It gives {(rule, anonymiser or nothing): jobs}. The files are as before afterwards.
    """
    before = {}

    def plan(*changes, **sections):
        for path, addition in changes:
            before[path] = (finished / path).read_text()
            (finished / path).write_text(before[path] + addition)
        config = yaml.safe_load((finished / "config.yaml").read_text()) | sections
        (finished / "changed.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
        planned = snakemake(
            finished, "-n", "--configfile", finished / "changed.yaml", tree=finished / "tree"
        )
        assert planned.returncode == 0, planned.stderr
        jobs = re.findall(r"^(?:local)?rule (\w+):\n((?:    .*\n)*)", planned.stdout, re.MULTILINE)
        return Counter(
            (rule, "".join(re.findall("wildcards: .*anonymiser=(\\w+)", text)))
            for rule, text in jobs
        )

    yield plan
    for path, text in before.items():
        (finished / path).write_text(text)


def by_rule(jobs):
    """{rule: jobs} of all anonymisers."""
    rules = Counter()
    for (rule, _), count in jobs.items():
        rules[rule.partition("_of_")[0]] += count  # assess_scores_of_original is assess_scores
    return rules


def of_families(jobs):
    """{rule: jobs} that make speech, embeddings, scores and metrics; the others only show these."""
    return {rule: count for rule, count in by_rule(jobs).items() if rule.startswith(FAMILIES)}


def anonymisers(jobs):
    """The systems of the jobs that make something."""
    return {anonymiser for rule, anonymiser in jobs if anonymiser and rule.startswith(FAMILIES)}


def test_without_a_change_and_after_a_touch_there_is_nothing_to_do(after):
    assert after() == Counter()
    assert (
        after((f"tree/{PRIVACY}/scores/zebra.py", ""), ("tree/scripts/assess_scores.py", ""))
        == Counter()
    )


@pytest.mark.parametrize("module", ["scores/zebra", "uncertainty/null"])
def test_a_change_of_zebra_repeats_zebra_with_its_intervals_and_the_report(after, module):
    jobs = after((f"tree/{PRIVACY}/{module}.py", "\nCHANGED = True\n"))
    assert of_families(jobs) == {"assess_scores": SYSTEMS}
    rules = by_rule(jobs)
    assert (
        rules["plot_tiny__all__random__cosine"]
        == rules["compare_anonymisers"]
        == rules["collect_metrics"]
        == rules["write_report"]
        == 1
    )
    others = {
        "assess_similarity",
        "assess_speakers",
        "assess_ranks",
        "describe_corpora",
    }
    assert not others & set(rules)


def test_a_change_of_the_measures_of_speakers_repeats_these(after):
    """Of the original speech only ranks are measured, by a rule of its own."""
    jobs = after((f"tree/{PRIVACY}/matrices/speakers.py", "\nCHANGED = True\n"))
    assert of_families(jobs) == {"assess_matrices": SYSTEMS - 1, "assess_ranks": 1}


def test_a_changed_script_repeats_its_rule(after):
    jobs = after(("tree/scripts/assess_scores.py", "\n# changed\n"))
    assert of_families(jobs) == {"assess_scores": SYSTEMS}


def test_changed_options_run_that_anonymiser_again_and_nothing_else(after):
    changed = {"function": "mine.py:anonymise", "options": {"gain": 0.25}}
    jobs = after(anonymisers=ANONYMISERS | {"mine": changed})
    assert {anonymiser for _, anonymiser in jobs if anonymiser} == {"mine"}
    assert OF_ONE_ANONYMISER.items() <= of_families(jobs).items()


@pytest.mark.parametrize(
    ("path", "anonymiser"),
    [("mine.py", "mine"), ("tree/scripts/voiceprivacy/anonymise/functions/mcadams.py", "b2")],
)
def test_a_changed_anonymiser_runs_again_and_nothing_else(after, path, anonymiser):
    jobs = after((path, "\n# changed\n"))
    assert anonymisers(jobs) == {anonymiser}
    assert OF_ONE_ANONYMISER.items() <= of_families(jobs).items()


def test_a_new_anonymiser_shares_what_is_known_of_the_original(after):
    jobs = after(
        anonymisers=ANONYMISERS
        | {"new": {"function": "mine.py:anonymise", "options": {"gain": 0.75}}}
    )
    assert anonymisers(jobs) == {"new"}
    assert OF_ONE_ANONYMISER.items() <= of_families(jobs).items()


def test_another_seed_of_the_intervals_repeats_no_embedding(after):
    rules = by_rule(after(report=KEPT | {"seed": 1}))
    assert not {
        rule for rule in rules if rule.startswith(("prepare_", "anonymise_", "extract_", "score_"))
    }
    assert rules["assess_scores"] == rules["assess_matrices"] + rules["assess_ranks"] == SYSTEMS
