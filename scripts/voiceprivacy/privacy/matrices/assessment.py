"""Assessments of matrices from files to files, for the commands and for the jobs of a run."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.inout.arrays import ScoreMatrix, read_matrix
from voiceprivacy.inout.files import FilePath, naming, write_json
from voiceprivacy.inout.tables import read_manifest, read_scored_trials, write_table
from voiceprivacy.privacy import Floats
from voiceprivacy.privacy.matrices import ranks, similarity, speakers, zoo
from voiceprivacy.privacy.scores.trials import scores_of
from voiceprivacy.privacy.uncertainty import jackknife
from voiceprivacy.privacy.uncertainty.bootstrap import resample_ranks
from voiceprivacy.privacy.uncertainty.interval_files import (
    Draws,
    Labelled,
    Resampled,
    write_intervals,
)
from voiceprivacy.running.command import flat_unless_labelled
from voiceprivacy.vocabulary import ABSENT, UNDEFINED

RANKS = ranks.RankLine._fields
RANK_TABLES = {
    "curves": RANKS,
    "speakers": ranks.Disclosure._fields,
    "examples": ("speaker", *RANKS),
}
SPEAKERS = ("label", *speakers.Exposure._fields, "deid_percent")
ZOO = ("label", *zoo.Animal._fields)
MOST_AT_RISK = 3  # speakers that are printed


class SimilarityAssessment(NamedTuple):
    """Similarities, metrics, remarks and animals of each condition, and what was drawn anew."""

    matrices: dict[str, similarity.Similarities]
    metrics: dict[str, Any]
    notes: list[str]
    animals: list[tuple]
    resampled: dict[str, Resampled]

    @property
    def headline(self) -> str:
        """The two numbers that say most."""
        return f"DeID {self.metrics['deid_percent']:.2f} %, G_VD {self.metrics['gvd_db']:.2f} dB"


def assess_similarity(
    paths: Mapping[str, FilePath],
    draws: Draws,
    *,
    pairs: str = "all",
    definition: str = "geometric",
) -> SimilarityAssessment:
    """Assess the matrices of pairs under oo, op and pp.

    Parameters
    ----------
    paths : {oo, op, pp: npz of a ScoreMatrix}
    draws : Draws
    pairs, definition : str
        See similarity.compare and similarity.similarities.

    Raises
    ------
    BadInput : see similarity.compare and similarity.assess
    """
    scores, matrices, animals = {}, {}, []
    for condition, path in paths.items():
        scores[condition] = read_matrix(path)
        with naming(path):
            comparisons = similarity.compare(scores[condition], pairs=pairs)
        matrices[condition] = similarity.similarities(comparisons, definition=definition)
        animals += [(condition, *animal) for animal in zoo.zoo(comparisons)]
    metrics, notes = similarity.assess(**matrices)
    resampled = {}
    if draws.n_replicates:
        replicates = jackknife.resample_similarities(
            scores, pairs=pairs, definition=definition, **draws._asdict()
        )
        n_drawn = len(matrices["oo"].speakers)
        resampled = {name: Resampled(drawn, n_drawn, {}) for name, drawn in replicates.items()}
    return SimilarityAssessment(matrices, metrics, notes, animals, resampled)


def write_similarity(path: FilePath, assessed: SimilarityAssessment) -> None:
    """Write the metrics of similarity and the siblings with their intervals, and print them."""
    metrics, conditions = assessed.metrics, list(assessed.matrices)
    write_json(path, metrics)
    flat = {condition: metrics | metrics[condition] for condition in conditions}
    write_intervals(path, flat, assessed.resampled, conditions)


class RankAssessment(NamedTuple):
    """Of each label metrics, curves p and gamma, and draws; lines of RANK_TABLES; remarks."""

    metrics: Labelled
    curves: dict[str, dict[str, Floats]]
    resampled: dict[str, Resampled]
    lines: dict[str, list[tuple]]
    notes: list[str]


def assess_ranks(
    paths: Mapping[str, FilePath],
    draws: Draws,
    *,
    fit: str = "auto",
    ties: str = "shared",
    all_fits: bool = False,
    by_speaker: bool = False,
) -> RankAssessment:
    """Assess matrices of test utterances against templates.

    Parameters
    ----------
    paths : {label: npz of a ScoreMatrix}
    draws : Draws
    fit, ties : str
        See ranks.assess.
    all_fits : bool
        Whether to add the goodness of all losses, and the EER of the gallery.
    by_speaker : bool
        Whether to describe each speaker.

    Raises
    ------
    BadInput : see ranks.assess
    """
    assessed = RankAssessment({}, {}, {}, {name: [] for name in RANK_TABLES}, [])
    for label, path in paths.items():
        matrix = read_matrix(path)
        with naming(path):
            metrics, p, gamma, notes = ranks.assess(matrix, fit=fit, ties=ties)
            if draws.n_replicates:
                assessed.resampled[label] = _resampled_ranks(matrix, draws, fit=fit, ties=ties)
        assessed.metrics[label] = metrics
        assessed.curves[label] = {"p": p, "gamma": gamma}
        assessed.lines["curves"].extend((label, *line) for line in ranks.by_rank(p, gamma))
        assessed.notes.extend(f"{label}: {note}" for note in notes)
        if all_fits:
            metrics["gallery_eer_percent"] = ranks.gallery_eer_percent(matrix)
            metrics |= ranks.goodness_of_fits(p)
        if by_speaker:
            _add_speakers(assessed, label, matrix, ties)
    return assessed


def write_ranks(
    path: FilePath,
    assessed: RankAssessment,
    tables: Mapping[str, FilePath | None],
    labels: Sequence[str] | None,
) -> Labelled:
    """Write metrics of ranks, their intervals, and those RANK_TABLES that have a path.

    Returns
    -------
    {label: {metric: value, or text with the interval}} to be printed
    """
    for name, columns in RANK_TABLES.items():
        table = tables.get(name)
        if table:
            write_table(table, ["label", *columns], assessed.lines[name])
    write_json(path, flat_unless_labelled(assessed.metrics, labels))
    return write_intervals(path, assessed.metrics, assessed.resampled, labels)


def _resampled_ranks(matrix: ScoreMatrix, draws: Draws, *, fit: str, ties: str) -> Resampled:
    true_ranks, row_speakers = ranks.true_ranks(matrix), matrix.row_speakers
    replicates = resample_ranks(true_ranks, row_speakers, ties=ties, **draws._asdict())
    replicates |= jackknife.resample_rank_models(
        true_ranks, row_speakers, fit=fit, ties=ties, **draws._asdict()
    )
    return Resampled(replicates, len(np.unique(row_speakers)), {})


def _add_speakers(assessed: RankAssessment, label: str, matrix: ScoreMatrix, ties: str) -> None:
    """Add what the ranks of each speaker disclose, and the curves of three of them."""
    disclosures, curves = ranks.by_speaker(matrix, ties=ties)
    assessed.metrics[label] |= ranks.summary(disclosures)
    assessed.lines["speakers"].extend((label, *disclosed) for disclosed in disclosures)
    for speaker in ranks.examples(disclosures):
        lines = ranks.by_rank(*curves[speaker])
        assessed.lines["examples"].extend((label, speaker, *line) for line in lines)


def write_speakers(
    path: FilePath, scores: Mapping[str, FilePath], *, manifest: FilePath, cells: FilePath
) -> None:
    """Write what the speech of each speaker still gives away, and print who is most at risk.

    Parameters
    ----------
    path : path
        TSV to write.
    scores : {condition: score file}
    manifest : path
        Of the trial part: who speaks.
    cells : path
        TSV of similarity.cells: adds the de-identification of each speaker under op.

    Raises
    ------
    BadInput : see tables.read_scored_trials, speakers.tried_speakers and similarity.read_cells
    """
    speaker_of = {utterance.utterance: utterance.speaker for utterance in read_manifest(manifest)}
    matrices = similarity.read_cells(cells)
    gaps = {condition: speakers.gaps(matrices[condition]) for condition in ("oo", "op")}
    deid_percents = {"op": speakers.deid_percents(**gaps)}
    rows = []
    for condition, file in scores.items():
        with naming(file):
            scored = read_scored_trials(file)
            tried = speakers.tried_speakers(scored, speaker_of)
            exposures = speakers.exposures(scores_of(scored), tried)
        of_condition = deid_percents.get(condition, {})
        for exposure in exposures:
            rows.append((condition, *exposure, of_condition.get(exposure.speaker, ABSENT)))
        print(f"{condition}: most at risk: {_most_at_risk(exposures)}")
    write_table(path, SPEAKERS, rows)


def _most_at_risk(exposures: Sequence[speakers.Exposure]) -> str:
    known = [exposure for exposure in exposures if exposure.dece_bit != UNDEFINED]
    highest = sorted(known, key=lambda exposure: -float(exposure.dece_bit))[:MOST_AT_RISK]
    return ", ".join(f"{exposure.speaker} ({exposure.dece_bit:.3f} bit)" for exposure in highest)
