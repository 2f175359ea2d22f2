"""Tags of the worst case of one's own, from a YAML file."""

import math
from itertools import pairwise

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath
from voiceprivacy.privacy.scores.zebra import TABLE_1, Tag


def read_tags(path: FilePath | None) -> tuple[Tag, ...]:
    """Read tags of one's own, in the order of rising worst cases; without a file, TABLE_1.

    Parameters
    ----------
    path : path, optional
        YAML: {tag: {from_log10: number, meaning: text}}, or above_log10 for a tag that begins above
        its number. The first tag begins at 0.

    Raises
    ------
    BadInput : no such file, no YAML, another shape, tags that do not rise
    """
    if not path:
        return TABLE_1
    # Imported here, so that the commands start without YAML.
    from voiceprivacy.inout.yaml_files import read_yaml

    table = read_yaml(path)
    if not isinstance(table, dict) or not table:
        raise BadInput(
            f"{path}: expected lines like 'B: {{from_log10: 1, meaning: one wrong in 10 to 100}}'"
        )
    tags = tuple(_tag(path, str(name), fields) for name, fields in table.items())
    if (tags[0].from_log10, tags[0].beyond) != (0, False):
        raise BadInput(f"{path}: the first tag '{tags[0].name}' does not begin with from_log10: 0")
    for before, after in pairwise(tags):
        if (before.from_log10, before.beyond) >= (after.from_log10, after.beyond):
            raise BadInput(
                f"{path}: tag '{after.name}' does not begin higher than '{before.name}' before it"
            )
    return tags


def _tag(path, name, fields):
    kinds = ("from_log10", "above_log10")
    given = [kind for kind in kinds if isinstance(fields, dict) and kind in fields]
    if len(given) != 1 or fields.keys() != {given[0], "meaning"}:
        raise BadInput(
            f"{path}: tag '{name}' needs meaning and either from_log10 or above_log10,"
            " and nothing else"
        )
    (kind,) = given
    start = fields[kind]
    # YAML's yes and no are bool, and bool is an int.
    if isinstance(start, bool) or not isinstance(start, int | float) or not math.isfinite(start):
        raise BadInput(f"{path}: tag '{name}': {kind} is {start!r}, not a number")
    return Tag(name, start, kind == "above_log10", str(fields["meaning"]))
