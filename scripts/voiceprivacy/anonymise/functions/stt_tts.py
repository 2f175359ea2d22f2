"""Recognised and spoken anew: nothing of a voice goes through but words.

Whisper writes down what is said (models.whisper), and a neural voice reads it out (models.voices).
How it was said is lost: the rhythm, the melody, the mood. What is said stays, and so does what
gives a speaker away by words. The length of an utterance stays, too, unless ``natural_length``.

Conventions
-----------
* ``stt_tts_piper`` has one voice for all. ``stt_tts_kokoro`` mixes voices, by weights that are
  uniform over all mixtures (Dirichlet, 1), for every utterance, every speaker or once.
* Protected speech is as long as the original: what is spoken faster ends in silence, what takes
  longer is quickened by WSOLA. With ``natural_length`` it lasts as long as the voice takes: the
  entry of the config then needs ``lengths: free``.
* Nothing heard, or nothing that can be spoken, is silence, and a line of the log says so: the run
  names the utterance and goes no further, unless it is excluded.
* Speech that sounds of another language is spoken all the same, and reported.
* More than 30 s are heard in pieces, and long texts are spoken in pieces.
* It needs ``make neural``, or ``env: neural`` for conda.

References
----------
Meyer et al., Speaker anonymization with phonetic intermediate representations, Interspeech 2022:
speech synthesis as anonymisation, there from phones.
"""

import functools

import numpy as np

from voiceprivacy.anonymise.functions.contract import Signal, generator, keeps_length
from voiceprivacy.anonymise.functions.shifting import stretched_by_wsola
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.placeholders import ours
from voiceprivacy.models.voices import Kokoro, Piper
from voiceprivacy.models.whisper import Whisper, resampled
from voiceprivacy.running.command import say

RECOGNISER = "base"
LEVELS = ("utterance", "speaker", "corpus")
SURE = 0.5  # of a language that is not the one expected


@keeps_length
def stt_tts_piper(
    samples: Signal,
    sample_rate: int,
    *,
    utterance: str,
    speaker: str,
    seed: int,
    voice: str = "joe",
    recogniser: str = RECOGNISER,
    natural_length: bool = False,
) -> Signal:
    """Let one voice of Piper say what is recognised, in the language of the voice.

    Parameters
    ----------
    voice, recogniser : names of models.pinned, or folders
    natural_length : bool
        Whether speech lasts as long as the voice takes, instead of as long as the original.
    """
    reader = _piper(ours(voice))
    text = _recognised(samples, sample_rate, utterance, ours(recogniser), reader.language)
    spoken = reader.speak(text)
    return _as_speech(
        spoken, reader.sample_rate, samples, sample_rate, utterance, natural_length=natural_length
    )


@keeps_length
def stt_tts_kokoro(
    samples: Signal,
    sample_rate: int,
    *,
    utterance: str,
    speaker: str,
    seed: int,
    level: str = "utterance",
    voices: list[str] | None = None,
    voice: str = "kokoro",
    recogniser: str = RECOGNISER,
    natural_length: bool = False,
) -> Signal:
    """Let a mixture of Kokoro's voices say what is recognised, in English.

    Parameters
    ----------
    level : utterance, speaker or corpus
        What shares one mixture.
    voices : list of names, optional
        Those that are mixed; one is itself. Default - all.
    voice, recogniser : names of models.pinned, or folders
    natural_length : bool
        As of ``stt_tts_piper``.
    """
    if level not in LEVELS:
        raise BadInput(f"level: '{level}' is none of {', '.join(LEVELS)}")
    reader = _kokoro(ours(voice))
    chosen = reader.voices if voices is None else list(dict.fromkeys(voices))
    if unknown := [name for name in chosen if name not in reader.voices]:
        raise BadInput(f"voices: '{unknown[0]}' is none of {', '.join(reader.voices)}")
    if not chosen:
        raise BadInput("voices: name one, or leave it out")
    draw = generator(
        seed,
        level="utterance" if level == "utterance" else "speaker",
        speaker="" if level == "corpus" else speaker,
        utterance=utterance,
    )
    mixture = dict(zip(chosen, draw.dirichlet(np.ones(len(chosen))), strict=True))
    weights = [mixture.get(name, 0.0) for name in reader.voices]
    text = _recognised(samples, sample_rate, utterance, ours(recogniser), reader.language)
    spoken = reader.speak(text, weights=weights)
    return _as_speech(
        spoken, reader.sample_rate, samples, sample_rate, utterance, natural_length=natural_length
    )


def _recognised(samples, sample_rate, utterance, model, language):
    """The text of an utterance; a line says where it sounds of another language."""
    heard = _whisper(model, language=language).hear(samples, sample_rate)
    if heard.text and heard.language != language and heard.certainty > SURE:
        say(
            f"utterance '{utterance}': sounds like the language {heard.language}"
            f" ({heard.certainty:.0%}), is recognised and spoken as {language}"
        )
    return heard.text


def _as_speech(spoken, spoken_rate, samples, sample_rate, utterance, *, natural_length):
    """What was spoken, at the rate of the original; nothing is said to be nothing.

    It is no longer than the original unless it has its natural length.
    """
    if not len(spoken):
        say(f"utterance '{utterance}': nothing is recognised that can be spoken: silence")
        return np.zeros(len(samples))
    spoken = resampled(spoken.astype(np.float64), spoken_rate, sample_rate)
    if len(spoken) > len(samples) and not natural_length:
        spoken = stretched_by_wsola(spoken, sample_rate, len(samples) / len(spoken))
    return spoken


# Loaded once in a process.
_whisper = functools.cache(Whisper)
_piper = functools.cache(Piper)
_kokoro = functools.cache(Kokoro)
