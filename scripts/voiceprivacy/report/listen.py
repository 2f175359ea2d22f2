"""Something to listen to: a few utterances, unprotected and by every anonymiser, as sound and as spectrogram.

Conventions
-----------
* Which utterances is drawn from the seed and their ids; of different speakers as long as there are some.
* A clip is the first five seconds. The spectrograms of one utterance have one scale: its loudest unprotected point.
"""

import io

import numpy as np
from matplotlib.image import imsave
from scipy.signal import ShortTimeFFT, get_window

from voiceprivacy.inout import audio, seeds
from voiceprivacy.report.examples import Clip, Example, data_url, opus
from voiceprivacy.vocabulary import ORIGINAL

# Small spectrograms for the page: time to the right, frequency upwards, no axes.

COLOURS = "magma"
WINDOW_S, STRIDE_S = 0.025, 0.01
HEIGHT = 128
HIGHEST_HZ = 8000
RANGE_DB = 70


def levels_db(samples, sample_rate, *, seconds):
    """Power of samples (N,) in dB, silence behind their end: array (128, seconds / 10 ms), rows from 0 to 8 kHz."""
    window = get_window("hann", round(WINDOW_S * sample_rate))
    stride = round(STRIDE_S * sample_rate)
    n_frames = round(seconds / STRIDE_S)
    padded = np.zeros(n_frames * stride)
    padded[: len(samples)] = samples[: len(padded)]
    transform = ShortTimeFFT(
        window, stride, sample_rate, mfft=max(1024, len(window)), scale_to="magnitude"
    )
    power = transform.spectrogram(padded, p0=0, p1=n_frames)
    places = np.linspace(0, HIGHEST_HZ, HEIGHT, endpoint=False)
    bins = np.clip(np.rint(places / transform.delta_f).astype(int), 0, len(power) - 1)
    found = 10 * np.log10(np.maximum(power[bins], 1e-12))
    found[places > sample_rate / 2] = -120.0
    return found


def webp(levels, *, loudest_db):
    """A picture of levels (F, T) in dB: black is 70 dB below ``loudest_db``.

    Returns
    -------
    bytes : a WebP file, T x F pixels
    """
    content = io.BytesIO()
    limits = {"vmin": loudest_db - RANGE_DB, "vmax": loudest_db}
    imsave(
        content,
        levels[::-1],
        cmap=COLOURS,
        format="webp",
        pil_kwargs={"quality": 75, "method": 6},
        **limits,
    )
    return content.getvalue()


LONGEST_S = 5.0


def choose(utterances, *, count, seed):
    """Draw utterances (list of tables.Utterance): a list of ``count`` of them, or all where there are fewer."""
    drawn = sorted(
        utterances, key=lambda of: (seeds.derive(seed, "listen", of.utterance), of.utterance)
    )
    first = {of.speaker: of for of in reversed(drawn)}
    others = [of for of in drawn if first[of.speaker] is not of]
    return [*(of for of in drawn if first[of.speaker] is of), *others][:count]


def examples(corpus, lists, versions, *, count, seed):
    """Clips of a few utterances of every trial list.

    Parameters
    ----------
    corpus : str
    lists : {trial list: set of utterance ids}
    versions : {anonymiser: list of tables.Utterance}, the original's among them
    count, seed : int

    Returns
    -------
    list of Example
    """
    paths = {
        name: {of.utterance: of.path for of in utterances} for name, utterances in versions.items()
    }
    order = [ORIGINAL, *(name for name in versions if name != ORIGINAL)]
    found = []
    for trials, ids in lists.items():
        tried = [of for of in versions[ORIGINAL] if of.utterance in ids]
        for of in choose(tried, count=count, seed=seed):
            speech = {name: audio.read(paths[name][of.utterance]) for name in order}
            about = (of.utterance, of.speaker, of.gender, of.duration_s > LONGEST_S)
            found.append(Example(corpus, trials, *about, _clips(speech)))
    return found


def _clips(speech):
    """Clips of {anonymiser: (samples, rate)}, on one scale of time and level."""
    seconds = min(LONGEST_S, max(len(samples) / rate for samples, rate in speech.values()))
    cut = {
        name: (samples[: round(LONGEST_S * rate)], rate) for name, (samples, rate) in speech.items()
    }
    levels = {name: levels_db(*of, seconds=seconds) for name, of in cut.items()}
    loudest = float(levels[ORIGINAL].max())
    return [
        Clip(
            name,
            data_url(opus(*of), "audio/ogg; codecs=opus"),
            data_url(webp(levels[name], loudest_db=loudest), "image/webp"),
        )
        for name, of in cut.items()
    ]
