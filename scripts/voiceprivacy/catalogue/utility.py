"""Metrics of what the speech is still good for."""

from functools import partial

from voiceprivacy.catalogue.metric import Metric

_row = partial(Metric, family="utility", conditions=(), of_privacy=False)

WORD_ERRORS = {  # kinds of them
    "insertions": "Words that a recogniser adds, in percent of those that were said.",
    "deletions": "Words that a recogniser leaves out, in percent of those that were said.",
    "substitutions": "Words that a recogniser takes for others, in percent of those said.",
}


_rate_of_words = partial(_row, unit="%", better="lower", low=0, digits=1, group="words")


def _word_errors(name: str, title: str) -> list[Metric]:
    """The kinds of a recogniser's word errors, and what they are percents of."""
    kinds = [
        _rate_of_words(name=f"{name}_{kind}_percent", title=f"{title} {kind}", meaning=meaning)
        for kind, meaning in WORD_ERRORS.items()
    ]
    words = _row(
        name=f"{name}_words",
        title=f"{title} words",
        unit="",
        meaning="Words of a transcript: mean over the utterances.",
        low=0,
        digits=1,
        group="words",
    )
    return [*kinds, words]


def _opinion(subject: str, meaning: str, *, headline: bool = False) -> Metric:
    """Row of DNSMOS."""
    return _row(
        name=f"dnsmos_{subject}",
        title=f"DNSMOS, {subject}",
        unit="MOS",
        meaning=meaning,
        better="higher",
        digits=2,
        group="quality",
        headline=headline,
    )


UTILITY = [
    _rate_of_words(
        name="closed_text_wer_percent",
        title="closed-text WER",
        meaning="Word errors of a recogniser that knows the sentences; for this corpus alone.",
        headline=True,
    ),
    *_word_errors("closed_text", "closed-text"),
    _rate_of_words(
        name="whisper_wer_percent",
        title="word error rate, Whisper",
        meaning="Word errors of Whisper, over all words of the transcripts.",
        headline=True,
    ),
    *_word_errors("whisper", "Whisper's"),
    _rate_of_words(
        name="words_kept_wer_percent",
        title="words not kept",
        meaning="Word errors of Whisper against what it hears in the original.",
        headline=True,
    ),
    *_word_errors("words_kept", "words kept:"),
    _rate_of_words(
        name="wer_percent",
        title="word error rate",
        meaning="Word errors of the recogniser that the config names, over all words.",
        headline=True,
    ),
    _row(
        name="uar_percent",
        title="emotion recall",
        unit="%",
        meaning="Unweighted average recall of four emotions, by the config's classifier.",
        better="higher",
        low=0,
        high=100,
        digits=1,
        group="emotion",
        headline=True,
    ),
    _row(
        name="pitch_correlation",
        title="pitch correlation",
        unit="",
        meaning="Correlation of pitch (by YIN) in original and protected speech: 1 = as before.",
        better="higher",
        digits=2,
        group="pitch",
        headline=True,
    ),
    _opinion(
        "overall", "Opinion of the whole that a network foretells, from 1 to 5.", headline=True
    ),
    _opinion("speech", "Opinion of the speech alone that a network foretells, from 1 to 5."),
    _opinion("background", "Opinion of the background that a network foretells: 5 = quiet."),
    _row(
        name="estoi",
        title="ESTOI",
        unit="",
        meaning="How alike protected and original speech are frame by frame: 1 = the same.",
        better="higher",
        low=-1,
        high=1,
        digits=2,
        group="quality",
    ),
    _row(
        name="voice_consistency",
        title="voice consistency",
        unit="",
        meaning="How alike the utterances of a speaker sound to a network: 1 = always one voice.",
        better="neither",
        low=-1,
        high=1,
        digits=2,
        group="voice",
    ),
    _row(
        name="sex_kept_percent",
        title="sex kept",
        unit="%",
        meaning="Utterances that sound of their speaker's sex, by what original speech teaches.",
        better="higher",
        low=0,
        high=100,
        digits=1,
        group="voice",
        headline=True,
    ),
]
