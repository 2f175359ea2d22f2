"""Score matrices assessed with their intervals, from files to files: similarity and ranks.

How matrices are resampled
--------------------------
* The calibration of a similarity matrix is trained on the few speakers that it describes.
  Resampling speakers with that calibration kept fixed hides its error: intervals of DeID held the
  truth in 68 to 84 % instead of 95 %. Calibrating a thousand resampled matrices takes long. As many
  as there are speakers do not: each speaker is left out, the rest is calibrated anew, and
  replicates are linear in what that changes (bootstrap.linear_replicates). They hold the truth in
  94 to 98 %.
* Models of ranks are fitted anew without each test speaker in the same way. Statistics of the
  histogram of ranks, which nothing is fitted to, are those of resampled speakers.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath, naming
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy import Flags, Floats, Metrics, Names
from voiceprivacy.privacy.matrices import ranks, similarity
from voiceprivacy.privacy.matrices.matrix_files import read_matrix
from voiceprivacy.privacy.matrices.speakers import zoo
from voiceprivacy.privacy.rows import ScoreMatrix
from voiceprivacy.privacy.uncertainty.bootstrap import (
    Replicates,
    by_metric,
    finite,
    linear_replicates,
    multiplicities,
)
from voiceprivacy.privacy.uncertainty.interval_files import (
    Draws,
    Labelled,
    Resampled,
    flat_unless_labelled,
    write_intervals,
)
from voiceprivacy.running.command import say
from voiceprivacy.vocabulary import GALLERY_SECONDS, UNDEFINED

RANKS = ranks.RankLine._fields
RANK_TABLES = {
    "curves": RANKS,
    "speakers": ranks.Disclosure._fields,
    "examples": ("speaker", *RANKS),
}


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
        if self.metrics["deid_percent"] == UNDEFINED:
            return f"DeID and G_VD {UNDEFINED}"
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
    options = {"pairs": pairs, "definition": definition}
    matrices, left_out, animals = {}, {}, []
    for condition, path in paths.items():  # one matrix at a time is kept
        matrix = read_matrix(path)
        with naming(path):
            comparisons = similarity.compare(matrix, pairs=pairs)
        if not np.isin(matrix.row_sources, matrix.column_sources).any():
            say(
                f"warning: {path}: rows and columns share no recording; what a column was made from"
                " is its source (column_sources), so that no recording is compared with itself",
                file=sys.stderr,
            )
        matrices[condition] = similarity.similarities(comparisons, definition=definition)
        animals += [(condition, *animal) for animal in zoo(comparisons)]
        del comparisons
        if draws.n_replicates:
            left_out[condition] = _diagonals_without_each(matrix, **options)
        del matrix  # before the next one is read
    metrics, notes = similarity.assess(**matrices)
    resampled = {}
    if draws.n_replicates:
        speakers = matrices["oo"].speakers
        replicates = _linear_replicates(metrics, left_out, speakers, draws)
        resampled = {
            name: Resampled(drawn, len(speakers), {}) for name, drawn in replicates.items()
        }
    return SimilarityAssessment(matrices, metrics, notes, animals, resampled)


def write_similarity(path: FilePath | None, assessed: SimilarityAssessment) -> Labelled:
    """Write the metrics of similarity and the siblings with their intervals, if there is a path.

    Returns
    -------
    {condition: {metric: value, or text with the interval}} to be printed
    """
    if path:
        write_json(path, assessed.metrics)
    return write_intervals(path, _by_condition(assessed.metrics), assessed.resampled, None)


def _diagonals_without_each(matrix, **options):
    """similarity.diagonal_metrics without each speaker; None where the rest has no diagonal."""
    return [
        smaller and similarity.diagonal_metrics(smaller.values)
        for smaller in similarity.without_each(matrix, **options)
    ]


def _linear_replicates(metrics, left_out, speakers, draws):
    """Replicates of {condition: {metric: array (B,)}} from {condition: diagonals without each}."""
    values, without_each = _by_condition(metrics), []
    for position in range(len(speakers)):
        diagonals = {condition: own[position] for condition, own in left_out.items()}
        if all(diagonals.values()):
            own = _by_condition(similarity.compare_diagonals(diagonals))
        else:  # those who are left have one utterance each, say
            own = {name: dict.fromkeys(numbers, np.nan) for name, numbers in values.items()}
        without_each.append(own)
    drawn = multiplicities(speakers, **draws._asdict())
    replicates: dict[str, Replicates] = {}
    for condition, numbers in values.items():
        replicates[condition] = {}
        for name, value in numbers.items():
            others = np.array([finite(own[condition][name]) for own in without_each])
            replicates[condition][name] = linear_replicates(finite(value), others, drawn)
    return replicates


def _by_condition(metrics):
    """The numbers that are resampled: {condition: {metric: value}}.

    In the file of metrics DeID and G_VD are at the top level, their intervals under op and pp.
    """
    values = {condition: dict(metrics[condition]) for condition in ("oo", "op", "pp")}
    # They compare with OO, so that oo itself has neither.
    values["op"]["deid_percent"] = metrics["deid_percent"]
    values["pp"]["gvd_db"] = metrics["gvd_db"]
    return values


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
    fit: str,
    ties: str = "shared",
    all_fits: bool,
    by_speaker: bool,
    seconds: Mapping[str, float] | None = None,
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
    seconds : {mean_test_s, mean_template_s: seconds}
        Of a sampled gallery, which all matrices are of.

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
        metrics |= seconds or {}
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


def read_seconds(path: FilePath) -> dict[str, float]:
    """How long tests and templates of a sampled gallery last: {mean_test_s, mean_template_s: s}."""
    read = read_json(path)
    is_whole = isinstance(read, dict) and tuple(read) == GALLERY_SECONDS
    if not is_whole or not all(isinstance(value, float) for value in read.values()):
        raise BadInput(f"{path}: expected the numbers {' and '.join(GALLERY_SECONDS)}")
    return read


def write_ranks(
    path: FilePath | None,
    assessed: RankAssessment,
    tables: Mapping[str, FilePath | None],
    labels: Sequence[str] | None,
) -> Labelled:
    """Write metrics of ranks and their intervals, and RANK_TABLES, where there is a path.

    Returns
    -------
    {label: {metric: value, or text with the interval}} to be printed
    """
    for name, columns in RANK_TABLES.items():
        table = tables.get(name)
        if table:
            write_table(table, ["label", *columns], assessed.lines[name])
    if path:
        write_json(path, flat_unless_labelled(assessed.metrics, labels))
    return write_intervals(path, assessed.metrics, assessed.resampled, labels)


def resample_ranks(
    true_ranks: ranks.Ranks,
    row_speakers: Names,
    *,
    n_replicates: int,
    seed: int,
    ties: str = "shared",
) -> Replicates:
    """Replicates of rank statistics: the test speakers are drawn, the gallery of templates stays.

    Parameters
    ----------
    true_ranks : Ranks
    row_speakers : array (R,)
        The speaker of each test utterance.
    n_replicates, seed : int
    ties : str
        See ranks.histogram.

    Returns
    -------
    {metric: array (B,)} : NaN where nobody is drawn
    """
    speakers, position = np.unique(row_speakers, return_inverse=True)
    drawn: list[Metrics] = []
    for weights in multiplicities(speakers, n_replicates=n_replicates, seed=seed):
        # A speaker who is drawn twice brings all utterances twice, with the ranks that they have.
        rows = np.repeat(np.arange(len(position)), weights[position])
        copies = ranks.Ranks(true_ranks.best[rows], true_ranks.worst[rows], true_ranks.n_templates)
        drawn.append(ranks.disclosure(ranks.histogram(copies, ties=ties)) if len(rows) else {})
    return by_metric(drawn)


def resample_rank_models(
    true_ranks: ranks.Ranks,
    row_speakers: Names,
    *,
    fit: str = "auto",
    ties: str = "shared",
    n_replicates: int,
    seed: int,
) -> Replicates:
    """Replicates of the fitted model's statistics: test speakers are drawn, the gallery stays.

    Parameters
    ----------
    true_ranks : Ranks
    row_speakers : array (R,)
        The speaker of each test utterance.
    fit, ties : str
        See ranks.assess.
    n_replicates, seed : int
    """
    speakers = np.unique(row_speakers)
    everybody = np.ones(len(row_speakers), dtype=bool)
    values = _model_metrics(true_ranks, everybody, fit=fit, ties=ties)
    left_out = []
    if len(speakers) > 1:  # without the only one there is nothing to fit
        for speaker in speakers:
            others = row_speakers != speaker
            try:
                left_out.append(_model_metrics(true_ranks, others, fit=fit, ties=ties))
            except BadInput:  # cll, and only this speaker is identified: no interval
                left_out.append(dict.fromkeys(values, np.nan))
    drawn = multiplicities(speakers, n_replicates=n_replicates, seed=seed)
    most = {"bit": np.log2(true_ranks.n_templates), "percent": 100}
    replicates = {}
    for name, value in values.items():
        if not isinstance(value, str):
            without_each = np.array([numbers[name] for numbers in left_out])
            _, _, unit = name.rpartition("_")
            # Linear replicates do not know that bits and percentages have a range.
            linear = linear_replicates(value, without_each, drawn)
            replicates[name] = np.clip(linear, 0, most[unit])
    return replicates


def _resampled_ranks(matrix: ScoreMatrix, draws: Draws, *, fit: str, ties: str) -> Resampled:
    true_ranks, row_speakers = ranks.true_ranks(matrix), matrix.row_speakers
    replicates = resample_ranks(true_ranks, row_speakers, ties=ties, **draws._asdict())
    replicates |= resample_rank_models(
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


def _model_metrics(true_ranks: ranks.Ranks, kept: Flags, *, fit: str, ties: str) -> Metrics:
    """Statistics of the model that is fitted to some of the ranks: {metric: value}."""
    some = ranks.Ranks(true_ranks.best[kept], true_ranks.worst[kept], true_ranks.n_templates)
    return ranks.model_metrics(ranks.histogram(some, ties=ties), fit=fit)
