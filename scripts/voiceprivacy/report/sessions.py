"""What two runs of an anonymiser tell, for a table of the page.

They are two sessions of the same speakers (p0p1): whether the voices of one day can be matched with
those of another.
"""

from collections.abc import Iterable
from typing import NamedTuple

from voiceprivacy.catalogue import METRICS
from voiceprivacy.catalogue.metric import Metric
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.typeset import short
from voiceprivacy.report.uncertainty import shown_number
from voiceprivacy.vocabulary import DASH, MINUS, UNDEFINED, attacker_name

# (condition, metric) of each column. C_ECE is of OP: a calibration that the attacker learned on
# one run and uses on the other.
SESSIONS = [
    ("p0p1", METRICS["eer_percent"]),
    ("p0p1", METRICS["cllr_min_bit"]),
    ("p0p1", METRICS["linkability"]),
    ("p0p1", METRICS["dece_bit"]),
    ("p0p1", METRICS["worst_case_log10"]),
    ("p0p1", METRICS["tag"]),
    ("op", METRICS["cece_linear_bit"]),
    ("op", METRICS["cece_isotonic_bit"]),
]
SESSION_TITLES = [metric.label for _, metric in SESSIONS]


class Sessions(NamedTuple):
    """One anonymiser with two runs under one attacker; ``cells`` stand below SESSION_TITLES."""

    corpus: str
    trials: str
    attacker: str
    anonymiser: str
    cells: list[str]


def sessions(numbers: Iterable[Number]) -> list[Sessions]:
    """The anonymisers that have two runs, sorted."""
    of_anonymisers: dict[tuple[str, ...], dict[tuple[str, str], Number]] = {}
    for line in numbers:
        attacker = attacker_name(line.extractor, line.backend)
        attacked = (line.corpus, line.trials, attacker, line.anonymiser)
        of_anonymisers.setdefault(attacked, {})[line.condition, line.metric] = line
    rows = []
    for (corpus, trials, attacker, anonymiser), known in sorted(of_anonymisers.items()):
        if ("p0p1", "eer_percent") in known:  # only two runs can be held against each other
            cells = [
                _session_text(known.get((condition, metric.name)), metric)
                for condition, metric in SESSIONS
            ]
            rows.append(Sessions(corpus, trials, attacker, anonymiser, cells))
    return rows


def _session_text(line: Number | None, metric: Metric) -> str:
    """A number of the table of two runs, with its interval."""
    if line is None:
        return DASH
    if metric.title == "tag" or line.value == UNDEFINED:
        return line.value

    def rounded(value: float) -> str:
        # Small disclosures show their order of magnitude.
        return short(value).replace("-", MINUS) if metric.digits == 3 else metric.text(value)

    return shown_number(line).text(rounded)
