"""What pages tell people to type, as jobs; the handlers and addresses of a page."""

import re
from html.parser import HTMLParser

from voiceprivacy.tools.commands import COMMANDS

JOB_OF = {name: command.job for name, command in COMMANDS.items() if command.job != "run"}
WORDS = re.compile(rf"\bvoiceprivacy ({'|'.join(sorted(JOB_OF, reverse=True))})(?= )")
SCRIPT = re.compile(r"python scripts/(\w+)\.py")


def as_jobs(text: str) -> str:
    """A page in which ``voiceprivacy assess zebra`` and ``python scripts/assess_zebra.py`` are
    ``python -m voiceprivacy.jobs.assess_zebra``."""
    text = SCRIPT.sub(r"python -m voiceprivacy.jobs.\1", text)
    return WORDS.sub(lambda match: f"python -m voiceprivacy.jobs.{JOB_OF[match[1]]}", text)


class Page(HTMLParser):
    """The event handlers of a page, and the addresses that it names."""

    def __init__(self, text):
        super().__init__()
        self.handlers, self.addresses = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.handlers += [name for name, _ in attributes if name.startswith("on")]
        self.addresses += [value for name, value in attributes if name in ("src", "href") and value]
