"""Scores that lie beside a result, the list that they are of, and numbers computed again from them.

Conventions
-----------
* PROTOCOL.trials.gz has the columns of LISTED. ``list`` is trials, or release for the pairs within
  a release (condition rr).
* RESULT.scores.gz has the columns of SCORED, one line for each trial of a condition.
* SHA-256 are of sorted lines with single blanks, each with its line end: ``enrolment trial label``
  of trials and release, ``id speaker`` of speakers, ``enrolment utterance ...`` of enrolments.
* Intervals are drawn by the format's own seed, so nobody has to tell that of a run.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.checksums import sha256
from voiceprivacy.inout.files import FilePath, naming
from voiceprivacy.inout.ids import safe_id
from voiceprivacy.inout.packed import read_packed, write_packed
from voiceprivacy.inout.scored_trials import ScoredTrials
from voiceprivacy.inout.tables import number
from voiceprivacy.inout.trial_lists import Trial
from voiceprivacy.organise.records import Number
from voiceprivacy.privacy.scores.assessment import measured
from voiceprivacy.privacy.scores.score_files import arrange
from voiceprivacy.privacy.uncertainty.bootstrap import intervals
from voiceprivacy.privacy.uncertainty.corrections import CORRECTIONS
from voiceprivacy.privacy.uncertainty.interval_files import Draws
from voiceprivacy.vocabulary import LABELS, UNDEFINED, WITHIN_RELEASE

LISTED = ["list", "enrolment", "trial", "label", "enrolment_speaker", "trial_speaker"]
SCORED = ["condition", "enrolment", "trial", "label", "score"]
LISTS = ("trials", "release")
SEED, MOST_DRAWS = 0, 1000  # of the format
SAME = 1e-9  # to which numbers that are computed again agree, relative or absolute

Pair = tuple[str, str]
Pairs = dict[Pair, str]  # {(enrolment, trial): label}


class Listed(NamedTuple):
    """The lists of a protocol: {list: {(enrolment, trial): label}}, and who speaks: {id:
    speaker}."""

    lists: Mapping[str, Pairs]
    speakers: Mapping[str, str]

    def pairs(self, condition: str) -> Pairs:
        """The pairs that a condition is tried on."""
        return self.lists.get("release" if condition in WITHIN_RELEASE else "trials", {})

    def hashes(self) -> dict[str, str]:
        """SHA-256 of each list and of the speakers."""
        digests = {"speakers": digest(f"{one} {who}" for one, who in self.speakers.items())}
        for name, pairs in self.lists.items():
            digests[name] = digest(
                f"{one} {other} {label}" for (one, other), label in pairs.items()
            )
        return digests

    def counts(self) -> dict[str, int]:
        """How many trials and speakers there are."""
        labels = list(self.lists["trials"].values())
        counted = {label: labels.count(label) for label in LABELS}
        return counted | {"speakers": len(set(self.speakers.values()))}


def digest(lines: Iterable[str]) -> str:
    """SHA-256 of sorted lines, as ``sort | sha256sum`` says it with LC_ALL=C."""
    ordered = sorted(line.encode() for line in lines)
    return sha256(b"".join(line + b"\n" for line in ordered))


def write_listed(path: FilePath, listed: Listed) -> None:
    """Write the lists of a protocol."""
    rows = []
    for name in LISTS:
        for (enrolment, trial), label in sorted(listed.lists.get(name, {}).items()):
            speakers = (listed.speakers[enrolment], listed.speakers[trial])
            rows.append((name, enrolment, trial, label, *speakers))
    write_packed(path, LISTED, rows)


def read_listed(path: FilePath) -> Listed:
    """Read the lists of a protocol: each trial once, each id of one speaker."""
    lists: dict[str, Pairs] = {name: {} for name in LISTS}
    speakers: dict[str, str] = {}
    for line, (name, enrolment, trial, label, *speakers_of_trial) in read_packed(path, LISTED):
        if name not in LISTS or label not in LABELS:
            raise BadInput(f"{path}:{line}: '{name} {label}' is no list and label")
        if (enrolment, trial) in lists[name]:
            raise BadInput(f"{path}:{line}: trial '{enrolment} {trial}' occurs twice")
        lists[name][enrolment, trial] = label
        for one, who in zip((enrolment, trial), speakers_of_trial, strict=True):
            known = speakers.setdefault(safe_id(one, path, line), safe_id(who, path, line))
            if known != who:
                raise BadInput(f"{path}:{line}: '{one}' is of '{who}', and of '{known}' above")
    if not lists["trials"]:
        raise BadInput(f"{path}: holds no trials")
    return Listed({name: pairs for name, pairs in lists.items() if pairs}, speakers)


Scores = dict[str, dict[Pair, float]]  # {condition: {(enrolment, trial): score}}


def write_scored(path: FilePath, scores: Scores, listed: Listed) -> str:
    """Write scores with the labels of their lists; the SHA-256 of the table."""
    rows = []
    for condition, own in sorted(scores.items()):
        labels = listed.pairs(condition)
        for pair, score in sorted(own.items()):
            rows.append((condition, *pair, labels[pair], repr(score)))
    return write_packed(path, SCORED, rows)


def read_scored(path: FilePath, listed: Listed, list_path: FilePath) -> Scores:
    """Read scores that are of the trials of a list, each once and with its label."""
    scores: Scores = {}
    for line, (condition, enrolment, trial, label, text) in read_packed(path, SCORED):
        pair, labels = (enrolment, trial), listed.pairs(condition)
        trial_text = f"{path}:{line}: trial '{enrolment} {trial}' of {condition}"
        if pair not in labels:
            raise BadInput(f"{trial_text} is not in {list_path}")
        if labels[pair] != label:
            raise BadInput(f"{trial_text} is labelled {label}, and {labels[pair]} in {list_path}")
        own = scores.setdefault(condition, {})
        if pair in own:
            raise BadInput(f"{trial_text} occurs twice")
        own[pair] = number(text, path, line)
    for condition, own in scores.items():
        missing = sorted(listed.pairs(condition).keys() - own.keys())
        if missing:
            first = " ".join(missing[0])
            raise BadInput(f"{path}: no score of {condition} for trial '{first}' of {list_path}")
    return scores


def recomputed(
    condition: str, scores: Mapping[Pair, float], listed: Listed, *, draws: int, path: FilePath
) -> dict[str, Number]:
    """All metrics of scores under a condition, with their intervals, as a run measures them.

    ``draws`` are replicates of the intervals; BadInput names the ``path`` of the scores, where a
    class is without trials, or speakers and labels contradict each other.
    """
    labels = listed.pairs(condition)
    scored = ScoredTrials.of(
        (Trial(*pair, labels[pair]), score) for pair, score in sorted(scores.items())
    )
    for label, own in scored.classes.items():
        if not len(own):
            raise BadInput(f"{path}: no {label} trials of {condition}")
    with naming(path):
        trials = arrange(scored, listed.speakers) if draws else None
    resampling = Draws(draws, SEED)
    metrics, resampled, _ = measured(condition, scored.classes, trials, draws=resampling)
    numbers: dict[str, Number] = {}
    for family, values in metrics.items():
        limits: Mapping[str, Any] = {}
        if drawn := resampled.get(family):
            limits = intervals(
                values, drawn.replicates, n_speakers=drawn.n_speakers, corrections=CORRECTIONS
            )
        for name, value in values.items():
            if not isinstance(value, str) or value == UNDEFINED:  # a tag is no number
                numbers[name] = number_and(value, limits.get(name, {}))
    return numbers


def number_and(value: Any, limits: Mapping[str, Any]) -> Number:
    """A metric and its interval as a record has them."""
    if value == UNDEFINED:
        return Number(None, not_reported=UNDEFINED)
    low, high = limits.get("ci_low"), limits.get("ci_high")
    if low is None or high is None:
        return Number(float(value))
    return Number(float(value), float(low), float(high))


def difference(one: Number, other: Number) -> str | None:
    """Which field of two numbers is not the same; None where all are."""
    for field in ("value", "low", "high"):
        first, second = getattr(one, field), getattr(other, field)
        are_numbers = first is not None and second is not None
        are_close = are_numbers and math.isclose(first, second, rel_tol=SAME, abs_tol=SAME)
        if first != second and not are_close:
            return field
    return None
