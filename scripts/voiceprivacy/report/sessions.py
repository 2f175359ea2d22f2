"""What two runs of an anonymiser tell: are two sessions of a speaker linkable, and does calibration carry over?"""

from typing import NamedTuple

from voiceprivacy.catalogue import METRICS
from voiceprivacy.report.uncertainty import metric_limits
from voiceprivacy.report.words import short
from voiceprivacy.vocabulary import DASH, MINUS, UNDEFINED

SHOWN = [  # (condition, metric) of each column
    ("p0p1", METRICS["eer_percent"]),
    ("p0p1", METRICS["cllr_min_bit"]),
    ("p0p1", METRICS["linkability"]),
    ("p0p1", METRICS["dece_bit"]),
    ("p0p1", METRICS["worst_case_log10"]),
    ("p0p1", METRICS["tag"]),
    ("op", METRICS["cece_linear_bit"]),
    ("op", METRICS["cece_isotonic_bit"]),
]
TITLES = [metric.label for _, metric in SHOWN]


class Sessions(NamedTuple):
    """One anonymiser with two runs under one attacker: its numbers as text, in the order of TITLES."""

    corpus: str
    trials: str
    attacker: str
    anonymiser: str
    cells: list


def sessions(metrics):
    """The anonymisers of a list of Number that have two runs, as a sorted list of Sessions."""
    found = {}
    for metric in metrics:
        place = (
            metric.corpus,
            metric.trials,
            f"{metric.extractor} + {metric.backend}",
            metric.anonymiser,
        )
        found.setdefault(place, {})[metric.condition, metric.metric] = metric
    return [
        Sessions(
            *place,
            [_text(values.get((condition, shown.name)), shown) for condition, shown in SHOWN],
        )
        for place, values in sorted(found.items())
        if ("p0p1", "eer_percent") in values
    ]


def _text(metric, shown):
    """A number with its interval."""
    if metric is None:
        return DASH
    if shown.name == "tag" or metric.value == UNDEFINED:
        return metric.value
    limits = metric_limits(metric)
    interval = f" [{', '.join(_rounded(limit, shown) for limit in limits)}]" if limits else ""
    return (_rounded(float(metric.value), shown) + interval).replace("-", MINUS)


def _rounded(value, shown):
    return short(value) if shown.digits == 3 else f"{value:.{shown.digits}f}"
