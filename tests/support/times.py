"""How much of a processor each test takes: make test leaves out what tests/times.tsv names.

    make test-times    runs the tests three times in three orders, and writes tests/times.tsv

The time of a test is that of the processor, with the processes that it starts, so that a busy
machine changes little. It is the median of three runs. Their orders differ, because the first
test of a process pays for imports. What a fixture of several tests takes is shared among them.

A test that takes more than SLOW_S stands in the file and gets the mark ``slow`` (conftest.py). A
test that was skipped keeps its line. If a new one takes more than TOO_SLOW_S, the command names it
and fails; its next call knows it.
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
WRITTEN_TO, ORDER = "VOICEPRIVACY_TIMES", "VOICEPRIVACY_TIMES_ORDER"


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
    tests = parser.parse_args().tests
    with tempfile.TemporaryDirectory() as scratch:
        runs = [measure(tests, order, Path(scratch, str(order))) for order in range(len(ORDERS))]
    known = read_times()
    times = medians(runs)
    asked = tuple(tests) or ("",)
    kept = {
        test: seconds
        for test, seconds in known.items()
        if test not in times and (not test.startswith(asked) or is_skipped(test, runs))
    }
    write_times(kept | {test: seconds for test, seconds in times.items() if seconds > SLOW_S})
    new = {test: seconds for test, seconds in times.items() if test not in known}
    too_slow = [f"{new[test]:.1f} s  {test}" for test in new if new[test] > TOO_SLOW_S]
    fast_s = sum(seconds for seconds in times.values() if seconds <= SLOW_S)
    slow_s = sum(seconds for seconds in times.values() if seconds > SLOW_S)
    print(
        f"{len(times)} tests: {fast_s:.0f} s of a processor for fast ones, {slow_s:.0f} for others"
    )
    if too_slow:
        sys.exit("\n".join([f"new tests above {TOO_SLOW_S:g} s:", *too_slow]))


def measure(tests, order, folder):
    """Run tests in one order; return [{"test", "seconds", "skipped"} or {"fixture", ...}]."""
    folder.mkdir()
    words = ["-m", MEASURED, "--numprocesses", "2", "--dist", "loadfile"]
    words += ["--no-loadscope-reorder", "-p", "support.times", *tests]
    places = {"PYTHONPATH": str(ROOT / "tests"), WRITTEN_TO: str(folder), ORDER: str(order)}
    print(f"{ORDERS[order]}:", flush=True)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words], cwd=ROOT, env=os.environ | places
    )
    if done.returncode:
        sys.exit("nothing is written: tests failed")
    lines = [line for path in folder.iterdir() for line in path.read_text().splitlines()]
    return [json.loads(line) for line in lines]


def medians(runs):
    """{test: seconds}, median over runs; skipped tests have none."""
    of_runs = [seconds_of(rows) for rows in runs]
    tests = {test for seconds in of_runs for test in seconds}
    return {
        test: median(seconds[test] for seconds in of_runs if test in seconds)
        for test in sorted(tests)
    }


def seconds_of(rows):
    """{test: its seconds and its share of fixtures} of one run; every worker makes its own."""
    fixtures, made = Counter(), Counter()
    for row in rows:
        if "fixture" in row:
            fixtures[row["fixture"]] += row["seconds"]
            made[row["fixture"]] += 1
    tests = [row for row in rows if "test" in row and not row["skipped"]]
    users = Counter(name for row in tests for name in row["fixtures"])
    return {
        row["test"]: row["seconds"]
        + sum(fixtures[name] / made[name] / users[name] for name in row["fixtures"] if made[name])
        for row in tests
    }


def is_skipped(test, runs):
    return any(row.get("test") == test and row["skipped"] for rows in runs for row in rows)


def write_times(times):
    lines = [f"{times[test]:.1f}\t{test}" for test in sorted(times)]
    FILE.write_text("\n".join([HEADER, *lines, ""]), encoding="utf-8")


# What pytest calls where this module is a plug-in of it.


def processor_s():
    """Seconds of this process and of those that it has waited for."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in spent)


def write_row(row):
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    with open(Path(os.environ[WRITTEN_TO], worker), "a", encoding="utf-8") as file:
        print(json.dumps(row), file=file)


def name_of(fixture):
    return f"{fixture.baseid}::{fixture.argname}"


class Times:
    """Measures each test, less what fixtures of several tests take meanwhile."""

    def __init__(self):
        self.by_fixtures = 0.0
        self.skipped = False

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
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
        self.by_fixtures, self.skipped = 0.0, False
        before = processor_s()
        result = yield
        used = [known[-1] for known in item._fixtureinfo.name2fixturedefs.values() if known]
        row = {
            "test": item.nodeid,
            "seconds": processor_s() - before - self.by_fixtures,
            "skipped": self.skipped,
            "fixtures": [name_of(fixture) for fixture in used if fixture.scope != "function"],
        }
        write_row(row)
        return result

    def pytest_runtest_logreport(self, report):
        self.skipped = self.skipped or report.skipped


def pytest_configure(config):
    is_worker = hasattr(config, "workerinput") or not config.getoption("numprocesses", None)
    if is_worker:
        config.pluginmanager.register(Times())


if __name__ == "__main__":
    main()
