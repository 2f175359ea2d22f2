"""A function plug-in: speech as through an old telephone. A small network, trained on broad speech,
calls it protection; an attacker who has heard such speech does not.
"""

from scipy import signal

ORDER = 8  # of the filter, applied once forwards and once backwards: nothing is delayed


def anonymise(samples, sample_rate, *, utterance, speaker, seed, cutoff_hz=3000):
    sections = signal.butter(ORDER, cutoff_hz, fs=sample_rate, output="sos")
    return signal.sosfiltfilt(sections, samples)
