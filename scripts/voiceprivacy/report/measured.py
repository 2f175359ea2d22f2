"""Lines of metrics.tsv that do not come from a list: utility of speech, attributes of speakers.

Where nothing was compared, extractor, back-end, condition or trials are - in metrics.tsv.
"""

import itertools
from collections.abc import Iterable
from typing import NamedTuple

from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.typed_tables import Numeral, read_typed
from voiceprivacy.privacy.rows import Inferred
from voiceprivacy.report.metrics import Number
from voiceprivacy.vocabulary import ABSENT, UNDEFINED

# Numbers of an attribute of speakers: {ending of the metric: (value, limits)}.
OF_ATTRIBUTES = {
    "percent": ("recall_percent", "recall_low", "recall_high"),
    "null95_percent": ("null95_percent",),
    "gain_percent": ("gain_percent", "gain_low", "gain_high"),
    "left_percent": ("left_percent", "left_low", "left_high"),
}


class Utility(NamedTuple):
    """One line of metrics/utility/CORPUS.tsv; numbers as text in full precision."""

    corpus: str
    trials: str
    anonymiser: str
    measure: str
    metric: str
    value: Numeral
    ci_low: Numeral
    ci_high: Numeral
    n_utterances: int | str
    n_undefined: int | str
    n_speakers: int | str
    better: str

    @property
    def metric_line(self) -> Number:
        """The same number as a line of metrics.tsv."""
        attacked = (self.corpus, self.trials, self.anonymiser, ABSENT, ABSENT, ABSENT)
        return Number(*attacked, self.metric, self.value, self.ci_low, self.ci_high)


def read_utility(paths: Iterable[FilePath]) -> list[Utility]:
    """Read the tables of assess_utility."""
    return list(itertools.chain.from_iterable(read_typed(Utility, path) for path in paths))


def read_inferred(paths: Iterable[FilePath]) -> list[Inferred]:
    """Read what assess_inference wrote; all of them."""
    return list(itertools.chain.from_iterable(read_typed(Inferred, path) for path in paths))


def metric_lines(inferred: Iterable[Inferred]) -> list[Number]:
    """The same numbers as lines of metrics.tsv."""
    numbers = []
    for line in inferred:
        for ending, names in OF_ATTRIBUTES.items():
            if ending == "left_percent" and line.condition == "oo":
                continue  # all of it, by definition
            if line.recall_percent == UNDEFINED and ending != "percent":
                continue  # once is enough
            texts = (getattr(line, name) for name in names)
            value, *limits = (ABSENT if text is None else str(text) for text in texts)
            metric = f"inferred_{line.attribute}_{ending}"
            key = (line.corpus, ABSENT, line.anonymiser, line.extractor, ABSENT, line.condition)
            numbers.append(Number(*key, metric, value, *(limits or (ABSENT, ABSENT))))
    return numbers
