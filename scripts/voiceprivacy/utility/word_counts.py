"""Word errors of one utterance, as the measures have them whose name begins their metrics."""

from collections.abc import Sequence

import jiwer

from voiceprivacy.utility.measures import Measured
from voiceprivacy.vocabulary import UNDEFINED

METRICS = ("wer_percent", "insertions_percent", "deletions_percent", "substitutions_percent")


def counted_words(
    measure: str, utterance: str, reference: Sequence[str], hypothesis: Sequence[str]
) -> list[Measured]:
    """Word errors of an utterance in percent of its words, one at least, and their number."""
    errors = jiwer.process_words(" ".join(reference), " ".join(hypothesis))
    counts = (errors.insertions, errors.deletions, errors.substitutions)
    percent = [100 * count / len(reference) for count in (sum(counts), *counts)]
    return _measured(measure, utterance, [*percent, float(len(reference))])


def undefined_words(measure: str, utterance: str) -> list[Measured]:
    """The same of an utterance without words to compare with."""
    return _measured(measure, utterance, [UNDEFINED] * (len(METRICS) + 1))


def _measured(measure, utterance, values):
    names = [f"{measure}_{name}" for name in (*METRICS, "words")]
    return [Measured(utterance, name, value) for name, value in zip(names, values, strict=True)]
