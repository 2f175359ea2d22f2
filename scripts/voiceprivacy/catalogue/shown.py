"""How a number with an interval is shown: never outside of its own interval, and marked in doubt.

Bias makes a number differ from the middle of its interval: the interval is corrected, the number is
not. So tables, pictures, the page and the terminal show a number without its bias where it lies
outside, and the one "by definition" beside it.

A dagger marks an interval that is drawn from too few errors, a double one a number that says
nothing.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from voiceprivacy.catalogue import METRICS
from voiceprivacy.catalogue.metric import Metric
from voiceprivacy.inout.typed_tables import Limits
from voiceprivacy.vocabulary import DAGGER, DOUBLE_DAGGER, NO_BREAK

# Target trials on the wrong side, from which on simulated intervals hold what they promise.
FEW_ERRORS = 5
SHORT_EXPLAINED = (
    f"{DAGGER} Fewer than {FEW_ERRORS} target trials are on the wrong side (EER times target"
    " trials): an interval drawn from so few errors is too short. Those of min Cllr and D_ECE"
    f" then hold the truth in as few as 80{NO_BREAK}% of cases instead of 95, and an EER of 0 only"
    " says that no error was seen."
)
OF_BINS, TARGETS_OF_A_BIN = "linkability_vpc", 10
SINGLE_BIN = (
    f"{DOUBLE_DAGGER} The challenge's linkability has a single bin with fewer than"
    f" {2 * TARGETS_OF_A_BIN} target trials, and says nothing."
)
NOTES = (SHORT_EXPLAINED, SINGLE_BIN)  # each begins with its mark
BY_DEFINITION = "by definition"  # the value of metrics.tsv, where another one is shown


class Shown(NamedTuple):
    """A number as every table, chart and picture shows it: ``value`` lies within its ``limits``.

    ``definition`` is the number of metrics.tsv where another one is shown; else it is None. With
    numbers that others published it alone can be compared.
    """

    value: Any
    limits: Limits | None = None
    definition: float | None = None

    def text(self, form: Callable[[Any], str], mark: str = "") -> str:
        """The value, its interval in brackets, and the definition's, each written by ``form``.

        ``mark`` follows the interval, or the value where there is none.

        >>> Shown(0.31, (0.2, 0.4), 0.45).text("{:.2f}".format)
        '0.31 [0.20, 0.40] (by definition 0.45)'
        """
        limits = f" [{form(self.limits[0])}, {form(self.limits[1])}]" if self.limits else ""
        definition = self.definition_text(form, f" ({BY_DEFINITION} {{}})")
        return form(self.value) + limits + mark + definition

    def definition_text(self, form: Callable[[Any], str], words: str = "{}") -> str:
        """The definition's value in ``words``; empty where it reads like the one that is shown."""
        if self.definition is None or form(self.definition) == form(self.value):
            return ""
        return words.format(form(self.definition))


def shown(value: Any, limits: Limits | None, unbiased: float | None = None) -> Shown:
    """What is shown of a number (or of a word, or of None) with this interval.

    A value that lies outside of its interval, which is corrected for bias, is corrected too.
    Without a corrected value (results of an earlier version, measures that are not corrected) the
    nearest end of the interval stands there.
    """
    if limits is None or value is None or isinstance(value, str):
        return Shown(value, limits)
    low, high = limits
    if low <= value <= high:
        return Shown(value, limits)
    corrected = value if unbiased is None else unbiased
    return Shown(min(max(corrected, low), high), limits, value)


# Numbers in doubt.


def has_few_errors(eer_percent: float, n_target: float) -> bool:
    """Whether so few target trials are on the wrong side that some intervals are too short."""
    return eer_percent / 100 * n_target < FEW_ERRORS


def rests_on_errors(row: Metric, value: Any) -> bool:
    """Whether an interval of a number is too short where few errors were made."""
    # Replicates of trials without an error have none either: such an interval says nothing.
    return row.scale == "rare errors" or (row.name == "eer_percent" and value == 0)


def mark_of(
    metric: str, numbers: Mapping[str, Any], *, has_interval: bool, eer_percent: Any = None
) -> str:
    """The mark of a number of an attack that is in doubt, or its interval; else nothing.

    Parameters
    ----------
    numbers : {metric: value} of the attack
    has_interval : whether one is shown
    eer_percent : where the numbers have none
    """
    n_target, errors = numbers.get("n_target"), numbers.get("eer_percent", eer_percent)
    if n_target is None:
        return ""
    if metric == OF_BINS:
        return DOUBLE_DAGGER if n_target < 2 * TARGETS_OF_A_BIN else ""
    is_known = has_interval and metric in METRICS and isinstance(errors, int | float)
    if not is_known or not has_few_errors(errors, n_target):
        return ""
    return DAGGER if rests_on_errors(METRICS[metric], numbers.get(metric)) else ""


def marks_explained(texts: Iterable[str]) -> list[str]:
    """What the marks in texts mean."""
    text = "".join(texts)
    return [note for note in NOTES if note[0] in text]
