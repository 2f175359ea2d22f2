"""Scores read in four directions, as an attacker may who looks for people.

An attacker is free to read scores in any direction. Scores of a system that makes voices of one
speaker *less* alike are as good as any other: turned round.

``ascending`` takes high scores for the same speaker, ``descending`` low ones. ``far`` takes scores
far from the median of the nontargets, ``near`` those close to it.
"""

from typing import Any

import numpy as np

from voiceprivacy.privacy import Flags, Scores
from voiceprivacy.privacy.scores.samples import SpeakerTrials
from voiceprivacy.privacy.scores.score_files import Ids

READINGS = ("ascending", "descending", "near", "far")


def read_in(scores: Scores, reading: str, *, nontarget: Flags) -> Scores:
    """Scores (M,) as an attacker reads them: higher = more likely the same speaker.

    ``nontarget`` (M,) says of whose scores ``near`` and ``far`` take the median.
    """
    if reading in ("ascending", "descending"):
        return scores if reading == "ascending" else -scores
    far = distances(scores, _median(scores[nontarget]))
    return far if reading == "far" else -far


def either_way(trials: SpeakerTrials, ids: Ids) -> tuple[SpeakerTrials, Ids]:
    """Unordered pairs in both directions: either utterance may be the one that is searched."""
    both = SpeakerTrials(
        trials.speakers,
        np.repeat(trials.scores, 2),  # beside each other, so that scores still ascend
        np.repeat(trials.target, 2),
        *_both_ways(trials.enrolment, trials.trial),
    )
    return both, Ids(*_both_ways(ids.enrolment, ids.trial))


def searched_in(trials: SpeakerTrials, ids: Ids, reading: str) -> dict[str, Any]:
    """Trials with the scores of a reading, ascending, as criteria of law take them."""
    scores = read_in(trials.scores, reading, nontarget=~trials.target)
    order = np.argsort(scores, kind="stable")
    return {
        "trials": SpeakerTrials._make(
            [trials.speakers, scores[order], *(field[order] for field in trials[2:])]
        ),
        "enrolment_id": ids.enrolment[order],
        "trial_id": ids.trial[order],
    }


def distances(scores: Scores, centre: float) -> Scores:
    """How far scores (M,) are from a centre; an infinite score is not far from an infinite one."""
    with np.errstate(invalid="ignore"):  # inf - inf
        return np.where(scores == centre, 0.0, np.abs(scores - centre))


def _both_ways(one, other):
    return np.column_stack([one, other]).ravel(), np.column_stack([other, one]).ravel()


def _median(scores):
    """Median of scores (N,), of which some may be infinite."""
    ascending = np.sort(scores)
    low, high = ascending[(len(ascending) - 1) // 2], ascending[len(ascending) // 2]
    if low == high:
        return float(low)
    # Half of the scores are -inf and half inf: any number is as far from both.
    return 0.0 if np.isinf(low) and np.isinf(high) else float(low / 2 + high / 2)
