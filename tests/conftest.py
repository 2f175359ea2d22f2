"""The draws of hypothesis, which tests are slow, and what a run says of those that it skipped.

Draws are the same in every run, so that a change is refused for what it does and not by chance.
pytest --hypothesis-profile=explore draws others, and twenty times as many.

Tests that tests/times.tsv names get the mark ``slow``, so that make test leaves them out.
Names of skipped tests are kept in .pytest_cache/skipped, for make test-skipped.
"""

from collections import Counter

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from support.times import read_times

import voiceprivacy.attack  # noqa: F401  # before any test imports torchaudio or speechbrain

settings.register_profile(
    "same",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "explore", settings.get_profile("same"), derandomize=False, max_examples=2000
)
settings.load_profile("same")
# Else draws depend on the modules that are loaded, whose attributes are read: SpeechBrain's lazy
# modules import then what is not installed.
providers._get_local_constants = lambda: providers._local_constants


# Else one worker would be alone with them at the end.
LONGEST = ("test_slurm", "test_demo", "test_tiny_run")


@pytest.fixture
def in_tmp_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def pytest_collection_modifyitems(items):
    """Mark slow tests. Begin with what takes longest, then whole runs; make keeps this order."""
    slow = read_times()
    for item in items:
        if item.nodeid in slow:
            item.add_marker("slow")
    items.sort(
        key=lambda item: (item.path.stem not in LONGEST, item.path.parent.name != "workflow")
    )


def pytest_terminal_summary(terminalreporter):
    """Count skipped tests by the program or the data that they need, which their reasons name."""
    skipped = terminalreporter.getreports("skipped")
    needed = Counter(
        report.longrepr[2].removeprefix("Skipped: ").partition(":")[0] for report in skipped
    )
    counts = [f"{number} need {name}" for name, number in needed.most_common()]
    if counts:
        terminalreporter.write_line(f"skipped: {', '.join(counts)}")
    if not terminalreporter.config.pluginmanager.hasplugin("cacheprovider"):
        return  # -p no:cacheprovider: nothing is to be written here
    cache = terminalreporter.config.rootpath / ".pytest_cache"
    cache.mkdir(exist_ok=True)
    names = dict.fromkeys(report.nodeid for report in skipped)
    (cache / "skipped").write_text("".join(f"{name}\n" for name in names))
