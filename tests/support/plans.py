"""Entries of configs that tests of plans start from, and what they look at in a plan."""

from voiceprivacy.plan import configuration
from voiceprivacy.report.contents import planned

ECAPA = {"model": "speechbrain/ecapa", "revision": "0123456789"}


def voices(speakers, utterances, *, first=None, **options):
    """A corpus of made-up voices; ``first`` is the number of its first speaker."""
    drawn = {"speakers": speakers, "utterances": utterances}
    if first is not None:
        drawn["first_speaker"] = first
    return {"synthetic": drawn, **options}


# One corpus to attack, and one to learn from.
CORPORA = {"demo": voices(4, 3), "others": voices(4, 3, first=4, use="train")}


def problems(config):
    """What is said of a config, in words."""
    return [str(problem) for problem in configuration.problems(config)]


def pictures_of(plan):
    return [figure.pictures(plan.layout)["svg"] for figure in planned(plan)]
