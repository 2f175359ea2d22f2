"""Which pairs link a release with itself (condition rr): the list's trial utterances, in pairs.

Every attacker scores the same pairs, so they are listed once for a trial list, and scores are
compared with them as with any list.

Pairs grow with the square of the recordings, and what they say does not: recordings of the same
persons resemble each other. So of many pairs some are drawn, evenly. Recordings stand in a circle
on which those of each speaker are spread evenly; each is compared with its nearest neighbours. So
all have about as many pairs where speakers have about as many recordings.
"""

from collections.abc import Iterable, Mapping

import numpy as np

from voiceprivacy import seeds
from voiceprivacy.inout.ids import recordings_of
from voiceprivacy.inout.trial_lists import Trial
from voiceprivacy.vocabulary import LABELS, MOST_LINKED

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
        See ids.recordings_of.

    Returns
    -------
    list of Trial : target pairs, then others, at most MOST_LINKED of either, drawn by a fixed seed
    """
    ids = list(dict.fromkeys(listed.trial for listed in trials))
    _, speaker = np.unique([speakers[utterance] for utterance in ids], return_inverse=True)
    circle = _circle(speaker)
    by_speaker = circle[np.argsort(speaker[circle], kind="stable")]
    own = np.split(by_speaker, np.cumsum(np.bincount(speaker))[:-1])
    for pattern in dict.fromkeys((recording, None)):
        _, source = np.unique(recordings_of(ids, pattern), return_inverse=True)
        targets = _nearest(own, source)
        if len(np.unique(speaker[targets[:, 0]])) >= FEWEST_LINKED:
            break
    listed = []
    for label, pairs in zip(LABELS, (targets, _nearest([circle], speaker, source)), strict=True):
        listed += [Trial(ids[one], ids[other], label) for one, other in pairs.tolist()]
    return listed


def _circle(speaker):
    """Recordings (N,) in an order that spreads those of each speaker evenly."""
    draw = seeds.generator(0, "pairs within a release")
    shuffled, jitter = draw.random((2, len(speaker)))
    order = np.lexsort([shuffled, speaker])
    counts = np.bincount(speaker)
    number = np.empty(len(speaker))
    number[order] = np.arange(len(speaker)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.argsort((number + jitter) / counts[speaker])


def _nearest(circles, *groups):
    """Pairs (P, 2), rising, of two of all groups: the nearest MOST_LINKED neighbours on circles."""
    nearest = np.empty((0, 2), dtype=int)
    several = all(len(np.unique(group)) > 1 for group in groups)
    longest = max(map(len, circles)) // 2 if several else 0
    for distance in range(1, longest + 1):
        if len(nearest) == MOST_LINKED:
            break
        wide = [circle for circle in circles if len(circle) >= 2 * distance]
        pairs = np.concatenate([_neighbours(circle, distance) for circle in wide])
        differ = np.all([group[pairs[:, 0]] != group[pairs[:, 1]] for group in groups], axis=0)
        nearest = np.concatenate([nearest, pairs[differ][: MOST_LINKED - len(nearest)]])
    return nearest[np.lexsort(nearest.T[::-1])]


def _neighbours(circle, distance):
    """Each pair (P, 2) at a distance on a circle (N,) once; no distance is above N / 2."""
    pairs = np.sort(np.stack([circle, np.roll(circle, -distance)], axis=1))
    return pairs[: len(circle) // 2] if 2 * distance == len(circle) else pairs
