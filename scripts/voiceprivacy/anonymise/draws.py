"""Which McAdams coefficient alpha an utterance gets: one for the corpus, the speaker or the utterance.

Two rules. ``ours`` depends on the seed and on the id alone, so the order of the utterances, shards and processes do
not matter, and another seed (the attacker's, say) gives another alpha. ``vpc2024`` reproduces what the VoicePrivacy
2024 baseline published, number for number, and so its flaws: it knows no seed, so an attacker who protects his own
recordings draws the user's very alpha; per utterance it restarts in every data directory, so the i-th utterance of
each gets the same alpha.

References
----------
Tomashenko et al., The VoicePrivacy 2024 Challenge evaluation plan, 2024.
"""

import hashlib
from pathlib import Path

import numpy as np

from voiceprivacy import seeds
from voiceprivacy.files import BadInput

ALPHAS = ["utterance", "speaker", "alpha"]


def alphas_path(manifest):
    """Where the drawn alphas of a manifest stand: <manifest without .tsv>.alphas.tsv."""
    return Path(str(manifest).removesuffix(".tsv") + ".alphas.tsv")


def draw_alphas(utterances, low, high, *, level, draw, seed):
    """Draw alpha ~ U(low, high) for every utterance.

    Parameters
    ----------
    utterances : list of voiceprivacy.tables.Utterance
    low, high : float
        Equal for a fixed value.
    level : "corpus", "speaker" or "utterance"
        What shares one alpha.
    draw : "ours" or "vpc2024"
    seed : int

    Returns
    -------
    array (N,)

    Raises
    ------
    BadInput : vpc2024 has no rule for the level corpus
    """
    if low == high:
        return np.full(len(utterances), float(low))
    return DRAWS[draw](utterances, low, high, level, seed)


def _ours(utterances, low, high, level, seed):
    shares = {"corpus": lambda of: "", "speaker": lambda of: of.speaker, "utterance": lambda of: of.utterance}
    ids = [shares[level](utterance) for utterance in utterances]
    return np.array([seeds.generator(seed, "alpha", level, name).uniform(low, high) for name in ids])


def _vpc2024(utterances, low, high, level, seed):
    if level == "utterance":
        return _hashed_generator("VPC2024").uniform(low, high, len(utterances))
    if level == "speaker":
        return np.array([_hashed_generator(utterance.speaker).uniform(low, high) for utterance in utterances])
    raise BadInput("--draw vpc2024 has no rule for --level corpus: use speaker or utterance, or give one alpha")


def _hashed_generator(text):
    return np.random.default_rng(int(hashlib.sha256(text.encode()).hexdigest()[:8], 16))


DRAWS = {"ours": _ours, "vpc2024": _vpc2024}
