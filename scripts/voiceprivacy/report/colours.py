"""One colour for a system, the same in every picture and every chart of a run."""

from voiceprivacy.vocabulary import ORIGINAL

COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
)  # Okabe and Ito: told apart by everyone
GREY = "#7f7f7f"  # unprotected speech, on white and on black


def palette(anonymisers):
    """Colours of anonymisers in the order of the config: {name: colour}; they repeat after six, with other lines.

    Unprotected speech is grey, wherever it stands.
    """
    protected = [name for name in dict.fromkeys(anonymisers) if name != ORIGINAL]
    return {ORIGINAL: GREY} | {
        name: COLOURS[index % len(COLOURS)] for index, name in enumerate(protected)
    }


def palette_of(provenance, metrics):
    """The colours of a run: anonymisers of its config first, then others that were measured (foreign scores)."""
    configured = provenance.get("config", {}).get("anonymisers", {})
    return palette([*configured, *sorted({metric.anonymiser for metric in metrics} - {"-"})])


def dash(colours, anonymiser, condition):
    """The kind of line of a system, as plotly.js names it: dashed under OP, and another once the colours repeat.

    Parameters
    ----------
    colours : a palette
    anonymiser, condition : str
    """
    repeats = max(0, list(colours).index(anonymiser) - 1) // len(COLOURS)
    first, later = ("dash", "dot") if condition == "op" else ("solid", "dashdot")
    return later if repeats % 2 else first
