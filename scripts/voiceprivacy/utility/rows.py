"""Rows of tables of what speech is still good for; their fields are the columns.

Text is an undefined number, None a limit that does not exist (- in the file).
"""

from typing import NamedTuple

COLUMNS = ["utterance", "metric", "value"]  # of Measured


class UtilityMean(NamedTuple):
    """One number of metrics/utility/CORPUS.tsv, a mean over utterances (see utility/summary).

    ``measure`` is the name in the config, ``better`` is higher, lower or -.
    """

    corpus: str
    trials: str
    anonymiser: str
    measure: str
    metric: str
    value: float | str
    ci_low: float | None
    ci_high: float | None
    n_utterances: int
    n_undefined: int
    n_speakers: int
    better: str


class SpeakerWords(NamedTuple):
    """Word errors of a speaker; ``measure`` is the name in the config (see speaker_words)."""

    anonymiser: str
    measure: str
    speaker: str
    n_utterances: int
    n_words: int
    substitutions: int
    insertions: int
    deletions: int
    wer_percent: float | str


class Speed(NamedTuple):
    """How long an anonymiser takes for the trials of a corpus.

    ``real_time_factor`` is ``seconds`` of the ``device`` (cpu or gpu) for a second of speech, and
    "undefined" where they are not known. ``streaming`` is yes, no, or - where nobody says.
    ``latency_ms`` is the longest delay of a sample, and - where no chunks were tried.
    """

    corpus: str
    anonymiser: str
    device: str
    seconds: float
    speech_s: float
    real_time_factor: float | str
    streaming: str
    latency_ms: float | str = "-"


class Measured(NamedTuple):
    """One line of a table of measures; ``value`` is a finite number or "undefined"."""

    utterance: str
    metric: str
    value: float | str
