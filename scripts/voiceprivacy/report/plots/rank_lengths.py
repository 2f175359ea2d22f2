"""The picture of disclosure against the length of tests and templates, with what the composition theorems allow."""

import math

import numpy as np

from voiceprivacy.report.plots import style

MOST_COLUMNS = 4
PANEL_INCHES = (2.8, 2.7)
BESIDE = 0.02  # of the axis: intervals of several templates stand beside each other


def picture(*, disclosures, n_templates, title=""):
    """Make the figure, one panel a system; ``style.save`` writes it.

    Parameters
    ----------
    disclosures : {system: {template length: {test length: (disclosure, its interval or None)}}}, in bits; lengths in
        observations
    n_templates : int
    title : str
    """
    columns = min(MOST_COLUMNS, len(disclosures))
    rows = math.ceil(len(disclosures) / columns)
    width, height = PANEL_INCHES
    figure, axes = style.figure(
        width * columns + 1.2,
        height * rows + 0.4,
        rows,
        columns,
        squeeze=False,
        sharex=True,
        sharey=True,
    )
    for ax in axes.flat[len(disclosures) :]:
        ax.set_axis_off()
    for ax, (system, of) in zip(axes.flat, disclosures.items(), strict=False):
        plot_lengths(ax, disclosures=of, most_bit=math.log2(n_templates))
        ax.set_title(system, fontsize="small")
    figure.supxlabel("observations of a test, T", fontsize="medium")
    figure.supylabel("disclosure [bit]", fontsize="medium")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside right center")
    figure.suptitle(f"{title}; {n_templates} templates: at most {math.log2(n_templates):.2f} bit")
    return figure


def plot_lengths(ax, *, disclosures, most_bit):
    """Draw disclosure against test length, a line for every template length (Figure 8 of Backstrom et al., 2025).

    The bounds start at the shortest test of the shortest template and grow with T (composition) and with sqrt(T)
    (advanced composition); nothing exceeds log2 N.
    """
    tests = np.array(sorted({test for of in disclosures.values() for test in of}), dtype=float)
    for index, (template, of) in enumerate(sorted(disclosures.items())):
        bits = [of[test][0] for test in sorted(of)]
        ax.plot(
            sorted(of), bits, marker="o", color=style.colour(index), label=f"template {template}"
        )
        shift = (index - (len(disclosures) - 1) / 2) * BESIDE * (tests[-1] - tests[0])
        limits = [(test + shift, *interval) for test, (_, interval) in of.items() if interval]
        ax.vlines(*np.reshape(limits, (-1, 3)).T, color=style.colour(index), linewidth=0.8)
    shortest = disclosures[min(disclosures)]
    start, _ = shortest[min(shortest)]
    growth = np.linspace(tests[0], tests[-1], 50) / tests[0]
    for name, power, line in (("bound T", 1.0, "--"), ("bound √T", 0.5, "-.")):
        bound = np.minimum(start * growth**power, most_bit)
        ax.plot(growth * tests[0], bound, color="black", linestyle=line, linewidth=0.8, label=name)
    ax.axhline(most_bit, color="black", linestyle=":", linewidth=0.8)
    ax.set(ylim=(0, None), xticks=tests, xticklabels=[f"{test:g}" for test in tests])
