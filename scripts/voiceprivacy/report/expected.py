"""Numbers that a run is expected to have: PASS or FAIL for each, and for several together.

Conventions
-----------
* An expected number names the number of the run that it is held against, and a tolerance.
* Tolerances alone prove little. Retraining an attacker moves an equal error rate by more than many
  an anonymiser does, so they hold the rates of unprotected speech too. Rows with the same word in
  the column ``joint`` are therefore judged together: of every list one row of unprotected speech
  (oo) and one of protected speech.
* They are judged by the difference that protection makes on every list, protected minus original.
  What a program does otherwise than the published one moves both, and leaves the difference.
* Distances between two runs are in standard errors. Those are of the trials of the run's own lists,
  of both runs and of both rates (``standard_error_percent``). The distance from the published
  differences has to be

  - below the limit within which JOINT_SHARE of such distances lie (chi distribution), and
  - below the distance from no difference at all, as a run has that forgot to anonymise.

docs/internals/training.md says how often right and wrong runs pass.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from scipy.special import gammaincinv

from voiceprivacy.catalogue import EERS
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath, read_lines
from voiceprivacy.inout.tables import number, read_rows, write_table
from voiceprivacy.report.metrics import Number, possible
from voiceprivacy.vocabulary import ABSENT, NumberKey, TrialList

JOINT = "joint"  # the column that tables of version 0.1 do not have
EXPECTED = [*NumberKey._fields, "value", "tolerance", "source"]
COMPARED = [*EXPECTED, "measured", "verdict"]
ROUNDING = 1e-9  # of a difference of decimal numbers
JOINT_SHARE = 0.95
DISTANCE = "distance_from_published"  # the metric of a joint row; unit: standard errors
COUNTS = ("n_target", "n_nontarget")
UNPROTECTED = "oo"


class Expected(NamedTuple):
    """A number that is expected, what it is of, and the word of what it is judged together with."""

    key: NumberKey
    value: float
    tolerance: float
    source: str
    joint: str = ABSENT


class Compared(NamedTuple):
    """An expected number and the one that was measured."""

    key: NumberKey
    value: float
    tolerance: float
    source: str
    measured: float

    @property
    def place(self) -> str:
        """What it is of, in words."""
        return " ".join(self.key)

    @property
    def verdict(self) -> str:
        """PASS within the tolerance, else FAIL."""
        is_near = abs(self.measured - self.value) <= self.tolerance + ROUNDING
        # Of infinite numbers there is no difference.
        return "PASS" if is_near or self.measured == self.value else "FAIL"


class Pair(NamedTuple):
    """What is expected of unprotected and of protected speech on one trial list."""

    original: Expected
    protected: Expected

    @property
    def difference(self) -> float:
        """What protection changes, in points."""
        return self.protected.value - self.original.value


def read_expected(path: FilePath) -> list[Expected]:
    """Read a table with the columns of EXPECTED, and perhaps JOINT.

    Raises
    ------
    BadInput : no number, a tolerance below zero, an empty table, or joint rows that make no pairs
    """
    lines = read_lines(path)
    has_joint = bool(lines) and lines[0].split("\t")[-1] == JOINT
    expected = []
    for line, row in read_rows(path, [*EXPECTED, JOINT] if has_joint else EXPECTED):
        value = number(row["value"], path, line)
        possible(row["metric"], row["value"], f"{path}:{line}: {row['metric']}", words="")
        tolerance = number(row["tolerance"], path, line)
        if not 0 <= tolerance < math.inf:
            raise BadInput(f"{path}:{line}: the tolerance {tolerance:g} is below zero or infinite")
        joint = row.get(JOINT, ABSENT)
        expected.append(Expected(_key_of(row), value, tolerance, row["source"], joint))
    if not expected:
        raise BadInput(f"{path}: lists no expected number")
    for word in _joint_words(expected):
        _pairs(expected, word, path)
    return expected


def compare(expected: Sequence[Expected], numbers: Iterable[Number]) -> list[Compared]:
    """Put what was measured beside what is expected: the rows, then what is judged together.

    Raises
    ------
    BadInput : a number that is expected was not measured, or is none
    """
    values = {line.key: line.value for line in numbers}
    compared = [Compared(*row[:4], _measured(values, row.key)) for row in expected]
    for word in _joint_words(expected):
        compared.append(_compared_together(_pairs(expected, word), values))
    return compared


def standard_error_percent(eer_percent: float, *, n_target: float, n_nontarget: float) -> float:
    """Standard error of an equal error rate, in points, from its list's numbers of trials.

    Scores of targets and nontargets are taken for independent and normal, with equal variances.
    Then the rate is the mean of misses and false alarms at its threshold, and both are binomial.
    """
    # A rate of 0 is known no better than to half an error.
    rate = max(eer_percent / 100, 0.5 / n_target)
    return 50 * math.sqrt(rate * (1 - rate) * (1 / n_target + 1 / n_nontarget))


def write_comparison(path: FilePath, compared: Iterable[Compared]) -> None:
    """Write what ``compare`` found as TSV."""
    rows = [
        (*one.key, one.value, one.tolerance, one.source, one.measured, one.verdict)
        for one in compared
    ]
    write_table(path, COMPARED, rows)


def read_comparison(path: FilePath) -> list[Compared]:
    """Read what write_comparison wrote."""
    return [
        Compared(
            _key_of(row),
            number(row["value"], path, line),
            number(row["tolerance"], path, line),
            row["source"],
            number(row["measured"], path, line),
        )
        for line, row in read_rows(path, COMPARED)
    ]


def _key_of(row: Mapping[str, str]) -> NumberKey:
    return NumberKey(*(row[name] for name in NumberKey._fields))


def _measured(values: Mapping[NumberKey, str], key: NumberKey) -> float:
    words = " ".join(key)
    if key not in values:
        raise BadInput(f"{words} is expected, but the run has no such number")
    return number(values[key], "metrics.tsv", words)


def _joint_words(expected: Iterable[Expected]) -> list[str]:
    words = dict.fromkeys(row.joint for row in expected)
    return [word for word in words if word != ABSENT]


def _pairs(expected: Iterable[Expected], word: str, path: FilePath = "expected") -> list[Pair]:
    """The rows of a joint word, list by list; BadInput where they are no pairs of rates."""
    lists: dict[TrialList, list[Expected]] = {}
    for row in expected:
        if row.joint == word:
            lists.setdefault(TrialList(row.key.corpus, row.key.trials), []).append(row)
    pairs = []
    for trial_list, rows in lists.items():
        # False sorts before True: unprotected speech comes first.
        rows = sorted(rows, key=lambda row: row.key.condition != UNPROTECTED)
        conditions = [row.key.condition == UNPROTECTED for row in rows]
        are_rates = all(row.key.metric in EERS and 0 <= row.value < 100 for row in rows)
        are_rates &= len({row.key.metric for row in rows}) == 1
        if conditions != [True, False] or not are_rates:
            rates = " or ".join(EERS)
            raise BadInput(
                f"{path}: joint '{word}' needs two rows of {rates} for {' '.join(trial_list)}: "
                f"one under {UNPROTECTED}, one of protected speech, each from 0 to 100"
            )
        pairs.append(Pair(*rows))
    return pairs


def _compared_together(pairs: Sequence[Pair], values: Mapping[NumberKey, str]) -> Compared:
    """One row for all pairs: how far the run's differences are from the published ones."""
    from_published, from_none = 0.0, 0.0
    for pair in pairs:
        original, protected = (_measured(values, row.key) for row in pair)
        variance = 0.0
        for row in pair:
            counts = {name: _measured(values, row.key._replace(metric=name)) for name in COUNTS}
            # Twice: the published rate was measured once as well.
            variance += 2 * standard_error_percent(row.value, **counts) ** 2
        from_published += (protected - original - pair.difference) ** 2 / variance
        from_none += (protected - original) ** 2 / variance
    limit = math.sqrt(2 * gammaincinv(len(pairs) / 2, JOINT_SHARE))
    key = pairs[0].protected.key
    trials = "+".join(pair.protected.key.trials for pair in pairs)
    return Compared(
        key._replace(trials=trials, metric=DISTANCE),
        value=0.0,
        tolerance=min(limit, math.sqrt(from_none)),
        source=pairs[0].protected.source,
        measured=math.sqrt(from_published),
    )
