"""What a back-end learns from: embeddings of training speech, protected, original or both."""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from voiceprivacy.attack import Floats, Scorer
from voiceprivacy.attack.backends import recipes
from voiceprivacy.attack.held_out import Spoken
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import read_embeddings_of
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.manifests import Utterance

SPEECHBRAIN = "speechbrain_plda"


class Learning(NamedTuple):
    """How PLDA learns; see ``recipes``. ``rank`` is SpeechBrain's, the others are of Kaldi's."""

    type: str
    lda_dim: int | None
    length_norm: str
    centre: bool
    shrinkage: float
    rank: int

    def recipe(self, embeddings: Floats, speakers: Sequence[str]) -> recipes.Recipe:
        """The back-end learnt from embeddings (N, D) and their speakers (N,)."""
        if self.type == SPEECHBRAIN:
            return recipes.speechbrain_recipe(embeddings, speakers, rank=self.rank)
        normalised = self.length_norm != "none"
        return recipes.vpc_recipe(
            embeddings,
            speakers,
            lda_dim=self.lda_dim,
            length_norm=self.length_norm if normalised else None,
            scale=normalised,
            centre=self.centre,
            shrinkage=self.shrinkage,
        )

    def scorer(self, embeddings: Floats, speakers: Sequence[str]) -> Scorer:
        """The scorer of a back-end that learns from some of the speakers only."""
        most = len(set(speakers)) - 1
        fewer = self._replace(lda_dim=min(self.lda_dim, most) if self.lda_dim else None)
        return functools.partial(recipes.score_recipe, fewer.recipe(embeddings, speakers))


def spoken(path: FilePath, utterances: Sequence[Utterance]) -> Spoken:
    """Embeddings of a file in the order of the manifest, and who speaks."""
    names = [utterance.utterance for utterance in utterances]
    embeddings = read_embeddings_of(path, names).embeddings.astype(np.float64)
    return Spoken.heard(embeddings, utterances)


def together(versions: Sequence[Spoken]) -> Spoken:
    """The rows of several files of the same utterances.

    Raises
    ------
    BadInput : their dimensions differ
    """
    dimensions = sorted({version.embeddings.shape[1] for version in versions})
    if len(dimensions) > 1:
        numbers = " and ".join(map(str, dimensions))
        raise BadInput(f"--embeddings have {numbers} dimensions: name files of one extractor")
    embeddings = np.concatenate([version.embeddings for version in versions])
    return Spoken(embeddings, *([*names] * len(versions) for names in versions[0][1:]))
