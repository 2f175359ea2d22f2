"""The picture of speakers at risk: what each speaker's speech gives away, the most exposed first."""

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from voiceprivacy.report.plots import style

NO_PRIVACY_BIT = 1 / (2 * np.log(2))
ROWS = {
    "dece_bit": "$D_{ECE}$ [bit]",
    "worst_case_log10": "worst case [log10]",
    "deid_percent": "de-identification [%]",
}
HATCHES = {"op": "////", "pp": ""}
MOST_NAMES = 80


def picture(*, exposures, title="", colour=style.COLOURS[0]):
    """Make the figure: bars of OP and PP and a line of OO for every speaker, sorted by the larger D_ECE.

    Parameters
    ----------
    exposures : {condition: {speaker: {n_target, dece_bit, worst_case_log10, deid_percent}}}, None where undefined
    title : str
    colour : of the anonymiser

    Returns
    -------
    matplotlib figure : ``style.save`` writes it
    """
    attacks = [condition for condition in HATCHES if condition in exposures]
    speakers = _most_exposed_first(exposures, attacks)
    width = min(14, max(6.5, 1.5 + 0.3 * len(speakers)))
    figure, axes = style.figure(width, 6.4, len(ROWS), 1, sharex=True)
    for ax, (metric, label) in zip(axes, ROWS.items(), strict=True):
        plot_bars(
            ax,
            exposures=exposures,
            speakers=speakers,
            metric=metric,
            attacks=attacks,
            colour=colour,
        )
        ax.set_ylabel(label)
    axes[0].axhline(NO_PRIVACY_BIT, color="black", linestyle=":", linewidth=1)
    axes[0].annotate(
        "no privacy", (len(speakers) - 0.5, NO_PRIVACY_BIT), va="bottom", ha="right", fontsize=7
    )
    names = [f"{name} ({_targets(exposures, attacks, name)})" for name in speakers]
    axes[-1].set_xticks(
        range(len(speakers)), names if len(names) <= MOST_NAMES else [""] * len(names)
    )
    axes[-1].tick_params(axis="x", rotation=90, labelsize=7, length=0)
    axes[-1].set_xlabel("speaker (number of target trials), the most exposed first")
    figure.legend(
        handles=_legend(attacks, "oo" in exposures, colour), loc="outside upper right", ncols=3
    )
    figure.suptitle(title, x=0.01, ha="left")
    return figure


def plot_bars(ax, *, exposures, speakers, metric, attacks, colour):
    """Draw one metric: a bar an attack, a short line for OO; what is undefined has no bar."""
    width = 0.8 / max(1, len(attacks))
    for index, condition in enumerate(attacks):
        for position, speaker in enumerate(speakers):
            value = exposures[condition].get(speaker, {}).get(metric)
            if value is not None:
                left = position - 0.4 + width * index
                ax.bar(left, value, width=width, align="edge", **_look(condition, colour))
    for position, speaker in enumerate(speakers):
        value = exposures.get("oo", {}).get(speaker, {}).get(metric)
        if value is not None:
            ax.plot([position - 0.4, position + 0.4], [value, value], color="black", linewidth=1.5)
    ax.axhline(0, color="black", linewidth=0.6)
    ax.set_xlim(-0.6, len(speakers) - 0.4)


def _look(condition, colour):
    """Hatched under OP, full under PP."""
    fill = "white" if HATCHES[condition] else colour
    return {"facecolor": fill, "edgecolor": colour, "hatch": HATCHES[condition], "linewidth": 0.8}


def _most_exposed_first(exposures, attacks):
    shown = {speaker for condition in attacks or exposures for speaker in exposures[condition]}

    def exposure(speaker):
        values = [
            exposures[condition].get(speaker, {}).get("dece_bit")
            for condition in attacks or exposures
        ]
        return max((value for value in values if value is not None), default=-np.inf)

    return sorted(shown, key=lambda speaker: (-exposure(speaker), speaker))


def _targets(exposures, attacks, speaker):
    counts = {
        exposures[condition][speaker]["n_target"]
        for condition in attacks
        if speaker in exposures[condition]
    }
    return "/".join(f"{count:g}" for count in sorted(counts))


def _legend(attacks, original, colour):
    bars = [Patch(**_look(condition, colour), label=condition.upper()) for condition in attacks]
    return (
        [*bars, Line2D([], [], color="black", linewidth=1.5, label="OO (unprotected)")]
        if original
        else bars
    )
