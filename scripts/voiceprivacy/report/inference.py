"""What speech tells of people besides who they are: a table on the page.

Conventions
-----------
* results/metrics/inference/EXTRACTOR.tsv has the fields of privacy.rows.Inferred, one line for each
  attribute of a corpus's speakers, system and condition.
* All speakers of a corpus are taken together.
* Draws of an anonymiser are one release (see releases.py).
"""

from collections.abc import Sequence
from typing import NamedTuple

from voiceprivacy.catalogue import METRICS
from voiceprivacy.inout.typed_tables import limits_of
from voiceprivacy.privacy.rows import Inferred
from voiceprivacy.report.comparison import ATTACKS, INFORMED
from voiceprivacy.report.figures import by_release
from voiceprivacy.report.measured import OF_ATTRIBUTES
from voiceprivacy.report.releases import one_release
from voiceprivacy.report.uncertainty import shown
from voiceprivacy.vocabulary import ABSENT, DASH, ORIGINAL, TRAINED_ON, UNDEFINED


class Row(NamedTuple):
    """One attack on a system as shown; numbers are (text, interval)."""

    anonymiser: str
    attack: str
    recall: tuple[str, str]
    band: str
    gain: tuple[str, str]
    left: tuple[str, str]


class InferenceTable(NamedTuple):
    """One attribute of the speakers of a corpus; ``note`` says who is left out."""

    corpus: str
    attribute: str
    rows: list[Row]
    note: str


def inference_tables(inferred: Sequence[Inferred]) -> list[InferenceTable]:
    """A table for every corpus and attribute, in the order of the lines."""
    groups: dict[tuple[str, str], list[Inferred]] = {}
    for line in inferred:
        groups.setdefault((line.corpus, line.attribute), []).append(line)
    return [
        InferenceTable(corpus, attribute, _rows(lines), _note(lines))
        for (corpus, attribute), lines in groups.items()
    ]


def _releases(lines):
    """Attacks that say something, [(system, its draws under one attack)], unprotected first."""
    releases = []
    for (system, *_), of_release in by_release(lines, "extractor", "condition").items():
        defined = [line for line in of_release if line.recall_percent != UNDEFINED]
        if defined:
            releases.append((system, defined))
    return sorted(releases, key=lambda pair: (pair[0] != ORIGINAL, pair[0]))


def _rows(lines):
    rows = []
    for system, draws in _releases(lines):
        first = draws[0]
        band = f"inferred_{first.attribute}_null95_percent"
        unprotected = first.condition == "oo"
        rows.append(
            Row(
                system,
                f"{_attack(first)}, {first.extractor}",
                _with_limits(draws, "percent"),
                METRICS[band].text(_number(draws, "null95_percent").value),
                _with_limits(draws, "gain_percent"),
                (DASH, "") if unprotected else _with_limits(draws, "left_percent"),
            )
        )
    return rows


def _attack(line):
    words = INFORMED if TRAINED_ON in line.extractor else ATTACKS
    return f"{words[line.condition]} ({line.condition.upper()})"


def _number(draws, ending):
    """A number of one release, as it is shown."""
    numbers = []
    for line in draws:
        value, *limits = (getattr(line, name) for name in OF_ATTRIBUTES[ending])
        numbers.append(shown(value, limits_of(*limits) if limits else None))
    return one_release(numbers, f"inferred_{draws[0].attribute}_{ending}")


def _with_limits(draws, ending):
    """A number, and what stands behind it."""
    form = METRICS[f"inferred_{draws[0].attribute}_{ending}"].text
    number = _number(draws, ending)
    text = form(number.value)
    return text, number.text(form).removeprefix(text).strip()


def _note(lines):
    reasons = dict.fromkeys(line.reason for line in lines if line.reason != ABSENT)
    sizes = f"{lines[0].n_speakers} speakers ({lines[0].classes})"
    return "; ".join([sizes, *reasons])
