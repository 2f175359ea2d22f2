"""The house does not grow unnoticed, nor what must be loaded to read one thing of it."""

import json

import pytest
from support import house, reach

KEPT = json.loads(house.FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("part", house.parts())
def test_a_part_is_not_larger_than_it_was(part):
    """Where growth is worth it: make house ARGS=--write, and the commit says what it buys."""
    measure = "lines" if part == "rules" else "nodes"
    assert house.measure(part)[measure] <= KEPT[part][measure]


def test_what_is_loaded_to_read_one_thing_does_not_grow():
    """Where growth is worth it: make reach ARGS=--write, and the commit says what it buys."""
    kept, now = json.loads(reach.FILE.read_text(encoding="utf-8")), reach.measure()
    assert {ruler: now[ruler] for ruler in kept if now[ruler] > kept[ruler]} == {}


def test_a_metric_module_loads_metric_modules_and_the_ground_alone():
    modules = reach.read_house()
    ground = {f"voiceprivacy.{name}" for name in ("errors", "seeds", "vocabulary")}
    for name in reach.METRIC_MODULES:
        loaded = reach.reached(modules, f"voiceprivacy.privacy.{name}")
        rest = {module for module in loaded if not module.startswith("voiceprivacy.privacy")}
        assert rest <= ground, name
