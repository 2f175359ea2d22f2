"""What pages tell people to type, as scripts."""

import re

from voiceprivacy.tools.commands import COMMANDS

SCRIPT_OF = {name: command.script for name, command in COMMANDS.items() if command.script != "run"}
WORDS = re.compile(rf"\bvoiceprivacy ({'|'.join(sorted(SCRIPT_OF, reverse=True))})(?= )")


def as_scripts(text: str) -> str:
    """A page in which ``voiceprivacy assess zebra`` is ``python scripts/assess_zebra.py``."""
    return WORDS.sub(lambda match: f"python scripts/{SCRIPT_OF[match[1]]}.py", text)
