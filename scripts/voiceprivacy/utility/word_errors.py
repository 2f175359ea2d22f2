"""Word errors of what a recogniser heard, by the definitions of the VoicePrivacy Challenges.

Conventions
-----------
* A definition says how a text becomes tokens, and how many utterances are recognised at once.
  Padding changes single words, so batches of another size are another definition.
* vpc2024 (2024, and track 1 of 2026): the signs , ! ? . become spaces, letters become capitals, and
  words stand between blanks. Hyphens and apostrophes stay. Eight utterances at once, the longest
  first, padded with zeros. The challenge does so with references only. Its recogniser writes
  nothing but capitals, apostrophes and blanks, so doing it with both changes none of its numbers.
* vpc2026 (track 2): small letters; . , ! ? ; : and double quotation marks, brackets, ellipses and
  dashes are deleted, so that ``well-known`` is one word; apostrophes and digits stay. Of a text
  with a Han character, only Han characters count, each as a token. One utterance at a time.
* Errors are counted by SpeechBrain's edit distance, and pooled: all errors over all words.
* An empty hypothesis, or none, is as many deletions as the reference has words. An utterance whose
  reference has no words has no rate of its own; every word that is heard there is an insertion.
  Its value is 100 for each, which the statistic ``rate`` takes for that. (SpeechBrain's own rate
  of such an utterance is the same.) An utterance without a transcript is undefined.

References
----------
Ravanelli et al., SpeechBrain, 2021: ``ErrorRateStats``.
Result files and programs of the VoicePrivacy 2024 and 2026 Challenges.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

import voiceprivacy.models  # noqa: F401  # whoever imports it can import SpeechBrain
from voiceprivacy.utility.rows import Measured
from voiceprivacy.utility.word_counts import measured_errors, undefined_words

Tokens: TypeAlias = list[str]

HAN = re.compile("[\N{CJK UNIFIED IDEOGRAPH-4E00}-\N{CJK UNIFIED IDEOGRAPH-9FFF}]")
SPACED = re.compile("[,!?.]")
DELETED = re.compile(r"""[.,!?;:"“”«»()\[\]…—–-]""")  # noqa: RUF001


def tokens_of_2024(text: str) -> Tokens:
    """Words of a text, as the challenge of 2024 has them."""
    return SPACED.sub(" ", text).upper().split()


def tokens_of_2026(text: str) -> Tokens:
    """Words of a text, or its Han characters, as track 2 of the challenge of 2026 has them."""
    return HAN.findall(text) or DELETED.sub("", text.lower()).split()


class Definition(NamedTuple):
    """How texts become tokens, and how many utterances are recognised at once."""

    tokens: Callable[[str], Tokens]
    batch: int


DEFINITIONS = {
    "vpc2024": Definition(tokens_of_2024, batch=8),
    "vpc2026": Definition(tokens_of_2026, batch=1),
}


def word_errors(
    name: str,
    utterances: Iterable[str],
    *,
    transcripts: Mapping[str, str],
    heard: Mapping[str, str],
    definition: Definition,
) -> Iterator[Measured]:
    """Yield the rates and the number of words of every utterance.

    Parameters
    ----------
    name : str
        Of the measure: its metrics are NAME_percent, NAME_insertions_percent, NAME_words, ...
    utterances : list of ids
    transcripts, heard : {utterance: text}
        What was said, and what a recogniser heard: nothing, where an utterance is not in it.
    definition : Definition
    """
    for utterance in utterances:
        said = transcripts.get(utterance)
        if said is None:
            yield from undefined_words(name, utterance, rate="percent")
            continue
        reference = definition.tokens(said)
        counts = count_errors(reference, definition.tokens(heard.get(utterance, "")))
        yield from measured_errors(name, utterance, counts, len(reference), rate="percent")


def count_errors(reference: Tokens, hypothesis: Tokens) -> list[int]:
    """Numbers of insertions, deletions and substitutions."""
    from speechbrain.utils.edit_distance import count_ops, op_table  # seconds: when words are there

    errors = count_ops(op_table(reference, hypothesis))
    return [errors[kind] for kind in ("insertions", "deletions", "substitutions")]
