"""Voice similarity matrices: whose voice passes for whose, before and after protection.

Conventions
-----------
* A similarity is a posterior for even odds, in [0, 1]; 0.5 is no evidence. Speakers are sorted by
  name.
* Rows of OP are original speech, its columns protected speech: it is not symmetric. PO is its
  transpose.
* LLRs are natural logarithms from one oracle calibration (PAV with Laplace's rule) of the whole
  condition.
* A cell without pairs is masked. The diagonal of a speaker with one utterance is undefined and left
  out of the means.
* What compares with OO is undefined where OO has no diagonal (NO_DIAGONAL).

References
----------
Noe et al., Speech pseudonymisation assessment using voice similarity matrices, Interspeech 2020.
Noe et al., Towards a unified assessment framework of speech pseudonymisation, Computer Speech and
Language 72, 2022.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, log_expit

from voiceprivacy.errors import BadInput
from voiceprivacy.privacy import Counts, Flags, Names, Number, Scores
from voiceprivacy.privacy.rows import ScoreMatrix
from voiceprivacy.privacy.scores.calibration import (
    Ties,
    count_gaps,
    oracle_llrs,
    pav_blocks,
    step_llrs,
)
from voiceprivacy.vocabulary import UNDEFINED

CELLS = ["matrix", "row_speaker", "column_speaker", "similarity"]
# similarity = after(mean of before(LLR)): Eq. 6 of the 2022 paper, Eq. 2 of the 2020 paper
DEFINITIONS = {"geometric": (log_expit, np.exp), "sigmoid_mean": (np.positive, expit)}
PAIRS = ("all", "upper")
NO_DIAGONAL = (
    "D_diag(OO) = 0: the attacker cannot tell the original speakers apart, nothing can be compared"
)


class Comparisons(NamedTuple):
    """Speakers (S,); of every pair of utterances the speakers' positions (P,) and the LLR (P,)."""

    speakers: Names
    row_speaker: Counts
    column_speaker: Counts
    llrs: Scores


class Similarities(NamedTuple):
    """Speakers (S,) and their similarities, a masked array (S, S)."""

    speakers: Names
    values: np.ma.MaskedArray


class Assessment(NamedTuple):
    """Metrics (JSON names) and remarks on them, one line each."""

    metrics: dict[str, Any]
    notes: list[str]


def compare(matrix: ScoreMatrix, *, pairs: str = "all") -> Comparisons:
    """Calibrate the scores of all pairs of utterances that are not cut from the same source.

    Parameters
    ----------
    matrix : ScoreMatrix
    pairs : str
        "all": every ordered pair. "upper": as the recipe of the VoicePrivacy Challenge does it, in
        OP too. Only the pairs above the diagonal of the list against itself are calibrated. Two
        speakers are described by those pairs in which the one who comes first in the list is the
        row, mirrored. (These are all pairs, unless the utterances of speakers alternate.) Rows and
        columns must be the same list.

    Raises
    ------
    BadInput : rows and columns of different speakers, one speaker only, no speaker with two
    utterances
    """
    speakers, row, column, scores = _compared(matrix, pairs)
    llrs = _calibrate(scores, row == column)
    return Comparisons(speakers, *_described(matrix, pairs, row, column, llrs))


def similarities(comparisons: Comparisons, *, definition: str = "geometric") -> Similarities:
    """Similarity of every speaker to every speaker.

    Parameters
    ----------
    comparisons : Comparisons
    definition : str
        "geometric": geometric mean of the posteriors sigma(LLR), Eq. 6 of the 2022 paper.
        "sigmoid_mean": sigma of the mean LLR, Eq. 2 of the 2020 paper.
    """
    before, after = DEFINITIONS[definition]
    values = before(comparisons.llrs)
    n_speakers = len(comparisons.speakers)
    cell = _cells(comparisons.row_speaker, comparisons.column_speaker, n_speakers)
    counts = np.bincount(cell, minlength=n_speakers**2)
    centre = values[0]  # equal LLRs give equal similarities to the last bit, whatever the counts
    sums = np.bincount(cell, values - centre, minlength=n_speakers**2)
    means = centre + sums / np.maximum(counts, 1)
    flat = np.ma.masked_array(after(means), mask=counts == 0)
    return Similarities(comparisons.speakers, flat.reshape(n_speakers, n_speakers))


def without_each(
    matrix: ScoreMatrix, *, pairs: str = "all", definition: str = "geometric"
) -> Iterator[Similarities | None]:
    """Yield the Similarities without each speaker, calibrated anew; None where the rest has none.

    They are those of ``compare`` and ``similarities``, to the last bit, of a matrix without the
    speaker's utterances. Scores are sorted once: a speaker only takes counts out of them.

    Parameters
    ----------
    matrix, pairs, definition
        As for ``compare`` and ``similarities``.
    """
    speakers, row, column, scores = _compared(matrix, pairs)
    n_speakers, (before, after) = len(speakers), DEFINITIONS[definition]
    same = row == column
    ties = count_gaps(target=scores[same], nontarget=scores[~same])
    group = np.searchsorted(ties.scores, scores, side="right").astype(np.int32) - 1
    del scores, same
    shown_row, shown_column, shown_group = _described(matrix, pairs, row, column, group)
    cell = _cells(shown_row, shown_column, n_speakers)
    counts = np.bincount(cell, minlength=n_speakers**2).reshape(n_speakers, n_speakers)
    for speaker in range(n_speakers):
        leaving = np.flatnonzero((row == speaker) | (column == speaker))
        kept = _counts_without(ties, group[leaving], row[leaving] == column[leaving])
        if not kept.targets.any() or not kept.nontargets.any():
            yield None
            continue
        values = before(step_llrs(ties.scores, pav_blocks(kept, laplace=True)))
        centre = values[shown_group[np.argmax((shown_row != speaker) & (shown_column != speaker))]]
        sums = np.bincount(cell, (values - centre)[shown_group], minlength=n_speakers**2)
        others = np.delete(np.arange(n_speakers), speaker)
        counts_of, sums_of = (
            numbers.reshape(counts.shape)[np.ix_(others, others)] for numbers in (counts, sums)
        )
        means = centre + sums_of / np.maximum(counts_of, 1)
        yield Similarities(speakers[others], np.ma.masked_array(after(means), mask=counts_of == 0))


def assess(*, oo: Similarities, op: Similarities, pp: Similarities) -> Assessment:
    """De-identification and gain of voice distinctiveness from three Similarities.

    Returns
    -------
    Assessment : deid_percent, gvd_db; under oo, op, pp the metrics of the diagonal

    Raises
    ------
    BadInput : other speakers in one of them
    """
    conditions = {"oo": oo, "op": op, "pp": pp}
    for name, matrix in conditions.items():
        if not np.array_equal(matrix.speakers, oo.speakers):
            odd = sorted(set(matrix.speakers.tolist()) ^ set(oo.speakers.tolist()))
            raise BadInput(
                f"oo and {name} hold different speakers ('{odd[0]}' is in one of them only)"
            )
    metrics = compare_diagonals(
        {name: diagonal_metrics(matrix.values) for name, matrix in conditions.items()}
    )
    return Assessment(metrics, _notes(metrics, conditions))


def compare_diagonals(diagonals: Mapping[str, dict[str, float]]) -> dict[str, Any]:
    """DeID and G_VD of {oo, op, pp: diagonal_metrics}, with those metrics."""
    ddiag = {name: metrics["ddiag"] for name, metrics in diagonals.items()}
    return {
        "deid_percent": deid_percent(oo=ddiag["oo"], op=ddiag["op"]),
        "gvd_db": gvd_db(oo=ddiag["oo"], pp=ddiag["pp"]),
        **diagonals,
    }


def diagonal_metrics(values: np.ma.MaskedArray) -> dict[str, float]:
    """How much the diagonal of a similarity matrix (S, S) stands out.

    Returns
    -------
    dict
        ``ddiag``: |mean of the diagonal - mean of the rest|, Eq. 8 of the 2022 paper.
        ``ddiag_signed``: without the absolute value, which hides a diagonal below the rest.
        ``ddiag_log_bit``: Eq. 8 with log2 of the similarities; the paper's outlook (section 8)
        names the log domain and leaves the formula open.
    """
    signed = _diagonal_minus_rest(values)
    return {
        "ddiag": abs(signed),
        "ddiag_signed": signed,
        "ddiag_log_bit": abs(_diagonal_minus_rest(np.ma.log2(values))),
    }


def deid_percent(*, oo: float, op: float) -> Number:
    """De-identification from two D_diag: 100 = no diagonal left in OP (Eq. 9 of the 2022 paper).

    "undefined" when OO has no diagonal.
    """
    return 100 * (1 - op / oo) if oo else UNDEFINED


def gvd_db(*, oo: float, pp: float) -> Number:
    """Gain of voice distinctiveness from two D_diag, in dB (Eq. 10 of the 2022 paper).

    It is -inf when PP has no diagonal, and "undefined" when OO has none.
    """
    if oo == 0:
        return UNDEFINED
    with np.errstate(divide="ignore"):  # no diagonal: -inf is the right answer
        return float(10 * np.log10(np.float64(pp) / oo))


def cells(**conditions: Similarities) -> Iterator[tuple[str, str, str, Number]]:
    """Yield (condition, row speaker, column speaker, similarity or "undefined") by name."""
    for name, (speakers, values) in conditions.items():
        for row, similarities_of_row in zip(speakers, values.tolist(), strict=True):
            for column, value in zip(speakers, similarities_of_row, strict=True):
                yield name, row, column, UNDEFINED if value is None else value


def _compared(matrix, pairs):
    """Speakers (S,); of every pair that is calibrated both positions (P,) and the score (P,)."""
    speakers, row, column = _speaker_positions(matrix)
    used = _different_sources(matrix)
    if pairs == "upper":
        used &= _above_diagonal(matrix)
    row = np.broadcast_to(row[:, None], used.shape)[used]
    column = np.broadcast_to(column, used.shape)[used]
    return speakers, row, column, matrix.scores[used]


def _described(matrix, pairs, row, column, numbers):
    """Rows, columns and numbers (P,) of the pairs that describe speakers; see ``compare``."""
    if pairs == "all":
        return row, column, numbers
    # The challenge's recipe walks over the list: who comes first in it is the row.
    _, first = np.unique(matrix.row_speakers, return_index=True)
    kept = first[row] <= first[column]
    row, column = row[kept], column[kept]
    return np.append(row, column), np.append(column, row), np.tile(numbers[kept], 2)


def _cells(row, column, n_speakers):
    """A bin (P,) for each pair of speakers: one pass over all pairs of utterances sums them up."""
    cell = np.multiply(row, n_speakers, dtype=np.intp)
    cell += column
    return cell


def _counts_without(ties, groups, same_speaker):
    """Ties without pairs in some of its groups (n,), of which some are targets."""
    n_groups = len(ties.scores)
    targets = ties.targets - np.bincount(groups[same_speaker], minlength=n_groups)
    nontargets = ties.nontargets - np.bincount(groups[~same_speaker], minlength=n_groups)
    occur = targets + nontargets > 0
    return Ties(ties.scores[occur], targets[occur], nontargets[occur])


def _speaker_positions(matrix):
    """Speakers (S,), and the position of each row's (R,) and of each column's speaker (C,)."""
    speakers, row = np.unique(matrix.row_speakers, return_inverse=True)
    column_speakers, column = np.unique(matrix.column_speakers, return_inverse=True)
    if not np.array_equal(speakers, column_speakers):
        odd = sorted(set(speakers.tolist()) ^ set(column_speakers.tolist()))
        raise BadInput(
            f"rows and columns must hold the same speakers; '{odd[0]}' is in one of them only"
        )
    # Every pair of utterances has both: a byte or two each instead of eight.
    small = np.min_scalar_type(len(speakers))
    return speakers, row.astype(small), column.astype(small)


def _different_sources(matrix: ScoreMatrix) -> Flags:
    """Pairs that are not cut from the same source, array (R, C)."""
    both = np.concatenate([matrix.row_sources, matrix.column_sources])
    _, sources = np.unique(both, return_inverse=True)
    n_rows = len(matrix.row_sources)
    return sources[:n_rows, None] != sources[n_rows:]


def _above_diagonal(matrix: ScoreMatrix) -> Flags:
    """Pairs above the diagonal of a list against itself, array (R, R)."""
    if not np.array_equal(matrix.rows, matrix.columns):
        raise BadInput(
            "pairs 'upper' needs the same utterances in the same order in rows and columns"
        )
    n_rows = len(matrix.rows)
    return np.triu(np.ones((n_rows, n_rows), dtype=bool), k=1)


def _calibrate(scores, same_speaker):
    if not same_speaker.any():
        raise BadInput("no speaker has two utterances to compare: the diagonal is undefined")
    if same_speaker.all():
        raise BadInput("there is only one speaker: similarity matrices need two or more")
    llrs = np.empty(len(scores))
    llrs[same_speaker], llrs[~same_speaker] = oracle_llrs(
        target=scores[same_speaker], nontarget=scores[~same_speaker], laplace=True
    )
    return llrs


def _diagonal_minus_rest(values):
    values = values - values.compressed()[0]  # a uniform matrix gives exactly 0
    diagonal = np.eye(len(values), dtype=bool)
    return float(values[diagonal].mean() - values[~diagonal].mean())


def _notes(metrics: Mapping[str, Any], conditions: Mapping[str, Similarities]) -> list[str]:
    notes = []
    for name, (speakers, values) in conditions.items():
        undefined = speakers[np.ma.getmaskarray(values).diagonal()]
        if len(undefined):
            notes.append(
                f"{name}: no pair of two utterances of {', '.join(undefined)}:"
                " undefined on the diagonal, left out of its mean"
            )
        if metrics[name]["ddiag_signed"] < 0:
            notes.append(
                f"{name}: the diagonal lies below the rest (see ddiag_signed); ddiag hides the sign"
            )
    if metrics["deid_percent"] == UNDEFINED:
        notes.append(f"deid_percent and gvd_db are undefined: {NO_DIAGONAL}")
    elif metrics["deid_percent"] < 0:
        notes.append(
            "deid_percent is below 0: the diagonal is more distinct in OP than in OO,"
            " protection made it worse"
        )
    return notes
