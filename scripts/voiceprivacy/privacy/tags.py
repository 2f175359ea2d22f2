"""Tags of a worst case: what a base-10 LLR means in words, by Table 1 of the ZEBRA paper or by a table of one's own.

Reference: Nautsch et al., The Privacy ZEBRA, Interspeech 2020, https://doi.org/10.21437/Interspeech.2020-1815
"""

import math
from itertools import pairwise
from typing import NamedTuple

from voiceprivacy.files import BadInput


class Tag(NamedTuple):
    """The worst cases that are at least ``from_log10``, or above it if ``beyond``, up to the next tag."""

    name: str
    from_log10: float
    beyond: bool
    meaning: str

    def holds(self, worst_case_log10):
        """Whether a worst case reaches this tag; an LLR of exactly 10, 100, ... may have come out a little off."""
        if self.beyond:
            return worst_case_log10 > self.from_log10 + (_SLACK if self.from_log10 else 0)
        return worst_case_log10 >= self.from_log10 - (_SLACK if self.from_log10 else 0)


_SLACK = 1e-9
TABLE_1 = (
    Tag("0", 0, False, "50 : 50 (flat posterior)"),
    Tag("A", 0, True, "more disclosure than 50 : 50"),
    Tag("B", 1, False, "one wrong in 10 to 100"),
    Tag("C", 2, False, "one wrong in 100 to 10 000"),
    Tag("D", 4, False, "one wrong in 10 000 to 100 000"),
    Tag("E", 5, False, "one wrong in 100 000 to 1 000 000"),
    Tag("F", 6, False, "one wrong in at least 1 000 000"),
)


def tag_of(worst_case_log10, tags=TABLE_1):
    """The Tag of a worst case (base-10 LLR); 1.0 is B."""
    return [tag for tag in tags if tag.holds(worst_case_log10)][-1]


def read_tags(path):
    """Read tags of one's own, in the order of rising worst cases.

    Parameters
    ----------
    path : path
        YAML: {tag: {from_log10: number, meaning: text}}, or above_log10 for a tag that begins above its number. The
        first tag begins at 0.

    Raises
    ------
    BadInput : no such file, no YAML, another shape, tags that do not rise
    """
    from voiceprivacy.yaml_files import read_yaml  # here, so that the commands start without YAML

    table = read_yaml(path)
    if not isinstance(table, dict) or not table:
        raise BadInput(f"{path}: expected lines like 'B: {{from_log10: 1, meaning: one wrong in 10 to 100}}'")
    tags = tuple(_tag(path, str(name), entry) for name, entry in table.items())
    if (tags[0].from_log10, tags[0].beyond) != (0, False):
        raise BadInput(f"{path}: the first tag '{tags[0].name}' does not begin with from_log10: 0")
    for before, after in pairwise(tags):
        if (before.from_log10, before.beyond) >= (after.from_log10, after.beyond):
            raise BadInput(f"{path}: tag '{after.name}' does not begin higher than '{before.name}' before it")
    return tags


def _tag(path, name, entry):
    kinds = [kind for kind in ("from_log10", "above_log10") if isinstance(entry, dict) and kind in entry]
    if len(kinds) != 1 or entry.keys() != {kinds[0], "meaning"}:
        raise BadInput(f"{path}: tag '{name}' needs meaning and either from_log10 or above_log10, and nothing else")
    start = entry[kinds[0]]
    if isinstance(start, bool) or not isinstance(start, int | float) or not math.isfinite(start):
        raise BadInput(f"{path}: tag '{name}': {kinds[0]} is {start!r}, not a number")
    return Tag(name, start, kinds == ["above_log10"], str(entry["meaning"]))
