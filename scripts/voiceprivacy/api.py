"""What one imports: ``from voiceprivacy import verification, zebra, ranks, verdict``.

Arrays, DataFrames or dicts in, named tuples out; nothing is read and nothing is written. Numbers
and intervals are those of the commands and of a run.

Conventions
-----------
* Trials are a table with the columns ``enrolment``, ``trial``, ``label`` (target or nontarget) and
  ``score``, a row for each: a pandas DataFrame, or {column: array}.
* Scores are higher where the speaker is more likely the same.
* ``speakers`` is {id of an enrolment or trial: speaker}, a dict or a pandas Series. It gives
  intervals, which draw speakers.
* A number that is undefined is the word "undefined", as in the files.
"""

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from voiceprivacy.inout.arrays import ScoreMatrix
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import LABELS, Trial
from voiceprivacy.privacy import Floats, Number, Scores
from voiceprivacy.privacy.matrices import ranks as _ranks
from voiceprivacy.privacy.scores import verification as _verification
from voiceprivacy.privacy.scores import zebra as _zebra
from voiceprivacy.privacy.scores.trials import (
    SpeakerTrials,
    arrange,
    n_speakers,
    scores_of,
)
from voiceprivacy.privacy.uncertainty import bootstrap
from voiceprivacy.privacy.uncertainty.bootstrap import Interval
from voiceprivacy.privacy.verdict.score_table import ScoreTable
from voiceprivacy.privacy.verdict.verdict import Thresholds, verdict_of
from voiceprivacy.report.terminal import lines_of_set
from voiceprivacy.report.verdict import judged_of
from voiceprivacy.vocabulary import ORIGINAL


class Trials(Protocol):
    """A table of trials, by the names of its columns: a pandas DataFrame, or a dict of arrays."""

    def __getitem__(self, column: str, /) -> Any: ...


class Speakers(Protocol):
    """{id: speaker}: a dict, or a pandas Series."""

    def items(self) -> Iterable[tuple[Any, Any]]:
        """Each id with its speaker."""


COLUMNS = ("enrolment", "trial", "label", "score")
SET, LIST, ATTACKER = "scores", "all", "these scores"  # what the verdict calls them


class Verification(NamedTuple):
    """Metrics of voiceprivacy.privacy.scores.verification.assess, and their intervals."""

    eer_percent: float
    eer_rocch_percent: float
    eer_speechbrain_percent: float
    cllr_bit: float
    cllr_min_bit: float
    cllr_cal_bit: float
    min_dcf: float
    linkability: float
    linkability_vpc: float
    n_target: int
    n_nontarget: int
    intervals: dict[str, Interval]


class Zebra(NamedTuple):
    """Metrics of voiceprivacy.privacy.scores.zebra.assess, its profile, and intervals."""

    dece_bit: float
    worst_case_log10: float
    worst_case_floor_log10: float
    worst_case_ceiling_log10: float
    tag: str
    tag_ceiling: str
    ddcf: float
    n_target: int
    n_nontarget: int
    profile: dict[str, Floats]
    intervals: dict[str, Interval]


class Ranks(NamedTuple):
    """Similarity-rank disclosure: the headline, all metrics, histogram p (N,) and model gamma."""

    disclosure_bit: float
    identification_rate_percent: float
    metrics: dict[str, Number]
    p: Floats
    gamma: Floats


class Verdict(NamedTuple):
    """What ``voiceprivacy verdict`` says of one set of trials.

    ``text`` are its lines, ``states`` {system: open, low or unclear}, ``better`` pairs (safer, less
    safe), ``facts`` the set's part of verdict.json.
    """

    text: str
    states: dict[str, str]
    better: list[tuple[str, str]]
    facts: dict[str, Any]


def verification(
    trials: Trials | None = None,
    *,
    target: ArrayLike | None = None,
    nontarget: ArrayLike | None = None,
    speakers: Speakers | None = None,
    p_target: float = 0.01,
    n_replicates: int = 1000,
    seed: int = 0,
) -> Verification:
    """How well an attacker still tells speakers apart: EER, Cllr, linkability.

    Parameters
    ----------
    trials : table, or instead of it
    target, nontarget : array (T,), array (N,)
    speakers : {id: speaker}, optional
        With a table: intervals are made.
    p_target : prior of min_dcf
    n_replicates, seed : of the intervals

    Raises
    ------
    BadInput : a column is missing, no score of a class, a score that is NaN, an id twice, a trial
        whose label its speakers contradict
    """
    scores, arranged = _given(trials, target, nontarget, speakers)
    metrics = _verification.assess(**scores, p_target=p_target)
    measure = _verification.resampled_metrics(**scores)
    limits = _intervals(metrics, arranged, measure, n_replicates, seed)
    return Verification(**metrics, intervals=limits)  # type: ignore[arg-type]  # a Number each


def zebra(
    trials: Trials | None = None,
    *,
    target: ArrayLike | None = None,
    nontarget: ArrayLike | None = None,
    speakers: Speakers | None = None,
    n_replicates: int = 1000,
    seed: int = 0,
) -> Zebra:
    """How much scores disclose, on average and at worst (Nautsch et al. 2020).

    Parameters and errors are those of ``verification``.
    """
    scores, arranged = _given(trials, target, nontarget, speakers)
    metrics, profile = _zebra.assess(**scores)  # type: ignore[arg-type]
    limits = _intervals(metrics, arranged, _zebra.sample_metrics, n_replicates, seed)
    return Zebra(**metrics, profile=profile, intervals=limits)  # type: ignore[arg-type]


def ranks(
    scores: ArrayLike,
    *,
    test_speakers: ArrayLike,
    template_speakers: ArrayLike,
    fit: str = "auto",
    ties: str = "shared",
) -> Ranks:
    """How many bits of identity the rank of the true template discloses (Bäckström et al. 2025).

    Parameters
    ----------
    scores : array (R, C)
        Of R test utterances against the templates of C speakers.
    test_speakers, template_speakers : array (R,), array (C,)
    fit, ties : see voiceprivacy.privacy.matrices.ranks.assess

    Raises
    ------
    BadInput : shapes that do not go together, a score that is NaN, two templates of one speaker,
        an utterance whose speaker has none
    """
    values = np.asarray(scores, dtype=float)
    rows, columns = np.asarray(test_speakers).astype(str), np.asarray(template_speakers).astype(str)
    if values.shape != (len(rows), len(columns)):
        raise BadInput(
            f"scores have the shape {values.shape}, and the speakers {(len(rows), len(columns))}"
        )
    if np.isnan(values).any():
        raise BadInput("scores: NaN is no score")
    tests = np.array([f"test {row}" for row in range(len(rows))])
    templates = np.array([f"template {column}" for column in range(len(columns))])
    matrix = ScoreMatrix(tests, templates, rows, columns, values, tests, templates)
    assessed = _ranks.assess(matrix, fit=fit, ties=ties)
    metrics: Any = assessed.metrics
    return Ranks(
        metrics["disclosure_bit"],
        metrics["identification_rate_percent"],
        metrics,
        assessed.p,
        assessed.gamma,
    )


def verdict(
    attacks: Mapping[str, Mapping[str, Trials]],
    speakers: Speakers,
    *,
    thresholds: Mapping[str, float] | None = None,
) -> Verdict:
    """How much of the speakers' identity one attacker's scores give away in every system.

    Parameters
    ----------
    attacks : {system: {condition: table of trials}}
        Of ``original``, which is unprotected speech, the condition oo; of each protected system op,
        pp, rr, or several of them.
    speakers : {id: speaker}
    thresholds : those that are not the defaults of a config's section ``verdict``

    Raises
    ------
    BadInput : as ``verification``; or there is no protected system
    """
    if not {*attacks} - {ORIGINAL}:
        raise BadInput("attacks: expected a protected system")
    table = ScoreTable(_names(speakers))
    for system, conditions in attacks.items():
        for condition, trials in conditions.items():
            scored = _scored(trials)
            arrange(scored, table.speaker_of)  # refuses labels that speakers contradict
            of_attack = table.scores.setdefault(LIST, {}).setdefault(system, {})
            pairs = chain.from_iterable(scored.values())
            of_attack[ATTACKER, condition] = {trial[:2]: score for trial, score in pairs}
    given: Any = thresholds or {}
    facts = verdict_of(table, thresholds=Thresholds(**given))
    return Verdict(
        "\n".join(lines_of_set(judged_of(SET, facts))),
        {name: own["state"] for name, own in facts["systems"].items()},
        [(safer, other) for safer, other in facts["better"]],
        facts,
    )


# Tables of trials.


def _given(
    trials: Trials | None,
    target: ArrayLike | None,
    nontarget: ArrayLike | None,
    speakers: Speakers | None,
) -> tuple[dict[str, Scores], SpeakerTrials | None]:
    """Scores of both classes, and the trials of speakers where these are known."""
    if trials is not None:
        scored = _scored(trials)
        return scores_of(scored), None if speakers is None else arrange(scored, _names(speakers))
    if target is None or nontarget is None or speakers is not None:
        raise BadInput("give trials (and speakers), or target and nontarget scores")
    scores = {"target": np.asarray(target, float), "nontarget": np.asarray(nontarget, float)}
    for label, values in scores.items():
        if values.ndim != 1 or not len(values):
            raise BadInput(f"{label}: expected an array of scores, not the shape {values.shape}")
        if np.isnan(values).any():
            raise BadInput(f"{label}: NaN is no score")
    return scores, None


def _names(speakers: Speakers) -> dict[str, str]:
    """{id: speaker} as text: a DataFrame reads ids of digits as numbers."""
    return {str(name): str(speaker) for name, speaker in speakers.items()}


def _scored(trials: Trials) -> dict[str, list[tuple[Trial, float]]]:
    """The trials of a table by class."""
    columns = []
    for name in COLUMNS:
        try:
            columns.append(np.asarray(trials[name]).tolist())
        except KeyError:
            raise BadInput(f"trials: no column {name}; expected {', '.join(COLUMNS)}") from None
    if len({len(column) for column in columns}) != 1:
        raise BadInput("trials: columns of different lengths")
    scored: dict[str, list[tuple[Trial, float]]] = {label: [] for label in LABELS}
    known: set[tuple[str, str]] = set()
    for enrolment, trial, label, score in zip(*columns, strict=True):
        if label not in scored:
            raise BadInput(f"trial '{enrolment} {trial}': label {label!r} is none of {LABELS}")
        if not isinstance(score, int | float) or np.isnan(score):
            raise BadInput(f"trial '{enrolment} {trial}': {score!r} is no score")
        if (str(enrolment), str(trial)) in known:
            raise BadInput(f"trial '{enrolment} {trial}' occurs twice")
        known.add((str(enrolment), str(trial)))
        scored[label].append((Trial(str(enrolment), str(trial), label), float(score)))
    for label, pairs in scored.items():
        if not pairs:
            raise BadInput(f"trials: no {label} trials")
    return scored


def _intervals(metrics, trials, measure, n_replicates, seed):
    if trials is None or not n_replicates:
        return {}
    drawn = bootstrap.resample_scores(trials, measure, n_replicates=n_replicates, seed=seed)
    limits = bootstrap.intervals(metrics, drawn, n_speakers=n_speakers(trials))
    return {name: Interval(**fields) for name, fields in limits.items()}
