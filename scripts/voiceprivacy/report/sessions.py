"""What two runs of an anonymiser tell: are two sessions of a speaker linkable, and does calibration carry over?"""

from typing import NamedTuple

from voiceprivacy.report.columns import DASH, MINUS, short
from voiceprivacy.report.uncertainty import metric_limits
from voiceprivacy.vocabulary import UNDEFINED

LINKABILITY = {  # metric of p0p1 -> title and text
    "eer_percent": ("EER [%]", "{:.1f}".format),
    "cllr_min_bit": ("min Cllr [bit]", "{:.2f}".format),
    "linkability": ("linkability", "{:.2f}".format),
    "dece_bit": ("D_ECE [bit]", short),
    "worst_case_log10": ("worst case [log10]", "{:.2f}".format),
    "tag": ("tag", str),
}
CALIBRATION = {
    "cece_linear_bit": ("C_ECE linear [bit]", short),
    "cece_isotonic_bit": ("C_ECE isotonic [bit]", short),
}
TITLES = [title for title, _ in (*LINKABILITY.values(), *CALIBRATION.values())]


class Sessions(NamedTuple):
    """One anonymiser with two runs under one attacker: its numbers as text, in the order of TITLES."""

    corpus: str
    trials: str
    attacker: str
    anonymiser: str
    cells: list


def sessions(metrics):
    """The anonymisers of a list of Metric that have two runs, as a sorted list of Sessions."""
    found = {}
    for metric in metrics:
        place = (
            metric.corpus,
            metric.trials,
            f"{metric.extractor} + {metric.backend}",
            metric.anonymiser,
        )
        found.setdefault(place, {})[metric.condition, metric.metric] = metric
    wanted = {("p0p1", name): text for name, (_, text) in LINKABILITY.items()}
    wanted |= {("op", name): text for name, (_, text) in CALIBRATION.items()}
    return [
        Sessions(*place, [_text(values.get(key), form) for key, form in wanted.items()])
        for place, values in sorted(found.items())
        if ("p0p1", "eer_percent") in values
    ]


def _text(metric, form):
    """A number with its interval."""
    if metric is None:
        return DASH
    if form is str or metric.value == UNDEFINED:
        return metric.value
    value, limits = form(float(metric.value)), metric_limits(metric)
    return (value + (f" [{', '.join(map(form, limits))}]" if limits else "")).replace("-", MINUS)
