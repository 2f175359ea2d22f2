"""Tables of scored trials: our own, those without header, and Kaldi's with their key.

Whatever is wrong raises BadInput with the file, the line and the reason.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.files import FilePath, blocks_of_lines
from voiceprivacy.inout.foreign import composed
from voiceprivacy.inout.tables import unquoted_blocks, write_table
from voiceprivacy.inout.trial_lists import (
    SCORES,
    TRIALS,
    Positions,
    Trial,
    TrialColumns,
    headerless_fields,
    read_columns,
)
from voiceprivacy.vocabulary import LABELS

Floats = NDArray[np.float64]
Pair = tuple[str, str]  # an enrolment and a trial


class ScoredTrials(NamedTuple):
    """M trials and their scores: targets first, either class in the order of its file.

    ``enrolments`` and ``trials`` are ids, each once; ``enrolment`` and ``trial`` (M,) are the
    positions of those of each trial. ``scores`` is (M,); the first ``n_targets`` are targets.
    """

    enrolments: list[str]
    trials: list[str]
    enrolment: NDArray[np.int32]
    trial: NDArray[np.int32]
    scores: Floats
    n_targets: int

    @property
    def classes(self) -> dict[str, Floats]:
        """The scores of either class: {target, nontarget: array}."""
        classes = self.scores[: self.n_targets], self.scores[self.n_targets :]
        return dict(zip(LABELS, classes, strict=True))

    def named(self, index: int) -> Trial:
        """The trial at a position."""
        names = self.enrolments[self.enrolment[index]], self.trials[self.trial[index]]
        return Trial(*names, LABELS[0] if index < self.n_targets else LABELS[1])

    def by_names(self) -> dict[Pair, float]:
        """{(enrolment, trial): score}, in the order of positions."""
        enrolled = map(self.enrolments.__getitem__, self.enrolment.tolist())
        tried = map(self.trials.__getitem__, self.trial.tolist())
        return dict(zip(zip(enrolled, tried, strict=True), self.scores.tolist(), strict=True))

    @classmethod
    def of(cls, scored: Iterable[tuple[Trial, float]]) -> "ScoredTrials":
        """Scored trials of any origin, each of which is there once."""
        rows = list(scored)
        enrolments, trials = Positions(), Positions()
        enrolment = np.array([enrolments[trial.enrolment] for trial, _ in rows], dtype=np.int32)
        trial = np.array([trials[trial.trial] for trial, _ in rows], dtype=np.int32)
        target = np.array([trial.label == LABELS[0] for trial, _ in rows], dtype=bool)
        scores = np.array([score for _, score in rows], dtype=np.float64)
        columns = list(enrolments), list(trials), enrolment, trial, target, scores
        return cls.of_columns(TrialColumns(*columns, lines=np.arange(len(rows), dtype=np.int32)))

    @classmethod
    def of_columns(cls, columns: TrialColumns) -> "ScoredTrials":
        """The same trials, targets first."""
        order = np.argsort(~columns.target, kind="stable")
        arrays = columns.enrolment[order], columns.trial[order], columns.scores[order]
        return cls(columns.enrolments, columns.trials, *arrays, int(columns.target.sum()))


# Reading and writing.


def read_scored_trials(path: FilePath, *, key: FilePath | None = None) -> ScoredTrials:
    """Read a score table (TSV: enrolment trial label score), or a Kaldi score file with its key.

    Parameters
    ----------
    path : path
        Our TSV or the same as CSV, the same without header as SpeechBrain writes it, or, with
        ``key``, a headerless file "enrolment trial score".
    key : path, optional
        A trial list, ours or a headerless one (see headerless_trials). The trials and labels of
        ``path`` must be its own; scores without labels are joined with it by name.

    Raises
    ------
    BadInput : a label or number that is none, a class without trials, or a trial that occurs twice,
        is missing, has another label, or is not in the key
    """
    blocks = unquoted_blocks(path, blocks_of_lines(path))
    first = next(blocks, [])
    blocks = chain([first], blocks)
    listed = None if key is None else read_columns(key, blocks_of_lines(key), TRIALS)
    if listed is None:
        _refuse_unlabelled(path, first)
    elif len(_begins(first).split()) != len(SCORES):  # Kaldi's, without labels
        blocks = iter([_labelled(path, [*chain.from_iterable(blocks)], listed)])
    columns = read_columns(path, blocks, SCORES)
    if listed is not None and not columns.lists_the_same(listed):
        _refuse_others(path, columns, key, listed)
    scored = ScoredTrials.of_columns(columns)
    for label, scores in scored.classes.items():
        if not len(scores):
            raise BadInput(f"{path}: no {label} trials")
    return scored


def write_scores(path: FilePath, trials: Iterable[Trial], scores: Iterable[float]) -> None:
    """Write the score of every trial in full precision."""
    rows = []
    for trial, score in zip(trials, scores, strict=True):
        rows.append((*trial, float(score)))
    write_table(path, SCORES, rows)


def warning_of_itself(
    scored: ScoredTrials, enrolments: Mapping[str, Collection[str]] | None = None
) -> str | None:
    """What to say of trials that compare a recording with itself; None where there are none.

    ``enrolments`` are {enrolment: utterances}; without them an enrolment is an utterance.
    """
    own = enrolments or {}
    position = {name: index for index, name in enumerate(scored.trials)}
    wrong = []
    for index, name in enumerate(scored.enrolments):
        tried = [position[one] for one in own.get(name, [name]) if one in position]
        wrong += [index * len(position) + one for one in tried]
    keys = scored.enrolment * np.int64(len(position)) + scored.trial
    same = np.flatnonzero(np.isin(keys, wrong))
    return warning_of_pairs([scored.named(index)[:2] for index in same.tolist()])


def warning_of_pairs(own: Sequence[Pair]) -> str | None:
    """What to say of trials that compare a recording with itself; None where there are none."""
    if not own:
        return None
    compare = counted(len(own), "trial compares", "trials compare")
    such = f"such as '{' '.join(own[0])}'"
    return f"{compare} a recording with itself, {such}: leave such trials out of the list"


def _refuse_others(path, columns, trial_list, listed):
    """Refuse scores of other trials than those of a list; they may be in another order."""
    wanted = {listed.pair(index): index for index in range(len(listed.lines))}
    for index, line in enumerate(columns.lines):
        pair = columns.pair(index)
        known = wanted.pop(pair, None)
        if known is None:
            raise BadInput(f"{path}:{line}: trial '{' '.join(pair)}' is not in {trial_list}")
        labels = [LABELS[not one] for one in (columns.target[index], listed.target[known])]
        if labels[0] != labels[1]:
            raise BadInput(
                f"{path}:{line}: trial '{' '.join(pair)}' is labelled {labels[0]}, and {labels[1]}"
                f" in {trial_list}"
            )
    for pair, index in wanted.items():
        where = f"{trial_list}:{listed.lines[index]}"
        raise BadInput(f"{path}: no score for trial '{' '.join(pair)}' of {where}")


def _refuse_unlabelled(path, lines):
    """Say of a headerless "enrolment trial score", a likely mistake, what it lacks."""
    fields = (lines[:1] or [""])[0].split()
    if len(fields) == 3 and re.fullmatch(r"[-+]?[\d.]+(e[-+]?\d+)?", fields[2], re.IGNORECASE):
        raise BadInput(
            f"{path}:1: is a score file of Kaldi's kind, without labels: name its key, lines of"
            " enrolment trial target|nontarget, too (--trials KEY; in a config 'key: KEY')"
        )


def _begins(lines):
    """The first line that is not empty."""
    return next(filter(str.strip, lines), "")


def _labelled(path, lines, listed):
    """Lines of Kaldi's scores with the labels of their key; those of no trial of it are refused."""
    if not any(lines) or {*_begins(lines).split()} & {*SCORES}:
        raise BadInput(f"{path}:1: expected lines of enrolment trial score, and no header")
    targets = {listed.pair(index) for index in np.flatnonzero(listed.target)}
    for line, (*named, score) in headerless_fields(path, lines, 3):
        pair = tuple(map(composed, named))
        lines[line - 1] = " ".join([*pair, LABELS[pair not in targets], score])
    return lines
