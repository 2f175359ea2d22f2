"""All utility measures of a corpus as one table: a mean for every anonymiser, metric and trial list.

Conventions
-----------
* Measures lie in FOLDER/CORPUS/PART/ANONYMISER/NAME.tsv.
* ``-`` instead of a trial list: all utterances of the part.
"""

from pathlib import Path
from typing import NamedTuple

from voiceprivacy.files import BadInput
from voiceprivacy.tables import write_table
from voiceprivacy.utility.means import mean
from voiceprivacy.utility.measures import read_measured

ALL = "-"


class Utility(NamedTuple):
    """One number of the summary; ``measure`` is the name in the config, ``better`` is higher, lower or -."""

    corpus: str
    trials: str
    anonymiser: str
    measure: str
    metric: str
    value: float | str
    ci_low: float | str
    ci_high: float | str
    n_utterances: int
    n_undefined: int
    n_speakers: int
    better: str


def summarise(paths, utterances, lists, *, options, n_replicates, seed):
    """Means of all measures of a corpus.

    Parameters
    ----------
    paths : list of path
    utterances : list of voiceprivacy.tables.Utterance
        The original's.
    lists : {trial list: set of utterance ids}
    options : {measure: {better, weight}}
        Which way is better, and the metric that weights the others; both may be absent.
    n_replicates, seed : int

    Returns
    -------
    list of Utility, sorted

    Raises
    ------
    BadInput : a metric of two measures, a measure whose metrics differ between anonymisers, a weight that is none
    """
    groups = {ALL: {utterance.utterance for utterance in utterances}, **lists}
    measured = {place(path): _columns(path, utterances) for path in sorted(map(Path, paths))}
    _check(measured)
    found = []
    for (corpus, anonymiser, measure), metrics in measured.items():
        of = options.get(measure, {})
        weights = _weights(metrics, measure, of.get("weight"))
        for metric, values in metrics.items():
            for trials, chosen in groups.items():
                rows = [at for at, utterance in enumerate(utterances) if utterance.utterance in chosen]
                number = mean(
                    [values[at] for at in rows],
                    [utterances[at].speaker for at in rows],
                    weights=[weights[at] for at in rows] if weights and metric != of["weight"] else None,
                    n_replicates=n_replicates,
                    seed=seed,
                )
                found.append(Utility(corpus, trials, anonymiser, measure, metric, *number, of.get("better", "-")))
    return sorted(found)


def write_summary(path, found):
    """Write a list of Utility."""
    write_table(path, Utility._fields, found)


def place(path):
    """(corpus, anonymiser, measure) of a table of measures."""
    try:
        corpus, _, anonymiser, name = Path(path).parts[-4:]
    except ValueError:
        raise BadInput(f"{path}: expected CORPUS/PART/ANONYMISER/NAME.tsv") from None
    return corpus, anonymiser, name.removesuffix(".tsv")


def _columns(path, utterances):
    """{metric: values in the order of the utterances}."""
    columns = {}
    for _, metric, value in read_measured(path, [utterance.utterance for utterance in utterances]):
        columns.setdefault(metric, []).append(value)
    return columns


def _check(measured):
    owner, metrics_of = {}, {}
    for (_, anonymiser, measure), metrics in measured.items():
        for metric in metrics:
            if owner.setdefault(metric, measure) != measure:
                raise BadInput(
                    f"utility: {owner[metric]} and {measure} both measure {metric}; rename it in one of them"
                )
        first, expected = metrics_of.setdefault(measure, (anonymiser, metrics.keys()))
        if different := sorted(metrics.keys() ^ expected):
            raise BadInput(f"utility: {measure} measures {different[0]} for only one of {first} and {anonymiser}")


def _weights(metrics, measure, name):
    if name is None:
        return None
    if name not in metrics:
        raise BadInput(f"utility: {measure}: weight: it measures no '{name}', only {', '.join(metrics)}")
    for value in metrics[name]:
        if not isinstance(value, str) and value < 0:
            raise BadInput(f"utility: {measure}: weight {name} is {value:g}, below 0")
    return metrics[name]
