"""Pitch and formants together, higher or lower, as a tape does it; the rhythm stays.

The speech is stretched in time at the same pitch, then resampled to its old length.

Conventions
-----------
* A factor f multiplies all frequencies: 2 is an octave up. The speech is stretched to f times its
  length before it is resampled.
* Two ways to stretch. ``vocoder``: the phases of a spectrum are turned on from frame to frame
  (phase vocoder), in windows of 64 ms every 16 ms. ``wsola``: pieces of waveform, 20 ms long
  every 10 ms, are taken from where they go on as the piece before did, within 5 ms.

References
----------
Flanagan and Golden, Phase vocoder, Bell System Technical Journal 45, 1966.
Verhelst and Roelands, An overlap-add technique based on waveform similarity (WSOLA) for high
quality time-scale modification of speech, ICASSP 1993.
"""

from collections.abc import Callable, Sequence

import numpy as np
from scipy import signal
from scipy.fft import next_fast_len

from voiceprivacy.anonymise.functions.contract import (
    Signal,
    either_way,
    fitted,
    generator,
    keeps_length,
)
from voiceprivacy.errors import BadInput
from voiceprivacy.models.mel import hann

WINDOW_S, FRAMES_IN_WINDOW = 0.064, 4  # of the vocoder
PIECE_S, SEARCH_S = 0.02, 0.005
MOST_SEMITONES = 24


@keeps_length
def pitch_shift(
    samples: Signal,
    sample_rate: int,
    *,
    utterance: str,
    speaker: str,
    seed: int,
    semitones: Sequence[float] = (2, 4),
    level: str = "speaker",
    method: str = "vocoder",
) -> Signal:
    """Shift every speaker's or utterance's voice by semitones of its own, up or down.

    Parameters
    ----------
    semitones : two numbers
        Between which the size of the shift is drawn.
    level : "speaker" or "utterance"
        What shares one draw.
    method : "vocoder" or "wsola"
    """
    draw = generator(seed, level=level, speaker=speaker, utterance=utterance)
    shift = either_way(draw, "semitones", semitones, most=MOST_SEMITONES)
    if method not in STRETCHES:
        raise BadInput(f"method: '{method}' is neither of {', '.join(STRETCHES)}")
    return shifted(samples, sample_rate, 2 ** (shift / 12), STRETCHES[method])


def shifted(samples: Signal, sample_rate: int, factor: float, stretch: "Stretch") -> Signal:
    """Samples (N,) with all frequencies multiplied by a factor."""
    longer = stretch(samples, sample_rate, factor)
    # By its spectrum, which takes long where a length has large prime factors.
    length = next_fast_len(len(longer), real=True)
    target = round(length / factor)
    return fitted(signal.resample(fitted(longer, length), target), len(samples))


def stretched_by_vocoder(samples: Signal, sample_rate: int, factor: float) -> Signal:
    """Samples (N,) that last about ``factor`` times as long, by a phase vocoder."""
    hop = round(WINDOW_S * sample_rate / FRAMES_IN_WINDOW)
    window = hop * FRAMES_IN_WINDOW
    overlap = {"nperseg": window, "noverlap": window - hop}
    _, _, spectra = signal.stft(fitted(samples, max(window, len(samples))), **overlap)
    frames = np.arange(0, spectra.shape[1] - 1, 1 / factor)
    before, share = frames.astype(int), frames % 1
    magnitudes = np.abs(spectra)
    between = (1 - share) * magnitudes[:, before] + share * magnitudes[:, before + 1]
    # From one frame to the next, each bin turns as far as it did between the two frames around.
    turns = np.angle(spectra[:, 1:]) - np.angle(spectra[:, :-1])
    phases = np.cumsum(np.column_stack([np.angle(spectra[:, 0]), turns[:, before[:-1]]]), axis=1)
    _, longer = signal.istft(between * np.exp(1j * phases), **overlap)
    return longer


def stretched_by_wsola(samples: Signal, sample_rate: int, factor: float) -> Signal:
    """Samples (round(N factor),) that last ``factor`` times as long, by WSOLA."""
    hop = max(1, round(PIECE_S * sample_rate / 2))
    search = round(SEARCH_S * sample_rate)
    length = round(len(samples) * factor)
    n_pieces = length // hop + 2
    window = hann(2 * hop)  # two of them add up to one
    margin = search + hop
    source = np.pad(samples, (margin, 3 * hop + 2 * margin))
    longer = np.zeros((n_pieces + 1) * hop)
    start = margin - hop  # of the piece in the source: half of the first lies before the speech
    for piece in range(n_pieces):
        longer[piece * hop : (piece + 2) * hop] += source[start : start + 2 * hop] * window
        expected = source[start + hop : start + 2 * hop]  # how it would go on by itself
        ideal = round(min(piece * hop / factor, len(samples))) + margin
        start = (
            ideal - search + _most_alike(source[ideal - search : ideal + search + hop], expected)
        )
    return fitted(longer[hop:], length)


def _most_alike(region: Signal, expected: Signal) -> int:
    """Where in a region (M + K,) samples (K,) correlate most; 0 to M, the middle if nowhere."""
    products = np.correlate(region, expected, mode="valid")
    sums = np.cumsum(np.concatenate([[0.0], region**2]))
    energies = sums[len(expected) :] - sums[: -len(expected)]
    middle = len(products) // 2
    if not products.any():
        return middle
    return int(np.argmax(products / np.sqrt(energies + np.finfo(float).eps * sums[-1])))


Stretch = Callable[[Signal, int, float], Signal]
STRETCHES: dict[str, Stretch] = {
    "vocoder": stretched_by_vocoder,
    "wsola": stretched_by_wsola,
}
