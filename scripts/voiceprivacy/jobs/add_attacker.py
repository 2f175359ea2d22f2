"""Attack all systems of a shared repository whose speech is there: write the config of that run."""

import argparse
import sys
from pathlib import Path

from voiceprivacy.inout.files import counted
from voiceprivacy.organise.attacking import add_attacker, commands
from voiceprivacy.organise.records import read_repository
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repository", required=True, type=Path, help="folder of the repository")
    parser.add_argument(
        "--config",
        required=True,
        type=Path,
        help="the attacker: a config with corpora, extractors and back-ends",
    )
    parser.add_argument(
        "--speech",
        required=True,
        help="where protected speech lies, such as '/speech/{system}/{revision}/{set}'",
    )
    parser.add_argument("--output", required=True, type=Path, help="config to write")
    arguments = parser.parse_args()

    repository = read_repository(arguments.repository)
    attacked, elsewhere = add_attacker(
        repository, arguments.config, arguments.speech, arguments.output
    )
    for system in elsewhere:
        say(f"no speech of {system.name} {system.revision}: left out", file=sys.stderr)
    say(f"wrote {arguments.output}: {counted(len(attacked), 'system')}. Then:")
    say(*commands(attacked, arguments.output, arguments.repository))


if __name__ == "__main__":
    run(main)
