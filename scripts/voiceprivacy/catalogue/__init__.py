"""The catalogue of metrics: one row for each number that metrics.tsv can hold.

Everything that is known of a metric is here, or in the row of its kind of measure. Intervals,
comparisons of pairs, the page, the terminal and the tables for papers read it. To add a metric,
write the function that measures it, a row here, a test, and its line on a page of docs/metrics.
"""

from collections.abc import Mapping
from typing import Any

from voiceprivacy.catalogue.embeddings import INFERENCE, RANKS, SIMILARITY
from voiceprivacy.catalogue.metric import Metric
from voiceprivacy.catalogue.scores import CALIBRATION, NORMALISED, VERIFICATION, ZEBRA
from voiceprivacy.catalogue.utility import OWN, PREFERRED, UTILITY

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        *VERIFICATION,
        *ZEBRA,
        *CALIBRATION,
        *NORMALISED,
        *SIMILARITY,
        *RANKS,
        *INFERENCE,
        *UTILITY,
    )
}
COLUMNS = tuple(metric for metric in METRICS.values() if metric.column)
EER = METRICS["eer_percent"]
EERS = (EER.name, "eer_speechbrain_percent")  # as the challenges publish it: Kaldi's, SpeechBrain's
MORE_IS_BETTER = {
    metric.name: metric.better == "higher" for metric in METRICS.values() if metric.compared
}


def row_of(name: str) -> Metric:
    """The row of a metric; of somebody's own measure one that knows its name alone."""
    own = Metric(name, name, "", "utility", "", digits=2, group=OWN, headline=True)
    return METRICS.get(name, own)


def shown_once(numbers: Mapping[str, Any]) -> list[str]:
    """The metrics that a table of these {metric: value} shows: not what another one says."""
    twins = {name: row_of(name).twin for name in numbers}
    return [name for name, twin in twins.items() if not _agree(numbers, name, twin)]


def _agree(numbers, name, twin):
    return twin in numbers and str(numbers[twin]) == str(numbers[name])


def utility_group(metric: str) -> str:
    """What it is about, one of PREFERRED; OWN for a measure of one's own."""
    return row_of(metric).group


def utility_preference(metric: str) -> tuple[int, int, str]:
    """Measures of utility are sorted by it: the first is the one by which one chooses."""
    in_catalogue = list(METRICS).index(metric) if metric in METRICS else 0
    return PREFERRED.index(utility_group(metric)), in_catalogue, metric


def is_headline(metric: str) -> bool:
    """Whether one chooses by a measure: by all of one's own, and by the main ones of ours."""
    return row_of(metric).headline
