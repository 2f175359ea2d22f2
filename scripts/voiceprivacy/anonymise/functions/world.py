"""Pitch and formants apart, by the WORLD vocoder: taken to pieces, changed, and spoken anew.

Conventions
-----------
* Speech is three things every 8 ms: its fundamental frequency (DIO, refined by StoneMask), its
  spectral envelope (CheapTrick), and how noisy each band of it is (D4C). WORLD's own step of 5 ms
  takes half as long again.
* The fundamental frequency is multiplied by one factor. The envelope is stretched along the
  frequency axis by another: what was at f is at factor f afterwards. What lies beyond half the
  sample rate is lost; above a shrunk envelope stands its last value.
* Below 16 kHz all of this is done at 16 kHz: D4C listens up to 7.9 kHz.
* Both factors belong to a speaker (or an utterance), each with a sign of its own. The rhythm stays.
* It needs pyworld, and nothing else of this project does: ``env: world`` for conda, or
  envs/requirements-world.txt.

The ranges are ours: they make a voice another one, and keep words.

References
----------
Morise, Yokomori, Ozawa, WORLD: a vocoder-based high-quality speech synthesis system for real-time
applications, IEICE Trans. E99-D, 2016.
Morise, CheapTrick, a spectral envelope estimator for high-quality speech synthesis, Speech
Communication 67, 2015.
Morise, D4C, a band-aperiodicity estimator for high-quality speech synthesis, Speech Communication
84, 2016.
"""

from collections.abc import Sequence

import numpy as np
from scipy.signal import resample_poly

from voiceprivacy.anonymise.functions.contract import (
    Signal,
    as_loud,
    either_way,
    generator,
    keeps_length,
)
from voiceprivacy.anonymise.functions.warping import bent
from voiceprivacy.errors import BadInput

MOST_SEMITONES, MOST_FORMANTS = 24, 0.5
# Noise far below 16 bits: WORLD divides by the energy of a frame, and zeros have none.
DITHER = 1e-7
STEP_MS = 8.0
LOWEST_RATE = 16000


@keeps_length
def world(
    samples: Signal,
    sample_rate: int,
    *,
    utterance: str,
    speaker: str,
    seed: int,
    semitones: Sequence[float] = (3, 6),
    formants: Sequence[float] = (0.05, 0.15),
    level: str = "speaker",
) -> Signal:
    """Move pitch and formants of every speaker or utterance by amounts of their own, up or down.

    Parameters
    ----------
    semitones : two numbers
        Between which the size of the shift of the pitch is drawn.
    formants : two numbers
        Between which the relative shift of the formants is drawn: 0.1 is 10 % up or down.
    level : "speaker" or "utterance"
        What shares one draw.
    """
    draw = generator(seed, level=level, speaker=speaker, utterance=utterance)
    shift = either_way(draw, "semitones", semitones, most=MOST_SEMITONES)
    stretch = either_way(draw, "formants", formants, most=MOST_FORMANTS)
    return spoken_anew(samples, sample_rate, pitch=2 ** (shift / 12), formants=1 + stretch)


def spoken_anew(samples: Signal, sample_rate: int, *, pitch: float, formants: float) -> Signal:
    """Samples (N,), perhaps a few less, their pitch and formants multiplied, as loud as before."""
    try:
        import pyworld
    except ImportError:
        raise BadInput(
            "world needs pyworld: pip install --no-deps -r envs/requirements-world.txt,"
            " or run with --sdm conda (env: world)"
        ) from None
    if sample_rate < LOWEST_RATE:
        wide = resample_poly(samples, LOWEST_RATE, sample_rate)
        spoken = spoken_anew(wide, LOWEST_RATE, pitch=pitch, formants=formants)
        return as_loud(resample_poly(spoken, sample_rate, LOWEST_RATE), samples)
    # The level does not matter to anybody but the vocoder's thresholds.
    peak = np.abs(samples).max()
    dither = np.random.default_rng(0).normal(0, DITHER, len(samples))
    scaled = samples / peak + dither
    rough_hz, times = pyworld.dio(scaled, sample_rate, frame_period=STEP_MS)
    pitch_hz = pyworld.stonemask(scaled, rough_hz, times, sample_rate)
    envelope = pyworld.cheaptrick(scaled, pitch_hz, times, sample_rate)
    aperiodicity = pyworld.d4c(scaled, pitch_hz, times, sample_rate)
    moved = np.exp(bent(np.log(envelope), lambda omega: formants * omega))
    moved = np.ascontiguousarray(moved)  # the vocoder reads row by row
    spoken = pyworld.synthesize(pitch * pitch_hz, moved, aperiodicity, sample_rate, STEP_MS)
    return as_loud(np.nan_to_num(spoken[: len(samples)]), samples)
