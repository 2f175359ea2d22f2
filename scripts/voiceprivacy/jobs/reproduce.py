"""The job reproduce."""

import sys
from pathlib import Path

import yaml

from voiceprivacy.inout.files import BadInput, counted, printable, whole_or_absent
from voiceprivacy.inout.foreign import not_ours
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.provenance.record import Change, differences, read_provenance
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def reproduce(
    provenance: Path,
    *,
    directory: Path | None = None,
    config: Path | None = None,
) -> None:
    """Check this checkout against a run's provenance.json: can it repeat the run, or what differs?

    Exit code: 0 the same, 1 something differs.

    Parameters
    ----------
    provenance : provenance.json of the run
    directory : where that run's paths start (default: above results/)
    config : YAML to write: the config of that run, to be run again
    """
    # Any JSON could be given; these two keys are what a comparison begins with.
    content = read_json(provenance)
    if not isinstance(content, dict) or "git_commit" not in content or "config" not in content:
        raise BadInput(f"{provenance}: is no provenance.json (no git_commit, no config)")
    then = read_provenance(provenance)
    if config:
        write_config(config, then)
    start = directory or provenance.absolute().parents[1]
    with not_ours(provenance):
        decisive, machine = differences(then, directory=start)
    print_changes("Differs", decisive)
    print_changes("Another machine (last digits may differ)", machine)
    if decisive:
        sys.exit(1)
    files = counted(len(then.get("sha256", {})), "file")
    say(f"No relevant difference: commit {then['git_commit']}, {files}.")


def print_changes(title: str, changes: list[Change]) -> None:
    """Print what was otherwise when the run was made."""
    if changes:
        say(f"{title}:")
    for change in changes:
        say(f"    {change.name}", f"        run   {change.then}", f"        here  {change.now}")


def write_config(path: Path, then: dict) -> None:
    """Write the config of a run, with a line that says which run it was."""
    if path.exists():
        raise BadInput(f"{path}: is there already: name a file that is not")
    # A foreign provenance may hold line ends: what follows one would be read as the config.
    made = printable(f"Run of {then.get('created', 'an unknown day')}, commit {then['git_commit']}")
    text = yaml.safe_dump(then["config"], sort_keys=False, allow_unicode=True)
    with whole_or_absent(path) as temporary:
        temporary.write_text(f"# {made}; every default is filled in.\n{text}", encoding="utf-8")
    say(f"wrote {path}: voiceprivacy run --configfile {path}")


if __name__ == "__main__":
    run(reproduce)
