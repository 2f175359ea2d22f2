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
* Conditions of LIWC 2001 and 2007: ``like (02 134)125/464`` counts for 125 after a word of category 2 or 134, else for
  464; ``kind <of>131/125`` for 131 before the word of, else for 125; without a slash else for nothing. Categories of
  the word before are those it counts for itself. Phrases and conditions of other kinds are refused.

References
----------
Tausczik and Pennebaker, The psychological meaning of words, J. Language and Social Psychology 29, 2010.
Pennebaker, Francis and Booth, LIWC2001, 2001; Pennebaker, Booth and Francis, LIWC2007, operator's manual, 2007
(conditional categories).
Backstrom et al., Privacy disclosure of similarity rank in speech and language processing, 2025, section VI.
"""

import re
from typing import NamedTuple

import numpy as np

from voiceprivacy.inout.arrays import Embeddings
from voiceprivacy.inout.files import BadInput, read_lines
from voiceprivacy.inout.tables import read_rows

TRANSCRIPTS = ["utterance", "text"]
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
CATEGORY = re.compile(
    r"(?<!\S)(?:\((?P<after>\d+(?: +\d+)*)\) *|<(?P<before>[^<>\s]+)> *)?(?P<entry>\d+)(?(after)|(?(before)|(?!/)))"
    r"(?:/(?P<otherwise>\d+))?(?!\S)"
)
WORD_OR_BEGINNING = re.compile(r"[^\s()<>]+")
DISFLUENCIES = frozenset(
    {"uh", "um", "er", "erm", "ah", "eh", "hm", "hmm", "mm", "mhm", "uhm", "huh"}
)
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
    """Names of the entries (E,), and for every word or beginning of a word (ending in *) its Rules."""

    entries: tuple
    words: dict


class Rule(NamedTuple):
    """The entry that a word counts for where its neighbours are as wanted, and the one where they are not.

    ``after`` are entries of which the word before has one, ``before`` is the next word; both empty: always. An entry is
    its index, None is none.
    """

    entry: int
    otherwise: int | None = None
    after: frozenset = frozenset()
    before: str = ""


def function_words():
    """Our own Dictionary: every function word is an entry of its own."""
    return Dictionary(
        FUNCTION_WORDS, {word: (Rule(index),) for index, word in enumerate(FUNCTION_WORDS)}
    )


def read_dictionary(path):
    """Read a Dictionary in LIWC's .dic format."""
    lines = [line.strip() for line in read_lines(path)]
    marks = [index for index, line in enumerate(lines) if line == "%"]
    if len(marks) != 2 or any(lines[: marks[0]]):
        raise BadInput(f"{path}: expected the categories between two lines of %")
    numbers, names = {}, []
    for number, line in enumerate(lines[marks[0] + 1 : marks[1]], start=marks[0] + 2):
        category, _, name = line.replace("\t", " ").partition(" ")
        if not line:
            continue
        if not category.isdigit() or int(category) in numbers or not name.strip():
            raise BadInput(f"{path}:{number}: expected the number of a category and its name")
        numbers[int(category)] = len(names)
        names.append(name.strip())
    words = {}
    for number, line in enumerate(lines[marks[1] + 1 :], start=marks[1] + 2):
        if line:
            word, rules = _word(line.lower(), numbers, f"{path}:{number}")
            words[word] = tuple(dict.fromkeys([*words.get(word, ()), *rules]))
    if not words:
        raise BadInput(f"{path}: lists no word")
    return Dictionary(tuple(names), words)


def names(dictionary):
    """What each number of a feature is."""
    return (
        *dictionary.entries,
        "disfluencies",
        "long words",
        "sentence ends",
        "new words",
        "other words",
    )


def feature(text, dictionary):
    """Style of one transcript, array of ``names``: counts per word of the transcript."""
    words = [
        word.lower() for word in WORD.findall(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
    ]
    if not words:
        raise BadInput("its transcript has no words")
    counts = np.zeros(len(dictionary.entries))
    other, entries = 0, set()
    for word, following in zip(words, [*words[1:], ""], strict=True):
        entries = _entries(_rules(word, dictionary), preceding=entries, following=following)
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
    """A line of a dictionary: the word and its Rules."""
    word, _, rest = line.replace("\t", " ").partition(" ")
    if not rest.strip():
        raise BadInput(f"{place}: '{word}' has no category")
    found = list(CATEGORY.finditer(rest))
    if not WORD_OR_BEGINNING.fullmatch(word) or CATEGORY.sub("", rest).strip():
        raise BadInput(
            f"{place}: not read: '{line}' (expected a word, or its beginning and *, and numbers of categories, perhaps "
            "with conditions as in '(02 134)125/464' and '<of>131/125'; phrases are not supported)"
        )
    return word, [_rule(match, numbers, f"{place}: '{word}'") for match in found]


def _rule(match, numbers, place):
    def index(category):
        if int(category) not in numbers:
            raise BadInput(f"{place} has the unknown category {category}")
        return numbers[int(category)]

    after = frozenset(index(category) for category in (match["after"] or "").split())
    otherwise = index(match["otherwise"]) if match["otherwise"] else None
    return Rule(index(match["entry"]), otherwise, after, match["before"] or "")


def _rules(word, dictionary):
    """Rules of a word: those of the word itself, else of its longest listed beginning."""
    if word in dictionary.words:
        return dictionary.words[word]
    beginnings = (f"{word[:length]}*" for length in range(len(word), 0, -1))
    return next((dictionary.words[of] for of in beginnings if of in dictionary.words), ())


def _entries(rules, *, preceding, following):
    """Entries that a word counts for between a word of these entries and the following word: set."""
    met = [
        (not rule.after or bool(rule.after & preceding))
        and (not rule.before or rule.before == following)
        for rule in rules
    ]
    chosen = {
        rule.entry if is_met else rule.otherwise for rule, is_met in zip(rules, met, strict=True)
    }
    return chosen - {None}
