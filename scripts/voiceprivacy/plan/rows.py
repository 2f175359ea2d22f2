"""What a plan tells jobs of systems, as JSON."""

from typing import NamedTuple


class Heard(NamedTuple):
    """A channel of a system under a condition: whose scores tell it, and by which attacker.

    Words are those of unprotected speech, whoever protects them: its scores stand for them.
    """

    anonymiser: str
    condition: str
    channel: str
    heard_in: str
    heard_under: str
    extractor: str
    backend: str


class Protecting(NamedTuple):
    """How an anonymiser protects the trials of a corpus, with all its draws.

    ``benchmarks`` are the files below results/benchmarks of each draw's jobs, none where others
    protected the speech. ``streaming`` is what its entry says, None for nothing. ``latencies`` is
    what Path.glob finds of each draw, where a stream was tried.
    """

    corpus: str
    anonymiser: str
    device: str
    benchmarks: list[list[str]]
    streaming: bool | None
    latencies: list[str]
