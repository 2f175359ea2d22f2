"""Metrics of what the speech is still good for, as the rows of the kinds of measures have them."""

from voiceprivacy.catalogue.metric import Metric
from voiceprivacy.kinds import MeasuredMetric, MeasureKind, measure_kinds

OWN = ""  # the group of somebody's own measures
# By which measure one chooses, if there are several: whether words are understood comes first.
PREFERRED = ("words", OWN, "quality", "pitch", "emotion", "voice", "speed")


def _preference(kind: MeasureKind) -> tuple[int, int]:
    return PREFERRED.index(kind.group), kind.order_in_group


def _row(metric: MeasuredMetric, kind: MeasureKind) -> Metric:
    own = metric._asdict() | {"better": metric.better or kind.better or "neither"}
    return Metric(**own, family="utility", conditions=(), of_privacy=False, group=kind.group)


UTILITY: list[Metric] = []
for _kind in sorted(measure_kinds().values(), key=_preference):
    UTILITY += [_row(metric, _kind) for metric in _kind.metrics]
