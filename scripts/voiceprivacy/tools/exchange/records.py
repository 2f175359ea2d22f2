"""What laboratories exchange: systems, attackers, protocols and results as named tuples.

Conventions
-----------
* A tier says how much is known of a number. A: it was written down. B: scores lie beside it, from
  which it can be computed again.
* ``NotReported`` stands for what nobody has said. It says why.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

UNATTACKED = "oo"


class NotReported(NamedTuple):
    """What nobody has said, and why."""

    because: str


Text = str | NotReported | None
Texts = tuple[str, ...] | NotReported


class System(NamedTuple):
    """An anonymiser; ``level`` is what has a pseudo-voice of its own."""

    name: str
    revision: str
    title: str
    paper: Text
    code: Text
    licence: Text
    year: int | None
    training_data: Texts
    level: Text
    real_time_factor: float | NotReported | None


class Attacker(NamedTuple):
    """Who attacks; ``weights`` are SHA-256 of its files: {name: digest}."""

    name: str
    revision: str
    title: str
    paper: Text
    code: Text
    licence: Text
    year: int | None
    weights: Mapping[str, str] | NotReported
    training_data: Texts
    adaptation: Text
    readings: Texts


class Protocol(NamedTuple):
    """A trial list of a corpus; ``sha256`` is of its tables, ``weights`` are those of averages."""

    name: str
    title: str
    public: bool
    data: Texts
    fingerprint: Text
    sha256: Mapping[str, str] | NotReported
    counts: Mapping[str, int] | NotReported
    weights: Mapping[str, float]


class Number(NamedTuple):
    """A number with its 95 % interval (None: it has none), or why there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    not_reported: str | None = None


class Utility(NamedTuple):
    """One measure of what speech is good for: by which model, and in which definition."""

    metric: str
    value: float | None
    low: float | None
    high: float | None
    model: Text
    revision: Text
    definition: Text
    data: str | None
    not_reported: str | None = None


class ResultKey(NamedTuple):
    """What was measured: the path of a result."""

    system: str
    revision: str
    protocol: str
    attacker: str
    attacker_revision: str

    @property
    def path(self) -> str:
        """Its path below results/, without an ending."""
        folder = f"{self.system}/{self.revision}/{self.protocol}"
        return f"{folder}/{self.attacker}@{self.attacker_revision}"


class Result(NamedTuple):
    """One attack on one system: ``conditions`` is condition -> metric -> Number.

    ``draws`` are replicates of the intervals. ``controls`` may say ``refused``: why the run's own
    checks refuse the attacker. ``provenance`` and ``scores`` are SHA-256.
    """

    system: str
    revision: str
    protocol: str
    attacker: str
    attacker_revision: str
    tier: str
    laboratory: str
    date: str | None
    source: str | None
    conditions: Mapping[str, Mapping[str, Number]]
    draws: int | None
    utility: tuple[Utility, ...]
    controls: Mapping[str, str | None]
    versions: Mapping[str, str]
    provenance: Mapping[str, str]
    scores: str | None

    @property
    def key(self) -> ResultKey:
        """What was measured."""
        return ResultKey(
            self.system, self.revision, self.protocol, self.attacker, self.attacker_revision
        )


class Repository(NamedTuple):
    """All records below a folder.

    Systems and attackers stand under (name, revision), protocols under their name.
    """

    folder: Path
    systems: Mapping[tuple[str, str], System]
    attackers: Mapping[tuple[str, str], Attacker]
    protocols: Mapping[str, Protocol]
    results: tuple[Result, ...]


def distrust(result: Result) -> str | None:
    """Why an attack does not count; None where nothing speaks against it.

    An attacker who finds nobody in unprotected speech says nothing of protected speech.
    """
    refused = result.controls.get("refused")
    if refused:
        return refused
    numbers = result.conditions.get(UNATTACKED, {})
    evidence, band = numbers.get("dece_bit"), numbers.get("dece_null95_bit")
    if evidence is None or band is None or evidence.value is None or band.value is None:
        return None
    if evidence.value <= band.value:
        return "it finds nobody in unprotected speech"
    return None


def overlap(attacker: Attacker, protocol: Protocol) -> tuple[str, ...]:
    """Which data of a protocol the attacker learnt from."""
    if isinstance(attacker.training_data, NotReported) or isinstance(protocol.data, NotReported):
        return ()
    learnt = {data.casefold() for data in attacker.training_data}
    return tuple(data for data in protocol.data if data.casefold() in learnt)
