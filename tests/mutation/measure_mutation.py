"""Do the tests notice wrong metrics? Changes them in thousands of ways, counts what goes unseen.

    make mutation        # an even draw of the mutants of all modules
    make mutation MODULES="privacy/scores/zebra anonymise/functions/frames"

mutmut makes the mutants. Every module gets a tree of its own below .mutation with nothing but the
module's own tests, without those that tests/times.tsv calls slow; a second call goes on where the
first one was killed. Survivors are written to .mutation/<module>/survivors.diff. Compiled functions
are mutated as plain Python, because mutmut leaves functions with decorators alone.

The output is the table of docs/internals/quality.md.
"""

import argparse
import contextlib
import hashlib
import json
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from mutmut.mutation.file_mutation import mutate_file_contents
from mutmut.utils.format_utils import get_mutant_name

HOME = Path(__file__).resolve().parents[2]
MUTATED = "src/voiceprivacy"


class Draw(NamedTuple):
    """One in how many mutants is tried, and {folder below tests/unit: names of tests}."""

    every: int
    tests: dict[str, str]


GROUPS = {
    "these four": {
        "privacy/verdict/evidence": Draw(
            5, {"privacy/verdict": "heldout_evidence heldout_persons heldout_trials"}
        ),
        "privacy/verdict/verdict": Draw(9, {"privacy/verdict": "verdict leaks releases"}),
        "privacy/verdict/trials": Draw(4, {"privacy/verdict": "heldout_trials heldout_evidence"}),
        "privacy/verdict/persons": Draw(1, {"privacy/verdict": "heldout_persons"}),
    },
    "these fifteen": {
        "privacy/scores/verification": Draw(5, {"privacy": "verification bootstrap"}),
        "privacy/scores/zebra": Draw(4, {"privacy": "zebra cece tags bootstrap assess_scores"}),
        "privacy/scores/calibration": Draw(5, {"privacy": "calibration zebra cece"}),
        "privacy/scores/samples": Draw(3, {"privacy": "bootstrap cece null trials verification"}),
        "privacy/scores/score_files": Draw(3, {"privacy": "trials verification"}),
        "privacy/matrices/assessment": Draw(3, {"privacy": "assessment assess_similarity_ranks"}),
        "privacy/matrices/similarity": Draw(
            4, {"privacy": "similarity similarity_reference assessment"}
        ),
        "privacy/matrices/ranks": Draw(
            4, {"privacy": "ranks rank_speakers assessment assess_similarity_ranks"}
        ),
        "privacy/matrices/betabinomial": Draw(5, {"privacy": "betabinomial"}),
        "privacy/matrices/speakers": Draw(4, {"privacy": "speakers"}),
        "privacy/uncertainty/bootstrap": Draw(
            4, {"privacy": "bootstrap bootstrap_by_hand bootstrap_intervals rare_errors"}
        ),
        "privacy/uncertainty/null": Draw(2, {"privacy": "null"}),
        "privacy/uncertainty/normalised": Draw(2, {"privacy": "normalised"}),
        "privacy/uncertainty/paired": Draw(
            4, {"privacy": "paired paired_files paired_strongest", "utility": "pairs"}
        ),
        "privacy/uncertainty/multiple": Draw(1, {"privacy": "paired"}),
    },
    "": {
        "privacy/verdict/learner": Draw(3, {"privacy/verdict": "heldout_learner heldout_evidence"}),
        "attack/backends/plda": Draw(1, {"attack": "plda plda_of_few_data"}),
        "attack/backends/recipes": Draw(1, {"attack": "plda plda_of_few_data"}),
        "anonymise/functions/mcadams": Draw(1, {"anonymise": "mcadams"}),
        "anonymise/functions/frames": Draw(1, {"anonymise": "mcadams"}),
    },
}
DRAWS = {module: draw for group in GROUPS.values() for module, draw in group.items()}
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
addopts = "--import-mode=importlib -W error -p no:cacheprovider -m 'not nightly and not slow'"
markers = ["nightly: takes minutes", "slow: takes more than 0.5 s"]
"""
CONFTEST = """\
import pytest
from hypothesis import Phase, settings
from mutmut.state import state

phases = [Phase.explicit, Phase.generate]  # any example kills, the smallest one need not be found
settings.register_profile("mutation", derandomize=True, database=None, deadline=None, phases=phases)
settings.load_profile("mutation")
SLOW = set({slow})
CALLED = {{}}  # by each fixture: it is made for its first test, and matters to the others too


def pytest_collection_modifyitems(config, items):
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in SLOW])
    items[:] = [item for item in items if item.nodeid not in SLOW]


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef):
    before = {{*state()._stats}}
    state()._stats.clear()
    made = yield
    CALLED[fixturedef] = {{*state()._stats}}
    state()._stats.update(before)
    return made


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item):
    for fixtures in item._fixtureinfo.name2fixturedefs.values():
        state()._stats.update(*(CALLED.get(fixture, ()) for fixture in fixtures))
"""


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "modules", nargs="*", default=list(DRAWS), help=f"of {' '.join(DRAWS)} (default: all)"
    )
    parser.add_argument(
        "--folder", type=Path, default=HOME / ".mutation", help="where the mutants live"
    )
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--mutants", default="*", help="pattern of their names")
    parser.add_argument("--every", type=int, help="try every so many of them (default: as drawn)")
    parser.add_argument(
        "--slow",
        type=Path,
        default=HOME / "tests/times.tsv",
        help="the tests to leave out, in the column test",
    )
    arguments = parser.parse_args()
    if unknown := {*arguments.modules} - DRAWS.keys():
        parser.error(f"no such module: {', '.join(unknown)}")
    slow = {line.split("\t")[1] for line in arguments.slow.read_text().splitlines()}

    print("| module | tried | killed | killed, % |\n|---|---|---|---|")
    for group, draws in GROUPS.items():
        together = []
        for module, draw in draws.items():
            if module in arguments.modules:
                outcomes = outcomes_of(module, draw, slow, arguments)
                print(row(module, outcomes), flush=True)
                together += outcomes
        if group and draws.keys() <= {*arguments.modules}:
            print(row(group, together), flush=True)


def row(name, outcomes):
    """A line of the table of docs/internals/quality.md."""
    n_tried, n_killed = len(outcomes), sum(outcomes)
    return f"| {name} | {n_tried:,} | {n_killed:,} | {100 * n_killed / n_tried:.1f} |"


def outcomes_of(module, draw, slow, arguments):
    """Whether a test noticed each mutant of a module that is drawn."""
    tree = arguments.folder / module
    plant(tree, module, draw.tests, slow)
    names = [name for name in mutants_of(tree, module) if fnmatch(name, arguments.mutants)]
    drawn = names[:: arguments.every or draw.every]
    if untried := [name for name in drawn if name not in read_outcomes(tree, module)]:
        with open(tree / "log", "w") as log:
            words = ["run", "--max-children", str(arguments.jobs), *untried]
            command = [sys.executable, "-m", "mutmut", *words]
            subprocess.run(command, cwd=tree, stdout=log, stderr=log, check=True)
    outcomes = read_outcomes(tree, module)
    with open(tree / "survivors.diff", "w") as file:
        for mutant in (mutant for mutant in drawn if not outcomes[mutant]):
            command = [sys.executable, "-m", "mutmut", "show", mutant]
            shown = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=True)
            file.write(f"{shown.stdout}\n")
    return [outcomes[mutant] for mutant in drawn]


def plant(tree, module, folders_of_tests, slow):
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
    tests = [
        f"tests/unit/{folder}/test_{name}.py"
        for folder, names in folders_of_tests.items()
        for name in names.split()
    ]
    for test in tests:
        (tree / test).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HOME / test, tree / test)
    own = sorted(test for test in slow if test.startswith(tuple(tests)))
    (tree / "tests/conftest.py").write_text(CONFTEST.format(slow=json.dumps(own)))
    settings = SETTINGS.format(mutated=MUTATED, module=module, tests=json.dumps(tests))
    (tree / "pyproject.toml").write_text(settings)
    # The mutants of an earlier call go where a source or a test is another one now.
    paths = [*sorted((tree / "src").rglob("*.py")), *sorted((tree / "tests").rglob("*.py"))]
    planted = "\n".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()} {path}" for path in paths)
    known = tree / "planted"
    if not known.exists() or known.read_text() != planted:
        shutil.rmtree(tree / "mutants", ignore_errors=True)
        known.write_text(planted)


def mutants_of(tree, module):
    with contextlib.chdir(tree):  # where mutmut finds its settings
        path = Path(MUTATED, f"{module}.py")
        names = mutate_file_contents(str(path), path.read_text()).mutant_names
        return sorted(get_mutant_name(path, name) for name in names)


def read_outcomes(tree, module):
    """Mutant -> whether a test failed, crashed or did not end; only of those tried."""
    file = tree / "mutants" / MUTATED / f"{module}.py.meta"
    codes = json.loads(file.read_text())["exit_code_by_key"] if file.exists() else {}
    return {mutant: code not in UNSEEN for mutant, code in codes.items() if code is not None}


if __name__ == "__main__":
    main()
