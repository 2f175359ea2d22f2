"""Embeddings of many utterances: computed one by one in processes, or by a GPU in batches of one
length each; checked, and in their order.

An extractor is anything that ``embed`` takes, or a ``Batched``; see ``networks`` and ``packages``.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
from tqdm import tqdm

from voiceprivacy.attack import Floats
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import Embeddings
from voiceprivacy.inout.files import naming
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.running import pools

READ_AHEAD = 256  # utterances among which equal lengths are looked for


class Batched(Protocol):
    """What embeds at most ``batch_size`` utterances of one length together."""

    batch_size: int

    def samples_of(self, utterance: Utterance) -> Floats:
        """The samples (N,) of an Utterance; BadInput where it cannot be embedded."""

    def embed_batch(self, samples: Floats) -> Floats:
        """Embeddings (B, D) of samples (B, N)."""


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


def embed_in_batches(
    extractor: Batched, utterances: list[Utterance], *, threads: int
) -> Embeddings:
    """Embed utterances as ``in_batches`` does, in their order."""
    return collected(in_batches(extractor, utterances, threads), utterances)


def in_batches(
    extractor: Batched, utterances: list[Utterance], threads: int
) -> Iterator[tuple[int, Floats]]:
    """Yield (index, embedding) of all utterances, embedded in batches of one length each.

    Utterances are read in order of their length by ``threads``, so that equal ones meet.
    """
    order = sorted(range(len(utterances)), key=lambda index: utterances[index].duration_s)
    with ThreadPoolExecutor(threads) as pool:
        for start in range(0, len(order), READ_AHEAD):
            indices = order[start : start + READ_AHEAD]
            samples = pool.map(extractor.samples_of, [utterances[index] for index in indices])
            for batch in _batches(zip(indices, samples, strict=True), extractor.batch_size):
                with naming(utterances[batch[0][0]].path):
                    embeddings = extractor.embed_batch(np.stack([samples for _, samples in batch]))
                for (index, _), embedding in zip(batch, embeddings, strict=True):
                    yield index, checked(embedding, utterances[index])


def _batches(numbered_samples, batch_size):
    """Yield lists of (index, samples) of equal length, of at most ``batch_size``."""
    by_length = {}
    for index, samples in numbered_samples:
        by_length.setdefault(len(samples), []).append((index, samples))
    for equally_long in by_length.values():
        for first in range(0, len(equally_long), batch_size):
            yield equally_long[first : first + batch_size]


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
