"""What pages tell people to type, as jobs; what is in a page."""

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
    """What is in a page: attributes, text, types of scripts; every element has to be closed."""

    VOID = ("meta", "link", "img", "br", "input")

    def __init__(self, text):
        super().__init__()
        self.attributes, self.text, self.open, self.scripts = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.attributes += attributes
        if tag == "script":
            self.scripts.append(dict(attributes).get("type"))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def values(self, *names):
        return [value for name, value in self.attributes if name in names and value]
