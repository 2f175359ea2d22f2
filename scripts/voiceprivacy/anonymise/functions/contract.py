"""What every shipped function keeps, and from what it draws.

Conventions
-----------
* A function gets samples (N,) and returns as many, float32, none beyond [-1, 1]. One that has the
  option ``natural_length`` returns as many as it likes where that is set.
* Silence (zeros only) stays silence.
* Signals below 0.1 s are padded with zeros behind, and cut again.
* What is random depends on the seed and on the name of the speaker or the utterance alone.
"""

import functools
import hashlib
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.audio import within_full_scale

SHORTEST_S = 0.1

Signal = NDArray[np.float64]  # (N,) samples in [-1, 1]
Options = ParamSpec("Options")


def keeps_length(
    function: Callable[Concatenate[Signal, int, Options], Signal],
) -> Callable[Concatenate[ArrayLike, int, Options], NDArray[np.float32]]:
    """Make a function that changes speech keep the conventions of this module.

    What it returns may be longer or shorter by a few samples, and beyond full scale. With the
    option ``natural_length`` its length is kept as well.
    """

    @functools.wraps(function)
    def call(
        samples: ArrayLike, sample_rate: int, *args: Options.args, **options: Options.kwargs
    ) -> NDArray[np.float32]:
        signal = np.asarray(samples, dtype=np.float64)
        length = len(signal)
        if not np.isfinite(signal).all():
            raise BadInput("samples are NaN or infinite")
        if not signal.any():
            return np.zeros(length, dtype=np.float32)
        shortest = int(SHORTEST_S * sample_rate)
        padded = fitted(signal, max(length, shortest))
        protected = function(padded, sample_rate, *args, **options)
        if not options.get("natural_length"):
            protected = fitted(protected, length)
        return within_full_scale(protected).astype(np.float32)

    return call


def fitted(samples: Signal, length: int) -> Signal:
    """Samples cut to a length, or padded with zeros behind."""
    return np.pad(samples[:length], (0, max(0, length - len(samples))))


def as_loud(samples: Signal, original: Signal) -> Signal:
    """Samples (N,) with the energy of the original (M,); silence stays silence."""
    energy = samples @ samples
    return samples * np.sqrt(original @ original / energy) if energy > 0 else samples


def refuse_beyond(name: str, value: float, low: float, high: float) -> None:
    """Refuse a parameter that does not lie between two limits."""
    if not low < value < high:
        raise BadInput(f"{name}: must be more than {low:.3g} and less than {high:.3g}, not {value}")


def generator(seed: int, *, level: str, speaker: str, utterance: str) -> np.random.Generator:
    """Random generator of a seed and of what shares one voice.

    Parameters
    ----------
    seed : int
    level : "speaker" or "utterance"
    speaker, utterance : str

    Raises
    ------
    BadInput : there is no such level
    """
    names = {"speaker": speaker, "utterance": utterance}
    if level not in names:
        raise BadInput(f"level: '{level}' is neither speaker nor utterance")
    text = f"{seed} {names[level]}"
    return np.random.default_rng(list(hashlib.sha256(text.encode()).digest()))


def either_way(draw: np.random.Generator, name: str, bounds: Any, *, most: float = np.inf) -> float:
    """A number whose size is uniform between two bounds, and whose sign is a coin toss.

    Raises
    ------
    BadInput : the bounds, an option of this name, are not two numbers from 0 to ``most``, in order
    """
    try:
        low, high = (float(bound) for bound in ([] if isinstance(bounds, str) else bounds))
    except (TypeError, ValueError):
        raise BadInput(f"{name}: expected a range of two numbers, not {bounds!r}") from None
    if not 0 <= low <= high < np.inf:
        raise BadInput(f"{name}: expected a range of two numbers from 0 on, not {bounds!r}")
    if high > most:
        raise BadInput(f"{name}: at most {most}, not {high:g}")
    return float(draw.uniform(low, high) * draw.choice([-1, 1]))
