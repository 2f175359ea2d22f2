"""Curves over the amount of speech that an attack has: what charts and pictures draw of them."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from voiceprivacy.inout.tables import number, read_rows, whole_number
from voiceprivacy.report.curves import seconds_text
from voiceprivacy.report.uncertainty import Shown, shown
from voiceprivacy.report.verdict_words import COLUMNS, Column
from voiceprivacy.vocabulary import ABSENT, ALL_UTTERANCES, AMOUNT_NUMBERS, AmountPoint

System = tuple[str, str]  # (anonymiser, condition)
Amount = int | str
GUESSING = dict(zip(AMOUNT_NUMBERS, (50.0, 0.0, 1.0, 5.0), strict=True))
SIDES = {
    "enrolment": "utterances that enrol",
    "trial": "utterances tried together",
}


def read_amounts(path: str | Path) -> list[AmountPoint]:
    """Read the points of one attacker on one list; empty where no speaker has enough speech."""
    points = []
    for line, row in read_rows(path, list(AmountPoint._fields)):
        limits: dict[str, float | str] = {
            side: ABSENT if row[side] == ABSENT else number(row[side], path, line)
            for side in ("ci_low", "ci_high")
        }
        points.append(
            AmountPoint(
                row["anonymiser"],
                row["condition"],
                _amount(row["enrolment"], path, line),
                whole_number(row["trial"], path, line),
                number(row["enrolment_s"], path, line),
                number(row["trial_s"], path, line),
                row["metric"],
                number(row["value"], path, line),
                limits["ci_low"],
                limits["ci_high"],
                whole_number(row["n_speakers"], path, line),
                whole_number(row["n_target"], path, line),
            )
        )
    return points


def _amount(text, path, line):
    return text if text == ALL_UTTERANCES else whole_number(text, path, line)


def over(side: str, points: Iterable[AmountPoint], metric: str) -> dict[System, list[AmountPoint]]:
    """The curve of each system over the amount on one side of the trials.

    The other side has what the run itself has, or comes closest to it: trials of the fewest
    utterances, enrolments of the most.

    Parameters
    ----------
    side : enrolment or trial
    points : of one attacker on one list
    metric : one of AMOUNT_NUMBERS
    """
    of_metric = [point for point in points if point.metric == metric]
    if side == "enrolment":
        fewest = min((point.trial for point in of_metric), default=0)
        kept = [point for point in of_metric if point.trial == fewest]
    else:
        most = max((_order(point.enrolment) for point in of_metric), default=0)
        kept = [point for point in of_metric if _order(point.enrolment) == most]
    curves: dict[System, list[AmountPoint]] = {}
    for point in kept:
        curves.setdefault((point.anonymiser, point.condition), []).append(point)
    for curve in curves.values():
        curve.sort(key=lambda point: _order(getattr(point, side)))
    return curves


def amounts_of(side: str, curves: Mapping[System, Sequence[AmountPoint]]) -> list[Amount]:
    """The amounts on a side that any of some curves has, in order; all comes last."""
    amounts: set[Amount] = set()
    for curve in curves.values():
        amounts |= {getattr(point, side) for point in curve}
    return sorted(amounts, key=_order)


def ticks_of(side: str, curves: Mapping[System, Sequence[AmountPoint]], newline: str) -> list[str]:
    """What stands at the amounts on a side: utterances, and how long they last on average."""
    seconds: dict[Amount, float] = {}
    for curve in curves.values():
        seconds |= {getattr(point, side): getattr(point, f"{side}_s") for point in curve}
    amounts = amounts_of(side, curves)
    return [f"{amount}{newline}{seconds_text(seconds[amount])}" for amount in amounts]


def _order(amount: Amount) -> float:
    return float("inf") if amount == ALL_UTTERANCES else float(amount)


def column(metric: str) -> Column:
    """How a number is called, its unit and its range."""
    return {one.name: one for one in COLUMNS}[metric]


def shown_point(point: AmountPoint) -> Shown:
    """The number of a point, as it is shown."""
    has_none = isinstance(point.ci_low, str)
    return shown(point.value, None if has_none else (float(point.ci_low), float(point.ci_high)))
