"""Scored trials and who speaks in them: speakers can be weighted, left out, or given other labels.

Conventions
-----------
* A speaker is the same on the enrolment and on the trial side; a target trial has one speaker on
  both.
* Scores are sorted once; every sample of them is a weight for each trial. Trials between which no
  threshold matters are counted together.
"""

import itertools
import sys
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.enrolments import read_speakers
from voiceprivacy.inout.files import FilePath, naming
from voiceprivacy.inout.scored_trials import ScoredTrials, read_scored_trials, warning_of_itself
from voiceprivacy.privacy import Classes, Counts, Scores
from voiceprivacy.privacy.scores.samples import SpeakerTrials
from voiceprivacy.running.command import say

LARGEST, SMALLEST = 1e150, 1e-150  # of scores, and of their spread
FEW_ABOVE = 0.2  # of the targets, where scores are the wrong way round


class ScoreFile(NamedTuple):
    """Scores of a file; ``trials`` say who speaks in each, None if that is not known."""

    scores: Classes
    trials: SpeakerTrials | None


def read_score_file(
    path: FilePath, *, key: FilePath | None = None, speaker_map: FilePath | None = None
) -> ScoreFile:
    """Read a score file once, as scores and as trials of speakers.

    Parameters
    ----------
    path : path
        Our TSV; with ``key`` a score file of Kaldi's (see read_scored_trials).
    key : path, optional
    speaker_map : path, optional
        TSV: id speaker.

    Raises
    ------
    BadInput : the file is none, or the speakers do not go with its labels
    """
    scored = read_checked(path, key=key)
    trials = arranged(path, scored, speaker_map) if speaker_map else None
    return ScoreFile(scored.classes, trials)


def read_checked(path: FilePath, *, key: FilePath | None = None) -> ScoredTrials:
    """Read a score file as ``read_scored_trials`` does, and say on stderr what is odd in it.

    Trials may compare a recording with itself, scores be infinite on the wrong side, or lower the
    more alike two voices are.

    Raises
    ------
    BadInput : the file is none, or double precision cannot count with its scores
    """
    scored = read_scored_trials(path, key=key)
    itself = warning_of_itself(scored)
    for warning in (itself, _of_infinite(scored), warning_of_reversed(**scored.classes)):
        if warning:
            say(f"warning: {path}: {warning}", file=sys.stderr)
    _refuse_beyond_precision(path, scored.scores)
    return scored


def _of_infinite(scored):
    target = np.arange(len(scored.scores)) < scored.n_targets
    wrong = np.flatnonzero(scored.scores == np.where(target, -np.inf, np.inf))
    if not len(wrong):
        return ""
    # Nontargets first, which are the likelier mistake.
    first = scored.named(wrong[np.searchsorted(wrong, scored.n_targets) % len(wrong)])
    more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    named = f"{first.label} '{first.enrolment} {first.trial}'{more}"
    return f"the score of {named} is infinite on the wrong side: cllr_bit is infinite by it"


def warning_of_reversed(target: Scores, nontarget: Scores) -> str | None:
    """What to say of scores that are lower the more alike two voices are; None of others."""
    with np.errstate(invalid="ignore"):  # the mean of inf and -inf
        middle = np.median(nontarget)
        above, equal = np.mean(target > middle), np.mean(target == middle)
    if above + equal / 2 >= FEW_ABOVE:  # equal scores are no distances
        return None
    return (
        f"{100 * above:.0f} % of the targets score above the median nontarget: higher must mean"
        " more alike, so negate distances"
    )


def _refuse_beyond_precision(path, scores):
    """Refuse scores whose sums or differences double precision cannot hold."""
    finite = scores[np.isfinite(scores)]
    lowest, highest = (finite.min(), finite.max()) if len(finite) else (0.0, 0.0)
    if max(-lowest, highest) > LARGEST or 0 < highest - lowest < SMALLEST:
        raise BadInput(
            f"{path}: its scores lie between {lowest:.3g} and {highest:.3g}, beyond what double"
            " precision can count with: multiply all of them by a constant"
        )


def arranged(path: FilePath, scored: ScoredTrials, speaker_map: FilePath) -> SpeakerTrials:
    """Sort the scored trials of a file and look up their speakers in a map (TSV: id speaker).

    Raises
    ------
    BadInput : the speakers do not go with the labels; the file is named
    """
    speaker_of = read_speakers(speaker_map)
    with naming(path):
        return arrange(scored, speaker_of)


def arrange(scored: ScoredTrials, speaker_of: Mapping[str, str]) -> SpeakerTrials:
    """Sort scored trials and look up their speakers, {id: speaker} of enrolments and trials.

    Raises
    ------
    BadInput : an id without speaker, a target of two speakers, a nontarget of one
    """
    enrolled = [_speaker(name, speaker_of) for name in scored.enrolments]
    tried = [_speaker(name, speaker_of) for name in scored.trials]
    # Both sides at once: a speaker has one position, on whichever side.
    speakers, positions = np.unique(np.array([*enrolled, *tried]), return_inverse=True)
    enrolment = positions[: len(enrolled)][scored.enrolment]
    trial = positions[len(enrolled) :][scored.trial]
    target = np.arange(len(scored.scores)) < scored.n_targets
    mislabelled = np.flatnonzero((enrolment == trial) != target)
    if len(mislabelled):
        first = mislabelled[0]
        wrong = scored.named(first)
        raise BadInput(
            f"trial '{wrong.enrolment} {wrong.trial}' is labelled {wrong.label},"
            f" but its speakers are '{speakers[enrolment[first]]}' and '{speakers[trial[first]]}'"
        )
    order = np.argsort(scored.scores, kind="stable")
    return SpeakerTrials(
        speakers, scored.scores[order], target[order], enrolment[order], trial[order]
    )


def trials_of_unknown(path: FilePath, scored: ScoredTrials) -> SpeakerTrials | None:
    """The trials of a score file without a map of speakers: target trials say who speaks.

    None, with a warning in the log, where labels contradict each other.
    """
    try:
        return arrange(scored, inferred_speakers(scored))
    except BadInput as error:
        say(
            f"warning: {path}: no curves of singling out and linkability without --speakers:"
            f" {error}",
            file=sys.stderr,
        )
        return None


def inferred_speakers(scored: ScoredTrials) -> dict[str, str]:
    """Who speaks, as far as target trials say: {id: speaker}.

    Ids that target trials join are one speaker, called by the first of them. It serves score files
    without a map of speakers. A speaker whose ids no target trial joins counts as two.
    """
    parent: dict[str, str] = {}

    def first_of(name: str) -> str:
        while parent.setdefault(name, name) != name:
            parent[name] = parent[parent[name]]  # halves the way of the next search
            name = parent[name]
        return name

    enrolled = scored.enrolment[: scored.n_targets].tolist()
    tried = scored.trial[: scored.n_targets].tolist()
    for enrolment, trial in sorted({*zip(enrolled, tried, strict=True)}):
        names = scored.enrolments[enrolment], scored.trials[trial]
        one, other = sorted(map(first_of, names))
        parent[other] = one
    for name in itertools.chain(scored.enrolments, scored.trials):
        first_of(name)
    return {name: first_of(name) for name in list(parent)}


class Ids(NamedTuple):
    """Which enrolment and which utterance each of M trials is of, as numbers from 0 on."""

    enrolment: Counts
    trial: Counts


def ids_of(scored: ScoredTrials, *, alike: bool = False) -> Ids:
    """The Ids of scored trials in the order of ``arrange``.

    ``alike``: an id has the same number on either side, as in pairs of utterances.
    """
    order = np.argsort(scored.scores, kind="stable")
    if not alike:
        return Ids(_numbered(scored.enrolment)[order], _numbered(scored.trial)[order])
    _, positions = np.unique([*scored.enrolments, *scored.trials], return_inverse=True)
    enrolled, tried = np.split(positions, [len(scored.enrolments)])
    both = _numbered(np.concatenate([enrolled[scored.enrolment], tried[scored.trial]]))
    return Ids(*(side[order] for side in np.split(both, 2)))


def _numbered(positions):
    """Positions (M,) as numbers from 0 on, in the order in which they occur."""
    _, first, inverse = np.unique(positions, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def _speaker(name, speaker_of):
    if name not in speaker_of:
        raise BadInput(f"'{name}' has no speaker: add it to the map of speakers")
    return speaker_of[name]
