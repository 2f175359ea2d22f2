"""What a plan tells jobs of systems, as JSON."""

from typing import Any, NamedTuple, NotRequired, TypedDict


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


class ListOfVerdict(TypedDict):
    """A trial list: files of who speaks and of who enrols, and {attacker: {system: conditions}}.

    ``recording`` is the pattern that finds the session in an id.
    """

    speakers: list[str]
    enrolments: list[str]
    recording: NotRequired[str]
    attackers: dict[str, dict[str, list[str]]]
    of_text: dict[str, dict[str, list[str]]]


class LearntAttacker(TypedDict):
    """An attacker who learnt from the speech of a system: EXTRACTOR/BACKEND, and files.

    ``held_out`` are of each part that learnt, the back-end's last. ``planted_leak`` says what the
    back-end finds of a planted leak; None where an extractor alone learnt.
    """

    attacker: str
    held_out: list[str]
    trains_extractor: bool
    planted_leak: str | None


class SetOfVerdict(TypedDict):
    """A set that is judged.

    ``leaks`` is {name: percent}, ``releases`` {name: {system: anonymiser}}, ``learnt`` {system: the
    files of each attacker}; ``not_tried`` are codes, and each warning has one under "code".
    ``checks`` are files of what was found in the recordings, ``only_wide_band`` systems whose
    attackers on a list all hear through ready encoders, which learnt from 16 kHz. ``ready`` is
    {attacker: the file of a back-end that was trained elsewhere}. ``learnt_attackers`` is {system:
    attackers of voices on its lists}, of whom some have to find a planted leak.
    """

    controls: list[str]
    shows_names: bool
    leaks: dict[str, float]
    releases: dict[str, dict[str, str]]
    lists: dict[str, ListOfVerdict]
    mixed: list[str]
    learnt: dict[str, list[list[str]]]
    not_tried: list[str]
    warnings: list[dict[str, Any]]
    checks: list[str]
    only_wide_band: list[str]
    ready: dict[str, str]
    learnt_attackers: NotRequired[dict[str, list[LearntAttacker]]]


class PlanOfVerdict(TypedDict):
    """What a verdict is made of."""

    thresholds: dict[str, float]
    sets: dict[str, SetOfVerdict]
