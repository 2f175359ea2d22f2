"""The one command: ``voiceprivacy run ...`` calls ``voiceprivacy.jobs.run``, and so on."""

import importlib
import sys

from voiceprivacy.provenance.record import version
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
from voiceprivacy.tools.commands import COMMANDS, completion, find, overview
from voiceprivacy.vocabulary import SCRIPTS

HELP = {"--help", "-h", "help"}


def main() -> None:
    """Call the command that is named, or show which there are."""
    words = sys.argv[1:]
    if not words or words[0] in HELP:
        say(*overview())
    elif words[0] not in COMMANDS and HELP & {*words[1:2]}:
        say(*_overview_of(words[0]))
    elif words[0] == "--version":
        say(f"voiceprivacy {version()} of {SCRIPTS.parent}")
    elif words[0] == "completion":
        say(*completion(words[1:]))
    else:
        name, rest = find(words)
        sys.argv = [f"voiceprivacy {name}", *rest]
        job = COMMANDS[name].job
        run(getattr(importlib.import_module(f"voiceprivacy.jobs.{job}"), job))


def _overview_of(word: str) -> list[str]:
    """The lines of the overview on commands that begin with this word; BadInput if none does."""
    lines = [line for line in overview() if line.startswith(f"  {word} ")]
    if not lines:
        find([word])
    return lines


if __name__ == "__main__":
    run(main)
