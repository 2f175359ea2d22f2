"""The job reproduce."""

import copy
import sys
from pathlib import Path

import yaml

from voiceprivacy.errors import BadInput, printable
from voiceprivacy.inout.foreign import not_ours
from voiceprivacy.inout.writing import whole_or_absent
from voiceprivacy.provenance.commit import CLEAN
from voiceprivacy.provenance.record import SECRET, Change, differences, read_provenance
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
    then = read_provenance(provenance)
    if "git_commit" not in then or not then["config"]:
        raise BadInput(f"{provenance}: is no provenance.json (no git_commit, no config)")
    start = directory or provenance.absolute().parents[1]
    with not_ours(provenance):
        if config:
            write_config(config, then)
        decisive, machine = differences(then, directory=start)
    print_changes("Differs", decisive)
    print_changes("Another machine (last digits may differ)", machine)
    if decisive:
        sys.exit(1)
    state = then.get("git_state", "unknown")
    say(f"No relevant difference: commit {then['git_commit']}, {state}.")
    say("Speech, scores and programs of the config were not read: a run finds what was edited.")
    if state != CLEAN:
        say("Code that was not committed is not compared: it may be other code.")


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
    again = copy.deepcopy(then["config"])
    for corpus in again.get("corpora", {}).values():
        # Its lists are there as they were; with this key they would be split by gender again.
        if corpus.get("gender") == "separate":
            del corpus["gender"]
    text = yaml.safe_dump(again, sort_keys=False, allow_unicode=True)
    with whole_or_absent(path) as temporary:
        temporary.write_text(f"# {made}; every default is filled in.\n{text}", encoding="utf-8")
    drawn = f" --seed-file {SECRET}" if SECRET in then.get("sha256", {}) else ""
    say(f"wrote {path}: voiceprivacy run --configfile {path}{drawn}")


if __name__ == "__main__":
    run(reproduce)
