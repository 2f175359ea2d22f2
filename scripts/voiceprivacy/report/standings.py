"""The leaderboard: every system on every set, a set being a trial list, the mean over those of a corpus, or an average.

Conventions
-----------
* Averages are weighted means over lists of several corpora (see voiceprivacy.plan.averages). Their intervals come from the
  comparisons, like those of a corpus' mean.
"""

import math
from typing import NamedTuple

from voiceprivacy.catalogue import COLUMNS
from voiceprivacy.inout.files import BadInput
from voiceprivacy.report.comparison import System
from voiceprivacy.report.uncertainty import NONE
from voiceprivacy.vocabulary import ACROSS_CORPORA, UNDEFINED, all_averages, average_folder


class Standing(NamedTuple):
    """A System on one set: its numbers there, and whether no attack on its anonymiser was stronger there."""

    system: object
    values: dict
    intervals: dict
    strongest: bool


class Board(NamedTuple):
    """One set of the leaderboard: its name, what it is the mean of (empty: a list), and its list of Standing."""

    name: str
    explanation: str
    standings: list


def boards(systems, averages=None, comparisons=NONE):
    """Every set of a run as a list of Board: averages, then each corpus' mean and lists.

    Parameters
    ----------
    systems : list of System, in the order of the comparison
    averages : as in the config
    comparisons : Comparisons, which have the intervals of averages

    Raises
    ------
    BadInput : an average names a list that was not tried
    """
    corpora = list(dict.fromkeys(system.corpus for system in systems))
    found = []
    for name, (explanation, of_average) in _averaged(systems, averages, comparisons).items():
        rows = [(system, system.mean, system.intervals[name]) for system in of_average]
        found.append(_board(name, explanation, rows))
    for corpus in corpora:
        of_corpus = [system for system in systems if system.corpus == corpus]
        lists = list(of_corpus[0].lists)
        if len(lists) > 1:
            label = of_corpus[0].mean_label
            rows = [(system, system.mean, system.intervals[label]) for system in of_corpus]
            found.append(_board(f"{corpus}: {label}", f"equal weights: {', '.join(lists)}", rows))
        for trials in lists:
            rows = [
                (system, system.lists[trials], system.intervals[trials])
                for system in of_corpus
                if trials in system.lists
            ]
            found.append(_board(f"{corpus} {trials}", "", rows))
    return found


def averaged(systems, averages=None, comparisons=NONE):
    """The systems on every average over corpora: {name: list of System, its only list called as the average is}.

    Parameters and errors are those of ``boards``; averages on which no system was tried are left out.
    """
    return {name: of for name, (_, of) in _averaged(systems, averages, comparisons).items() if of}


def weighted_mean(values, weights):
    """Mean of metrics as the comparison has them: None and undefined stay so, infinity wins."""
    if None in values:
        return None
    if UNDEFINED in values or {math.inf, -math.inf} <= set(values):
        return UNDEFINED
    if not all(map(math.isfinite, values)):
        return sum(values)
    return math.fsum(
        weight * value for weight, value in zip(weights, values, strict=True)
    ) / math.fsum(weights)


def _all_averages(systems, averages):
    """{name: {(corpus, list): weight}} of lists that were tried."""
    lists = dict.fromkeys((system.corpus, trials) for system in systems for trials in system.lists)
    found = all_averages(averages, lists)
    for name, weights in found.items():
        for corpus, trials in weights:
            if (corpus, trials) not in lists:
                raise BadInput(
                    f"config: report.averages.{name}: there is no trial list {corpus} {trials}"
                )
    return found


def _averaged(systems, averages, comparisons):
    """{name: (explanation, list of System)} of all averages."""
    return {
        name: (_explanation(weights), list(_average(name, weights, systems, comparisons.limits)))
        for name, weights in _all_averages(systems, averages or {}).items()
    }


def _average(name, weights, systems, limits):
    groups = {}
    for system in systems:
        key = (system.extractor, system.backend, system.anonymiser, system.condition)
        for trials in system.lists:
            if (system.corpus, trials) in weights:
                groups.setdefault(key, {})[system.corpus, trials] = system.lists[trials]
    for (*attacker, anonymiser, condition), of in groups.items():
        if len(of) == len(weights):  # tried on all lists
            shares = [weights[place] for place in of]
            metrics = [column.name for column in COLUMNS]
            mean = {
                metric: weighted_mean([values[metric] for values in of.values()], shares)
                for metric in metrics
            }
            mean["tag"] = None
            mean["few_errors"] = any(values["few_errors"] for values in of.values())
            corpus = f"{ACROSS_CORPORA}/{average_folder(name)}"
            place = (corpus, *attacker, condition)
            intervals = {metric: limits.get((*place, metric, anonymiser)) for metric in metrics}
            yield System(
                corpus, *attacker, anonymiser, condition, {name: mean}, mean, {name: intervals}
            )


def _explanation(weights):
    equal = len(set(weights.values())) == 1
    texts = [
        f"{corpus} {trials}" + ("" if equal else f" {share:g}")
        for (corpus, trials), share in weights.items()
    ]
    how = "equal weights" if equal else "weights"
    return f"{how}: {', '.join(texts)}"


def _board(name, explanation, rows):
    strongest = {}
    for system, values, _ in rows:
        value = values["eer_percent"]
        if system.anonymiser not in strongest or value < strongest[system.anonymiser][0]:
            strongest[system.anonymiser] = (value, system)
    standings = [
        Standing(system, values, intervals, strongest[system.anonymiser][1] is system)
        for system, values, intervals in rows
    ]
    return Board(name, explanation, standings)
