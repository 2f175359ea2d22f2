"""A function plug-in that streams: a low-pass filter, chunks in and chunks out.

It protects nobody. It shows what a stream has to do: keep the end of what came in, wait for the
samples that it needs, and give as many samples as it took, none of them delayed.
"""

import numpy as np

TAPS = 255  # odd: the filter then reaches as far back as ahead


class LowPass:
    """A windowed sinc (Hamming) of 255 taps: it looks 127 samples ahead, 8 ms at 16 kHz."""

    def __init__(self, sample_rate, *, utterance, speaker, seed, cutoff_hz=3000.0):
        self.ahead = TAPS // 2
        places = np.arange(TAPS) - self.ahead
        taps = np.sinc(2 * cutoff_hz / sample_rate * places) * np.hamming(TAPS)
        self.taps = taps / taps.sum()
        self.heard = np.zeros(self.ahead)  # silence before the first sample

    def push(self, chunk):
        """Take some samples in, and give those that nothing to come can change."""
        self.heard = np.concatenate([self.heard, chunk])
        if len(self.heard) < TAPS:
            return []
        ready = np.convolve(self.heard, self.taps, mode="valid")
        self.heard = self.heard[len(ready) :]
        return ready

    def finish(self):
        """Give the rest: after the last sample comes silence."""
        return self.push(np.zeros(self.ahead))
