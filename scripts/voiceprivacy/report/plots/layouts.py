"""Pictures of a whole evaluation for a paper: all similarity matrices, and all ECE profiles, set by set.

Figures 9 and 10 of Noe et al., Towards a unified assessment framework of speech pseudonymisation, CSL 72, 2022.
"""

from voiceprivacy.report.plots import style
from voiceprivacy.report.plots.similarity import SCALE, blocks

PANEL_INCHES = 2.2


def matrices_picture(matrices):
    """A row for every anonymiser, a column for every set, one colour scale.

    Parameters
    ----------
    matrices : {(anonymiser, set): {oo, op, pp: masked array (S, S)}}

    Returns
    -------
    matplotlib figure : ``style.save`` writes it
    """
    anonymisers, sets = (list(dict.fromkeys(name[side] for name in matrices)) for side in (0, 1))
    size = (PANEL_INCHES * len(sets) + 0.9, PANEL_INCHES * len(anonymisers) + 0.3)
    figure, axes = style.figure(*size, len(anonymisers), len(sets), squeeze=False)
    for (anonymiser, of), values in matrices.items():
        ax = axes[anonymisers.index(anonymiser), sets.index(of)]
        image = ax.imshow(blocks(**values), cmap=SCALE, vmin=0, vmax=1, interpolation="nearest")
        half = len(values["oo"]) - 0.5
        ax.axhline(half, color="black", linewidth=0.6)
        ax.axvline(half, color="black", linewidth=0.6)
        ax.spines[:].set_visible(True)
        ax.set(xticks=[], yticks=[])
    for ax, name in zip(axes[0], sets, strict=True):
        ax.set_title(name, fontsize="medium")
    for ax, name in zip(axes[:, 0], anonymisers, strict=True):
        ax.set_ylabel(name)
    bar = figure.colorbar(image, ax=axes, label="similarity", shrink=0.8)
    bar.outline.set_linewidth(0.5)
    return figure


def profiles_picture(profiles, *, anonymisers=()):
    """A panel for every set with the ECE profiles of all systems and of perfect privacy, one legend.

    Parameters
    ----------
    profiles : {set: {system: {prior_log_odds, ece_bit, ece_default_bit: array (P,)}}}, a system ANONYMISER/CONDITION
    anonymisers : all of the run in the order of its config, which gives the colours

    Returns
    -------
    matplotlib figure : ``style.save`` writes it
    """
    systems = list(dict.fromkeys(system for of in profiles.values() for system in of))
    looks = style.looks(systems, anonymisers)
    size = (PANEL_INCHES * 1.3 * len(profiles) + 0.4, PANEL_INCHES * 1.2 + 0.6)
    figure, axes = style.figure(*size, 1, len(profiles), squeeze=False, sharey=True)
    for ax, (name, of) in zip(axes[0], profiles.items(), strict=True):
        first = next(iter(of.values()))
        ax.plot(
            first["prior_log_odds"],
            first["ece_default_bit"],
            color="black",
            label="perfect privacy",
        )
        for system, curve in of.items():
            ax.plot(curve["prior_log_odds"], curve["ece_bit"], label=system, **looks[system])
        ax.set_title(name, fontsize="medium")
        ax.set(ylim=(0, None), xlabel=r"logit($\pi$)")
    axes[0, 0].set_ylabel("ECE [bit]")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=6)
    return figure
