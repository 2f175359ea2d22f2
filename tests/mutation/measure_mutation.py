"""Do the tests notice wrong metrics? Changes them in thousands of ways, counts what goes unseen.

    make mutation        # all modules; with those of version 0.1.0 about an hour on one core
    make mutation MODULES="privacy/scores/zebra anonymise/functions/frames"

mutmut makes the mutants. Every module gets a tree of its own below .mutation with nothing but the
module's own tests; a second call goes on where the first one was killed. Survivors are written to
.mutation/<module>/survivors.diff. Compiled functions are mutated as plain Python, because mutmut
leaves functions with decorators alone.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
MUTATED = "src/voiceprivacy"
TESTS = {  # module: its tests below tests/unit
    "privacy/scores/verification": ["privacy/test_verification.py", "privacy/test_bootstrap.py"],
    "privacy/scores/zebra": [
        "privacy/test_zebra.py",
        "privacy/test_cece.py",
        "privacy/test_tags.py",
        "privacy/test_bootstrap.py",
        "privacy/test_assess_scores.py",
    ],
    "privacy/scores/calibration": [
        "privacy/test_calibration.py",
        "privacy/test_zebra.py",
        "privacy/test_cece.py",
    ],
    "privacy/matrices/similarity": [
        "privacy/test_similarity.py",
        "privacy/test_similarity_reference.py",
        "privacy/test_assessment.py",
    ],
    "privacy/matrices/ranks": [
        "privacy/test_ranks.py",
        "privacy/test_rank_speakers.py",
        "privacy/test_assessment.py",
        "privacy/test_assess_similarity_ranks.py",
    ],
    "privacy/matrices/betabinomial": ["privacy/test_betabinomial.py"],
    "privacy/matrices/speakers": ["privacy/test_speakers.py"],
    "privacy/matrices/assessment": [
        "privacy/test_assessment.py",
        "privacy/test_assess_similarity_ranks.py",
    ],
    "privacy/scores/trials": [
        "privacy/test_bootstrap.py",
        "privacy/test_cece.py",
        "privacy/test_null.py",
        "privacy/test_trials.py",
        "privacy/test_verification.py",
    ],
    "privacy/uncertainty/null": ["privacy/test_null.py"],
    "privacy/uncertainty/multiple": ["privacy/test_multiple.py"],
    "privacy/uncertainty/normalised": ["privacy/test_normalised.py"],
    "privacy/uncertainty/paired": [
        "privacy/test_paired.py",
        "privacy/test_paired_files.py",
        "privacy/test_paired_strongest.py",
        "utility/test_pairs.py",
    ],
    "privacy/uncertainty/bootstrap": [
        "privacy/test_bootstrap.py",
        "privacy/test_bootstrap_by_hand.py",
        "privacy/test_bootstrap_intervals.py",
        "privacy/test_rare_errors.py",
    ],
    "privacy/verdict/trials": [
        "privacy/verdict/test_heldout_trials.py",
        "privacy/verdict/test_heldout_evidence.py",
    ],
    "privacy/verdict/learner": [
        "privacy/verdict/test_heldout_learner.py",
        "privacy/verdict/test_heldout_evidence.py",
    ],
    "privacy/verdict/evidence": [
        "privacy/verdict/test_heldout_evidence.py",
        "privacy/verdict/test_heldout_persons.py",
        "privacy/verdict/test_heldout_trials.py",
    ],
    "privacy/verdict/persons": ["privacy/verdict/test_heldout_persons.py"],
    "privacy/verdict/verdict": [
        "privacy/verdict/test_verdict.py",
        "privacy/verdict/test_leaks.py",
        "privacy/verdict/test_releases.py",
    ],
    "attack/backends/plda": ["attack/test_plda.py", "attack/test_plda_of_few_data.py"],
    "attack/backends/recipes": ["attack/test_plda.py", "attack/test_plda_of_few_data.py"],
    "anonymise/functions/mcadams": ["anonymise/test_mcadams.py"],
    "anonymise/functions/frames": ["anonymise/test_mcadams.py"],
}
UNSEEN = (0, 5, 33)  # exit codes of mutmut: tests passed, no tests
DECORATED = re.compile(r"^@njit\(.*\)\n", re.MULTILINE)
SETTINGS = """\
[tool.mutmut]
source_paths = ["src"]
only_mutate = ["{mutated}/{module}.py"]
pytest_add_cli_args_test_selection = {tests}
use_git_change_detection = false
timeout_multiplier = 10.0

[tool.pytest.ini_options]
pythonpath = ["src", "tests"]
addopts = "--import-mode=importlib -W error -p no:cacheprovider -m 'not nightly'"
markers = ["nightly: takes minutes"]
"""
SAME_EXAMPLES = """\
from hypothesis import Phase, settings

phases = [Phase.explicit, Phase.generate]  # any example kills, the smallest one need not be found
settings.register_profile("mutation", derandomize=True, database=None, deadline=None, phases=phases)
settings.load_profile("mutation")
"""


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "modules", nargs="*", default=list(TESTS), help=f"of {' '.join(TESTS)} (default: all)"
    )
    parser.add_argument(
        "--folder", type=Path, default=HOME / ".mutation", help="where the mutants live"
    )
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--mutants", default="*", help="pattern of their names: '*3' is about every tenth"
    )
    arguments = parser.parse_args()

    print(f"{'module':<34}{'mutants':>9}{'killed':>9}{'survived':>10}{'killed, %':>11}")
    for module in arguments.modules:
        tree = arguments.folder / module
        plant(tree, module)
        with open(tree / "log", "w") as log:
            words = ["run", "--max-children", str(arguments.jobs), arguments.mutants]
            command = [sys.executable, "-m", "mutmut", *words]
            subprocess.run(command, cwd=tree, stdout=log, stderr=log, check=True)
        outcomes = read_outcomes(tree, module)
        write_survivors(tree, [mutant for mutant, killed in outcomes.items() if not killed])
        killed = sum(outcomes.values())
        share = 100 * killed / len(outcomes)
        print(
            f"{module:<34}{len(outcomes):>9}{killed:>9}{len(outcomes) - killed:>10}{share:>11.1f}",
            flush=True,
        )


def plant(tree, module):
    """Copy the package and the module's tests; earlier answers stay if none has changed."""
    folders = {
        "scripts/voiceprivacy": MUTATED,
        "workflow/resources": "workflow/resources",
        "tests/data": "tests/data",
        "tests/support": "tests/support",
    }
    ignored = shutil.ignore_patterns("__pycache__", "*.ckpt")
    for source, copy in folders.items():
        shutil.rmtree(tree / copy, ignore_errors=True)
        shutil.copytree(HOME / source, tree / copy, ignore=ignored)
    mutated = tree / MUTATED / f"{module}.py"
    mutated.write_text(DECORATED.sub("", mutated.read_text()))
    shutil.rmtree(tree / "tests/unit", ignore_errors=True)
    tests = [f"tests/unit/{test}" for test in TESTS[module]]
    for test in tests:
        (tree / test).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HOME / test, tree / test)
    (tree / "tests/conftest.py").write_text(SAME_EXAMPLES)
    settings = SETTINGS.format(mutated=MUTATED, module=module, tests=json.dumps(tests))
    (tree / "pyproject.toml").write_text(settings)
    forget_if_changed(tree)


def forget_if_changed(tree):
    """Remove the mutants of an earlier call where a source or a test is another one now."""
    paths = [*sorted((tree / "src").rglob("*.py")), *sorted((tree / "tests").rglob("*.py"))]
    planted = "\n".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()} {path}" for path in paths)
    known = tree / "planted"
    if not known.exists() or known.read_text() != planted:
        shutil.rmtree(tree / "mutants", ignore_errors=True)
        known.write_text(planted)


def read_outcomes(tree, module):
    """Mutant -> whether a test failed, crashed or did not end; only of those tried."""
    answers = json.loads((tree / "mutants" / MUTATED / f"{module}.py.meta").read_text())
    codes = answers["exit_code_by_key"]
    return {mutant: code not in UNSEEN for mutant, code in codes.items() if code is not None}


def write_survivors(tree, survivors):
    """Write what each mutant that no test noticed has changed."""
    with open(tree / "survivors.diff", "w") as file:
        for mutant in survivors:
            command = [sys.executable, "-m", "mutmut", "show", mutant]
            shown = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=True)
            file.write(f"{shown.stdout}\n")


if __name__ == "__main__":
    main()
