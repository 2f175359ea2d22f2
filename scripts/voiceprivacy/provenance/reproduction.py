"""Whether a checkout can repeat a run: what provenance.json says against what is here now."""

from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.provenance.record import hashes, provenance

ABSENT = "not found"
FIRST_FORMAT = 1  # of results whose provenance does not name a format
DECIDES = ("format", "version", "git_commit", "git_state", "packages", "sha256")
EXPLAINS = ("python", "platform", "hardware")


class Change(NamedTuple):
    """Something that was otherwise when the run was made."""

    name: str
    then: Any
    now: Any


def differences(then: dict, *, directory: str | Path) -> tuple[list[Change], list[Change]]:
    """Compare a run's provenance with this checkout and this machine.

    Parameters
    ----------
    then : dict, provenance.json
    directory : where that run's relative paths start

    Returns
    -------
    list of Change, list of Change : what decides whether numbers can be repeated, and what can
        explain a difference in the last digits (the machine)
    """
    then = {"format": FIRST_FORMAT} | then
    now = provenance(config=then.get("config", {}), files=[])
    now["sha256"] = {path: _sha256(Path(directory) / path) for path in then.get("sha256", {})}
    return _changes(DECIDES, then, now), _changes(EXPLAINS, then, now)


def _changes(sections, then, now):
    before, after = _flat(sections, then), _flat(sections, now)
    changes = [Change(name, value, after.get(name, ABSENT)) for name, value in before.items()]
    return [change for change in changes if change.then != change.now]


def _flat(sections, described):
    """{package numpy: version, ...}: one level, in the order of the sections."""
    values = {}
    for section in sections:
        value = described.get(section)
        if isinstance(value, dict):
            values |= {f"{section} {key}": inner for key, inner in value.items()}
        elif section in described:
            values[section] = value
    return values


def _sha256(path):
    return next(iter(hashes([path]).values())) if path.is_file() else ABSENT
