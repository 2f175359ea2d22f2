"""A function plug-in: every speaker's voice higher or lower by semitones of his own, as a music
program does it. Pitch and formants move together, the rhythm stays.

The speech is stretched in time by a phase vocoder (Flanagan and Golden, 1966), then resampled to
its old length. pitch.py moves pitch and formants apart, but needs a vocoder of its own.
"""

import hashlib

import numpy as np
from scipy import signal

WINDOW, HOP = 1024, 256


def anonymise(samples, sample_rate, *, utterance, speaker, seed, semitones=(2, 4)):
    draw = np.random.default_rng(list(hashlib.sha256(f"{seed} {speaker}".encode()).digest()))
    shift = draw.uniform(*semitones) * draw.choice([-1, 1])
    shifted = signal.resample(stretched(samples, 2 ** (shift / 12)), len(samples))
    return shifted / max(1, np.abs(shifted).max())


def stretched(samples, factor):
    """Samples (N,) that last ``factor`` times as long, at the same pitch."""
    overlap = {"nperseg": WINDOW, "noverlap": WINDOW - HOP}
    _, _, spectra = signal.stft(samples, **overlap)
    frames = np.arange(0, spectra.shape[1] - 1, 1 / factor)
    before, share = frames.astype(int), frames % 1
    magnitudes = np.abs(spectra)
    between = (1 - share) * magnitudes[:, before] + share * magnitudes[:, before + 1]
    # From one frame to the next, each bin turns as far as it did between the two frames around.
    turns = np.angle(spectra[:, 1:]) - np.angle(spectra[:, :-1])
    phases = np.cumsum(np.column_stack([np.angle(spectra[:, 0]), turns[:, before[:-1]]]), axis=1)
    _, longer = signal.istft(between * np.exp(1j * phases), **overlap)
    return longer
