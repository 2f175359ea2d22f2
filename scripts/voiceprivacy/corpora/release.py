"""Which pairs link a release with itself (condition rr): the list's trial utterances, in pairs.

Every attacker scores the same pairs, so they are listed once for a trial list, and scores are
compared with them as with any list.
"""

from collections.abc import Iterable, Mapping

import numpy as np

from voiceprivacy.inout import seeds
from voiceprivacy.inout.tables import Trial, recordings_of
from voiceprivacy.vocabulary import MOST_NONTARGETS

FEWEST_LINKED = 3  # speakers with target pairs, else recordings are not kept apart


def release_pairs(
    trials: Iterable[Trial], *, speakers: Mapping[str, str], recording: str | None = None
) -> list[Trial]:
    """The list's trial utterances against each other, as trials: linkage within a release.

    Each unordered pair stands once. Pairs of one recording are left out: they share a room and a
    microphone. Where that leaves less than FEWEST_LINKED speakers with target pairs, only pairs of
    one source are left out (pieces that were cut from one utterance).

    Parameters
    ----------
    trials : iterable of Trial
    speakers : {utterance: speaker}
    recording : regular expression, optional
        See tables.recordings_of.

    Returns
    -------
    list of Trial : all target pairs, and at most MOST_NONTARGETS others, drawn by a fixed seed
    """
    ids = list(dict.fromkeys(listed.trial for listed in trials))
    _, speaker = np.unique([speakers[utterance] for utterance in ids], return_inverse=True)
    targets = _linked_targets(ids, speaker, recording)
    linked = {speakers[pair.enrolment] for pair in targets}
    if recording and len(linked) < FEWEST_LINKED:
        targets = _linked_targets(ids, speaker, None)
    return targets + _drawn_nontargets(ids, speaker)


def _linked_targets(ids, speaker, recording):
    """Every pair of two recordings of one speaker, once; ``speaker`` (N,) is a number for each
    id."""
    recordings = recordings_of(ids, recording)
    pairs = []
    for one, utterance in enumerate(ids):
        for other in one + 1 + np.flatnonzero(speaker[one + 1 :] == speaker[one]):
            if recordings[one] != recordings[other]:
                pairs.append(Trial(utterance, ids[other], "target"))
    return pairs


def _drawn_nontargets(ids, speaker):
    """Pairs of two speakers, at most MOST_NONTARGETS.

    All pairs of thousands of trials would take gigabytes. So they are counted for each first
    utterance, the places of those to keep are drawn, and only these are listed.
    """
    counts = [np.count_nonzero(speaker[n + 1 :] != speaker[n]) for n in range(len(ids))]
    starts = np.concatenate([[0], np.cumsum(counts)])
    kept = np.arange(min(starts[-1], MOST_NONTARGETS))
    if starts[-1] > MOST_NONTARGETS:
        draw = seeds.generator(0, "pairs within a release")
        kept = np.sort(draw.choice(starts[-1], MOST_NONTARGETS, replace=False))
    own = np.searchsorted(kept, starts)  # where the places of each first utterance begin
    pairs = []
    for one, utterance in enumerate(ids):
        others = one + 1 + np.flatnonzero(speaker[one + 1 :] != speaker[one])
        for other in others[kept[own[one] : own[one + 1]] - starts[one]]:
            pairs.append(Trial(utterance, ids[other], "nontarget"))
    return pairs
