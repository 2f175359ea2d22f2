"""What is said: which words and pieces of words, as a vector that is compared by cosine.

It needs a transcript, or a recogniser that hears the words. An anonymiser of voices keeps them:
what is found here stays, whatever is done to the voice.

Conventions
-----------
* Words are those of ``style``. Pieces are three and four letters in a row, with the ends of the
  word marked.
* A number counts 1 + log(occurrences) of a word or piece, times its weight.
* With a training corpus weights are inverse document frequencies of its transcripts, whose speakers
  are not evaluated. Without one, function words weigh nothing and all else weighs 1. So nothing is
  learnt from those who are attacked.
* Words and pieces share DIMENSIONS numbers by their hash, with a sign of its own. What falls
  together adds noise and no bias to the cosine.
* An encoder of sentences is a folder as on the Hugging Face hub: config.json, tokenizer.json, and
  model.safetensors or pytorch_model.bin. A vector is the mean of the last layer over the tokens.
  Nothing in the folder runs as code, and nothing is fetched.

References
----------
Gaznepoglu et al., You are what you say: exploiting linguistic content for VoicePrivacy attacks,
Interspeech 2025: transcripts alone, by a BERT that was trained for it, give a mean equal error rate
of 35 % on the lists of the VoicePrivacy Attacker Challenge.
Weinberger et al., Feature hashing for large scale multitask learning, ICML 2009.
Reimers and Gurevych, Sentence-BERT, EMNLP 2019 (means over tokens).
"""

import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

import numpy as np

from voiceprivacy.attack import Floats
from voiceprivacy.attack.extractors.style import FUNCTION_WORDS, words_in
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import Embeddings
from voiceprivacy.inout.manifests import Utterance

DIMENSIONS = 4096
PIECES = (3, 4)  # letters
SIGN_BIT = 1 << 31  # of a hash of 32 bits; the lowest ones say which number

Weight = Callable[[str], float]  # of a word or piece
Vector = Callable[[str], Floats]  # of a transcript


def terms(text: str, *, left_out: Collection[str] = ()) -> list[str]:
    """Words of a transcript and their pieces, without those of words that are left out.

    >>> terms("I, too", left_out={"i"})
    ['too', '<to', '<too', 'too', 'too>', 'oo>']
    """
    listed: list[str] = []
    for match in words_in(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")):
        word = match.lower()
        if word in left_out:
            continue
        listed.append(word)
        marked = f"<{word}>"
        for start in range(len(marked)):
            ends = [start + length for length in PIECES if start + length <= len(marked)]
            listed += [marked[start:end] for end in ends]
    return listed


def frequency_weight(transcripts: Mapping[str, str]) -> Weight:
    """Inverse document frequencies, log((1 + N) / (1 + n)) + 1, of N transcripts of other speakers.

    Raises
    ------
    BadInput : there are none
    """
    if not transcripts:
        raise BadInput("has no transcript to learn the weights of words from")
    documents: Counter[str] = Counter()
    for text in transcripts.values():
        documents.update(set(terms(text)))
    n_documents = len(transcripts)
    return lambda term: float(np.log((1 + n_documents) / (1 + documents[term])) + 1)


def hashed(text: str, weight: Weight | None = None) -> Floats:
    """The vector (DIMENSIONS,) of one transcript, of length 1; zeros where no word weighs.

    Without a weight function words are left out, and all others weigh the same.
    """
    counts = Counter(terms(text, left_out=() if weight else FUNCTION_WORDS))
    vector = np.zeros(DIMENSIONS)
    for term, count in counts.items():
        number = zlib.crc32(term.encode())
        sign = 1.0 if number & SIGN_BIT else -1.0
        vector[number % DIMENSIONS] += sign * (1 + np.log(count)) * (weight(term) if weight else 1)
    length = np.linalg.norm(vector)
    return vector / length if length else vector


def embed(
    utterances: Iterable[Utterance],
    transcripts: Mapping[str, str],
    vector: Vector,
) -> Embeddings:
    """Vectors of what is said in every utterance (Embeddings, float32).

    Raises
    ------
    BadInput : an utterance has no transcript
    """
    ids, rows = [], []
    for utterance in utterances:
        if utterance.utterance not in transcripts:
            raise BadInput(f"utterance '{utterance.utterance}' has no transcript: words need one")
        ids.append(utterance.utterance)
        rows.append(vector(transcripts[utterance.utterance]).astype(np.float32))
    return Embeddings(np.array(ids), np.stack(rows))


def sentence_encoder(folder: Path | str) -> Vector:
    """An encoder in memory: a function from a transcript to its vector (D,).

    Raises
    ------
    BadInput : the folder is not that of a text encoder
    """
    # Seconds to import, and not in every environment.
    import torch
    import transformers

    from voiceprivacy.models.devices import single_thread
    from voiceprivacy.models.folders import refusing

    if not Path(folder).is_dir():
        raise BadInput(f"{folder}: not found")
    only_local = {"local_files_only": True, "trust_remote_code": False}
    tokenizers, networks = transformers.AutoTokenizer, transformers.AutoModel
    with refusing(f"{folder}: is not a text encoder of the hub"):
        # The folder is on this disk, so there is no revision to pin.
        tokenizer = tokenizers.from_pretrained(str(folder), **only_local)
        network = networks.from_pretrained(str(folder), **only_local).eval()
        longest = min(tokenizer.model_max_length, network.config.max_position_embeddings)

    def mean_of_tokens(text: str) -> Floats:
        tokens = tokenizer(text.lower(), truncation=True, max_length=longest, return_tensors="pt")
        with torch.inference_mode(), single_thread():
            return network(**tokens).last_hidden_state[0].mean(dim=0).double().numpy()

    return mean_of_tokens
