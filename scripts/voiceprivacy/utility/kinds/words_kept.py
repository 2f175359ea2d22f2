"""Words that Whisper hears, against what it hears in the original: of speech without transcripts.

Conventions are those of the measure whisper. The recogniser's own errors do not count, so the
original has none. What is not heard in the original is not missed either.
"""

from collections.abc import Iterator, Sequence

from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.utility.kinds import whisper
from voiceprivacy.utility.rows import Measured
from voiceprivacy.utility.word_counts import (
    counted_words,
    kinds_of_errors,
    rate_of_words,
    undefined_words,
)
from voiceprivacy.vocabulary import WORDS_KEPT

KIND = whisper.KIND._replace(
    described="against what it hears in the original",
    schema="{}",
    metrics=(
        rate_of_words(
            f"{WORDS_KEPT}_wer_percent",
            "words not kept",
            "Word errors of Whisper against what it hears in the original.",
        ),
        *kinds_of_errors(WORDS_KEPT, "words kept:"),
    ),
    order_in_group=2,
    weight=f"{WORDS_KEPT}_words",
    options=("model", "spoken", "normaliser"),
    seconds=(0.1, 2.4),
)

WHY_UNDEFINED = "nothing is heard in the original"


def measure(
    original: Sequence[Utterance], protected: Sequence[Utterance], **options: str
) -> Iterator[Measured]:
    """Yield the word errors of every protected utterance; options are those of WordsHeard."""
    from tqdm import tqdm

    listener = whisper.WordsHeard(**options)
    progress = tqdm(protected, unit="utterance", mininterval=1.0)
    for before, after in zip(original, progress, strict=True):
        reference = listener.heard(before)
        if reference:
            hypothesis = reference if after.path == before.path else listener.heard(after)
            yield from counted_words(WORDS_KEPT, after.utterance, reference, hypothesis)
        else:
            yield from undefined_words(WORDS_KEPT, after.utterance)
