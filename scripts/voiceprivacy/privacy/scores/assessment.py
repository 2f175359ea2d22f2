"""What one score file says of an attack: verification, ZEBRA, the law."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.typed_tables import write_typed
from voiceprivacy.privacy.law import curves
from voiceprivacy.privacy.rows import LawPoint
from voiceprivacy.privacy.scores import verification, zebra
from voiceprivacy.privacy.scores.samples import SpeakerTrials
from voiceprivacy.privacy.scores.score_files import (
    arranged,
    ids_of,
    read_checked,
    trials_of_unknown,
)
from voiceprivacy.privacy.uncertainty import null
from voiceprivacy.privacy.uncertainty.interval_files import Draws, Resampled, resampled_trials
from voiceprivacy.running.command import say
from voiceprivacy.vocabulary import P_TARGET, WITHIN_RELEASE

FAMILIES = ("verification", "zebra")
ATTACKS = ("oo", "op", "pp", "rr")  # conditions; p0p1 serves to calibrate, and attacks nobody


class Assessed(NamedTuple):
    """What one score file says; ``resampled`` is empty without speakers.

    ``metrics`` {family: {metric: value}}, ``resampled`` {family: Resampled}, ``curve`` as
    zebra.assess gives it, ``law`` the points of an attack.
    """

    metrics: Mapping[str, dict[str, Any]]
    resampled: Mapping[str, Resampled]
    curve: Mapping[str, Any]
    law: list[LawPoint]


def assess(
    label: str,
    path: FilePath,
    *,
    draws: Draws,
    trials: FilePath | None = None,
    speakers: FilePath | None = None,
    tags: Sequence[zebra.Tag] = zebra.TABLE_1,
    p_target: float = P_TARGET,
    law: bool = False,
) -> Assessed:
    """Assess one score file.

    Nothing that is as long as the list is kept: a million trials of three conditions fit into
    600 MB.

    Parameters
    ----------
    label : its condition
    path : TSV of scores
    draws : of the speakers
    trials : the list that the scores must be of
    speakers : TSV of whom each utterance and enrolment is of; without it nothing is resampled
    tags : of ZEBRA's worst case
    p_target : prior of min_dcf
    law : whether an attack gets points of the law

    Raises
    ------
    BadInput : scores and list do not belong together, one class is missing, or double precision
        cannot count with the scores
    """
    scored = read_checked(path, key=trials)
    scores: dict[str, Any] = scored.classes
    of_speakers = None
    if speakers and draws.n_replicates:
        of_speakers = arranged(path, scored, speakers)
    wanted = label in ATTACKS and law
    known = (of_speakers or trials_of_unknown(path, scored)) if wanted else None
    ids = ids_of(scored, alike=label in WITHIN_RELEASE) if known else None
    del scored
    definitions: dict[str, Any] = {"tags": tags, "p_target": p_target}
    metrics, resampled, curve = measured(label, scores, of_speakers, draws=draws, **definitions)
    warning = verification.warning_of_ties(**scores)
    if warning:
        say(f"warning: {path}: {warning}", file=sys.stderr)
    points: list[LawPoint] = []
    if known and ids:
        points = curves.curves_of(label, known, ids, **draws._asdict())
    return Assessed(metrics, resampled, curve, points)


def measured(
    label: str,
    scores: dict[str, Any],
    trials: SpeakerTrials | None,
    *,
    draws: Draws,
    tags: Sequence[zebra.Tag] = zebra.TABLE_1,
    p_target: float = P_TARGET,
) -> tuple[dict[str, dict[str, Any]], dict[str, Resampled], Mapping[str, Any]]:
    """The metrics of scores, what their intervals are made of, and the curve of zebra.assess.

    Parameters
    ----------
    label : their condition
    scores : ``target`` (T,) and ``nontarget`` (N,)
    trials : the same scores by speakers; without them nothing is resampled

    Returns
    -------
    {family: {metric: value}}, {family: Resampled}, curve
    """
    zebra_metrics, curve = zebra.assess(**scores, tags=tags)
    numbers = verification.assess(**scores, p_target=p_target)
    metrics = {"verification": numbers, "zebra": zebra_metrics}
    resampled = {}
    if trials:  # one set of draws serves both families
        drawn = resampled_trials(trials, zebra.measure_of_both(scores), draws)
        resampled = {family: drawn.part(metrics[family]) for family in FAMILIES}
        if label not in WITHIN_RELEASE:  # pairs have no enrolments that could be permuted
            metrics["zebra"] |= null.assess(trials, **draws._asdict())
    return metrics, resampled, curve


def write_law(path: FilePath, curves: Mapping[str, Sequence[LawPoint]]) -> None:
    """Write {condition: points} as one TSV: label and the columns of LawPoint."""
    rows: list[tuple] = []
    for condition, points in curves.items():
        rows += [(condition, *point) for point in points]
    write_typed(path, LawPoint, rows, "label")
