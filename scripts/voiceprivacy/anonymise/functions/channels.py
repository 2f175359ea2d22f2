"""What everybody has heard: a telephone, a low-pass, an MP3 file. None of them hides a voice.

These are baselines for readers who know no anonymiser. They draw nothing, so the attacker who uses
the same one on other recordings has exactly what the user has.

Conventions
-----------
* ``samples`` are (N,) floats in [-1, 1], mono, at 8 to 48 kHz; as many come back, not delayed.
* ``utterance``, ``speaker`` and ``seed`` are of the contract of functions, and not used.

References
----------
ITU-T G.712, Transmission performance characteristics of pulse code modulation channels, 2001: the
band of 300 to 3400 Hz.
ITU-T G.711, Pulse code modulation (PCM) of voice frequencies, 1988: the mu-law, mu = 255, 8 bits.
ISO/IEC 13818-3, MPEG-2 audio, 1998: Layer III at 16 kHz. It is encoded by LAME in libsndfile.
"""

import io

import numpy as np
import soundfile
from scipy import signal

from voiceprivacy.anonymise.functions.contract import Signal, fitted, keeps_length
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio

TELEPHONE_HZ = (300.0, 3400.0)
TELEPHONE_RATE = 8000
MU = 255
STEPS = 128  # on each side of zero: 8 bits with the sign
ORDER = 8  # of the filters, applied once forwards and once backwards: nothing is delayed

MP3_RATE = 16000
# libsndfile has no bitrate, but a compression level from 0 to below 1 between two bitrates (those
# of MPEG-2 Layer III at this sample rate).
HIGHEST_KBIT_S, LOWEST_KBIT_S = 160, 8
# Samples by which LAME and then the decoder delay. Files of 48 kbit/s and more say so at their
# beginning, and the reader takes the delay out; in smaller ones there is no room to say it.
MP3_DELAY = 576 + 529


@keeps_length
def low_pass(
    samples: Signal,
    sample_rate: int,
    *,
    utterance: str,
    speaker: str,
    seed: int,
    cutoff_hz: float = 3000,
) -> Signal:
    """Leave nothing above a frequency.

    A Butterworth filter of order 8, once forwards and once backwards: -6 dB at ``cutoff_hz``.
    Where the sample rate leaves nothing above it, the speech stays as it is.
    """
    if cutoff_hz <= 0:
        raise BadInput(f"cutoff_hz: must be above 0, not {cutoff_hz}")
    if cutoff_hz >= sample_rate / 2:
        return samples
    sections = signal.butter(ORDER, cutoff_hz, fs=sample_rate, output="sos")
    return signal.sosfiltfilt(sections, samples)


@keeps_length
def telephone(
    samples: Signal, sample_rate: int, *, utterance: str, speaker: str, seed: int
) -> Signal:
    """Send speech through a telephone line: 300 to 3400 Hz, 8 kHz, mu-law of 8 bits.

    The band is cut by a Butterworth filter of order 8, forwards and backwards.
    """
    sections = signal.butter(
        ORDER // 2, TELEPHONE_HZ, btype="bandpass", fs=sample_rate, output="sos"
    )
    band = signal.sosfiltfilt(sections, samples)
    narrow = quantised(signal.resample_poly(band, TELEPHONE_RATE, sample_rate))
    return signal.resample_poly(narrow, sample_rate, TELEPHONE_RATE)


def quantised(samples: Signal) -> Signal:
    """Samples (N,) in [-1, 1] after the mu-law: 256 levels, finer where it is quiet.

    A companded value becomes the middle of its step, of 128 on each side; zero stays zero.
    """
    clipped = np.clip(samples, -1, 1)
    companded = np.sign(clipped) * np.log1p(MU * np.abs(clipped)) / np.log1p(MU)
    steps = np.sign(companded) * (np.minimum(np.floor(np.abs(companded) * STEPS), STEPS - 1) + 0.5)
    coarse = steps / STEPS
    return np.sign(coarse) * np.expm1(np.abs(coarse) * np.log1p(MU)) / MU


@keeps_length
def mp3(
    samples: Signal,
    sample_rate: int,
    *,
    utterance: str,
    speaker: str,
    seed: int,
    kbit_s: float = 16,
) -> Signal:
    """Write speech as an MP3 file of a constant bitrate at 16 kHz, and read it again.

    Speech at another rate is converted and converted back, so above 8 kHz nothing is left. At 16
    kbit/s, LAME itself cuts at about 5 kHz, and leaves holes below: the guide of the shipped
    anonymisers says what PocketSphinx makes of them.
    """
    if not LOWEST_KBIT_S < kbit_s <= HIGHEST_KBIT_S:
        raise BadInput(f"kbit_s: above {LOWEST_KBIT_S}, at most {HIGHEST_KBIT_S}, not {kbit_s}")
    level = (HIGHEST_KBIT_S - kbit_s) / (HIGHEST_KBIT_S - LOWEST_KBIT_S)
    wide = signal.resample_poly(samples, MP3_RATE, sample_rate)
    longer = fitted(wide, len(wide) + MP3_DELAY)
    content = audio.mp3(longer, MP3_RATE, compression=level, is_constant=True)
    decoded = soundfile.read(io.BytesIO(content))[0]
    if len(decoded) > len(longer):
        decoded = decoded[MP3_DELAY:]
    return signal.resample_poly(fitted(decoded, len(wide)), sample_rate, MP3_RATE)
