"""Word errors of one utterance, as the measures have them whose name begins their metrics."""

from collections.abc import Sequence

from voiceprivacy.kinds import MeasuredMetric
from voiceprivacy.utility.rows import Measured
from voiceprivacy.vocabulary import UNDEFINED

RATE = "wer_percent"  # of all errors
METRICS = (RATE, "insertions_percent", "deletions_percent", "substitutions_percent", "words")

WORD_ERRORS = {  # kinds of them
    "insertions": "Words that a recogniser adds, in percent of those that were said.",
    "deletions": "Words that a recogniser leaves out, in percent of those that were said.",
    "substitutions": "Words that a recogniser takes for others, in percent of those said.",
}


def rate_of_words(name: str, title: str, meaning: str, *, headline: bool = True) -> MeasuredMetric:
    """The row of a rate of word errors."""
    return MeasuredMetric(name, title, "%", meaning, low=0, digits=1, headline=headline)


def kinds_of_errors(name: str, title: str) -> list[MeasuredMetric]:
    """The rows of the kinds of a recogniser's errors, and of what they are percents of."""
    rows = [
        rate_of_words(f"{name}_{kind}_percent", f"{title} {kind}", meaning, headline=False)
        for kind, meaning in WORD_ERRORS.items()
    ]
    meaning = "Words of a transcript: mean over the utterances."
    words = MeasuredMetric(
        f"{name}_words", f"{title} words", "", meaning, better="neither", low=0, digits=1
    )
    return [*rows, words]


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
