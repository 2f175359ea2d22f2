"""What privacy reads and writes: score matrices, and rows of tables, whose fields are columns.

Text is an undefined number, None a limit that does not exist (- in the file).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voiceprivacy.privacy import Names


class ScoreMatrix(NamedTuple):
    """Scores (R, C) of rows against columns.

    Pairs of equal source are to be left out. The source is the utterance that a segment was cut
    from; by default it is the id itself.
    """

    rows: Names
    columns: Names
    row_speakers: Names
    column_speakers: Names
    scores: NDArray[np.floating]
    row_sources: Names
    column_sources: Names


class SystemInterval(NamedTuple):
    """The mean of one system over the lists, with its interval."""

    condition: str
    metric: str
    anonymiser: str
    value: float | str
    ci_low: float | None
    ci_high: float | None


class Pair(NamedTuple):
    """Comparison of two systems by one metric.

    ``share_a_better`` is the share of replicates in which A beats B (ties count half). ``p_holm``
    is corrected for all pairs of anonymisers that were compared by this metric under this
    condition. ``verdict`` follows the interval.
    """

    condition: str
    metric: str
    anonymiser_a: str
    anonymiser_b: str
    value_a: float | str
    value_b: float | str
    difference: float | str
    ci_low: float | None
    ci_high: float | None
    share_a_better: float | str
    p_value: float
    p_holm: float
    verdict: str


class StrongestPair(NamedTuple):
    """Two anonymisers under the strongest attack on each; B may be ``original``. See Pair."""

    metric: str
    anonymiser_a: str
    extractor_a: str
    backend_a: str
    condition_a: str
    anonymiser_b: str
    extractor_b: str
    backend_b: str
    condition_b: str
    value_a: float | str
    value_b: float | str
    difference: float | str
    ci_low: float | None
    ci_high: float | None
    share_a_better: float | str
    p_value: float
    p_holm: float
    verdict: str


class UtilityPair(NamedTuple):
    """Two anonymisers by one measure of utility on a list (- for all utterances). See Pair.

    B may be ``original``; p-values of such pairs are corrected together. Where it is not known
    which way is better, ``share_a_better`` is "undefined".
    """

    trials: str
    metric: str
    anonymiser_a: str
    anonymiser_b: str
    value_a: float | str
    value_b: float | str
    difference: float | str
    ci_low: float | None
    ci_high: float | None
    share_a_better: float | str
    p_value: float
    p_holm: float
    verdict: str


class LawPoint(NamedTuple):
    """One point of a criterion of data-protection law, of scores in one reading.

    ``length`` is how many utterances belong together, or "all". Numbers are shares from 0 to 1;
    ``guessing`` is what guessing gives. Limits that are not known to hold are -.
    """

    reading: str
    criterion: str
    n_speakers: int
    length: int | str
    value: float
    ci_low: float | None
    ci_high: float | None
    guessing: float


class Inferred(NamedTuple):
    """What an attacker who knows others' attribute tells of unheard speakers' single utterances.

    ``classes`` says how many speakers each class has: "f 10, m 10". ``recall_percent`` is the
    unweighted average recall and ``null95_percent`` what guessing stays below. ``gain_percent`` is
    the share of what guessing misses. ``left_percent`` is the gain in proportion to that of
    unprotected speech. Numbers are "undefined" for the ``reason``; limits that do not exist are -.
    """

    corpus: str
    anonymiser: str
    extractor: str
    condition: str
    attribute: str
    classes: str
    n_speakers: int
    n_utterances: int
    guessing_percent: float | str
    recall_percent: float | str
    recall_low: float | None
    recall_high: float | None
    null95_percent: float | str
    gain_percent: float | str
    gain_low: float | None
    gain_high: float | None
    left_percent: float | str
    left_low: float | None
    left_high: float | None
    reason: str


class Exposure(NamedTuple):
    """One speaker in one condition.

    ``dece_bit`` and ``worst_case_log10`` are as in ZEBRA, of own trials only; "undefined"
    without a target or without a nontarget trial.
    """

    speaker: str
    n_target: int
    n_nontarget: int
    dece_bit: float | str
    worst_case_log10: float | str


class Animal(NamedTuple):
    """One speaker in one condition; a mean without pairs is "undefined".

    ``corner`` is where the speaker lies. ``p_value`` is how easily chance fills that corner as
    much; it is "undefined" outside of the corners. ``animal`` and ``doddington`` are the names that
    the test allows, else -.
    """

    speaker: str
    n_target: int
    n_impostor: int
    mean_target_llr: float | str
    mean_impostor_llr: float | str
    corner: str
    p_value: float | str
    animal: str
    doddington: str


class Disclosure(NamedTuple):
    """One speaker: utterances, share at rank 1, mean rank, disclosure of the fitted model.

    ``shrunken`` is that of a model of all speakers together, with limits that hold for all of them
    at once.
    """

    speaker: str
    n_utterances: int
    identification_rate_percent: float
    mean_rank: float
    model_mean_disclosure_bit: float
    model_alpha: float | str
    model_beta: float | str
    shrunken_disclosure_bit: float
    shrunken_low_bit: float
    shrunken_high_bit: float
