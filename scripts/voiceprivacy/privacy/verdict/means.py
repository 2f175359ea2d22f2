"""The mean of an attack over several lists, each of which an attacker may read as he likes.

Conventions
-----------
* Means are those of every reading. Where lists differ in the reading in which an attack finds most,
  there is a fifth one, BY_LIST: each list in its own. Else scores that are turned round on one list
  of two would seem to hide half of the evidence.
* A list has a reading of its own only where more is found in it than permuted speakers give, and
  more than in the reading of all lists in 97.5 % of the replicates.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from voiceprivacy.privacy import Floats
from voiceprivacy.privacy.verdict.evidence import DECE
from voiceprivacy.privacy.verdict.readings import READINGS
from voiceprivacy.privacy.verdict.record import Record
from voiceprivacy.privacy.verdict.trust import bands

BY_LIST = "by list"
READINGS_OF_MEANS = (*READINGS, BY_LIST)
SURELY_MORE = 0.975  # of the replicates


def mean_record(records: Iterable[Record], weights: Iterable[float]) -> Record:
    """The weighted mean of an attack's records over several lists.

    Draw b is one draw of the speakers of all lists, so means are taken draw by draw. A number that
    is undefined on one list is undefined. Trials and speakers who can be exposed are added up;
    ``n_speakers`` is the smallest.
    """
    records, weights = list(records), list(weights)
    names = [name for name in records[0].numbers if all(name in one.numbers for one in records)]
    fewest = min(one.null.shape[-1] for one in records)
    columns = [[one.numbers.index(name) for name in names] for one in records]
    listed = list(zip(records, columns, strict=True))
    values = [one.values[:, own] for one, own in listed]
    replicates = [one.replicates[:, own] for one, own in listed]
    null = [one.null[:, own, :fewest] for one, own in listed]
    rows = _own_rows(records, weights)
    if len(set(rows)) > 1:
        values = [_with_row(one, one[row]) for one, row in zip(values, rows, strict=True)]
        replicates = [_with_row(one, one[row]) for one, row in zip(replicates, rows, strict=True)]
        # Permuted speakers are read as they like, too.
        null = [_with_row(one, np.fmax.reduce(one)) for one in null]
    reasons: dict[str, str] = {}
    for one in records:
        reasons |= one.reasons
    return Record(
        _mean(values, weights),
        _mean(replicates, weights),
        _mean(null, weights),
        tuple(names),
        reasons,
        n_speakers=min(one.n_speakers for one in records),
        n_target=sum(one.n_target for one in records),
        n_nontarget=sum(one.n_nontarget for one in records),
        n_exposable=sum(one.n_exposable for one in records),
        spread=min(one.spread for one in records),
        exposed=_exposed(records, rows),
        tied=max(one.tied for one in records),
    )


def _own_rows(records: Sequence[Record], weights: Sequence[float]) -> list[int]:
    """In which reading each list is read: its own where that surely finds more, else that of
    all."""
    dece = [one.values[:, one.numbers.index(DECE)] for one in records]
    common = int(np.argmax(np.nan_to_num(_mean(dece, weights))))
    return [_own_row(one, own, common) for one, own in zip(records, dece, strict=True)]


def _own_row(record, dece, common):
    band = bands(record)
    if band is None or np.isnan(dece).any():
        return common
    row = int(np.argmax(dece / band))
    replicates = record.replicates[:, record.numbers.index(DECE)]
    is_more = replicates[row] > replicates[common]
    is_surely_more = is_more.size > 0 and is_more.mean() >= SURELY_MORE
    return row if dece[row] > band[row] and is_surely_more else common


def _exposed(records, rows):
    """Speakers of all lists, corrected for the number of lists: {reading: {speaker: p-value}}."""
    exposed: dict[str, dict[str, float]] = {}
    for one, row in zip(records, rows, strict=True):
        readings = one.exposed | {BY_LIST: one.exposed.get(READINGS[row], {})}
        for reading, speakers in readings.items():
            own = exposed.setdefault(reading, {})
            for speaker, p_value in speakers.items():
                own[speaker] = min(own.get(speaker, 1.0), len(rows) * p_value)
    return exposed


def _with_row(numbers: Floats, row: Floats) -> Floats:
    """Numbers of the readings (4, ...) and of one more (5, ...)."""
    return np.concatenate([numbers, row[None]])


def _mean(arrays, weights):
    """Weighted mean of arrays of one shape."""
    return np.average(np.stack(arrays), axis=0, weights=weights)
