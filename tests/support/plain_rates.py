"""Numbers of a verdict by their definitions: one reading of plain lists, slow and short."""

import numpy as np

from voiceprivacy.privacy.scores import zebra
from voiceprivacy.privacy.scores.trials import SpeakerTrials


def trials_of(scores, enrolment, trial, *, n_speakers):
    """SpeakerTrials of scores (M,) and positions of speakers (M,)."""
    order = np.argsort(scores, kind="stable")
    enrolment, trial = np.asarray(enrolment)[order], np.asarray(trial)[order]
    names = np.array([f"s{position:03d}" for position in range(n_speakers)])
    return SpeakerTrials(
        names, np.asarray(scores, dtype=float)[order], enrolment == trial, enrolment, trial
    )


def everybody_tried(score, *, n_speakers, n_utterances):
    """Every speaker against all utterances, by score(enrolment (M,), trial (M,))."""
    enrolment = np.repeat(np.arange(n_speakers), n_speakers * n_utterances)
    trial = np.tile(np.repeat(np.arange(n_speakers), n_utterances), n_speakers)
    return trials_of(score(enrolment, trial), enrolment, trial, n_speakers=n_speakers)


def unordered_pairs(score, *, n_speakers, n_utterances):
    """All pairs of utterances, by score(utterance (M,), utterance (M,)); utterance u is of speaker
    u // n_utterances."""
    one, other = np.triu_indices(n_speakers * n_utterances, 1)
    speakers = one // n_utterances, other // n_utterances
    return trials_of(score(one, other), *speakers, n_speakers=n_speakers)


def read(trials, reading, weights=None):
    """Scores as an attacker reads them; the median is that of repeated nontargets."""
    nontarget = trials.scores[~trials.target]
    if weights is not None:
        nontarget = np.repeat(nontarget, weights[~trials.target])
    middle = np.sort(nontarget)[[(len(nontarget) - 1) // 2, len(nontarget) // 2]]
    centre = middle[0] if middle[0] == middle[1] else middle[0] / 2 + middle[1] / 2
    centre = 0.0 if set(middle) == {-np.inf, np.inf} else centre  # any number is between them
    distance = np.abs(trials.scores - np.where(trials.scores == centre, 0.0, centre))
    distance[trials.scores == centre] = 0.0
    return {
        "ascending": trials.scores,
        "descending": -trials.scores,
        "near": -distance,
        "far": distance,
    }[reading]


def plain_rates(trials, reading, *, drawn=None):
    """RATES of one reading; speakers (S,) are drawn so many times, by repeating their trials."""
    drawn = np.ones(len(trials.speakers), dtype=int) if drawn is None else drawn
    weights = drawn[trials.enrolment] * np.where(trials.target, 1, drawn[trials.trial])
    scores = read(trials, reading, weights)
    target = np.repeat(scores[trials.target], weights[trials.target])
    nontarget = np.repeat(scores[~trials.target], weights[~trials.target])
    thresholds = [np.inf, *np.unique(scores)[::-1], -np.inf]
    hits = np.array([np.mean(target > threshold) for threshold in thresholds] + [1.0])
    alarms = np.array([np.mean(nontarget > threshold) for threshold in thresholds] + [1.0])
    threshold = min(
        threshold
        for threshold, alarm in zip(thresholds, alarms, strict=False)
        if alarm <= 0.01 + 1e-12
    )
    return [
        zebra.dece_bit(target=target, nontarget=nontarget),
        100 * crossing(hits, alarms),
        100 * hits[alarms <= 0.001 + 1e-12].max(),
        100 * hits[alarms <= 0.01 + 1e-12].max(),
        100 * exposed_share(trials, scores > threshold, drawn),
    ]


def crossing(hits, alarms):
    """Where the polyline of (alarms, hits) meets hits = 1 - alarms."""
    for position in range(1, len(hits)):
        before = 1 - hits[position - 1] - alarms[position - 1]
        after = 1 - hits[position] - alarms[position]
        if after <= 0:
            way = before / (before - after)
            return alarms[position - 1] + way * (alarms[position] - alarms[position - 1])
    raise AssertionError("a ROC ends at (1, 1)")


def exposed_share(trials, is_found, drawn):
    """Share of speakers, each as often as drawn, found in half of at least four target trials."""
    exposed = []
    for speaker, times in enumerate(drawn):
        own = is_found[trials.target & (trials.trial == speaker)]
        if len(own) >= 4:
            exposed += [own.mean() >= 0.5] * times
    return np.mean(exposed)
