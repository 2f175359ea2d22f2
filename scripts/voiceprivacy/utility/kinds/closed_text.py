"""Closed-text word error rate: which words a recogniser still finds when it knows the sentences.

PocketSphinx with its own acoustic model of English recognises each utterance. Its language model is
made of the corpus's own transcripts, so the text is closed: sentences that are measured are those
that the model was made of. That makes a small recogniser usable without a network or a download. It
says how anonymisers differ on this corpus, and no more: never compare it with a rate of another
corpus, or with the word error rates of the challenges.

Conventions
-----------
* Words are what is left of a transcript in small letters when it is split at everything but
  letters, digits and apostrophes. A word keeps its outer apostrophes where the dictionary has them.
* Word errors are counted by jiwer: insertions, deletions and substitutions in percent of the words
  of the reference. They are pooled over words, which ``closed_text_words`` weighs them by.
* An utterance without any word found is all deletions. One without words in its transcript, or
  without a transcript, is undefined.
* Words without a pronunciation in PocketSphinx's dictionary stay in the reference, where each of
  them is an error. Where they are most of the words, the transcripts are of another language: all
  is undefined.
* The language model is interpolated: p(w | h) = 0.6 c(h, w) / c(h) + 0.4 c(w) / N, over words with
  a pronunciation and the two ends of a sentence.
* Each utterance is recognised by itself: cepstral means are those of the whole utterance, and
  nothing is carried on from one to the next.

References
----------
Jelinek and Mercer, Interpolated estimation of Markov source parameters from sparse data, 1980.
Huggins-Daines et al., PocketSphinx: a free, real-time continuous speech recognition system for
hand-held devices, ICASSP 2006.
"""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.manifests import Utterance, read_transcripts
from voiceprivacy.kinds import MeasureKind
from voiceprivacy.utility.rows import Measured
from voiceprivacy.utility.word_counts import (
    counted_words,
    kinds_of_errors,
    rate_of_words,
    undefined_words,
)
from voiceprivacy.vocabulary import ENGLISH

if TYPE_CHECKING:
    from voiceprivacy.inout import audio

NAME = "closed_text"
KIND = MeasureKind(
    described=(
        "the word errors of PocketSphinx, whose language model is made of the corpus's own"
        " transcripts (every run with transcripts)"
    ),
    metrics=(
        rate_of_words(
            f"{NAME}_wer_percent",
            "closed-text WER",
            "Word errors of a recogniser that knows the sentences; for this corpus alone.",
        ),
        *kinds_of_errors(NAME, "closed-text"),
    ),
    said={f"{NAME}_wer_percent": "word errors among the transcripts of the run [@pocketsphinx]"},
    better="lower",
    group="words",
    weight=f"{NAME}_words",
    languages=(ENGLISH,),
    options=("transcripts",),
    together=True,
    seconds=(0.065, 0),
    entry="words",
    # Fewer than five of a speaker widen the interval (docs/internals/load.md).
    entry_options={"utterances": 5, "sample": 100},
)

WHY_UNDEFINED = "no words in the transcripts, or another language"
SAMPLE_RATE = 16000  # of the acoustic model
WEIGHT_OF_PAIRS = 0.6  # of bigrams in the language model
FEWEST_KNOWN = 0.5  # of the words of a corpus: with fewer of them it is in another language
BEGIN, END = "<s>", "</s>"

Sentence: TypeAlias = list[str]
Pronunciations: TypeAlias = dict[str, list[str]]


# Words.


def words_of(text: str, known: Mapping[str, object]) -> Sentence:
    """The words of a transcript; ``known`` are those of the dictionary."""
    text = unicodedata.normalize("NFKC", text).casefold()
    text = text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    spelled = re.findall(r"(?:[^\W_]|')+", text)
    words = [word if word in known else word.strip("'") for word in spelled]
    return [word for word in words if word]


def read_dictionary() -> Pronunciations:
    """The dictionary that PocketSphinx comes with: {word: its pronunciations}."""
    import pocketsphinx

    pronunciations: Pronunciations = defaultdict(list)
    path = pocketsphinx.get_model_path("en-us/cmudict-en-us.dict")
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        word, _, phones = line.partition(" ")
        # The second pronunciation of a word is word(2).
        pronunciations[re.sub(r"\(\d+\)$", "", word)].append(phones.strip())
    return dict(pronunciations)


# The recogniser.


def language_model(sentences: Iterable[Sentence], known: Mapping[str, object]) -> str:
    """A bigram model of sentences, interpolated with their unigrams, in ARPA's format.

    A pair that occurs has its interpolated probability. Every other backs off to the unigram with
    the weight that is left for it, which is the same model.
    """
    single: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    first: Counter[str] = Counter()
    for sentence in sentences:
        words = [BEGIN, *(word for word in sentence if word in known), END]
        single.update(words[1:])
        pairs.update(pairwise(words))
        first.update(words[:-1])
    total = single.total()
    left = 1 - WEIGHT_OF_PAIRS
    backoff = f"{math.log10(left):.6f}"
    lines = ["\\data\\", f"ngram 1={len(single) + 1}", f"ngram 2={len(pairs)}", "", "\\1-grams:"]
    lines.append(f"-99 {BEGIN} {backoff}")
    for word, count in sorted(single.items()):
        lines.append(f"{math.log10(count / total):.6f} {word} {backoff}")
    lines += ["", "\\2-grams:"]
    for (before, word), count in sorted(pairs.items()):
        probability = WEIGHT_OF_PAIRS * count / first[before] + left * single[word] / total
        lines.append(f"{math.log10(probability):.6f} {before} {word}")
    return "\n".join([*lines, "", "\\end\\", ""])


class Recogniser:
    """PocketSphinx with the words of some sentences.

    Parameters
    ----------
    sentences : list of list of str
    dictionary : dict
        Words that are not in it are never recognised.
    """

    def __init__(self, sentences: Sequence[Sentence], dictionary: Pronunciations) -> None:
        import pocketsphinx

        vocabulary = set(chain.from_iterable(sentences))
        lines = []
        for word in sorted(vocabulary & dictionary.keys()):
            for number, phones in enumerate(dictionary[word], start=1):
                lines.append(f"{word} {phones}" if number == 1 else f"{word}({number}) {phones}")
        with TemporaryDirectory() as folder:
            words, model = Path(folder, "words.dict"), Path(folder, "words.lm")
            words.write_text("\n".join([*lines, ""]), encoding="utf-8")
            model.write_text(language_model(sentences, dictionary), encoding="utf-8")
            self._decoder = pocketsphinx.Decoder(
                hmm=pocketsphinx.get_model_path("en-us/en-us"),
                dict=str(words),
                lm=str(model),
                cmn="batch",  # of the whole utterance: a running mean is that of others before it
                loglevel="FATAL",
            )

    def words(self, samples: "audio.Samples", sample_rate: int) -> str:
        """The words of one utterance (N,), between spaces; empty where none was found."""
        from voiceprivacy.inout import audio

        samples = audio.resample(samples, source_rate=sample_rate, target_rate=SAMPLE_RATE)
        steps = np.rint(audio.within_full_scale(samples) * (audio.FULL_SCALE - 1))
        # Whatever cmn says, features carry something on from the utterance before.
        self._decoder.reinit_feat()
        self._decoder.start_utt()
        self._decoder.process_raw(steps.astype(np.int16).tobytes(), full_utt=True)
        self._decoder.end_utt()
        hypothesis = self._decoder.hyp()
        return hypothesis.hypstr if hypothesis else ""


# The measure.


def measure(
    original: Sequence[Utterance], protected: Sequence[Utterance], *, transcripts: FilePath
) -> Iterator[Measured]:
    """Yield the word errors of every protected utterance.

    ``transcripts`` is a TSV of what is said: utterance text.
    """
    from tqdm import tqdm

    progress = tqdm(protected, unit="utterance", mininterval=1.0)
    yield from chain.from_iterable(recognise(progress, read_transcripts(transcripts)))


def recognise(
    utterances: Iterable[Utterance], transcripts: Mapping[str, str]
) -> Iterator[list[Measured]]:
    """Yield the word errors of each utterance, in their order.

    Parameters
    ----------
    utterances : Utterances
    transcripts : {utterance: text}
        The language model is made of all of them.
    """
    from voiceprivacy.inout import audio

    dictionary = read_dictionary()
    sentences = {name: words_of(text, dictionary) for name, text in transcripts.items()}
    recogniser = None
    if share_known(sentences.values(), dictionary) >= FEWEST_KNOWN:
        recogniser = Recogniser(list(sentences.values()), dictionary)
    for utterance in utterances:
        name = utterance.utterance
        if not (recogniser and sentences.get(name)):
            yield undefined_words(NAME, name)
            continue
        hypothesis = recogniser.words(*audio.read(utterance.path))
        yield counted_words(NAME, name, sentences[name], hypothesis.split())


def share_known(sentences: Iterable[Sentence], dictionary: Mapping[str, object]) -> float:
    """The share of all words that have a pronunciation; 0 of no words."""
    known = [word in dictionary for word in chain.from_iterable(sentences)]
    return sum(known) / len(known) if known else 0.0
