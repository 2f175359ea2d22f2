"""The file of evidence: everything that the verdict takes from the scores of one attack.

Beside OUT.json (condition -> what a Record holds, without arrays) lies OUT.npz with
``<condition>/values`` (4, K), ``<condition>/replicates`` (4, K, B) and ``<condition>/null``
(4, K, P): readings x numbers x draws. Draws are kept in single precision.
"""

import itertools
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from voiceprivacy.inout.arrays import read_npz, write_npz
from voiceprivacy.inout.files import BadInput, FilePath
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.privacy import Floats
from voiceprivacy.privacy.law import criteria, galleries, predicates
from voiceprivacy.privacy.scores.trials import (
    Ids,
    ScoredTrials,
    SpeakerTrials,
    arrange,
    n_speakers,
)
from voiceprivacy.privacy.uncertainty.bootstrap import multiplicities
from voiceprivacy.privacy.verdict import evidence
from voiceprivacy.privacy.verdict.evidence import FEWEST_UTTERANCES, RATES, READINGS
from voiceprivacy.privacy.verdict.readings import either_way, searched_in
from voiceprivacy.running.command import say
from voiceprivacy.vocabulary import WITHIN_RELEASE

MOST_REPLICATES = 1000  # tests are made of their spread, so more would not help
N_PERMUTATIONS = 199
ATTACKS = ("oo", "op", "pp", "rr")  # conditions; p0p1 serves to calibrate, and attacks nobody
NAMED_AT = 0.05  # risk that anybody innocent is named among the speakers of a system
# How the readings share that risk: scores are meant to be read upwards, and the fewer readings
# there are to correct for, the fewer speakers it takes to name anybody.
SHARE_OF_RISK = dict(zip(READINGS, (0.6, 0.4 / 3, 0.4 / 3, 0.4 / 3), strict=True))
FAR_OFF = 300  # exponent of two of the largest score, from which on its square is no number
OF_GALLERIES = (
    "identification_of_20_percent",
    "identification_of_100_percent",
    "singling_out_of_20_percent",
)
COLLAPSED = 1e-4  # of the spread on unprotected speech: below it an attacker sees one voice


class Record(NamedTuple):
    """What one attack found under one condition.

    ``values`` (4, K), ``replicates`` (4, K, B), ``null`` (4, K, P) are those of ``numbers`` (K
    names). ``spread`` is the standard deviation of the scores, 0 if all are equal. ``exposed`` are
    speakers who would be named if there were no other attack and list: {reading: {speaker:
    p-value, corrected for all speakers and readings}}. ``tied`` is the share of trials that have
    the most frequent score.
    """

    values: Floats
    replicates: Floats
    null: Floats
    numbers: tuple[str, ...]
    reasons: dict[str, str]
    n_speakers: int
    n_target: int
    n_nontarget: int
    n_exposable: int
    spread: float
    exposed: dict[str, dict[str, float]]
    tied: float = 0.0


def record_of(
    condition: str, trials: SpeakerTrials, ids: Ids, *, n_replicates: int, seed: int
) -> Record:
    """The Record of the trials of one condition.

    Parameters
    ----------
    trials : SpeakerTrials
    ids : Ids
        Of the same trials; within a release alike on either side (see trials.ids_of).
    n_replicates : int
        Of the intervals; at most MOST_REPLICATES are drawn.
    """
    trials = trials._replace(scores=_in_range(trials.scores))
    within_release = condition in WITHIN_RELEASE
    n_replicates = min(n_replicates, MOST_REPLICATES)
    assessed = evidence.assess(
        trials,
        n_replicates=n_replicates,
        n_permutations=N_PERMUTATIONS,
        seed=seed,
        within_release=within_release,
    )
    weights = multiplicities(trials.speakers, n_replicates=n_replicates, seed=seed)
    searched, why_not = _in_galleries(trials, ids, weights, within_release)
    unknown = np.full((len(READINGS), len(OF_GALLERIES), assessed.null.shape[-1]), np.nan)
    n_utterances = np.bincount(trials.trial[trials.target], minlength=len(trials.speakers))
    finite = trials.scores[np.isfinite(trials.scores)]
    is_constant = trials.scores[0] == trials.scores[-1]
    return Record(
        np.concatenate([assessed.values, searched[..., 0]], axis=1),
        np.concatenate([assessed.replicates, searched[..., 1:]], axis=1),
        np.concatenate([assessed.null, unknown], axis=1),
        numbers=(*RATES, *OF_GALLERIES),
        reasons=assessed.reasons | why_not,
        n_speakers=n_speakers(trials),
        n_target=int(np.count_nonzero(trials.target)),
        n_nontarget=int(np.count_nonzero(~trials.target)),
        n_exposable=int(np.count_nonzero(n_utterances >= FEWEST_UTTERANCES)),
        spread=0.0 if is_constant or not len(finite) else float(finite.std()),
        exposed={
            reading: exposed_in(trials, reading, within_release=within_release)
            for reading in READINGS
        },
        tied=float(np.unique_counts(trials.scores).counts.max() / len(trials.scores)),
    )


def exposed_in(
    trials: SpeakerTrials, reading: str, *, within_release: bool = False
) -> dict[str, float]:
    """Speakers who are found in one reading more than others are: {speaker: p-value}.

    It is corrected for all speakers (Holm), and for the other readings (Bonferroni, by
    SHARE_OF_RISK). Those above NAMED_AT are left out: with more attacks it only rises.
    """
    speakers = evidence.exposed_speakers(trials, reading, within_release=within_release)
    corrected = {one.speaker: one.p_holm / SHARE_OF_RISK[reading] for one in speakers}
    return {speaker: p for speaker, p in sorted(corrected.items()) if p <= NAMED_AT}


def _in_range(scores):
    """Scores whose squares are numbers: those of another range times a power of two, which is
    exact."""
    finite = np.abs(scores[np.isfinite(scores)])
    _, exponent = np.frexp(finite.max(initial=0.0))
    return scores if abs(exponent) < FAR_OFF else np.ldexp(scores, -int(exponent))


def _in_galleries(trials, ids, weights, within_release):
    """OF_GALLERIES in percent, with their replicates: (4, numbers, 1 + B), and why some are NaN."""
    if within_release:
        trials, ids = either_way(trials, ids)
    drawn = criteria.with_everybody(len(trials.speakers), weights)
    rates, reasons = [], {}
    for reading in READINGS:
        rows, reason = galleries.joined(**searched_in(trials, ids, reading), length=1, seed=0)
        measured = [criteria.undefined(reason, drawn)] * len(OF_GALLERIES)
        if not reason:
            measured = _rates_in_galleries(rows, trials.speakers, drawn)
        for name, rate in zip(OF_GALLERIES, measured, strict=True):
            rates.append(100 * np.append(rate.value, rate.replicates))
            if rate.reason:
                reasons[name] = rate.reason
    return np.array(rates).reshape(len(READINGS), len(OF_GALLERIES), -1), reasons


def _rates_in_galleries(rows, speakers, drawn):
    """The rates of OF_GALLERIES in one reading.

    Singling out is that at 1/N, or at the best pass rate: a low rate alone can be bad calibration.
    """
    contests = criteria.contests_of(rows, len(speakers))
    folds = predicates.folds(rows, speakers, seed=0)
    plain = criteria.singling_out_of(folds, 20, drawn)
    best = criteria.singling_out_of(folds, 20, drawn, best_weight=True)
    return [
        criteria.linkability_of(contests, 20, drawn),
        criteria.linkability_of(contests, 100, drawn),
        best if best.value > plain.value else plain,
    ]


def trials_of_unknown(path: FilePath, scored: ScoredTrials) -> SpeakerTrials | None:
    """The trials of a score file without a map of speakers: they are inferred from target trials.

    None, with a warning in the log, where labels contradict each other.
    """
    try:
        return arrange(scored, inferred_speakers(scored))
    except BadInput as error:
        say(f"warning: {path}: no verdict without --speakers: {error}", file=sys.stderr)
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

    for trial, _ in scored["target"]:
        one, other = sorted([first_of(trial.enrolment), first_of(trial.trial)])
        parent[other] = one
    for trial, _ in scored["nontarget"]:
        first_of(trial.enrolment)
        first_of(trial.trial)
    return {name: first_of(name) for name in list(parent)}


def write_records(path: FilePath, records: Mapping[str, Record]) -> None:
    """Write {condition: Record} as a JSON and the npz beside it, without what is undefined."""
    fields, arrays = {}, {}
    for condition, record in records.items():
        record = _defined(record)
        fields[condition] = {
            name: value
            for name, value in record._asdict().items()
            if name not in ("values", "replicates", "null")
        }
        arrays[f"{condition}/values"] = record.values
        arrays[f"{condition}/replicates"] = record.replicates.astype(np.float32)
        arrays[f"{condition}/null"] = record.null.astype(np.float32)
    write_npz(Path(path).with_suffix(".npz"), arrays, compressed=True)
    write_json(path, fields)


def _defined(record):
    """A Record of those numbers that some reading has: short lists lack half of them."""
    known = np.flatnonzero(~np.isnan(record.values).all(axis=0))
    return record._replace(
        values=record.values[:, known],
        replicates=record.replicates[:, known],
        null=record.null[:, known],
        numbers=tuple(record.numbers[column] for column in known),
    )


def read_records(path: FilePath) -> dict[str, Record]:
    """Read what write_records wrote.

    Raises
    ------
    BadInput : a field is missing, or arrays do not go with each other
    """
    fields = read_json(path)
    kinds = itertools.product(fields, ("values", "replicates", "null"))
    names = [f"{condition}/{kind}" for condition, kind in kinds]
    arrays = read_npz(Path(path).with_suffix(".npz"), names)
    records = {}
    for condition, own in fields.items():
        try:
            record = Record(
                values=arrays[f"{condition}/values"],
                replicates=arrays[f"{condition}/replicates"].astype(float),
                null=arrays[f"{condition}/null"].astype(float),
                **own | {"numbers": tuple(own["numbers"])},
            )
        except (TypeError, KeyError):
            raise BadInput(f"{path}: {condition}: expected {', '.join(Record._fields)}") from None
        shape = (len(READINGS), len(record.numbers))
        if record.values.shape != shape or record.replicates.shape[:2] != shape:
            raise BadInput(f"{path}: {condition}: arrays of another shape than {shape}")
        records[condition] = record
    return records
