"""All numbers of a run in one tidy table (metrics.tsv): one line per number, whoever measured it.

Conventions
-----------
* metrics/{family}/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.json holds condition ->
  {metric: value}.
* Some metrics compare two conditions and have none of their own: DeID is of OO and OP. They lie at
  the top level of their file and stand under the protected condition.
* Intervals lie beside them in {backend}.intervals.json: condition -> {metric: {ci_low, ci_high}}.
* Original against original (oo) belongs to `original`, wherever it was used as a reference.
"""

import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.catalogue import METRICS
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import foreign
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.tables import number_in, read_rows, write_table
from voiceprivacy.vocabulary import ABSENT, ORIGINAL, Attack, NumberKey

LAYOUT = "metrics/FAMILY/CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND.json"
INTERVALS = ".intervals.json"
OF_TWO_CONDITIONS = ("similarity", "normalised")  # families with metrics at the top level
NAMED = NumberKey._fields  # columns of names
WORD = r"[A-Za-z][A-Za-z0-9_+-]{0,39}"  # undefined, or a tag of the worst case
ROUNDING = 1e-6  # by which a number may lie outside of its metric's range
SAME_NUMBER = 1e-9  # two families count trials, say: what is measured twice agrees to this


class Number(NamedTuple):
    """One line of metrics.tsv; ``value`` is a number in full precision, a tag, or undefined.

    ``unbiased`` is the value without its bias, and ``n_speakers`` of how many speakers it is, where
    the files of intervals know them. They are no columns of the table.
    """

    corpus: str
    trials: str
    anonymiser: str
    extractor: str
    backend: str
    condition: str
    metric: str
    value: str
    ci_low: str = ABSENT
    ci_high: str = ABSENT
    unbiased: float | None = None
    n_speakers: float | None = None

    @property
    def key(self) -> NumberKey:
        """What it is a number of."""
        return NumberKey(*self[:7])


COLUMNS = list(Number._fields[:-2])


class _File(NamedTuple):
    """What the path of a metrics file, or of its intervals, says."""

    attack: Attack
    anonymiser: str

    def key(self, condition: str, metric: str) -> NumberKey:
        corpus, trials, extractor, backend = self.attack
        anonymiser = ORIGINAL if condition == "oo" else self.anonymiser
        return NumberKey(corpus, trials, anonymiser, extractor, backend, condition, metric)


def collect(
    paths: Iterable[FilePath], *, folder: FilePath, intervals: Iterable[FilePath] = ()
) -> list[Number]:
    """Gather the metrics files below ``folder``, sorted; a number measured twice is kept once.

    Parameters
    ----------
    paths : metrics files
    intervals : files of intervals; a number without one has - as its limits

    Raises
    ------
    BadInput : a file holds no numbers or lies elsewhere, a number is missing, or two values differ
    """
    limits: dict[NumberKey, tuple[str, str]] = {}
    for path in sorted(map(Path, intervals)):
        limits |= _read_limits(path, folder)
    numbers: dict[NumberKey, Number] = {}
    sources: dict[NumberKey, Path] = {}
    for path in sorted(map(Path, paths)):
        for key, value in _read_values(path, folder):
            number = Number(*key, value, *limits.get(key, (ABSENT, ABSENT)))
            # Every anonymiser's file has the original's numbers, and families share counts.
            first = numbers.setdefault(key, number)
            source = sources.setdefault(key, path)
            if not _same(first.value, value):
                raise BadInput(
                    f"{path}: {key.metric} is {value}, but {first.value} in {source}; make both"
                    " again"
                )
    return sorted(numbers.values(), key=lambda number: number.key)


def read_metrics(path: FilePath) -> list[Number]:
    """Read metrics.tsv, and from the files of intervals beside it values without their bias.

    Raises
    ------
    BadInput : a number has no value or occurs twice, there is none, or a name or number is none
    """
    numbers: dict[NumberKey, Number] = {}
    of_intervals = _read_of_intervals(Path(path).parent)
    known: set[str] = set()  # names that were looked at: a few are in every line
    for line, row in read_rows(path, COLUMNS):
        for column in NAMED:
            if row[column] not in known:
                known.add(foreign.name(row[column], f"{path}:{line}: {column}", in_table=True))
        for column in ("ci_low", "ci_high"):
            where = f"{path}:{line}: {column}"
            possible(row["metric"], row[column], where, words=ABSENT)
        if row["value"].lower() in ("", ABSENT, "nan"):
            raise BadInput(f"{path}:{line}: {row['metric']} has no value; run the workflow again")
        possible(row["metric"], row["value"], f"{path}:{line}: {row['metric']}", words=WORD)
        key = NumberKey(*(row[name] for name in NAMED))
        if key in numbers:
            raise BadInput(f"{path}:{line}: {' '.join(key)} occurs twice")
        limits = (row["ci_low"], row["ci_high"])
        numbers[key] = Number(*key, row["value"], *limits, *of_intervals.get(key, ()))
    if not numbers:
        raise BadInput(f"{path}: holds no metrics")
    return list(numbers.values())


def possible(metric: str, text: str, where: str, *, words: str) -> str:
    """A number that a metric can have as text, or one of the words of a pattern.

    Raises
    ------
    BadInput : it is neither, such as an EER of -5 or of 5000 percent
    """
    row, value = METRICS.get(metric), number_in(text)
    if math.isnan(value) and not re.fullmatch(words, text):
        raise BadInput(f"{where}: '{text}' is no number")
    if row and not math.isnan(value) and not row.low - ROUNDING <= value <= row.high + ROUNDING:
        reason = f"is between {row.low:g} and {row.high:g}"
        raise BadInput(f"{where}: '{text}' is no {metric}, which {reason}")
    return text


def _read_of_intervals(folder: Path) -> dict[NumberKey, tuple[float | None, float | None]]:
    """Values without their bias and numbers of speakers, of all files of intervals of a run."""
    values = {}
    for path in sorted(folder.glob(f"metrics/{'*/' * 5}*{INTERVALS}")):  # as LAYOUT says
        file = _file_of(path, folder / "metrics", ending=INTERVALS)
        for condition, metrics in foreign.mapping(read_json(path), str(path)).items():
            for metric, interval in foreign.mapping(metrics, f"{path}: {condition}").items():
                where = f"{path}: {condition} {metric}"
                known = foreign.mapping(interval, where)
                unbiased, n_speakers = (
                    None if known.get(name) is None else foreign.a_number(known[name], where)
                    for name in ("unbiased", "n_speakers")
                )
                values[file.key(condition, metric)] = unbiased, n_speakers
    return values


def write_metrics(path: FilePath, numbers: Iterable[Number]) -> None:
    """Write metrics.tsv."""
    write_table(path, COLUMNS, (number[: len(COLUMNS)] for number in numbers))


def _read_values(path: Path, folder: FilePath) -> Iterator[tuple[NumberKey, str]]:
    file = _file_of(path, folder)
    values = read_json(path)
    if not isinstance(values, dict) or not values or {} in values.values():
        raise BadInput(f"{path}: holds no metrics")
    for name, value in values.items():
        if isinstance(value, dict):  # a condition; else a metric that compares two of them
            for metric, inner in value.items():
                yield file.key(name, metric), _text(inner, metric, path)
        else:
            yield file.key(_protected_condition(name), name), _text(value, name, path)


def _protected_condition(metric: str) -> str:
    row = METRICS.get(metric)
    return row.conditions[0] if row and row.family in OF_TWO_CONDITIONS else "op"


def _read_limits(path: Path, folder: FilePath) -> dict[NumberKey, tuple[str, str]]:
    """Both limits of each number of a file of intervals."""
    file = _file_of(path, folder, ending=INTERVALS)
    limits = {}
    for condition, metrics in read_json(path).items():
        for metric, interval in metrics.items():
            both = [interval.get(end, "") for end in ("ci_low", "ci_high")]
            low, high = (ABSENT if end is None else _text(end, metric, path) for end in both)
            limits[file.key(condition, metric)] = (low, high)
    return limits


def _file_of(path: Path, folder: FilePath, *, ending: str = ".json") -> _File:
    try:
        parts = Path(str(path).removesuffix(ending)).relative_to(folder).parts
        _, corpus, trials, anonymiser, extractor, backend = parts
    except ValueError:  # it lies elsewhere, or in too few folders
        raise BadInput(f"{path}: expected {LAYOUT} below {folder}") from None
    return _File(Attack(corpus, trials, extractor, backend), anonymiser)


def _text(value: Any, metric: str, path: Path) -> str:
    # NaN is a number for JSON and for Python, but not for a reader of the table.
    missing = value is None or value == "" or (isinstance(value, float) and math.isnan(value))
    if missing or not isinstance(value, int | float | str) or isinstance(value, bool):
        raise BadInput(
            f"{path}: {metric} is {value!r}, neither a number nor a word; a missing number is"
            " never left out"
        )
    return str(value)


def _same(one: str, other: str) -> bool:
    try:
        return math.isclose(float(one), float(other), rel_tol=SAME_NUMBER, abs_tol=SAME_NUMBER)
    except ValueError:
        return one == other
