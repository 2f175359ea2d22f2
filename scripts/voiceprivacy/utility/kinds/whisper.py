"""Words that Whisper hears, against transcripts.

Conventions
-----------
* The network is that of models.whisper: ``base``, or a folder.
* A normaliser makes words of both texts. ``whisper`` is OpenAI's: that for English (package
  whisper-normalizer, which spells out contractions and numbers) where English is spoken, else the
  basic one, of which each letter counts where words are written without spaces between them
  (appendix C). ``vpc2024`` and ``vpc2026`` are those of the challenges (utility.word_errors).
* Word errors are counted by jiwer and pooled over words. An utterance in which nothing is heard is
  all deletions. One without words to compare with is undefined.
* What was heard is not written anywhere.

References
----------
Radford et al., Robust speech recognition via large-scale weak supervision, ICML 2023, appendix C.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from voiceprivacy.inout.manifests import Utterance, read_transcripts
from voiceprivacy.kinds import MeasureKind
from voiceprivacy.utility.rows import Measured
from voiceprivacy.utility.word_counts import (
    counted_words,
    kinds_of_errors,
    rate_of_words,
    undefined_words,
)
from voiceprivacy.utility.word_errors import DEFINITIONS
from voiceprivacy.vocabulary import ENGLISH, WHISPER

# What it hears at most of each system, unless its entry says otherwise: it is slow.
MINUTES = 10
KIND = MeasureKind(
    described="the word errors of Whisper against transcripts",
    schema="""
        normaliser:
          description: What makes words of what whisper and words_kept hear.
          enum: [whisper, vpc2024, vpc2026]
    """,
    metrics=(
        rate_of_words(
            f"{WHISPER}_wer_percent",
            "word error rate, Whisper",
            "Word errors of Whisper, over all words of the transcripts.",
        ),
        *kinds_of_errors(WHISPER, "Whisper's"),
    ),
    env="neural",
    better="lower",
    group="words",
    order_in_group=1,
    weight=f"{WHISPER}_words",
    needs=("model",),
    fetched="whisper",
    is_pinned=True,
    sample_minutes=MINUTES,
    options=("model", "spoken", "normaliser", "transcripts"),
    seconds=(0.05, 1.2),
)

WHY_UNDEFINED = "no words in the transcripts"
NORMALISER = "whisper"
WITHOUT_SPACES = ("zh", "ja", "th", "lo", "my")  # languages: each letter counts as a word
BRACKETED = re.compile(r"[<\[][^>\]]*[>\]]|\([^)]+?\)")

Normaliser: TypeAlias = Callable[[str], list[str]]


def measure(
    original: Sequence[Utterance],
    protected: Sequence[Utterance],
    *,
    transcripts: str,
    **options: str,
) -> Iterator[Measured]:
    """Yield the word errors of every protected utterance.

    Parameters
    ----------
    transcripts : TSV: utterance text
    options : of WordsHeard
    """
    from tqdm import tqdm

    listener = WordsHeard(**options)
    said = read_transcripts(transcripts)
    for line in tqdm(protected, unit="utterance", mininterval=1.0):
        reference = listener.words_of(said.get(line.utterance, ""))
        if reference:
            yield from counted_words(WHISPER, line.utterance, reference, listener.heard(line))
        else:
            yield from undefined_words(WHISPER, line.utterance)


class WordsHeard:
    """What makes words of speech.

    Parameters
    ----------
    model : a name of models.pinned, or a folder
    spoken : the language, as ISO 639 has it
    normaliser : whisper, vpc2024 or vpc2026
    """

    def __init__(self, model: str, *, spoken: str = ENGLISH, normaliser: str = NORMALISER) -> None:
        from voiceprivacy.models.whisper import Whisper

        self.words_of = normaliser_of(normaliser, spoken)
        self.network = Whisper(model, language=spoken)

    def heard(self, utterance: Utterance) -> list[str]:
        """The words of an utterance."""
        from voiceprivacy.inout import audio

        return self.words_of(self.network.hear(*audio.read(utterance.path)).text)


def normaliser_of(name: str, language: str) -> Normaliser:
    """What makes words of a text, by its name and a language."""
    if name in DEFINITIONS:
        return DEFINITIONS[name].tokens
    if language in WITHOUT_SPACES:
        return lambda text: list("".join(basic_words(text)))
    if language != ENGLISH:
        return basic_words
    from voiceprivacy.models.whisper import library

    english = library("whisper_normalizer.english", "whisper").EnglishTextNormalizer()
    return lambda text: english(text).split()


def basic_words(text: str) -> list[str]:
    """Words of any language, as Whisper's basic normaliser has them: without brackets and signs."""
    text = unicodedata.normalize("NFKC", BRACKETED.sub("", text.lower()))
    letters = [" " if unicodedata.category(letter)[0] in "MSP" else letter for letter in text]
    return "".join(letters).split()
