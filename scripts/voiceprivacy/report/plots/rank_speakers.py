"""The picture of rank disclosure over speakers: its distribution, the cumulative form, and the ranks of three."""

import math

import numpy as np

from voiceprivacy.report.plots import style

MOST_BINS = 20


def picture(*, disclosures, examples, example_of, n_templates, anonymisers=()):
    """Make the figure of three panels; ``style.save`` writes it.

    Parameters
    ----------
    disclosures : {system: array (S,)}
        Mean disclosure of every speaker, in bits.
    examples : {speaker: (p (N,), gamma (N,))}
        Rank histogram and model of some speakers of one system.
    example_of : str
        That system.
    n_templates : int
        N: at most log2 N bits can be disclosed.
    anonymisers : sequence of str
        All of the run in the order of its config, which gives the colours.
    """
    figure, (density, cumulative, ranks) = style.figure(11, 3.6, 1, 3)
    most = math.log2(n_templates)
    looks = style.looks(disclosures, anonymisers)
    plot_distribution(density, cumulative, disclosures=disclosures, most_bit=most, looks=looks)
    plot_examples(ranks, examples=examples)
    ranks.set_title(f"three speakers of {example_of}", fontsize="small")
    figure.legend(*cumulative.get_legend_handles_labels(), loc="outside lower center", ncols=6)
    figure.suptitle(f"{n_templates} templates: at most {most:.2f} bit")
    return figure


def plot_distribution(density, cumulative, *, disclosures, most_bit, looks):
    """Draw how mean disclosure is spread over the speakers (Figure 6 of Backstrom et al., 2025), on two axes."""
    n_speakers = max(len(bits) for bits in disclosures.values())
    edges = np.linspace(
        0, max(most_bit, 1e-9), min(MOST_BINS, max(4, round(math.sqrt(n_speakers)) * 2)) + 1
    )
    for label, bits in disclosures.items():
        look = {**looks[label], "label": label}
        shares = np.histogram(bits, edges)[0] / len(bits)
        density.stairs(shares, edges, **look)
        density.axvline(np.mean(bits), color=look["color"], linewidth=0.8, alpha=0.6)
        steps = np.sort(bits)
        cumulative.step(
            [0, *steps, edges[-1]],
            [0, *np.arange(1, len(bits) + 1) / len(bits), 1],
            where="post",
            **look,
        )
    density.set(
        xlabel="mean disclosure of a speaker [bit]", ylabel="share of speakers (thin line: mean)"
    )
    cumulative.set(
        xlabel="mean disclosure of a speaker [bit]",
        ylabel="share of speakers up to it",
        ylim=(0, 1.02),
    )


def plot_examples(ax, *, examples):
    """Draw the cumulative ranks of some speakers and their models (Figure 7, right pane)."""
    for index, (speaker, (p, gamma)) in enumerate(examples.items()):
        positions = np.arange(1, len(p) + 1)
        ax.step(positions, np.cumsum(p), where="post", color=style.colour(index), label=speaker)
        ax.plot(positions, np.cumsum(gamma), color=style.colour(index), linestyle=":")
    ax.plot([1, len(p)], [1 / len(p), 1], color="black", linewidth=0.8, label="chance")
    ax.set(xlabel="rank", ylabel="share of utterances up to it", ylim=(0, 1.02))
    ax.legend(loc="lower right", title="dotted: model")
