"""The leaderboard: every system on every set, as numbers and as the rows of the page's table.

It says what every attack found. Which system leaves less of the speaker is said by the verdict.

Conventions
-----------
* A set is a trial list, the mean over those of a corpus, or an average over lists of several
  corpora.
* Averages are weighted means. Their intervals come from the comparisons, like those of a corpus'
  mean.
* The strongest attack on an anonymiser can be another one on every set.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from voiceprivacy.catalogue.metric import Metric
from voiceprivacy.inout.files import BadInput
from voiceprivacy.report.comparison import (
    OF_MATRICES,
    System,
    SystemKey,
    Values,
    folded,
    mean_limits,
    mean_of_lists,
    mean_of_unbiased,
    shown_columns,
)
from voiceprivacy.report.figures import draws_in
from voiceprivacy.report.releases import released
from voiceprivacy.report.uncertainty import (
    NONE,
    SHORT_EXPLAINED,
    TOO_FEW,
    Comparisons,
    Limits,
    Shown,
    marked_interval,
    shown,
    tells_nothing,
    within_zero_evidence,
)
from voiceprivacy.vocabulary import (
    ACROSS_CORPORA,
    DAGGER,
    ORIGINAL,
    UNDEFINED,
    TrialList,
    all_averages,
    average_folder,
)

Averages = dict[str, dict[str, dict[str, float]]]  # of the config: {name: {corpus: {list: weight}}}


class Standing(NamedTuple):
    """A System on one set: its numbers there, and whether it is the strongest attack there.

    ``label`` is what the set is called among its lists and their mean.
    """

    system: System
    values: Values
    intervals: Mapping[str, Limits | None]
    strongest: bool
    unbiased: Mapping[str, float]
    label: str

    def shown(self, metric: str) -> Shown:
        """One of its numbers, as it is shown."""
        limits, unbiased = self.intervals.get(metric), self.unbiased.get(metric)
        return shown(self.values[metric], limits, unbiased)


class Board(NamedTuple):
    """One set of the leaderboard, and what it is the mean of (empty: a list).

    ``draws`` are the single draws behind those standings that are of a release.
    """

    name: str
    explanation: str
    standings: list[Standing]
    draws: list[Standing]


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
    # As if the average were a corpus with one list: then it is a System like any other.
    corpus = f"{ACROSS_CORPORA}/{average_folder(name)}"
    lists: dict[SystemKey, dict[TrialList, Values]] = {}
    own_unbiased: dict[SystemKey, dict[TrialList, Mapping[str, float]]] = {}
    draws = itertools.chain.from_iterable(system.draws or (system,) for system in systems)
    for system in draws:
        key = system.key._replace(corpus=corpus)
        for trials, values in system.lists.items():
            if (system.corpus, trials) in weights:
                trial_list = TrialList(system.corpus, trials)
                lists.setdefault(key, {})[trial_list] = values
                unbiased = system.unbiased.get(trials, {})
                own_unbiased.setdefault(key, {})[trial_list] = unbiased
    means = []
    for key, known in lists.items():
        if len(known) < len(weights):  # a mean over other lists could not be compared
            continue
        shares = [weights[trials] for trials in known]
        # Tags belong to lists: even an average of a single list has none.
        mean = mean_of_lists(list(known.values()), shares) | {"tag": None}
        unbiased = mean_of_unbiased([own_unbiased[key][trials] for trials in known], shares)
        means.append(
            System(
                *key,
                lists={name: mean},
                mean=mean,
                intervals={name: mean_limits(key, comparisons)},
                unbiased={name: unbiased},
            )
        )
    return released(means)


def _explanation(weights: Mapping[TrialList, float]) -> str:
    """What an average is of."""
    if len(set(weights.values())) == 1:
        names = [f"{corpus} {trials}" for corpus, trials in weights]
        return f"equal weights: {', '.join(names)}"
    lists = [f"{corpus} {trials} {share:g}" for (corpus, trials), share in weights.items()]
    return f"weights: {', '.join(lists)}"


def _board(name: str, explanation: str, systems: Sequence[System], label: str) -> Board:
    """Systems on the set that stands as ``label`` among their lists, or is their mean."""
    tried = [system for system in systems if label in system.intervals]
    values = [system.lists.get(label, system.mean) for system in tried]
    strongest: dict[str, int] = {}  # the first of the lowest folded EERs
    for index, system in enumerate(tried):
        first = strongest.setdefault(system.anonymiser, index)
        if folded(values[index]["eer_percent"]) < folded(values[first]["eer_percent"]):
            strongest[system.anonymiser] = index
    standings, draws = [], []
    for index, system in enumerate(tried):
        is_strongest = strongest[system.anonymiser] == index
        standings.append(_standing(system, label, strongest=is_strongest))
        for draw in system.draws:
            draws.append(_standing(draw, label, strongest=is_strongest))
    return Board(name, explanation, standings, draws)


def _standing(system: System, label: str, *, strongest: bool) -> Standing:
    return Standing(
        system,
        system.lists.get(label, system.mean),  # a label that is no list is that of the mean
        system.intervals[label],
        strongest,
        system.unbiased.get(label, {}),
        label,
    )


# The table of the page.


class Cell(NamedTuple):
    """A number as shown; ``order`` is what it is sorted by, empty for what has no order.

    ``by_definition`` is the number where it is shown without its bias, ``note`` what a reader must
    know of the interval.
    """

    text: str
    tag: str
    interval: str
    note: str
    by_definition: str
    zero_evidence: bool
    order: str


class Row(NamedTuple):
    """A system, or one draw of it, on one set, as shown; a release is of ``n_draws``, else 0."""

    set: str
    system: str
    anonymiser: str
    n_draws: int
    condition: str
    attack: str
    attacker: str
    strongest: bool
    colour: str
    cells: list[Cell]


class Leaderboard(NamedTuple):
    """The leaderboard of the page.

    Attributes
    ----------
    boards : the sets, in the order in which they can be chosen
    attacks : those that can be chosen
    note : what the mark of some intervals means; empty where none has it
    draws : rows of single draws, of systems that have several
    voices : rows with ``of_voices``, metrics that hold conditions against each other: of an
        anonymiser and an attacker, under no attack
    """

    boards: list[Board]
    columns: list[Metric]
    attacks: list[str]
    rows: list[Row]
    note: str
    draws: list[Row]
    of_voices: list[Metric]
    voices: list[Row]

    @property
    def sets(self) -> list[tuple[str, str]]:
        """[(name, explanation)]."""
        return [(board.name, board.explanation) for board in self.boards]


def leaderboard(
    systems: Sequence[System],
    *,
    colours: Mapping[str, str],
    averages: Averages | None = None,
    comparisons: Comparisons = NONE,
) -> Leaderboard:
    """Arrange systems for the page.

    Parameters
    ----------
    colours : {anonymiser: colour}
    comparisons : have the intervals of averages
    """
    every = shown_columns(systems)
    columns = [column for column in every if column.name not in OF_MATRICES]
    of_voices = [column for column in every if column.name in OF_MATRICES]
    sets = boards(systems, averages, comparisons)
    rows, draws, voices = [], [], []
    for board in sets:
        for standing in sorted(board.standings, key=_errors):
            rows.append(_row(board.name, standing, columns, colours))
        for standing in board.draws:
            draws.append(_row(board.name, standing, columns, colours))
        for standing in _of_voices(board.standings):
            voices.append(_row(board.name, standing, of_voices, colours))
    protected = [system for system in systems if system.anonymiser != ORIGINAL]
    cells = itertools.chain.from_iterable(row.cells for row in (*rows, *draws))
    marked = any(DAGGER in cell.interval for cell in cells)
    return Leaderboard(
        boards=sets,
        columns=columns,
        attacks=list(dict.fromkeys(system.attack for system in protected)),
        rows=rows,
        note=SHORT_EXPLAINED if marked else "",
        draws=draws,
        of_voices=of_voices,
        voices=voices,
    )


def _of_voices(standings: Sequence[Standing]) -> list[Standing]:
    """A standing for each anonymiser and attacker that has DeID or G_VD, with both of them.

    They stand under one condition of metrics.tsv each, and are of two: OO and OP, or OO and PP.
    """
    merged: dict[tuple[str, str], Standing] = {}
    for standing in standings:
        known = [name for name in OF_MATRICES if standing.values[name] is not None]
        if not known:
            continue
        attacked = (standing.system.anonymiser, standing.system.attacker)
        one = merged.setdefault(attacked, standing)
        merged[attacked] = one._replace(
            values={**one.values} | {name: standing.values[name] for name in known},
            intervals={**one.intervals} | {name: standing.intervals.get(name) for name in known},
            unbiased={**one.unbiased}
            | {name: standing.unbiased[name] for name in known if name in standing.unbiased},
        )
    return [merged[attacked] for attacked in sorted(merged)]


def _errors(standing: Standing) -> tuple[bool, float, SystemKey]:
    """Most errors first; unprotected speech last."""
    unprotected = standing.system.anonymiser == ORIGINAL
    return unprotected, -folded(standing.values["eer_percent"]), standing.system.key


def _row(
    name: str, standing: Standing, columns: Sequence[Metric], colours: Mapping[str, str]
) -> Row:
    system = standing.system
    draw = draws_in(colours)[system.anonymiser]
    is_draw = draw.n_draws > 1 and not system.draws
    return Row(
        set=name,
        system=draw.system,
        anonymiser=draw.words if is_draw else system.anonymiser,
        n_draws=len(system.draws),
        condition=system.condition,
        attack=system.attack,
        attacker=system.attacker,
        strongest=standing.strongest,
        colour=colours[system.anonymiser],
        cells=[_cell(standing, column) for column in columns],
    )


def _cell(standing: Standing, column: Metric) -> Cell:
    number = standing.shown(column.name)
    return Cell(
        text=column.text(number.value),
        tag=(standing.values["tag"] or "") if column.tagged else "",
        interval=marked_interval(column, standing.values, number.limits),
        note=TOO_FEW if tells_nothing(column, number.limits) else "",
        by_definition=number.definition_text(column.text),
        zero_evidence=column.name == "dece_bit" and bool(within_zero_evidence(standing.values)),
        order=_order(number.value),
    )


def _order(value: Any) -> str:
    """What JavaScript sorts a cell by."""
    if value is None or value == UNDEFINED:
        return ""
    if math.isinf(value):  # which JavaScript spells in another way than Python
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value))
