"""Embeddings of many utterances: computed one by one in processes, checked, and in their order.

An extractor is anything that ``embed`` takes; see ``networks`` and ``packages``.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from tqdm import tqdm

from voiceprivacy.attack import Floats
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import Embeddings
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.running import pools


def embed_each(
    embed: Callable[[Any, Utterance], Floats],
    extractor: Any,
    utterances: list[Utterance],
    *,
    threads: int,
) -> Embeddings:
    """Embed every utterance alone; the result does not depend on ``threads``.

    Parameters
    ----------
    embed : function (extractor, Utterance) -> (D,)
        Of a module. It is called in processes that are forked from this one, each with one thread.
    extractor : what it needs; forked processes hold the same, and nobody reads it again
    utterances : list of Utterance
    threads : int
        How many processes.
    """
    in_order = pools.in_processes(
        embed,
        utterances,
        processes=min(threads, len(utterances)),
        loaded=extractor,
        if_killed="a process that computed embeddings was killed (out of memory?):"
        " use fewer --threads",
    )
    with in_order as embedded:
        return collected(enumerate(embedded), utterances)


def collected(embedded: Iterable[tuple[int, Floats]], utterances: list[Utterance]) -> Embeddings:
    """Put (index, embedding (D,)) of all utterances into their order, with a bar of progress.

    It shows utterances and hours of speech per second.
    """
    rows: list[Any] = [None] * len(utterances)
    started, hours = time.monotonic(), 0.0
    with tqdm(total=len(utterances), unit="utterance", mininterval=1.0) as bar:
        for index, embedding in embedded:
            rows[index] = embedding
            hours += utterances[index].duration_s / 3600
            seconds = max(time.monotonic() - started, 1e-3)
            bar.set_postfix_str(f"{hours / seconds:.4f} h/s", refresh=False)
            bar.update()
    return Embeddings(np.array([utterance.utterance for utterance in utterances]), np.stack(rows))


def checked(embedding: Floats, utterance: Utterance) -> Floats:
    """The embedding of an Utterance; BadInput where it is not finite."""
    if not np.isfinite(embedding).all():
        raise BadInput(
            f"{utterance.path}: utterance '{utterance.utterance}': its embedding is not finite"
        )
    return embedding
