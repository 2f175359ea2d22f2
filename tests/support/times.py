"""How much of a processor each test takes: make test leaves out what tests/times.tsv names.

    make test-times               three times in three orders, and writes tests/times.tsv
    make test-times ARGS=--all    also what the file says takes more than TOO_SLOW_S
    make test-times ARGS=tests/unit/plan    everything of these files or folders

The time of a test is that of the processor, with the processes that it starts, so that a busy
machine changes little. It is the median of three runs; what took more than TOO_SLOW_S in the first,
or in an earlier call, is not run again. Their orders differ, because the first test of a process
pays for imports. What a fixture of several tests takes is shared among them.

A test that takes more than SLOW_S stands in the file and gets the mark ``slow`` (conftest.py). A
test that was skipped, failed or not run keeps its line. If a new one takes more than TOO_SLOW_S,
the command names it and fails; its next call knows it.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parents[2]
FILE = ROOT / "tests" / "times.tsv"
HEADER = "seconds\ttest"
SLOW_S = 0.5
TOO_SLOW_S = 2.0
ORDERS = ("as ever", "backwards", "from the middle")
MEASURED = "not long and not nightly"
# How a run is to be made, and where its workers write: variables of the environment.
FOLDER, ORDER, LEFT_OUT = "VOICEPRIVACY_TIMES", "VOICEPRIVACY_TIMES_ORDER", "left_out"


def read_times():
    """{test: seconds} of tests/times.tsv."""
    lines = FILE.read_text(encoding="utf-8").splitlines()[1:]
    rows = (line.split("\t") for line in lines)
    return {test: float(seconds) for seconds, test in rows}


def main():
    """Measure the tests, write the file, and fail if a new test is too slow."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tests", nargs="*", help="files or folders; the lines of others stay")
    parser.add_argument("--all", action="store_true", help="also tests known to be too slow")
    arguments = parser.parse_args()
    tests = arguments.tests
    known = read_times()
    is_whole = arguments.all or tests
    left_out = [] if is_whole else [test for test in known if known[test] > TOO_SLOW_S]
    runs = []
    for order in range(len(ORDERS)):
        runs.append(measure(tests, order, left_out))
        left_out += [test for test, took in seconds_of(runs[0]).items() if took > TOO_SLOW_S]
    times = medians(runs)
    asked = tuple(tests) or ("",)
    unmeasured = {row["test"] for rows in runs for row in rows if not row.get("passed", True)}
    kept = {
        test: seconds
        for test, seconds in known.items()
        if test not in times and (not test.startswith(asked) or test in unmeasured)
    }
    kept |= {test: seconds for test, seconds in times.items() if seconds > SLOW_S}
    lines = [f"{kept[test]:.1f}\t{test}" for test in sorted(kept)]
    FILE.write_text("\n".join([HEADER, *lines, ""]), encoding="utf-8")
    new = {test: seconds for test, seconds in times.items() if test not in known}
    too_slow = [f"{new[test]:.1f} s  {test}" for test in new if new[test] > TOO_SLOW_S]
    fast_s = sum(seconds for seconds in times.values() if seconds <= SLOW_S)
    slow_s = sum(seconds for seconds in times.values() if seconds > SLOW_S)
    print(
        f"{len(times)} tests: {fast_s:.0f} s of a processor for fast ones, {slow_s:.0f} for others"
    )
    if any("failed" in row for rows in runs for row in rows):
        sys.exit("tests failed, see above: their lines stay as they were")
    if too_slow:
        sys.exit("\n".join([f"new tests above {TOO_SLOW_S:g} s:", *too_slow]))


def measure(tests, order, left_out):
    """Run tests in one order; return [{"test", "seconds", "passed"} or {"fixture", ...}]."""
    words = ["-m", MEASURED, "--numprocesses", "2", "--dist", "loadfile"]
    words += ["--no-loadscope-reorder", "-p", "support.times", *tests]
    print(f"{ORDERS[order]}:", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, LEFT_OUT).write_text("\n".join(left_out), encoding="utf-8")
        variables = {"PYTHONPATH": str(ROOT / "tests"), FOLDER: folder, ORDER: str(order)}
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *words], cwd=ROOT, env=os.environ | variables
        )
        if done.returncode not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            sys.exit("nothing is written: pytest did not end as it should")
        lines = [line for path in Path(folder).glob("*.rows") for line in path.open()]
    return [json.loads(line) for line in lines]


def medians(runs):
    """{test: seconds}, median over runs; tests that did not pass have none."""
    of_runs = [seconds_of(rows) for rows in runs]
    tests = {test for seconds in of_runs for test in seconds}
    return {
        test: median(seconds[test] for seconds in of_runs if test in seconds)
        for test in sorted(tests)
    }


def seconds_of(rows):
    """{test: its seconds, and its share of those of fixtures} of one run."""
    fixtures = Counter()
    for row in rows:
        fixtures[row.get("fixture")] += row["seconds"]
    tests = [row for row in rows if row.get("passed")]
    users = Counter(name for row in tests for name in row["fixtures"])
    shares = {name: fixtures[name] / count for name, count in users.items()}
    return {row["test"]: row["seconds"] + sum(map(shares.get, row["fixtures"])) for row in tests}


# What pytest calls where this module is a plug-in of it.


def processor_s():
    """Seconds of this process and of those that it has waited for."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in spent)


def write_row(row):
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    with open(Path(os.environ[FOLDER], f"{worker}.rows"), "a", encoding="utf-8") as file:
        print(json.dumps(row), file=file)


def name_of(fixture):
    return f"{fixture.baseid}::{fixture.argname}"


class Times:
    """Measures each test, less what fixtures of several tests take meanwhile."""

    def __init__(self):
        self.by_fixtures = 0.0
        self.passed, self.failed = True, False

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        left_out = {*Path(os.environ[FOLDER], LEFT_OUT).read_text(encoding="utf-8").splitlines()}
        for item in items:
            if item.nodeid in left_out:
                write_row({"test": item.nodeid, "seconds": 0, "passed": False})
        items[:] = [item for item in items if item.nodeid not in left_out]
        order = int(os.environ[ORDER])
        if order == 1:
            items.reverse()
        if order == 2:
            half = len(items) // 2
            items[:] = [*items[half:], *items[:half]]

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        if fixturedef.scope == "function":
            return (yield)
        before = processor_s()
        try:
            return (yield)
        finally:
            seconds = processor_s() - before
            self.by_fixtures += seconds
            write_row({"fixture": name_of(fixturedef), "seconds": seconds})

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self.by_fixtures, self.passed, self.failed = 0.0, True, False
        before = processor_s()
        result = yield
        used = [known[-1] for known in item._fixtureinfo.name2fixturedefs.values() if known]
        row = {
            "test": item.nodeid,
            "seconds": processor_s() - before - self.by_fixtures,
            "passed": self.passed,
            **({"failed": True} if self.failed else {}),
            "fixtures": [name_of(fixture) for fixture in used if fixture.scope != "function"],
        }
        write_row(row)
        return result

    def pytest_runtest_logreport(self, report):
        self.passed = self.passed and report.passed
        self.failed = self.failed or report.failed


def pytest_configure(config):
    is_worker = hasattr(config, "workerinput") or not config.getoption("numprocesses", None)
    if is_worker:
        config.pluginmanager.register(Times())


if __name__ == "__main__":
    main()
