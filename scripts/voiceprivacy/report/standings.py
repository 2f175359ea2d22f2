"""Every system on every set: a trial list, the mean over those of a corpus, or an average.

Conventions
-----------
* Averages are weighted means over lists of several corpora. Their intervals come from the
  comparisons, like those of a corpus' mean.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from voiceprivacy.catalogue import COLUMNS
from voiceprivacy.inout.files import BadInput
from voiceprivacy.report.comparison import System, SystemKey, Values, mean_of_lists
from voiceprivacy.report.uncertainty import NONE, Comparisons, Limits, MeanKey
from voiceprivacy.vocabulary import ACROSS_CORPORA, TrialList, all_averages, average_folder

Averages = dict[str, dict[str, dict[str, float]]]  # of the config: {name: {corpus: {list: weight}}}


class Standing(NamedTuple):
    """A System on one set: its numbers there, and whether it is the strongest attack there."""

    system: System
    values: Values
    intervals: Mapping[str, Limits | None]
    strongest: bool


class Board(NamedTuple):
    """One set of the leaderboard, and what it is the mean of (empty: a list)."""

    name: str
    explanation: str
    standings: list[Standing]


def boards(
    systems: Sequence[System],
    averages: Averages | None = None,
    comparisons: Comparisons = NONE,
) -> list[Board]:
    """Every set of a run: averages, then each corpus' mean and lists.

    Parameters
    ----------
    systems : in the order of the comparison
    comparisons : have the intervals of averages

    Raises
    ------
    BadInput : an average names a list that was not tried
    """
    sets = []
    for name, weights in _weights(systems, averages).items():
        on_average = _on_average(name, weights, systems, comparisons)
        sets.append(_board(name, _explanation(weights), on_average, name))
    for corpus in dict.fromkeys(system.corpus for system in systems):
        of_corpus = [system for system in systems if system.corpus == corpus]
        first = of_corpus[0]
        if len(first.lists) > 1:
            explanation = f"equal weights: {', '.join(first.lists)}"
            label = first.mean_label
            sets.append(_board(f"{corpus}: {label}", explanation, of_corpus, label))
        for trials in first.lists:
            sets.append(_board(f"{corpus} {trials}", "", of_corpus, trials))
    return sets


def averaged(
    systems: Sequence[System],
    averages: Averages | None = None,
    comparisons: Comparisons = NONE,
) -> dict[str, list[System]]:
    """The systems on every average over corpora: {name: systems}; their only list has that name.

    Parameters and errors are those of ``boards``. Averages on which no system was tried are left
    out.
    """
    on_averages = {
        name: _on_average(name, weights, systems, comparisons)
        for name, weights in _weights(systems, averages).items()
    }
    return {name: averaged for name, averaged in on_averages.items() if averaged}


def _weights(
    systems: Sequence[System], averages: Averages | None
) -> dict[str, dict[TrialList, float]]:
    """The weights of the lists of every average, which were all tried."""
    lists: dict[TrialList, None] = {}
    for system in systems:
        lists |= dict.fromkeys(TrialList(system.corpus, trials) for trials in system.lists)
    weighted = all_averages(averages or {}, lists)
    for name, weights in weighted.items():
        for corpus, trials in weights:
            if (corpus, trials) not in lists:
                raise BadInput(
                    f"config: report.averages.{name}: there is no trial list {corpus} {trials}"
                )
    return weighted


def _on_average(
    name: str,
    weights: Mapping[TrialList, float],
    systems: Sequence[System],
    comparisons: Comparisons,
) -> list[System]:
    """Those systems that were tried on all lists of an average, with their means."""
    corpus = f"{ACROSS_CORPORA}/{average_folder(name)}"
    lists: dict[SystemKey, dict[TrialList, Values]] = {}
    for system in systems:
        key = system.key._replace(corpus=corpus)
        for trials, values in system.lists.items():
            if (system.corpus, trials) in weights:
                lists.setdefault(key, {})[TrialList(system.corpus, trials)] = values
    averaged = []
    for key, known in lists.items():
        if len(known) < len(weights):
            continue
        shares = [weights[trials] for trials in known]
        mean = mean_of_lists(list(known.values()), shares) | {"tag": None}
        intervals = {
            column.name: comparisons.limits.get(
                MeanKey(
                    corpus,
                    key.extractor,
                    key.backend,
                    key.condition,
                    column.name,
                    key.anonymiser,
                )
            )
            for column in COLUMNS
        }
        averaged.append(System(*key, lists={name: mean}, mean=mean, intervals={name: intervals}))
    return averaged


def _explanation(weights: Mapping[TrialList, float]) -> str:
    """What an average is of."""
    if len(set(weights.values())) == 1:
        return f"equal weights: {', '.join(f'{corpus} {trials}' for corpus, trials in weights)}"
    lists = [f"{corpus} {trials} {share:g}" for (corpus, trials), share in weights.items()]
    return f"weights: {', '.join(lists)}"


def _board(name: str, explanation: str, systems: Sequence[System], label: str) -> Board:
    """Systems on the set that stands as ``label`` among their lists, or is their mean."""
    tried = [system for system in systems if label in system.intervals]
    values = [system.lists.get(label, system.mean) for system in tried]
    strongest: dict[str, int] = {}  # the first of the lowest EERs
    for index, system in enumerate(tried):
        first = strongest.setdefault(system.anonymiser, index)
        if values[index]["eer_percent"] < values[first]["eer_percent"]:
            strongest[system.anonymiser] = index
    standings = [
        Standing(
            system,
            values[index],
            system.intervals[label],
            strongest[system.anonymiser] == index,
        )
        for index, system in enumerate(tried)
    ]
    return Board(name, explanation, standings)
