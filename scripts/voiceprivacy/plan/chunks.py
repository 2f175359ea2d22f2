"""Large runs in chunks: some systems at a time, and then what compares all of them.

Snakemake keeps a graph of all jobs in memory. Four of five jobs of a large run belong to one system
under one attack. So each chunk of systems is a graph of its own, which ends at what is measured of
them. The last graph takes these files as given, and has the other rules only.

The launcher starts a run for each chunk and says which in the environment: ``2/5``, the second of
five; ``6/5`` is the last graph.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

CHUNK = "VOICEPRIVACY_CHUNK"  # environment
TARGET = "measure_chunk"  # the rule that has all files of a chunk as inputs
OF_ONE_SYSTEM = ("score_", "fuse_", "assess_")  # how rules begin that may belong to one system
LEVELS = 7  # of results/KIND/CORPUS/TRIALS/SYSTEM/EXTRACTOR/BACKEND.json, at least
# What channels disclose together has "together" and the condition for the last two.


class Chunk(NamedTuple):
    """Which of the graphs of a run this is, from 1; after the chunks comes the last graph."""

    number: int
    total: int

    @property
    def is_last(self) -> bool:
        """Whether this is the graph of what compares systems."""
        return self.number > self.total


def chunk_of(environment: Mapping[str, str]) -> Chunk | None:
    """The chunk that the launcher asks for; None of a run in one graph."""
    if CHUNK not in environment:
        return None
    number, total = map(int, environment[CHUNK].split("/"))
    return Chunk(number, total)


def files(chunk: Chunk, systems: Collection[str], paths: Iterable[str]) -> list[str]:
    """What a chunk makes: the files of its share of all systems.

    Parameters
    ----------
    systems : original speech and anonymisers, in an order that all chunks share
    paths : files of a run; those that are of no one system are left out
    """
    share = set(list(dict.fromkeys(systems))[chunk.number - 1 :: chunk.total])
    return [path for path in dict.fromkeys(paths) if _system_of(path) in share]


def _system_of(path):
    """SYSTEM in results/KIND/.../CORPUS/TRIALS/SYSTEM/EXTRACTOR/BACKEND.json; None elsewhere."""
    parts = path.split("/")
    return parts[-3] if len(parts) >= LEVELS else None


def rules_of_one_system(rules: Iterable[Any]) -> list[str]:
    """Names of those of Snakemake's rules that belong to one system under one attack."""
    return [
        rule.name
        for rule in rules
        if rule.name.startswith(OF_ONE_SYSTEM) and "anonymiser" in rule.wildcard_names
    ]
