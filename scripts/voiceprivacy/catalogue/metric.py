"""What is known of a metric, as one row of the catalogue."""

import math
from collections.abc import Iterable
from typing import Literal, NamedTuple

from voiceprivacy.vocabulary import CONDITIONS, DASH, INFINITY, MINUS

Direction = Literal["higher", "lower", "neither"]
Scale = Literal["plain", "rare errors", "logarithmic"]

ALL_CONDITIONS = tuple(CONDITIONS)
WITHOUT_SECOND_RUN = ("oo", "op", "pp")
ARROWS: dict[str, str] = {"higher": "↑", "lower": "↓", "neither": ""}


# How many times the bias that replicates show is taken off an interval (see privacy/uncertainty).
OF_HISTOGRAM = 2.5

RANK_LOSSES = ("ll", "ms", "wms", "rwms", "cll")  # by which the model of ranks is fitted


class Metric(NamedTuple):
    """What is known of one metric.

    Attributes
    ----------
    name : as in metrics.tsv
    title, unit : as people read them
    family : folder below results/metrics of the files that hold it
    meaning : one sentence
    conditions : in which it exists; none where nobody attacks
    better : which way is better for the speaker
    of_privacy : whether ``better`` means more privacy
    low, high : range that its interval is held in
    times : how many times the bias that replicates show is taken off its interval
    scale : on which scale; "rare errors" is the 2/3 power of the distance from no privacy.
        "logarithmic": the upper limit is at least the one on a logarithmic scale
    digits : behind the decimal point, on the page
    short : title in the terminal
    heading : title in a paper's table, LaTeX
    compared : whether anonymisers are compared by it, pair by pair
    column : whether it is a column of the comparison
    optional : whether that column may be missing, as in runs without intervals
    group : of utility: what it is about, one of PREFERRED
    headline : of utility: whether it stands in the main table of the page
    twin : a table leaves it out where this other metric has the same value; its own name: always
    """

    name: str
    title: str
    unit: str
    family: str
    meaning: str
    conditions: tuple[str, ...] = ALL_CONDITIONS
    better: Direction = "neither"
    of_privacy: bool = True
    low: float = -math.inf
    high: float = math.inf
    times: float = 0.0
    scale: Scale = "plain"
    digits: int = 3
    short: str = ""
    heading: str = ""
    compared: bool = False
    column: bool = False
    optional: bool = False
    group: str = ""
    headline: bool = False
    twin: str = ""

    @property
    def arrow(self) -> str:
        """Points to more privacy; empty for what is no measure of privacy."""
        return ARROWS[self.better] if self.of_privacy else ""

    @property
    def label(self) -> str:
        """Title with the unit, for an axis or the head of a table."""
        return f"{self.title} [{self.unit}]" if self.unit else self.title

    @property
    def tagged(self) -> bool:
        """Whether ZEBRA's tag stands beside the number."""
        return self.name == "worst_case_log10"

    @property
    def no_privacy(self) -> float:
        """The end of the range where no errors are left."""
        return self.low if self.better == "higher" else self.high

    def text(self, value: float | str | None) -> str:
        """A value as people read it; None (the metric does not exist there) is a dash."""
        if value is None:
            return DASH
        if isinstance(value, str):
            return value
        if math.isinf(value):
            return INFINITY if value > 0 else MINUS + INFINITY
        return f"{value:z.{self.digits}f}".replace("-", MINUS)  # z: never -0.0


def alike(names: Iterable[str], row: Metric) -> list[Metric]:
    """The same row for several metrics."""
    return [row._replace(name=name) for name in names]
