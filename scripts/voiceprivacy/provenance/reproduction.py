"""Whether a checkout can repeat a run: what provenance.json says against what is here now."""

from pathlib import Path

from voiceprivacy.provenance.record import hashes, provenance

ABSENT = "not found"
DECIDES = ("version", "git_commit", "git_state", "packages", "sha256")
EXPLAINS = ("python", "platform", "hardware")


def differences(then, *, directory):
    """Compare a run's provenance with this checkout and this machine.

    Parameters
    ----------
    then : dict, provenance.json
    directory : where that run's relative paths start

    Returns
    -------
    list of (name, then, now), list of (name, then, now) : what decides whether numbers can be repeated, and what can
        explain a difference in the last digits (the machine)
    """
    now = provenance(config=then.get("config", {}), files=[])
    now["sha256"] = {name: _sha256(Path(directory) / name) for name in then.get("sha256", {})}
    return _differing(DECIDES, then, now), _differing(EXPLAINS, then, now)


def _differing(names, then, now):
    before, after = _flat(names, then), _flat(names, now)
    return [
        (name, value, after.get(name, ABSENT))
        for name, value in before.items()
        if after.get(name) != value
    ]


def _flat(names, of):
    """{package numpy: version, ...}: one level, in the order of the names."""
    values = {}
    for name in names:
        if isinstance(of.get(name), dict):
            values |= {f"{name} {key}": value for key, value in of[name].items()}
        elif name in of:
            values[name] = of[name]
    return values


def _sha256(path):
    return next(iter(hashes([path]).values())) if path.is_file() else ABSENT
