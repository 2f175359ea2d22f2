"""Word errors of each speaker: how many words were said, and what a recogniser made of them.

Conventions
-----------
* A measure of words is one whose weight is called NAME_words, and which has the percentages
  NAME_insertions_percent, NAME_deletions_percent and NAME_substitutions_percent of each utterance.
  The closed-text measure and the definitions of the challenges are such measures.
* Percentages are of the words of an utterance. Where nobody speaks they are 100 for each word that
  is heard (voiceprivacy.utility.statistics, rate). So the numbers of errors come back exactly.
* A speaker's rate is all errors over all words. It is undefined where none was said.
* Undefined utterances, such as those without a transcript, are left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.utility.measures import drawn, read_measured
from voiceprivacy.utility.rows import SpeakerWords
from voiceprivacy.utility.summary import source_of
from voiceprivacy.vocabulary import UNDEFINED

KINDS = ("substitutions", "insertions", "deletions")
WORDS = "_words"


def word_errors_of_speakers(
    paths: Iterable[FilePath],
    utterances: Sequence[Utterance],
    *,
    options: Mapping[str, Mapping[str, Any]],
    seed: int,
) -> list[SpeakerWords]:
    """Count the word errors of every speaker by each measure of words of each anonymiser.

    Parameters
    ----------
    paths : list of path
        Tables CORPUS/PART/ANONYMISER/NAME.tsv of all measures of a corpus.
    utterances : list of Utterance
        The original's.
    options : {measure: {weight, utterances, sample, minutes}}
        As ``summarise`` has them.
    seed : int
        Draws the utterances that were measured.

    Returns
    -------
    list of SpeakerWords, sorted
    """
    counted: list[SpeakerWords] = []
    for path in map(Path, paths):
        source = source_of(path)
        said = options.get(source.measure, {})
        weight = said.get("weight") or ""
        if not weight.endswith(WORDS):
            continue
        heard = drawn(utterances, said, seed=seed)
        values: dict[str, dict[str, float | str]] = {}
        for line in read_measured(path, [utterance.utterance for utterance in heard]):
            values.setdefault(line.metric, {})[line.utterance] = line.value
        name = weight.removesuffix(WORDS)
        metrics = [weight, *(f"{name}_{kind}_percent" for kind in KINDS)]
        if not values.keys() >= set(metrics):
            continue
        speakers: dict[str, list[list[float | str]]] = {}
        for utterance in heard:
            row = [values[metric][utterance.utterance] for metric in metrics]
            speakers.setdefault(utterance.speaker, []).append(row)
        for speaker, rows in speakers.items():
            numbers = _counted(rows)
            counted.append(SpeakerWords(source.anonymiser, source.measure, speaker, *numbers))
    return sorted(counted)


def _counted(rows: Iterable[list[float | str]]) -> tuple[int, int, int, int, int, float | str]:
    """Utterances, words, errors of the three kinds, and the rate in percent.

    ``rows`` have the words of an utterance, and its errors of each kind in percent.
    """
    n_utterances = n_words = 0
    errors = [0] * len(KINDS)
    for row in rows:
        if UNDEFINED in row:
            continue
        n_said, *percents = map(float, row)
        n_utterances += 1
        n_words += round(n_said)
        for kind, percent in enumerate(percents):
            errors[kind] += round(percent / 100 * max(1, n_said))
    rate: float | str = 100 * sum(errors) / n_words if n_words else UNDEFINED
    substitutions, insertions, deletions = errors
    return n_utterances, n_words, substitutions, insertions, deletions, rate
