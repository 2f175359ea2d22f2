"""How a speaker puts things: relative frequencies of function words and of other habits.

Conventions
-----------
* Words are what is left of a transcript in lower case when it is split at everything but letters
  and apostrophes.
* A feature is an array of shares of the utterance's words: one for each category of the
  dictionary, and after them disfluencies, sentence statistics and all other words. Its numbers are
  not negative, so that jensen_shannon compares it as well as cosine does.
* The dictionary is our own list of function words, or a user's in LIWC's .dic format: categories
  between two lines of %, then words with the numbers of their categories; a final * stands for any
  ending. (The LIWC-22 dictionary itself is not free.)
* Conditions of LIWC 2001 and 2007: ``like (02 134)125/464`` counts for 125 after a word of category
  2 or 134, else for 464. ``kind <of>131/125`` counts for 131 before the word of, else for 125.
  Without a slash the word else counts for nothing. Categories of the word before are those that it
  counts for itself. Phrases and conditions of other kinds are refused.

References
----------
Tausczik and Pennebaker, The psychological meaning of words, J. Language and Social Psychology 29,
2010.
Pennebaker, Francis and Booth, LIWC2001, 2001; Pennebaker, Booth and Francis, LIWC2007, operator's
manual, 2007 (conditional categories).
Backstrom et al., Privacy disclosure of similarity rank in speech and language processing, 2025,
section VI.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from voiceprivacy.attack import Floats
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import Embeddings
from voiceprivacy.inout.files import read_lines
from voiceprivacy.inout.manifests import Utterance

LETTERS = r"[^\W\d_]"
# One category of a word in a .dic file, with its condition: (02 134)125/464 or <of>131/125.
NUMBER = "[0-9]{1,9}"
CATEGORY = re.compile(
    rf"""(?<!\S)
    (?:\( (?P<after>{NUMBER}(?:[ ]+{NUMBER})*) \)[ ]* | <(?P<before>[^<>\s]+)>[ ]*)?
    (?P<category>{NUMBER})
    (?(after) | (?(before) | (?!/)))  # only a condition has something after a slash
    (?:/ (?P<otherwise>{NUMBER}))?
    (?!\S)""",
    re.VERBOSE,
)
WORD_OR_BEGINNING = re.compile(r"[^\s()<>]+")
DISFLUENCIES = frozenset(
    {"uh", "um", "er", "erm", "ah", "eh", "hm", "hmm", "mm", "mhm", "uhm", "huh"}
)
LONG_WORD = 6  # letters: LIWC's "Sixltr" are words of more
FUNCTION_LIST = """
the a an and or but nor so yet if because although though while when where whether than as that
which who whom whose what how why this these those such it its he him his she her hers they them
their theirs we us our ours i me my mine you your yours one some any no none every each all both
either neither many much few more most other another not never always often there here then now
very too just only also even still again about above across after against along among around at
before behind below between beyond by down during for from in into like near of off on onto out
over since through to toward under until up upon with within without be am is are was were been
being have has had do does did will would shall should can could may might must ought
"""
FUNCTION_WORDS = tuple(FUNCTION_LIST.split())
HABITS = ("disfluencies", "long words", "sentence ends", "new words", "other words")


def words_in(text: str) -> list[str]:
    """Words of a text: letters with the marks that belong to them, and apostrophes between.

    >>> words_in("I can't, 2 times"), words_in("cafe\N{COMBINING ACUTE ACCENT}") == ["caf\xe9"]
    (['I', "can't", 'times'], True)
    """
    text = unicodedata.normalize("NFC", text)
    # Vowels of scripts such as Devanagari are marks: to a regular expression no letters.
    marks = {sign for sign in text if unicodedata.category(sign).startswith("M")}
    letters = f"(?:{LETTERS}|[{re.escape(''.join(sorted(marks)))}])" if marks else LETTERS
    return re.findall(rf"{LETTERS}{letters}*(?:'{letters}+)*", text)


class Rule(NamedTuple):
    """The category that a word counts for among its neighbours, by its index.

    Attributes
    ----------
    category : int
        Where the neighbours are as wanted.
    otherwise : int or None
        Where they are not; None is no category.
    after : set of int
        Categories of which the word before must have one; empty: any word.
    before : str
        The next word; empty: any word.
    """

    category: int
    otherwise: int | None = None
    after: frozenset[int] = frozenset()
    before: str = ""

    def counted(self, *, preceding: set[int], following: str) -> int | None:
        """The category after a word of the categories ``preceding`` and before ``following``."""
        is_after = not self.after or bool(self.after & preceding)
        is_before = not self.before or self.before == following
        return self.category if is_after and is_before else self.otherwise


class Dictionary(NamedTuple):
    """Names of the categories (C,), and the Rules of each word or beginning of a word with a *."""

    categories: tuple[str, ...]
    words: dict[str, tuple[Rule, ...]]

    def rules(self, word: str) -> tuple[Rule, ...]:
        """Rules of a word: those of the word itself, else of its longest listed beginning."""
        if word in self.words:
            return self.words[word]
        for length in range(len(word), 0, -1):  # the longest first
            beginning = f"{word[:length]}*"
            if beginning in self.words:
                return self.words[beginning]
        return ()


def function_words() -> Dictionary:
    """Our own Dictionary: every function word is a category of its own."""
    words: dict[str, tuple[Rule, ...]] = {}
    for index, word in enumerate(FUNCTION_WORDS):
        words[word] = (Rule(index),)
    return Dictionary(FUNCTION_WORDS, words)


def read_dictionary(path: Path | str) -> Dictionary:
    """Read a Dictionary in LIWC's .dic format; BadInput names the line that is not."""
    lines = [line.strip() for line in read_lines(path)]
    marks = [index for index, line in enumerate(lines) if line == "%"]
    # Nothing but empty lines may stand above the first mark.
    if len(marks) != 2 or any(lines[: marks[0]]):
        raise BadInput(f"{path}: expected the categories between two lines of %")
    first, last = marks
    names = _read_categories(lines, first + 1, last, path)
    index_of = {number: index for index, number in enumerate(names)}
    words: dict[str, tuple[Rule, ...]] = {}
    for number, line in enumerate(lines[last + 1 :], start=last + 2):
        if line:
            word, rules = _read_word(_plain(line).lower(), index_of, f"{path}:{number}")
            # A word can be listed twice; its categories are those of both lines.
            words[word] = tuple(dict.fromkeys([*words.get(word, ()), *rules]))
    if not words:
        raise BadInput(f"{path}: lists no word")
    return Dictionary(tuple(names.values()), words)


def names(dictionary: Dictionary) -> tuple[str, ...]:
    """What each number of a feature is."""
    return (*dictionary.categories, *HABITS)


def feature(text: str, dictionary: Dictionary) -> Floats:
    """Style of one transcript, array of ``names``: counts per word of the transcript.

    Raises
    ------
    BadInput : the transcript has no words
    """
    words = [word.lower() for word in words_in(_plain(text))]
    if not words:
        raise BadInput("its transcript has no words")
    counts = np.zeros(len(dictionary.categories))
    n_other = 0
    categories: set[int] = set()
    for word, following in zip(words, [*words[1:], ""], strict=True):
        rules = dictionary.rules(word)
        counted = {rule.counted(preceding=categories, following=following) for rule in rules}
        categories = {category for category in counted if category is not None}
        # A word counts once for a category, by however many of its rules.
        counts[list(categories)] += 1
        n_other += not categories
    habits = [
        sum(word in DISFLUENCIES for word in words),
        sum(len(word) > LONG_WORD for word in words),
        len(re.findall(r"[.!?]+(?:\s|$)", text)),
        len(set(words)),
        n_other,
    ]
    return np.concatenate([counts, habits]) / len(words)


def embed(
    utterances: Iterable[Utterance], transcripts: Mapping[str, str], dictionary: Dictionary
) -> Embeddings:
    """Style of every utterance (Embeddings, float32).

    Raises
    ------
    BadInput : an utterance has no transcript, or one without words
    """
    ids, rows = [], []
    for utterance in utterances:
        name = f"utterance '{utterance.utterance}'"
        if utterance.utterance not in transcripts:
            raise BadInput(f"{name} has no transcript: style needs the text of whole utterances")
        try:
            shares = feature(transcripts[utterance.utterance], dictionary)
        except BadInput as error:
            raise BadInput(f"{name}: {error}") from None
        ids.append(utterance.utterance)
        rows.append(shares.astype(np.float32))
    return Embeddings(np.array(ids), np.stack(rows))


def _plain(text):
    """Make typographic apostrophes apostrophes: don't is one word, and the same with either."""
    return text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def _read_categories(lines, first, last, path):
    """Categories in lines[first:last]: {number: name}."""
    categories = {}
    for number, line in enumerate(lines[first:last], start=first + 1):
        if not line:
            continue
        category, _, name = line.replace("\t", " ").partition(" ")
        is_number = re.fullmatch(NUMBER, category)
        if not is_number or int(category) in categories or not name.strip():
            raise BadInput(f"{path}:{number}: expected the number of a category and its name")
        categories[int(category)] = name.strip()
    return categories


def _read_word(line, index_of, where):
    """A line of a dictionary: the word and its Rules."""
    word, _, rest = line.replace("\t", " ").partition(" ")
    if not rest.strip():
        raise BadInput(f"{where}: '{word}' has no category")
    if not WORD_OR_BEGINNING.fullmatch(word) or CATEGORY.sub("", rest).strip():
        raise BadInput(
            f"{where}: not read: '{line}' (expected a word, or its beginning and *, and numbers of "
            "categories, perhaps with conditions as in '(02 134)125/464' and '<of>131/125'; "
            "phrases are not supported)"
        )
    rules = [_rule(match, index_of, f"{where}: '{word}'") for match in CATEGORY.finditer(rest)]
    return word, rules


def _rule(match, index_of, where):
    after = (match["after"] or "").split()
    otherwise = [match["otherwise"]] if match["otherwise"] else []
    for category in (*after, match["category"], *otherwise):
        if int(category) not in index_of:
            raise BadInput(f"{where} has the unknown category {category}")
    return Rule(
        index_of[int(match["category"])],
        index_of[int(otherwise[0])] if otherwise else None,
        frozenset(index_of[int(category)] for category in after),
        match["before"] or "",
    )
