"""All numbers of a run in one tidy table (metrics.tsv): one line per number, whoever measured it.

Conventions
-----------
* metrics/{family}/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.json holds condition -> {name: value}.
* Similarity names numbers of two conditions at the top level: they stand under the protected one, DeID under op and
  G_VD and the gains under pp.
* Intervals lie beside them in {backend}.intervals.json: condition -> {name: {ci_low, ci_high, ...}}.
* Original against original (oo) belongs to `original`, wherever it was used as a reference.
"""

import math
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.catalogue import METRICS
from voiceprivacy.inout.files import BadInput, read_json
from voiceprivacy.inout.tables import read_rows, write_table
from voiceprivacy.vocabulary import ORIGINAL

PLACE = "metrics/FAMILY/CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND.json"
OF_TWO_CONDITIONS = {  # metric at the top level of its file -> the protected condition
    metric.name: metric.conditions[0]
    for metric in METRICS.values()
    if metric.family in ("similarity", "normalised")
}
SAME_NUMBER = 1e-9


class Metric(NamedTuple):
    """One line of metrics.tsv; ``value`` is the text in full precision: a number, a tag, or undefined."""

    corpus: str
    trials: str
    anonymiser: str
    extractor: str
    backend: str
    condition: str
    metric: str
    value: str
    ci_low: str = "-"
    ci_high: str = "-"


def collect(paths, *, folder, intervals=()):
    """Gather the metrics files below ``folder`` as a sorted list of Metric; a number measured twice is kept once.

    ``intervals`` are the files of intervals; a number without one has - as its limits.

    Raises
    ------
    BadInput : a file without numbers or in another place, a missing number, two different values for the same number
    """
    found, limits = {}, {}
    for path in sorted(map(Path, intervals)):
        limits |= _limits(path, folder)
    for path in sorted(map(Path, paths)):
        for metric in _metrics(path, folder):
            metric = metric._replace(**limits.get(metric[:7], {}))
            first, _ = found.setdefault(metric[:7], (metric, path))
            if not _same(first.value, metric.value):
                _, other = found[metric[:7]]
                raise BadInput(
                    f"{path}: {metric.metric} is {metric.value}, but {first.value} in {other}; make both again"
                )
    return [found[key][0] for key in sorted(found)]


def read_metrics(path):
    """Read metrics.tsv as a list of Metric."""
    metrics = {}
    for line, row in read_rows(path, list(Metric._fields)):
        if row["value"].lower() in ("", "-", "nan"):
            raise BadInput(f"{path}:{line}: {row['metric']} has no value; run the workflow again")
        metric = Metric(**row)
        if metric[:7] in metrics:
            raise BadInput(f"{path}:{line}: {' '.join(metric[:7])} occurs twice")
        metrics[metric[:7]] = metric
    if not metrics:
        raise BadInput(f"{path}: holds no metrics")
    return list(metrics.values())


def write_metrics(path, metrics):
    """Write a list of Metric."""
    write_table(path, Metric._fields, metrics)


def _metrics(path, folder):
    place = _place(path, folder)
    corpus, trials, anonymiser, extractor, backend = place
    for condition, name, value in _numbers(path):
        who = ORIGINAL if condition == "oo" else anonymiser
        yield Metric(
            corpus, trials, who, extractor, backend, condition, name, _text(value, name, path)
        )


def _limits(path, folder):
    """{first seven fields of a Metric: {ci_low, ci_high}} of a file of intervals."""
    corpus, trials, anonymiser, extractor, backend = _place(path, folder, ending=".intervals.json")
    found = {}
    for condition, numbers in read_json(path).items():
        who = ORIGINAL if condition == "oo" else anonymiser
        for name, of in numbers.items():
            key = (corpus, trials, who, extractor, backend, condition, name)
            found[key] = {
                limit: _text(of.get(limit), name, path) for limit in ("ci_low", "ci_high")
            }
    return found


def _place(path, folder, *, ending=".json"):
    try:
        _, *place = Path(str(path).removesuffix(ending)).relative_to(folder).parts
    except ValueError:
        place = []
    if len(place) != 5:
        raise BadInput(f"{path}: expected {PLACE} below {folder}")
    return place


def _numbers(path):
    """Yield (condition, name, value)."""
    values = read_json(path)
    if not isinstance(values, dict) or not values or {} in values.values():
        raise BadInput(f"{path}: holds no metrics")
    for name, value in values.items():
        if isinstance(value, dict):
            yield from ((name, inner, number) for inner, number in value.items())
        else:
            yield OF_TWO_CONDITIONS.get(name, "op"), name, value


def _text(value, name, path):
    missing = value is None or value == "" or (isinstance(value, float) and math.isnan(value))
    if missing or not isinstance(value, int | float | str) or isinstance(value, bool):
        raise BadInput(
            f"{path}: {name} is {value!r}, neither a number nor a word; a missing number is never left out"
        )
    return str(value)


def _same(one, other):
    try:
        return math.isclose(float(one), float(other), rel_tol=SAME_NUMBER, abs_tol=SAME_NUMBER)
    except ValueError:
        return one == other
