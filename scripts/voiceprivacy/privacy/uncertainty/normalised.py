"""Protected speech in proportion to the original: what protection removes, and its intervals.

Conventions
-----------
* Letters say whose speech enrols and whose is tried: OO original, OP protected trial, PP both
  protected.
* Both metrics are information: D_ECE in bits, and 1 - min Cllr.
* Ratios of resampled numbers are biased: their intervals held the truth in 82 to 93 % of simulated
  sets. So replicates of percentages are linear in the speakers (bootstrap.linear_replicates), those
  of gains are ratios of replicates without their bias (see resample_gains).

References
----------
Noe et al., Towards a unified assessment framework of speech pseudonymisation, CSL 2022,
https://doi.org/10.1016/j.csl.2021.101299, Eqs. 17 to 20 (Eq. 20 is misprinted: PP over OO is
meant).
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import read_npz
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.privacy import Floats, Metrics, Names, Number
from voiceprivacy.privacy.uncertainty.bootstrap import (
    Replicates,
    finite,
    linear_replicates,
    moved_back,
    multiplicities,
)
from voiceprivacy.privacy.uncertainty.corrections import CORRECTIONS
from voiceprivacy.privacy.uncertainty.interval_files import (
    REPLICATES,
    Draws,
    Labelled,
    Resampled,
    write_intervals,
)
from voiceprivacy.vocabulary import UNDEFINED

NO_INFORMATION_BIT = 1e-12  # so little information is rounding


class Proportion(NamedTuple):
    """The two metrics files that a normalised metric is made of, and the metric's name in them."""

    original: FilePath
    protected: FilePath
    metric: str

    def sides(self) -> list[tuple[Path, str]]:
        """(file, condition) in the order oo, op, pp."""
        original, protected = Path(self.original), Path(self.protected)
        return [(original, "oo"), (protected, "op"), (protected, "pp")]


class LeftOut(NamedTuple):
    """A metric of score files under oo, op and pp.

    {condition: array (S,)} without each of the ``speakers`` (S,), {condition: array (B,)} in
    replicates, and the smallest number of speakers with target trials.
    """

    speakers: Names
    numbers: dict[str, Floats]
    replicates: dict[str, Floats]
    n_speakers: int


def normalise(*, dece_bit: Mapping[str, float], cllr_min_bit: Mapping[str, float]) -> Metrics:
    """Metrics of protected speech in proportion to those of the original speech.

    Parameters
    ----------
    dece_bit, cllr_min_bit : {oo, op, pp: the metric}

    Returns
    -------
    {metric: value}
        Percentages of de-identification (100 = full) and gains of voice distinctiveness in dB (0 =
        as distinct as before). Infinite where the original discloses nothing and the protected
        speech does; "undefined" where neither does.
    """
    information = {condition: 1 - cost for condition, cost in cllr_min_bit.items()}
    return {
        "dece_op_oo_percent": removed_percent(oo=dece_bit["oo"], op=dece_bit["op"]),
        "cllr_min_op_oo_percent": removed_percent(oo=information["oo"], op=information["op"]),
        "gain_dece_db": gain_db(oo=dece_bit["oo"], pp=dece_bit["pp"]),
        "gain_cllr_min_db": gain_db(oo=information["oo"], pp=information["pp"]),
    }


def removed_percent(*, oo: float, op: float) -> Number:
    """Share of the original's information that protection removes, in percent: 100 (1 - OP / OO).

    Eq. 17 with ``oo`` and ``op`` the D_ECE; Eq. 18 with 1 - min Cllr.
    """
    # 1e-17 of 1e-17 would be a share like any other.
    oo, op = _without_rounding(oo), _without_rounding(op)
    if oo == 0:
        return UNDEFINED if op == 0 else -math.inf
    return 100 * (1 - op / oo)


def gain_db(*, oo: float, pp: float) -> Number:
    """Gain of voice distinctiveness: 10 log10(PP / OO) dB.

    Eq. 19 with ``oo`` and ``pp`` the D_ECE; Eq. 20 with 1 - min Cllr.
    """
    oo, pp = _without_rounding(oo), _without_rounding(pp)
    if oo == 0:
        return UNDEFINED if pp == 0 else math.inf
    return 10 * math.log10(pp / oo) if pp else -math.inf


def resample(
    metrics: Mapping[str, Any],
    *,
    dece_bit: Mapping[str, Floats],
    cllr_min_bit: Mapping[str, Floats],
    speakers: Names,
    n_replicates: int,
    seed: int,
) -> Replicates:
    """Replicates of the percentages of ``normalise``.

    They are linear in the speakers.

    Parameters
    ----------
    metrics : {metric: value}, of ``normalise``
    dece_bit, cllr_min_bit : {oo, op, pp: array (S,)}, the metric without each speaker
    speakers : array (S,)
    n_replicates, seed : int

    Returns
    -------
    {metric: array (B,)} : NaN where a number is undefined or infinite, with all speakers or without
    any
    """
    numbers_left_out = zip(_of_each(dece_bit), _of_each(cllr_min_bit), strict=True)
    left_out = [normalise(dece_bit=dece, cllr_min_bit=cost) for dece, cost in numbers_left_out]
    drawn = multiplicities(speakers, n_replicates=n_replicates, seed=seed)
    replicates = {}
    for name, value in metrics.items():
        if name.endswith("_percent"):  # gains are resampled otherwise: see resample_gains
            without_each = np.array([finite(numbers[name]) for numbers in left_out])
            replicates[name] = linear_replicates(finite(value), without_each, drawn)
    return replicates


def resample_gains(
    values: Mapping[str, Mapping[str, float]], replicates: Mapping[str, Mapping[str, Floats]]
) -> Replicates:
    """Replicates of the gains of ``normalise`` from those of D_ECE and min Cllr.

    Their bias is taken from them first. The logarithm of what hardly discloses anything is not
    linear in the speakers: intervals as those of the percentages held the truth in 85 % where
    protected voices had lost nearly all evidence.

    Parameters
    ----------
    values : {dece_bit, cllr_min_bit: {oo, pp: value}}
    replicates : {dece_bit, cllr_min_bit: {oo, pp: array (B,)}}

    Returns
    -------
    {metric: array (B,)} : -inf where PP discloses nothing, NaN where OO discloses nothing either
    """
    unbiased: dict[str, dict[str, Floats]] = {}
    for name, of_conditions in replicates.items():
        unbiased[name] = {
            condition: moved_back(values[name][condition], drawn, CORRECTIONS[name])
            for condition, drawn in of_conditions.items()
        }
    information = {condition: 1 - cost for condition, cost in unbiased["cllr_min_bit"].items()}
    return {
        "gain_dece_db": _gains(unbiased["dece_bit"]),
        "gain_cllr_min_db": _gains(information),
    }


def write_normalised(
    path: FilePath, *, dece: Proportion, cllr_min: Proportion, draws: Draws
) -> Labelled:
    """Write how an anonymiser's metrics compare with those of original speech, with their
    intervals.

    Parameters
    ----------
    path : path
        JSON to write: {metric: value}, see normalise. Its siblings have the percentages
        under op and the gains under pp.
    dece, cllr_min : Proportion
        Of dece_bit in files of ZEBRA, of cllr_min_bit in files of verification.
    draws : Draws

    Returns
    -------
    {"": {metric: value, or text with the interval}} to be printed

    Raises
    ------
    BadInput : a file lacks a metric, or has other speakers than another one
    """
    values = {"dece_bit": _read_values(dece), "cllr_min_bit": _read_values(cllr_min)}
    metrics = normalise(**values)
    write_json(path, metrics)
    if not draws.n_replicates:
        return {"": metrics}
    left_out = {"dece_bit": _read_left_out(dece), "cllr_min_bit": _read_left_out(cllr_min)}
    replicates = resample(
        metrics,
        dece_bit=left_out["dece_bit"].numbers,
        cllr_min_bit=left_out["cllr_min_bit"].numbers,
        speakers=left_out["dece_bit"].speakers,
        **draws._asdict(),
    )
    replicates |= resample_gains(
        values, {name: numbers.replicates for name, numbers in left_out.items()}
    )
    resampled = Resampled(replicates, left_out["dece_bit"].n_speakers, {})
    # Where metrics.tsv has them: percentages speak of OP, gains of PP.
    by_condition = {
        "op": {name: value for name, value in metrics.items() if name.endswith("_percent")},
        "pp": {name: value for name, value in metrics.items() if name.endswith("_db")},
    }
    parts = {condition: resampled.part(numbers) for condition, numbers in by_condition.items()}
    shown = write_intervals(path, by_condition, parts, ["op", "pp"])
    return {"": shown["op"] | shown["pp"]}


def _read_values(proportion: Proportion) -> dict[str, float]:
    """A metric under each condition: {oo, op, pp: value}."""
    values = {}
    for path, condition in proportion.sides():
        try:
            values[condition] = read_json(path)[condition][proportion.metric]
        except (KeyError, TypeError):
            raise BadInput(f"{path}: has no {proportion.metric} under {condition}") from None
    return values


def _read_left_out(proportion: Proportion) -> LeftOut:
    """What the siblings of metrics files hold of a metric of score files."""
    metric = proportion.metric
    names: Names | None = None
    numbers, replicates, counts = {}, {}, []
    # A ratio needs the same speakers above and below the line, in the same order.
    for file, condition in proportion.sides():
        path = file.with_suffix(REPLICATES)
        folder = f"left_out/{condition}"
        keys = [f"{folder}/speakers", f"{folder}/n_speakers", f"{folder}/{metric}"]
        arrays = read_npz(path, [*keys, f"{condition}/{metric}"])
        if names is not None and not np.array_equal(arrays[f"{folder}/speakers"], names):
            raise BadInput(
                f"{path}: the speakers of {condition} are not those of {proportion.original}"
            )
        names = arrays[f"{folder}/speakers"]
        counts.append(int(arrays[f"{folder}/n_speakers"]))
        numbers[condition] = arrays[f"{folder}/{metric}"]
        replicates[condition] = arrays[f"{condition}/{metric}"]
    assert names is not None
    return LeftOut(names, numbers, replicates, min(counts))


def _of_each(numbers: Mapping[str, Floats]) -> list[dict[str, float]]:
    """[{condition: number}, ...] of {condition: array (S,)}."""
    rows = zip(*numbers.values(), strict=True)
    return [dict(zip(numbers, row, strict=True)) for row in rows]


def _without_rounding(bit):
    return 0.0 if abs(bit) < NO_INFORMATION_BIT else bit


def _gains(information: Mapping[str, Floats]) -> Floats:
    """10 log10(PP / OO) of each replicate (B,)."""
    oo = np.where(information["oo"] < NO_INFORMATION_BIT, 0.0, information["oo"])
    pp = np.where(information["pp"] < NO_INFORMATION_BIT, 0.0, information["pp"])
    with np.errstate(divide="ignore", invalid="ignore"):  # nothing is disclosed: -inf or NaN
        return 10 * np.log10(pp / oo)
