"""The house does not grow unnoticed: tests/house.json keeps the size of each part."""

import json

import pytest
from support import house

KEPT = json.loads(house.FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("part", house.parts())
def test_a_part_is_not_larger_than_it_was(part):
    """Where growth is worth it: make house ARGS=--write, and the commit says what it buys."""
    measure = "lines" if part == "rules" else "nodes"
    assert house.measure(part)[measure] <= KEPT[part][measure]


def test_a_copy_is_counted_once_however_long_it_is():
    lines = [f"line {number}" for number in range(20)]
    text = "\n".join(lines)
    assert house.count_copies([text]) == 0
    assert house.count_copies([text, "\n".join(["other", *lines[3:15], "another"])]) == 1
    assert house.count_copies([text, "\n".join(lines[:5])]) == 0
    assert house.count_copies([text, "\n\n# a comment\n".join(lines[2:8])]) == 1
