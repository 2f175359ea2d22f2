"""How a speaker puts things: relative frequencies of function words and of other habits in a transcript.

Conventions
-----------
* Words are what is left of a transcript in lower case when it is split at everything but letters and apostrophes.
* A feature is an array of shares of the utterance's words, one for each entry of the dictionary, and after them
  disfluencies, sentence statistics and all other words. Its numbers are not negative, so that jensen_shannon compares
  it as well as cosine does.
* The dictionary is our own list of function words, or a user's in LIWC's .dic format: categories between two lines of
  %, then words with the numbers of their categories; a final * stands for any ending. (The LIWC-22 dictionary itself is
  not free.)

References
----------
Tausczik and Pennebaker, The psychological meaning of words, J. Language and Social Psychology 29, 2010.
Backstrom et al., Privacy disclosure of similarity rank in speech and language processing, 2025, section VI.
"""

import re
from typing import NamedTuple

import numpy as np

from voiceprivacy.arrays import Embeddings
from voiceprivacy.files import BadInput, read_lines
from voiceprivacy.tables import read_rows

TRANSCRIPTS = ["utterance", "text"]
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
DISFLUENCIES = frozenset({"uh", "um", "er", "erm", "ah", "eh", "hm", "hmm", "mm", "mhm", "uhm", "huh"})
FUNCTION_LIST = """
the a an and or but nor so yet if because although though while when where whether than as that which who whom whose
what how why this these those such it its he him his she her hers they them their theirs we us our ours i me my mine
you your yours one some any no none every each all both either neither many much few more most other another not
never always often there here then now very too just only also even still again about above across after against
along among around at before behind below between beyond by down during for from in into like near of off on onto
out over since through to toward under until up upon with within without be am is are was were been being have has
had do does did will would shall should can could may might must ought
"""
FUNCTION_WORDS = tuple(FUNCTION_LIST.split())


class Dictionary(NamedTuple):
    """Names of the entries (E,), and for every word or beginning of a word (ending in *) the entries it counts for."""

    entries: tuple
    words: dict


def function_words():
    """Our own Dictionary: every function word is an entry of its own."""
    return Dictionary(FUNCTION_WORDS, {word: (index,) for index, word in enumerate(FUNCTION_WORDS)})


def read_dictionary(path):
    """Read a Dictionary in LIWC's .dic format; conditions in brackets or angles are refused."""
    lines = [line.strip() for line in read_lines(path)]
    marks = [index for index, line in enumerate(lines) if line == "%"]
    if len(marks) != 2 or any(lines[: marks[0]]):
        raise BadInput(f"{path}: expected the categories between two lines of %")
    numbers, names = {}, []
    for number, line in enumerate(lines[marks[0] + 1 : marks[1]], start=marks[0] + 2):
        category, _, name = line.replace("\t", " ").partition(" ")
        if not line:
            continue
        if not category.isdigit() or category in numbers or not name.strip():
            raise BadInput(f"{path}:{number}: expected the number of a category and its name")
        numbers[category] = len(names)
        names.append(name.strip())
    words = {}
    for number, line in enumerate(lines[marks[1] + 1 :], start=marks[1] + 2):
        if line:
            word, categories = _word(line, numbers, f"{path}:{number}")
            words[word] = tuple(dict.fromkeys([*words.get(word, ()), *categories]))
    if not words:
        raise BadInput(f"{path}: lists no word")
    return Dictionary(tuple(names), words)


def names(dictionary):
    """What each number of a feature is."""
    return (*dictionary.entries, "disfluencies", "long words", "sentence ends", "new words", "other words")


def feature(text, dictionary):
    """Style of one transcript, array of ``names``: counts per word of the transcript."""
    words = [word.lower() for word in WORD.findall(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))]
    if not words:
        raise BadInput("its transcript has no words")
    counts = np.zeros(len(dictionary.entries))
    other = 0
    for word in words:
        entries = _entries(word, dictionary)
        counts[list(entries)] += 1
        other += not entries
    habits = [
        sum(word in DISFLUENCIES for word in words),
        sum(len(word) > 6 for word in words),
        len(re.findall(r"[.!?]+(?:\s|$)", text)),
        len(set(words)),
        other,
    ]
    return np.concatenate([counts, habits]) / len(words)


def read_transcripts(path):
    """Read what was said (TSV: utterance text): {utterance: text}."""
    return {row["utterance"]: row["text"] for _, row in read_rows(path, TRANSCRIPTS)}


def embed(utterances, transcripts, dictionary):
    """Style of every utterance (Embeddings, float32); one without a transcript is BadInput."""
    rows = []
    for utterance in utterances:
        name = f"utterance '{utterance.utterance}'"
        if utterance.utterance not in transcripts:
            raise BadInput(f"{name} has no transcript: style needs the text of whole utterances")
        try:
            rows.append(feature(transcripts[utterance.utterance], dictionary).astype(np.float32))
        except BadInput as error:
            raise BadInput(f"{name}: {error}") from None
    return Embeddings(np.array([utterance.utterance for utterance in utterances]), np.stack(rows))


def _word(line, numbers, place):
    word, *categories = line.lower().split()
    if "(" in line or "<" in line:
        raise BadInput(f"{place}: conditions on neighbouring words are not supported: '{line}'")
    unknown = [category for category in categories if category not in numbers]
    if unknown or not categories:
        raise BadInput(f"{place}: '{word}' has {f'the unknown category {unknown[0]}' if unknown else 'no category'}")
    return word, [numbers[category] for category in categories]


def _entries(word, dictionary):
    """Entries of a word: those of the word itself, else of its longest listed beginning."""
    if word in dictionary.words:
        return dictionary.words[word]
    beginnings = (f"{word[:length]}*" for length in range(len(word), 0, -1))
    return next((dictionary.words[of] for of in beginnings if of in dictionary.words), ())
