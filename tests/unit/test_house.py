"""The house does not grow unnoticed: tests/house.json keeps the size of each part."""

import json

from support import house

KEPT = json.loads(house.FILE.read_text(encoding="utf-8"))


def test_no_part_is_larger_than_it_was():
    """Where growth is worth it: make house ARGS=--write, and the commit says what it buys."""
    sizes = house.measure()
    measures = {part: "lines" if part == "rules" else "nodes" for part in sizes}
    grown = [part for part, name in measures.items() if sizes[part][name] > KEPT[part][name]]
    assert not grown


def test_a_copy_is_counted_once_however_long_it_is():
    lines = [f"line {number}" for number in range(20)]
    text = "\n".join(lines)
    assert house.count_copies([text]) == 0
    assert house.count_copies([text, "\n".join(["other", *lines[3:15], "another"])]) == 1
    assert house.count_copies([text, "\n".join(lines[:5])]) == 0
    assert house.count_copies([text, "\n\n# a comment\n".join(lines[2:8])]) == 1
