"""What stands in the tables of the leaderboard: numbers as text, with who measured them.

Conventions
-----------
* A number has the digits of its catalogue's row, and its interval where one is known.
* What is not reported keeps its reason. A dash is what nobody was asked for.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from voiceprivacy.catalogue import METRICS
from voiceprivacy.catalogue.metric import Metric
from voiceprivacy.report.uncertainty import interval_text
from voiceprivacy.tools.exchange.drawing import Rung, ladder
from voiceprivacy.tools.exchange.records import NotReported, Number, Utility
from voiceprivacy.tools.exchange.standings import (
    CLAIMED,
    EER_NAME,
    Attack,
    Board,
    Standing,
    strongest,
)

MOST_MEASURES = 4  # columns of utility; the pages of systems have all
OVERLAP = "learnt from data of this protocol"
UNKNOWN = "where it learnt is not reported"


class Cell(NamedTuple):
    """A number as shown; ``order`` is what it is sorted by, ``reason`` why there is none."""

    text: str = ""
    interval: str = ""
    reason: str = ""
    order: str = ""


class AttackCell(NamedTuple):
    """An attack as shown: its equal error rate, who attacks and who measured."""

    text: str
    interval: str
    reason: str
    order: str
    tier: str
    condition: str
    attacker: str
    attacker_name: str
    laboratory: str
    flags: list[str]
    counts: bool


class Measure(NamedTuple):
    """A measure of utility by one definition, with one network."""

    metric: str
    definition: str
    model: str

    @property
    def title(self) -> str:
        """What people call it, with its unit."""
        known = METRICS.get(self.metric)
        if known is None:
            return self.metric
        return ", ".join(filter(None, (known.title, known.unit)))

    @property
    def note(self) -> str:
        """How it was measured."""
        return self.definition or self.model


class Row(NamedTuple):
    """A standing as the board shows it."""

    system: str
    revision: str
    title: str
    headline: AttackCell | None
    claimed: AttackCell | None
    unattacked: AttackCell | None
    reason: Cell | None
    utility: list[Cell]
    n_attacks: int
    has_numbers: bool


class Table(NamedTuple):
    """A board as shown; ``both`` says whether a counted system has numbers at tier A, too."""

    protocol: str
    title: str
    measures: list[Measure]
    counted: list[Row]
    apart: list[Row]
    ladder: str
    both: bool

    @property
    def width(self) -> int:
        """The number of its columns."""
        return 4 + self.both + len(self.measures)


def cell(metric: Metric | None, number: Number) -> Cell:
    """A number of a metric; metrics that are not of the catalogue have four digits."""
    if number.value is None:
        return Cell(reason=number.not_reported or "")
    limits = None
    if number.low is not None and number.high is not None:
        limits = number.low, number.high
    if metric is None:
        interval = f"[{limits[0]:.4g}, {limits[1]:.4g}]" if limits else ""
        return Cell(f"{number.value:.4g}", interval, order=repr(number.value))
    return Cell(metric.text(number.value), interval_text(metric, limits), order=repr(number.value))


def attack_cell(attack: Attack) -> AttackCell:
    """An attack as a row of any table shows it."""
    number = cell(METRICS[EER_NAME], attack.number)
    flags = [f"{OVERLAP}: {name}" for name in attack.overlap]
    if attack.doubt:
        flags.append(f"not counted: {attack.doubt}")
    return AttackCell(
        *number,
        tier=attack.tier,
        condition=attack.condition.upper(),
        attacker=attack.attacker,
        attacker_name=attack.result.attacker,
        laboratory=attack.result.laboratory,
        flags=flags,
        counts=attack.tier != CLAIMED and not attack.doubt,
    )


def measures(standings: Iterable[Standing]) -> list[Measure]:
    """The measures of utility of a board that have numbers: main ones first, then common ones."""
    common: Counter[Measure] = Counter()
    for standing in standings:
        known = [line for line in standing.utility if line.value is not None]
        common.update({measure_of(line): 1 for line in known})
    ranked = sorted(common, key=lambda one: (not is_main(one.metric), -common[one], one))
    return ranked[:MOST_MEASURES]


def is_main(metric: str) -> bool:
    """Whether a metric of utility stands in the main table of a run's page."""
    return metric in METRICS and METRICS[metric].headline


def measure_of(line: Utility) -> Measure:
    """The measure that a line of utility is of."""
    return Measure(line.metric, said(line.definition), said(line.model))


def said(text: str | NotReported | None) -> str:
    """A text as people read it: empty where nobody said it."""
    return text if isinstance(text, str) else ""


def number_of(line: Utility) -> Number:
    """The number of a line of utility."""
    return Number(line.value, line.low, line.high, line.not_reported)


def utility_cell(standing: Standing, measure: Measure) -> Cell:
    """What a system keeps by a measure; numbers of several data or runs stand side by side."""
    metric = METRICS.get(measure.metric)
    lines = [line for line in standing.utility if measure_of(line) == measure]
    shown = [cell(metric, number_of(line)) for line in lines]
    numbers = [one for one in shown if one.text]
    if not numbers:
        return shown[0] if shown else Cell()
    if len(numbers) == 1:
        return numbers[0]
    texts = list(dict.fromkeys(one.text for one in numbers))
    return Cell(" / ".join(texts), order=numbers[0].order)


def table(board: Board, title: str, titles: Mapping[str, str]) -> Table:
    """A board as shown, with its ladder of attacks.

    Parameters
    ----------
    title : of the protocol
    titles : of the systems
    """
    columns = measures(board.newest)
    rows = [row(standing, titles, columns) for standing in board.newest]
    counted = rows[: len(board.counted)]
    both = any(one.claimed for one in counted)
    return Table(
        board.protocol,
        title,
        columns,
        counted,
        rows[len(board.counted) :],
        _ladder(board, titles),
        both,
    )


def row(standing: Standing, titles: Mapping[str, str], columns: Sequence[Measure]) -> Row:
    """A standing with a cell for each measure of utility."""
    unreported = [attack for attack in standing.all_attacks if attack.number.not_reported]
    reason = cell(METRICS[EER_NAME], unreported[0].number) if unreported else None
    unattacked = strongest(standing.unattacked)
    return Row(
        standing.system,
        standing.revision,
        titles[standing.system],
        headline=attack_cell(standing.headline) if standing.headline else None,
        claimed=attack_cell(standing.claimed) if standing.claimed else None,
        unattacked=attack_cell(unattacked) if unattacked else None,
        reason=reason,
        utility=[utility_cell(standing, measure) for measure in columns],
        n_attacks=len(standing.attacks),
        has_numbers=any(attack.number.value is not None for attack in standing.attacks),
    )


def _ladder(board: Board, titles: Mapping[str, str]) -> str:
    """Every attack on every system; marks that are drawn last lie on top."""
    rows = []
    for standing in board.newest:
        attacks = [attack for attack in standing.attacks if attack.number.value is not None]
        attacks.sort(key=lambda attack: (attack is standing.headline, attack.counts))
        if attacks and (standing.headline or standing.claimed):
            title = titles[standing.system]
            rows.append((standing.system, [_rung(standing, one, title) for one in attacks]))
    return ladder(rows, label=f"Attack ladder: {len(rows)} systems") if rows else ""


def _rung(standing, attack, title):
    shown = attack_cell(attack)
    number = " ".join(filter(None, (shown.text, shown.interval)))
    told = f"{title}: EER {number} %, {shown.condition} by {shown.attacker}, tier {shown.tier}"
    kind = "counts" if attack.counts else "claim"
    kind += " strongest" if attack is standing.headline else ""
    return Rung(*attack.number[:3], kind, attack.condition, f"{told}, {shown.laboratory}")
