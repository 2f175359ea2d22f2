"""What protected speech is still good for: tables of the page.

Conventions
-----------
* In metrics.tsv a measure of utility has - as extractor, backend and condition. As trials it has a
  trial list, or - for all utterances of the trial part. ``better`` says which way means more
  utility.
* The main table has the measures by which one chooses; others, such as the kinds of word errors,
  unfold. Both are grouped by what they are about. Speed is no measure: it is not in metrics.tsv.
* Without a measure of words or quality, speech that is only noise would lead a table of privacy.
  ``understood_note`` says so.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from voiceprivacy.catalogue import METRICS, OWN, is_headline, row_of, utility_group
from voiceprivacy.catalogue.metric import ARROWS
from voiceprivacy.errors import counted
from voiceprivacy.inout import foreign
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.typed_tables import typed_rows
from voiceprivacy.report.figures import by_release
from voiceprivacy.report.measured import Utility
from voiceprivacy.report.releases import one_release
from voiceprivacy.report.typeset import listed
from voiceprivacy.report.uncertainty import TOO_FEW, Shown, shown_number, tells_nothing
from voiceprivacy.utility.rows import Speed
from voiceprivacy.vocabulary import ABSENT, DASH, MINUS, ORIGINAL, UNDEFINED

GROUPS = {  # of measures, in the order of the page
    "words": "Words",
    "emotion": "Emotion",
    "quality": "Quality",
    "pitch": "Pitch",
    "voice": "Voice",
    "speed": "Speed",
    OWN: "Measures of your own",
}


class UtilityCell(NamedTuple):
    """A number as shown.

    Attributes
    ----------
    text, interval, by_definition : over all utterances
    lists : [(list, number with its interval)] of the trial lists, where there are several
    n_undefined : how many utterances are left out
    note : what a reader must know of the interval
    """

    text: str
    interval: str
    by_definition: str
    lists: list[tuple[str, str]]
    n_undefined: int
    note: str = ""


class UtilityColumn(NamedTuple):
    """A measure at the head of a table; ``group`` is what it is about, in words.

    ``heard`` says of how many utterances its numbers are.
    """

    title: str
    unit: str
    arrow: str
    group: str
    meaning: str
    heard: str = ""


FASTEST = 0.001  # real-time factors below it are mostly that of starting a job
TEN = 9.95  # from here on a factor has two digits without a decimal
REAL_TIME = UtilityColumn(
    title="real-time factor",
    unit="s/s",
    arrow=ARROWS["lower"],
    group=GROUPS["speed"],
    meaning="Seconds of a processor, or of a GPU, for a second of speech; below 1 it keeps up.",
)
STREAMING = UtilityColumn(
    title="streaming",
    unit="",
    arrow="",
    group=GROUPS["speed"],
    meaning=(
        "Whether it can run on speech while that is spoken, as its entry in the config says; in ms,"
        " the longest delay of a sample where chunks were tried, without the time of computing."
    ),
)


class UtilityTable(NamedTuple):
    """One corpus: columns and rows [(anonymiser, cells)]; None: not measured."""

    corpus: str
    columns: list[UtilityColumn]
    rows: list[tuple[str, list[UtilityCell | None]]]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """What columns beside each other are about, and how many they are."""
        groups = itertools.groupby(self.columns, key=lambda column: column.group)
        return [(group, len(list(columns))) for group, columns in groups]


class UtilitySection(NamedTuple):
    """What the page shows.

    ``tables`` have the measures by which one chooses, ``details`` the others, and ``missing`` says
    [(what it is about, why)] of what was not measured. ``note`` is empty where words or something
    of one's own was measured.
    """

    tables: list[UtilityTable]
    note: str
    details: list[UtilityTable] = []  # noqa: RUF012 - a NamedTuple's default, which nobody changes
    missing: list[tuple[str, str]] = []  # noqa: RUF012

    @property
    def has_speed(self) -> bool:
        """Whether a table says how fast an anonymiser is."""
        return any(REAL_TIME in table.columns for table in self.tables)


def read_speeds(path: FilePath) -> list[Speed]:
    """Read what measure_speed wrote."""
    speeds = []
    for line, speed in typed_rows(Speed, path):
        foreign.like(speed.device, "cpu|gpu", f"{path}:{line}")
        foreign.like(speed.streaming, f"yes|no|{ABSENT}", f"{path}:{line}")
        speeds.append(speed)
    return speeds


def utility_section(
    measured: Sequence[Utility],
    missing: Mapping[str, str] | None = None,
    speeds: Sequence[Speed] = (),
) -> UtilitySection:
    """What the page shows; ``missing`` is {group: why none of its measures was made}."""
    missing = missing or {}
    main = [line for line in measured if is_headline(line.metric)]
    others = [line for line in measured if not is_headline(line.metric)]
    return UtilitySection(
        _utility_tables(main, speeds),
        understood_note(measured, missing),
        _utility_tables(others),
        [(GROUPS.get(group, group), why) for group, why in missing.items()],
    )


def understood_note(measured: Sequence[Utility], missing: Mapping[str, str] | None = None) -> str:
    """Sentences for the first screen where nobody knows whether words are understood.

    Empty where they were measured, or something of one's own that may be about words.
    """
    groups = dict.fromkeys(utility_group(line.metric) for line in measured)
    if {"words", OWN} & groups.keys():
        return ""
    why = (missing or {}).get("words")
    if why is None and not measured:
        why = "no utility was measured"
    elif why is None:
        names = listed([GROUPS[group].lower() for group in groups])
        were = "was" if len(groups) == 1 else "were"
        why = f"of utility only the {names} {were} measured"
    return (
        f"Whether words are still understood was not measured: {why}."
        " Without it, noise alone looks best."
    )


def _utility_tables(
    measured: Sequence[Utility], speeds: Sequence[Speed] = ()
) -> list[UtilityTable]:
    tables = []
    for corpus in dict.fromkeys(line.corpus for line in measured):
        own = [line for line in measured if line.corpus == corpus]
        of_corpus = [speed for speed in speeds if speed.corpus == corpus]
        tables.append(_utility_table(corpus, own, of_corpus))
    return tables


def _utility_table(
    corpus: str, measured: Sequence[Utility], speeds: Sequence[Speed]
) -> UtilityTable:
    better = {line.metric: line.better for line in measured}
    lines = by_release(measured, "metric")
    anonymisers = {system for system, _ in lines}
    columns = []  # with the cell of each anonymiser
    for metric in sorted(better, key=_place_of_column):
        cells = {name: _utility_cell(lines.get((name, metric), [])) for name in anonymisers}
        of_metric = [line for line in measured if line.metric == metric]
        columns.append((_utility_column(metric, better[metric], of_metric), cells))
    columns += _columns_of_speed(speeds)
    columns.sort(key=lambda column: column[0].group == GROUPS[OWN])  # these come last
    rows = []
    for anonymiser in sorted(anonymisers, key=lambda name: (name != ORIGINAL, name)):
        rows.append((anonymiser, [cells.get(anonymiser) for _, cells in columns]))
    return UtilityTable(corpus, [column for column, _ in columns], rows)


def _columns_of_speed(speeds):
    """What is known of how fast anonymisers are: [(column, {anonymiser: cell})]."""
    factors, streams = {}, {}
    for speed in speeds:
        if speed.real_time_factor != UNDEFINED:
            factors[speed.anonymiser] = _speed_cell(speed)
        if speed.streaming != ABSENT:
            latency = speed.latency_ms
            delay = "" if isinstance(latency, str) else f"{latency:.0f} ms"
            streams[speed.anonymiser] = UtilityCell(speed.streaming, delay, "", [], 0)
    columns = [(REAL_TIME, factors), (STREAMING, streams)]
    return [(column, cells) for column, cells in columns if cells]


def _speed_cell(speed):
    """A real-time factor: two digits, and whose seconds they are if not the processor's."""
    value = speed.real_time_factor
    text = f"{value:.0f}" if value >= TEN else f"{value:.2g}"
    text = text if value >= FASTEST else f"under {FASTEST}"
    return UtilityCell(text, "GPU" if speed.device == "gpu" else "", "", [], 0)


def _place_of_column(metric: str) -> tuple[int, int]:
    """As in the catalogue, group by group; one's own measures last, in their order."""
    groups = list(GROUPS)
    in_catalogue = list(METRICS).index(metric) if metric in METRICS else 0
    return groups.index(utility_group(metric)), in_catalogue


def _utility_column(metric: str, better: str, lines: Iterable[Utility]) -> UtilityColumn:
    row = row_of(metric)
    arrow = ARROWS.get(better, "")
    heard = {line.n_utterances for line in lines if line.trials == ABSENT}
    is_same = len(heard) == 1 and ABSENT not in heard
    words = counted(int(heard.pop()), "utterance") if is_same else ""
    return UtilityColumn(row.title, row.unit, arrow, GROUPS[row.group], row.meaning, words)


def _utility_cell(lines: Sequence[Utility]) -> UtilityCell | None:
    by_list: dict[str, list[Shown]] = {}  # of each draw
    n_undefined = 0
    for line in lines:
        # Measures of speech are not corrected for bias.
        by_list.setdefault(line.trials, []).append(shown_number(line.metric_line))
        n_undefined += int(line.n_undefined) if line.trials == ABSENT else 0
    if ABSENT not in by_list:
        return None
    numbers = {trials: one_release(draws) for trials, draws in by_list.items()}
    number = numbers.pop(ABSENT)
    metric = row_of(lines[0].metric)
    text_of = partial(_utility_text, digits=metric.digits)
    lists = []
    if len(numbers) > 1:  # a single list is most of the whole, and would say the same twice
        lists = [(trials, of_list.text(text_of)) for trials, of_list in numbers.items()]
    limits = ", ".join(map(text_of, number.limits or ()))
    return UtilityCell(
        text=text_of(number.value),
        interval=f"[{limits}]" if limits else "",
        by_definition=number.definition_text(text_of),
        lists=lists,
        n_undefined=n_undefined,
        note=TOO_FEW if tells_nothing(metric, number.limits) else "",
    )


def _utility_text(value: float | str, digits: int) -> str:
    """A number as people read it: one decimal more for small ones."""
    if isinstance(value, str):
        return DASH if value == ABSENT else value
    digits += 0 < abs(value) < 10 ** (1 - digits)
    return f"{value:z.{digits}f}".replace("-", MINUS)
