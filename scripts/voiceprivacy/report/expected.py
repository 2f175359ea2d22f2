"""A run beside published numbers: each passes where it lies within its tolerance."""

from typing import NamedTuple

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import number, read_rows, write_table

WHERE = ["corpus", "trials", "anonymiser", "extractor", "backend", "condition", "metric"]
EXPECTED = [*WHERE, "value", "tolerance", "source"]
ROUNDING = 1e-9


class Expected(NamedTuple):
    """A number that is expected, and where it stands in metrics.tsv."""

    where: tuple
    value: float
    tolerance: float
    source: str


class Compared(NamedTuple):
    """An expected number and the one that was measured."""

    where: tuple
    value: float
    tolerance: float
    source: str
    measured: float

    @property
    def place(self):
        """Where it stands, in words."""
        return " ".join(self.where)

    @property
    def verdict(self):
        """PASS within the tolerance, else FAIL."""
        return "PASS" if abs(self.measured - self.value) <= self.tolerance + ROUNDING else "FAIL"


def read_expected(path):
    """Read a table of Expected (TSV with the columns of EXPECTED); a tolerance is not below zero."""
    found = []
    for line, row in read_rows(path, EXPECTED):
        value, tolerance = (number(row[name], path, line) for name in ("value", "tolerance"))
        if tolerance < 0:
            raise BadInput(f"{path}:{line}: the tolerance {tolerance:g} is below zero")
        found.append(Expected(tuple(row[name] for name in WHERE), value, tolerance, row["source"]))
    if not found:
        raise BadInput(f"{path}: expects nothing")
    return found


def compare(expected, metrics):
    """Put what was measured (list of Number) beside each Expected: list of Compared.

    Raises
    ------
    BadInput : a number that is expected was not measured, or is none
    """
    values = {tuple(metric[:7]): metric.value for metric in metrics}
    compared = []
    for of in expected:
        if of.where not in values:
            raise BadInput(f"{' '.join(of.where)} is expected, but the run has no such number")
        compared.append(Compared(*of, number(values[of.where], "metrics.tsv", " ".join(of.where))))
    return compared


def write_comparison(path, compared):
    """Write a list of Compared as TSV."""
    rows = [
        (*of.where, of.value, of.tolerance, of.source, of.measured, of.verdict) for of in compared
    ]
    write_table(path, [*EXPECTED, "measured", "verdict"], rows)


def read_comparison(path):
    """Read what write_comparison wrote: list of Compared."""
    columns = [*EXPECTED, "measured", "verdict"]
    return [
        Compared(
            tuple(row[name] for name in WHERE),
            number(row["value"], path, line),
            number(row["tolerance"], path, line),
            row["source"],
            number(row["measured"], path, line),
        )
        for line, row in read_rows(path, columns)
    ]
