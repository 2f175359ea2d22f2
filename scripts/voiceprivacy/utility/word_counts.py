"""Word errors of one utterance, as the measures have them whose name begins their metrics."""

from collections.abc import Sequence

from voiceprivacy.utility.rows import Measured
from voiceprivacy.vocabulary import UNDEFINED

RATE = "wer_percent"  # of all errors
METRICS = (RATE, "insertions_percent", "deletions_percent", "substitutions_percent", "words")


def counted_words(
    measure: str, utterance: str, reference: Sequence[str], hypothesis: Sequence[str]
) -> list[Measured]:
    """Word errors of an utterance, of which there are words to compare with, as jiwer has them."""
    import jiwer  # here: an environment of one's own for a network that listens may lack it

    errors = jiwer.process_words(" ".join(reference), " ".join(hypothesis))
    counts = (errors.insertions, errors.deletions, errors.substitutions)
    return measured_errors(measure, utterance, counts, len(reference))


def measured_errors(
    measure: str, utterance: str, counts: Sequence[int], n_words: int, *, rate: str = RATE
) -> list[Measured]:
    """Insertions, deletions and substitutions in percent of the words, one at least."""
    percent = [100 * count / max(1, n_words) for count in (sum(counts), *counts)]
    return _measured(measure, utterance, [*percent, float(n_words)], rate)


def undefined_words(measure: str, utterance: str, *, rate: str = RATE) -> list[Measured]:
    """The same of an utterance without words to compare with."""
    return _measured(measure, utterance, [UNDEFINED] * len(METRICS), rate)


def _measured(measure, utterance, values, rate):
    names = [f"{measure}_{name}" for name in (rate, *METRICS[1:])]
    return [Measured(utterance, name, value) for name, value in zip(names, values, strict=True)]
