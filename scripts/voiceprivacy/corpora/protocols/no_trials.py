"""No trials: all utterances are protected and measured, and nobody is attacked (use: utility).

A config does not name this protocol: it is that of every corpus that is there for utility.
"""

from collections.abc import Sequence
from typing import Any

from voiceprivacy.corpora.listing import Findings, Listed, Source


def list_names(options: dict[str, Any]) -> list[str]:
    """There is no trial list."""
    return []


def split(
    source: Source, options: dict[str, Any], utterances: Sequence[Listed], findings: Findings
) -> tuple[set[str], set[str]]:
    """Nobody enrols; all utterances belong to the part of which utility is measured."""
    return set(), {utterance.utterance for utterance in utterances}
