"""What differs between two runs besides their numbers: config, versions, models, trial lists, machines."""

from pathlib import Path

FIELDS = ("version", "git_commit", "git_state", "python", "platform")


def differences(both):
    """Compare the provenance of two Results.

    Returns
    -------
    list of (what, value of the first, value of the second) : texts, - where one has none
    """
    flat = [dict(_flat(of.provenance)) for of in both]
    names = [name for name in dict.fromkeys([*flat[0], *flat[1]]) if flat[0].get(name) != flat[1].get(name)]
    return [(name, *(str(of.get(name, "-")) for of in flat)) for name in names]


def merged_provenance(both, found, averages):
    """One provenance for the page: where two runs differ both values; ``found``, the differences; their averages."""
    first, second = (of.provenance for of in both)
    names = [of.name for of in both]
    merged = {field: _joined(field, both) for field in FIELDS if field in first or field in second}
    anonymisers = {
        f"{name}@{of.name}": entry
        for of in both
        for name, entry in of.provenance.get("config", {}).get("anonymisers", {}).items()
    }
    configs = {of.name: of.provenance.get("config", {}) for of in both}
    report = first.get("config", {}).get("report", {}) | {"averages": averages}
    return merged | {
        "packages": {name: _joined(name, both, "packages") for name in _keys(both, "packages")},
        "revisions": {name: _joined(name, both, "revisions") for name in _keys(both, "revisions")},
        "seeds": {name: _joined(name, both, "seeds") for name in _keys(both, "seeds")},
        "config": {"anonymisers": anonymisers, "report": report, **configs},
        "differences": {"names": names, "rows": found},
    }


def _keys(both, section):
    return list(dict.fromkeys(name for of in both for name in of.provenance.get(section, {})))


def _joined(name, both, section=None):
    """The value of both runs, or each with its name in front."""
    values = [(of.provenance.get(section, {}) if section else of.provenance).get(name, "-") for of in both]
    if values[0] == values[1]:
        return values[0]
    return "; ".join(f"{of.name}: {value}" for of, value in zip(both, values, strict=True))


def _flat(provenance):
    """(name, value) of what can matter to numbers, nested keys joined by dots."""
    for field in FIELDS:
        if field in provenance:
            yield field.replace("_", " "), provenance[field]
    for section in ("packages", "revisions"):
        yield from ((f"{name}", version) for name, version in provenance.get(section, {}).items())
    hashes = {_short(path): value for path, value in provenance.get("sha256", {}).items()}
    yield from ((f"SHA-256 of {path}", value[:16]) for path, value in hashes.items())
    yield from _leaves(provenance.get("config", {}), "config")


def _short(path):
    """A file's name without the folders of one machine: trial lists by corpus and list, models by folder and file."""
    parts = Path(path).parts
    return "/".join(parts[parts.index("trials") :] if "trials" in parts else parts[-2:])


def _leaves(value, place):
    if isinstance(value, dict) and value:
        for name, of in value.items():
            yield from _leaves(of, f"{place}.{name}")
    else:
        yield place, value
