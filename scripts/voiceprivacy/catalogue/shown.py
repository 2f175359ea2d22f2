"""How a number with an interval is shown: never outside of its own interval.

Bias makes a number differ from the middle of its interval: the interval is corrected, the number is
not. So tables, pictures, the page and the terminal show a number without its bias where it lies
outside, and the one "by definition" beside it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from voiceprivacy.inout.typed_tables import Limits

BY_DEFINITION = "by definition"  # the value of metrics.tsv, where another one is shown


class Shown(NamedTuple):
    """A number as every table, chart and picture shows it: ``value`` lies within its ``limits``.

    ``definition`` is the number of metrics.tsv where another one is shown; else it is None. With
    numbers that others published it alone can be compared.
    """

    value: Any
    limits: Limits | None = None
    definition: float | None = None

    def text(self, form: Callable[[Any], str]) -> str:
        """The value, its interval in brackets, and the definition's, each written by ``form``.

        >>> Shown(0.31, (0.2, 0.4), 0.45).text("{:.2f}".format)
        '0.31 [0.20, 0.40] (by definition 0.45)'
        """
        limits = f" [{form(self.limits[0])}, {form(self.limits[1])}]" if self.limits else ""
        return form(self.value) + limits + self.definition_text(form, f" ({BY_DEFINITION} {{}})")

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
