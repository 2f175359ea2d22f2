"""The job add_attacker."""

import sys
from pathlib import Path

from voiceprivacy.errors import counted
from voiceprivacy.organise import attacking
from voiceprivacy.organise.records import read_repository
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def add_attacker(
    *,
    repository: Path,
    config: Path,
    speech: str,
    output: Path,
) -> None:
    """Write the config of a run: attack all systems of a shared repository whose speech is there.

    Parameters
    ----------
    repository : folder of the repository
    config : the attacker: a config with corpora, extractors and back-ends
    speech : where protected speech lies, such as '/speech/{system}/{revision}/{set}'
    output : config to write
    """
    records = read_repository(repository)
    attacked, elsewhere = attacking.add_attacker(records, config, speech, output)
    for system in elsewhere:
        say(f"no speech of {system['name']} {system['revision']}: left out", file=sys.stderr)
    say(f"wrote {output}: {counted(len(attacked), 'system')}. Then:")
    say(*attacking.commands(attacked, output, repository))


if __name__ == "__main__":
    run(add_attacker)
