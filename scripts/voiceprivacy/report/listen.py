"""Something to listen to: a few utterances, unprotected and by every anonymiser, as sound and as spectrogram.

Conventions
-----------
* Which utterances is drawn from the seed and their ids; of different speakers as long as there are some.
* A clip is the first five seconds. The spectrograms of one utterance have one scale: its loudest unprotected point.
"""

from voiceprivacy import audio, seeds
from voiceprivacy.report.clips import data_url, opus
from voiceprivacy.report.examples import Clip, Example
from voiceprivacy.report.metrics import ORIGINAL
from voiceprivacy.report.plots import spectrogram

LONGEST_S = 5.0


def choose(utterances, *, count, seed):
    """Draw utterances (list of tables.Utterance): a list of ``count`` of them, or all where there are fewer."""
    drawn = sorted(utterances, key=lambda of: (seeds.derive(seed, "listen", of.utterance), of.utterance))
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
    paths = {name: {of.utterance: of.path for of in utterances} for name, utterances in versions.items()}
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
    cut = {name: (samples[: round(LONGEST_S * rate)], rate) for name, (samples, rate) in speech.items()}
    levels = {name: spectrogram.levels_db(*of, seconds=seconds) for name, of in cut.items()}
    loudest = float(levels[ORIGINAL].max())
    return [
        Clip(
            name,
            data_url(opus(*of), "audio/ogg; codecs=opus"),
            data_url(spectrogram.webp(levels[name], loudest_db=loudest), "image/webp"),
        )
        for name, of in cut.items()
    ]
