"""Functions that protect speech while it is spoken: chunks in, chunks out, tried for what they say.

A stream is a class with two methods. One of them is made for every utterance:

    Class(sample_rate, *, utterance, speaker, seed, **options)
    push(chunk) -> samples     the samples (n,) that came in; what can go out by now, or none
    finish() -> samples        nothing more comes in: the rest

The whole file is one chunk. Of the first utterances of a part, the stream gets chunks too, before
it has seen anything of them: they must give the same samples. So it cannot have looked ahead, or
have lost a state between chunks.

Conventions
-----------
* A latency is the longest delay of a sample: how much had come in when it went out, from its own
  place on. A chunk has to be complete before it comes in, so no latency is shorter than one.
* Speech that comes later among the samples than it came in, as behind zeros, is late by as much: by
  the lag at which the loudness of both is most alike. Lags below 20 ms count as none.
* Seconds of computing are no part of it: that is the real-time factor.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.signal import correlate

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.audio import FULL_SCALE, Samples
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.vocabulary import STREAMED

TRIED = 3  # utterances of a part
LOUDNESS_S, SHORTEST_LAG_S = 0.005, 0.02
ALIKE = 0.5  # correlation of the loudness of speech and of its protected version, at their lag
CHUNK_MS, TOLERANCE = 20.0, 1e-4  # where the config says nothing; full scale is 1


class Stream(Protocol):
    """What protects one utterance."""

    def push(self, chunk: Samples) -> NDArray:
        """Take samples (n,) in; give those (m,) that can go out."""

    def finish(self) -> NDArray:
        """Give the samples (m,) that are left."""


class Chunks(NamedTuple):
    """How a stream is tried: chunks of ``chunk_ms``, and how far samples may differ by them."""

    chunk_ms: float = CHUNK_MS
    tolerance: float = TOLERANCE


def is_stream(function: object) -> bool:
    """Whether a plug-in is a class with the two methods of a stream."""
    methods = [getattr(function, name, None) for name in ("push", "finish")]
    return isinstance(function, type) and all(map(callable, methods))


def whole(make: Callable[[], Stream], samples: Samples) -> NDArray:
    """What a new stream gives for samples (N,) that come in at once: array (M,)."""
    stream = make()
    return np.concatenate([_given(stream.push(samples.copy())), _given(stream.finish())])


def latency_ms(
    make: Callable[[], Stream], samples: Samples, sample_rate: int, chunks: Chunks
) -> float:
    """Try a stream on chunks and on the whole; its latency in ms.

    Parameters
    ----------
    make : callable without arguments
        Makes a new stream for the utterance.
    samples : array (N,)
    sample_rate : int, Hz
    chunks : Chunks

    Raises
    ------
    BadInput : chunks give other samples than the whole, or another number of them
    """
    size = max(1, round(chunks.chunk_ms / 1000 * sample_rate))
    # The chunks come first: of the whole, a class could keep what the chunks do not know yet.
    streamed, delay = _in_chunks(make(), samples, size)
    at_once = whole(make, samples)
    by_chunks = f"chunks of {chunks.chunk_ms:g} ms give"
    if len(streamed) != len(at_once):
        raise BadInput(f"{by_chunks} {len(streamed)} samples, the whole gives {len(at_once)}")
    difference = np.abs(streamed - at_once)
    # Samples that are no number differ, too.
    wrong = np.flatnonzero(~(difference <= chunks.tolerance))
    if wrong.size:
        raise BadInput(
            f"{by_chunks} another sample than the whole after {wrong[0] / sample_rate:.3f} s, and"
            f" differ by up to {np.max(difference):.2g} (tolerance {chunks.tolerance:g}): does it"
            " keep its state between chunks, and wait for what it needs?"
        )
    return 1000 * (delay / sample_rate + _lag_s(samples, at_once, sample_rate))


def _lag_s(samples: Samples, given: NDArray, sample_rate: int) -> float:
    """By how much speech (M,) is later than the original (N,), in s; 0 where it cannot be seen."""
    size = max(1, round(LOUDNESS_S * sample_rate))
    spoken, protected = (_loudness(signal, size) for signal in (samples, given))
    norm = np.linalg.norm(spoken) * np.linalg.norm(protected)
    if not norm:
        return 0.0
    alike = correlate(protected, spoken)[len(spoken) - 1 :] / norm
    lag_s = int(np.argmax(alike)) * LOUDNESS_S if len(alike) else 0.0
    return lag_s if lag_s >= SHORTEST_LAG_S and alike.max() > ALIKE else 0.0


def _loudness(samples: NDArray, size: int) -> NDArray:
    """Root mean square of stretches of some samples, with a mean of zero."""
    stretches = samples[: len(samples) // size * size].reshape(-1, size).astype(np.float64)
    loudness = np.sqrt(np.square(stretches).mean(axis=1))
    return loudness - loudness.mean() if len(loudness) else loudness


def _in_chunks(stream: Stream, samples: Samples, size: int) -> tuple[NDArray, int]:
    """What a stream gives in chunks, and the longest delay of a sample in samples."""
    pieces: list[NDArray] = []
    n_given, delay = 0, 0
    for start in range(0, len(samples), size):
        # A copy: a view would let a class look at all of the array.
        chunk = samples[start : start + size].copy()
        pieces.append(_given(stream.push(chunk)))
        if len(pieces[-1]):  # the first sample of a piece has waited longest
            delay = max(delay, start + len(chunk) - n_given)
            n_given += len(pieces[-1])
    pieces.append(_given(stream.finish()))
    if len(pieces[-1]):
        delay = max(delay, len(samples) - n_given)
    return np.concatenate(pieces), delay


def _given(samples: Any) -> NDArray:
    """What a stream gave, as an array (n,) of its own: it may use its buffer again."""
    given = samples_of([] if samples is None else samples)
    if given.ndim != 1:
        raise BadInput(f"push and finish give samples (n,), not an array of shape {given.shape}")
    scale = FULL_SCALE if given.dtype == np.int16 else 1
    return np.divide(given, scale, dtype=np.float32)


def samples_of(returned: Any) -> NDArray:
    """What a plug-in returned, as float32 or int16 of any shape.

    Of other numbers it is not known what full scale is, and of complex ones half would be lost.
    """
    samples = np.asarray(returned)
    if samples.dtype.kind == "f":
        return samples.astype(np.float32, copy=False)
    if samples.dtype.str[1:] == "i2":  # in any order of its bytes
        return samples.astype(np.int16, copy=False)
    given = f"{type(returned).__name__} of {samples.dtype.name}"
    raise BadInput(f"must return samples as floats in [-1, 1] or as int16, not {given}")


def keep(latencies_ms: Sequence[float], folder: Path) -> None:
    """Write the longest of some latencies into a folder; nothing if none was measured."""
    if latencies_ms:
        write_json(folder / STREAMED, {"latency_ms": round(max(latencies_ms), 3)})
