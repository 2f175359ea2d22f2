"""Kinds of corpora and measures: what a module imports at its top, and what its row may say."""

import re
import subprocess
import sys

import pytest
from support.calls import with_package

from voiceprivacy import kinds
from voiceprivacy.vocabulary import SCRIPTS

# What rows of kinds need: where runs are only planned, nothing else has to be installed.
ALLOWED = {"numpy", "yaml", "_yaml", "voiceprivacy", "__mp_main__"}
OTHERS = {"whisper"}  # the name of a package of encoders, and of networks of the hub, too
LOADED = """
import sys
from voiceprivacy import kinds
before = {*sys.modules}
for folder in (kinds.CORPORA, kinds.MEASURES):
    for name in kinds.names(folder):
        kinds.module_of(name, folder)
found = {name.partition(".")[0] for name in sys.modules.keys() - before}
print(*(name for name in found - sys.stdlib_module_names if "cython" not in name))
"""


def test_modules_of_kinds_import_nothing_at_their_top_that_may_be_missing():
    command = [sys.executable, "-P", "-c", LOADED]
    said = subprocess.check_output(command, env=with_package(), text=True)
    assert {*said.split()} <= ALLOWED


def test_a_kind_is_a_module_of_its_name_and_another_file_is_none(tmp_path, monkeypatch):
    for name in ("__init__", "mine", "_helper"):
        (tmp_path / f"{name}.py").touch()
    monkeypatch.setattr(kinds, "PACKAGE", tmp_path.parent)
    assert kinds.names.__wrapped__(tmp_path.name) == ("mine",)


@pytest.mark.parametrize("room", ["corpora", "utility"])
def test_no_other_module_asks_which_kind_it_is(room):
    """Kinds differ by their rows: what compares a kind with a name is a row that is missing."""
    names = "|".join({*kinds.names(f"{room}/kinds")} - OTHERS)
    asks = re.compile(rf"""["']({names})["'] (not )?in\b|[!=]= ["']({names})["']""")
    asking = {}
    for path in sorted((SCRIPTS / "voiceprivacy").rglob("*.py")):
        if path.parent.name != "kinds" and (asked := asks.search(path.read_text())):
            asking[path.name] = asked[0]
    assert asking == {}
