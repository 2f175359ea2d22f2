"""One colour for a system, the same in every picture and every chart of a run."""

from collections.abc import Iterable

from voiceprivacy.report.metrics import Number
from voiceprivacy.vocabulary import ABSENT, ORIGINAL

# Okabe and Ito: told apart by everyone
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
GREY = "#7f7f7f"  # unprotected speech, on white and on black
NO_VALUE = "#9ecae1"  # an undefined cell of a similarity matrix: no colour of its scale


def palette(anonymisers: Iterable[str]) -> dict[str, str]:
    """Colours of anonymisers in the order of the config: {name: colour}.

    They repeat after six, with other lines. Unprotected speech is grey, wherever it stands.
    """
    protected = [name for name in dict.fromkeys(anonymisers) if name != ORIGINAL]
    colours = {name: COLOURS[index % len(COLOURS)] for index, name in enumerate(protected)}
    return {ORIGINAL: GREY} | colours


def palette_of(provenance: dict, metrics: Iterable[Number]) -> dict[str, str]:
    """The colours of a run: anonymisers of its config first, then others (of scores of others)."""
    configured = provenance.get("config", {}).get("anonymisers", {})
    return palette([*configured, *sorted({metric.anonymiser for metric in metrics} - {ABSENT})])


def dash(colours: dict[str, str], anonymiser: str, condition: str) -> str:
    """The kind of line of a system, as plotly.js names it.

    Dashed under OP, and another kind once the colours of a palette repeat.
    """
    repeats = max(0, list(colours).index(anonymiser) - 1) // len(COLOURS)
    first, later = ("dash", "dot") if condition == "op" else ("solid", "dashdot")
    return later if repeats % 2 else first
