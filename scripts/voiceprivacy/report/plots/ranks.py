"""Similarity ranks: where the true speaker ranks, whose rank gives away what, what length does.

The functions that are named like a kind of figure read its files and draw it.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from voiceprivacy.catalogue.shown import BY_DEFINITION
from voiceprivacy.report.curves import (
    LENGTH_AXIS,
    MOST_BARS,
    RANKS,
    ByLength,
    by_length,
    composition_bounds,
    read_disclosures,
    read_examples,
    read_systems,
    require_one_each,
    seconds_of_tests,
    seconds_text,
    shown_of,
    template_words,
)
from voiceprivacy.report.figures import FAINT, INK
from voiceprivacy.report.mailed import NAMED, Codes
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.plots import drawing
from voiceprivacy.vocabulary import Attack, attacker_name

MOST_COLUMNS = 4
PANEL_INCHES = (2.6, 2.5)
WIDTH_INCHES = 6.2
HISTOGRAM, MODEL, CHANCE = LEGEND = ("histogram", "beta-binomial model", "chance")
SUMMARY = ("identification_rate_percent", "mean_disclosure_bit", "model_mean_disclosure_bit")
MOST_BINS = 20
LENGTHS_INCHES = (2.8, 2.7)
BESIDE = 0.02  # of the axis: intervals of several templates stand beside each other
BOUND_LINES = {"bound T": "--", "bound √T": "-."}


def ranks(
    *,
    anonymisers: Sequence[str],
    curves: Sequence[str],
    metrics: Sequence[str],
    palette: Sequence[str] = (),
) -> Figure:
    """Rank histograms of all systems under one attacker, from files of assess_ranks.py."""
    histograms, numbers = read_systems(
        anonymisers=anonymisers, curves=curves, metrics=metrics, columns=RANKS, needs=SUMMARY
    )
    return ranks_picture(curves=histograms, metrics=numbers, anonymisers=palette)


def rank_speakers(
    *,
    anonymisers: Sequence[str],
    speakers: Sequence[str],
    examples: Sequence[str],
    palette: Sequence[str] = (),
    codes: Codes = NAMED,
) -> Figure:
    """How rank disclosure is spread over the speakers, from files of assess_ranks.py."""
    require_one_each(anonymisers=anonymisers, speakers=speakers, examples=examples)
    disclosures = {}
    for anonymiser, path in zip(anonymisers, speakers, strict=True):
        for label, bits in read_disclosures(path).items():
            disclosures[f"{anonymiser}/{label}"] = np.array([one.own for one in bits.values()])
    # the ranks of three speakers of the first system that protects, where there is one
    shown = min(1, len(anonymisers) - 1)
    label, ranks_of = read_examples(examples[shown], codes)
    return rank_speakers_picture(
        disclosures=disclosures,
        examples=ranks_of,
        example_of=f"{anonymisers[shown]}/{label}",
        n_templates=len(next(iter(ranks_of.values()))[0]),
        anonymisers=palette,
    )


def rank_lengths(*, metrics: str, corpus: str, gender: str, extractor: str, backend: str) -> Figure:
    """Disclosure against the length of tests and templates, from metrics.tsv."""
    gallery = Attack(corpus, gender, extractor, backend)
    disclosures, n_templates = by_length(read_metrics(metrics), gallery)
    title = f"{corpus} {gender}, {attacker_name(extractor, backend)}"
    return lengths_picture(disclosures=disclosures, n_templates=n_templates, title=title)


def ranks_picture(
    *,
    curves: Mapping[str, Mapping[str, NDArray]],
    metrics: Mapping[str, dict],
    anonymisers: Sequence[str] = (),
) -> Figure:
    """Rank histograms, one panel a system.

    Parameters
    ----------
    curves : {label: {p, gamma: array (N,)}}
    metrics : {label: {identification_rate_percent, mean_disclosure_bit, model_mean_disclosure_bit}}
        And ``shown`` {metric: Shown} of those that have an interval.
    anonymisers : all of the run in the order of its config, which gives the colours
    """
    # Galleries of different sizes have other ranks, and perhaps logarithmic axes.
    same_scale = len({len(curve["p"]) for curve in curves.values()}) == 1
    figure, axes = drawing.grid(
        *(len(curves), MOST_COLUMNS, PANEL_INCHES, (0.0, 0.5)),
        narrowest=2,  # the legend is as wide as two panels
        sharex=same_scale,
        sharey=same_scale,
    )
    looks = drawing.looks(curves, anonymisers)
    for ax, (label, curve) in zip(axes, curves.items(), strict=True):
        look = looks[label]
        ax.set_gid(look["gid"])  # the whole panel is of one system
        _plot_histogram(ax, curve["p"], curve["gamma"], look["color"])
        title = f"{look['label']}\n{_summary(metrics[label], len(curve['p']))}"
        ax.set_title(title, fontsize="small")
    # A logarithmic axis would follow the model towards 0; it ends at half of the least share.
    least = min(curve["p"][curve["p"] > 0].min() for curve in curves.values())
    for ax in axes:
        if ax.get_yscale() == "log":
            ax.set_ylim(least / 2, 1.5)
    figure.supxlabel("rank of the true speaker (1 = most similar)", fontsize="medium")
    figure.supylabel("share of test utterances", fontsize="medium")
    handles, labels = axes[0].get_legend_handles_labels()
    # matplotlib puts lines before bars; readers look for the histogram first.
    named = dict(zip(labels, handles, strict=True))
    figure.legend([named[label] for label in LEGEND], LEGEND, loc="outside upper center", ncols=3)
    return figure


def _plot_histogram(ax, p, gamma, colour):
    """Draw a rank histogram p (N,), the fitted model gamma (N,) and the level of chance 1/N.

    Bars for small N. For large N both axes are logarithmic (Figure 5 of Backstrom et al., 2025) and
    empty ranks are left out.
    """
    n_templates = len(p)
    ranks = np.arange(1, n_templates + 1)
    few = n_templates <= MOST_BARS
    if few:
        ax.bar(ranks, p, width=0.9, color=colour, alpha=0.6, label=HISTOGRAM)
        # About six ticks; rank 1 is one of them, because identification is read there.
        step = next(step for step in (1, 5, 10) if n_templates <= 6 * step)
        ax.set_xticks(sorted({1, *range(step, n_templates + 1, step)}))
        ax.set_xlim(0.4, n_templates + 0.6)
    else:
        seen = p > 0
        look = {"markersize": 3, "color": colour, "label": HISTOGRAM}
        # Rasterized: a vector file of thousands of points is slow to show.
        ax.plot(ranks[seen], p[seen], ".", rasterized=True, **look)
        ax.set(xscale="log", yscale="log")
    line = {"color": INK, "linewidth": 1}
    ax.plot(ranks, gamma, marker="." if few else "", label=MODEL, **line)
    ax.plot([1, n_templates], [1 / n_templates] * 2, linestyle=":", label=CHANCE, **line)


def rank_speakers_picture(
    *,
    disclosures: Mapping[str, NDArray],
    examples: Mapping[str, tuple[NDArray, NDArray]],
    example_of: str,
    n_templates: int,
    anonymisers: Sequence[str] = (),
) -> Figure:
    """The distribution of rank disclosure and the ranks of three speakers, each also cumulative.

    Parameters
    ----------
    disclosures : {system: array (S,)}
        Mean disclosure of every speaker, in bits.
    examples : {speaker: (p (N,), gamma (N,))}
        Rank histogram and model of some speakers of one system.
    example_of : that system
    n_templates : N: at most log2 N bits can be disclosed
    anonymisers : all of the run in the order of its config, which gives the colours
    """
    figure, ((density, cumulative), (shares, ranks)) = drawing.figure(9, 6, 2, 2)
    most = math.log2(n_templates)
    looks = drawing.looks(disclosures, anonymisers)
    _plot_distribution(density, cumulative, disclosures, most, looks)
    _plot_examples(shares, ranks, examples)
    words = looks[example_of]["label"] if example_of in looks else example_of
    for ax in (shares, ranks):
        ax.set_title(f"three speakers of {words}", fontsize="small")
    drawing.one_legend(figure, columns=3, axes=[cumulative])
    figure.suptitle(f"{n_templates} templates: at most {most:.2f} bit")
    return figure


def _plot_distribution(density, cumulative, disclosures, most_bit, looks):
    """Draw how mean disclosure is spread over the speakers (Figure 6 of Backstrom et al., 2025)."""
    n_speakers = max(len(bits) for bits in disclosures.values())
    n_bins = min(MOST_BINS, max(4, round(math.sqrt(n_speakers)) * 2))
    edges = np.linspace(0, max(most_bit, 1e-9), n_bins + 1)
    for label, bits in disclosures.items():
        look = looks[label]
        shares = np.histogram(bits, edges)[0] / len(bits)
        density.stairs(shares, edges, **drawing.without(look, "marker"))
        mean = {"color": look["color"], "linewidth": 0.8, "alpha": 0.6, "gid": look["gid"]}
        density.axvline(np.mean(bits), **mean)
        up_to = np.arange(1, len(bits) + 1) / len(bits)
        # From 0 to log2 N, so that lines of all systems begin and end at the edges.
        x, y = [0, *np.sort(bits), edges[-1]], [0, *up_to, 1]
        spread = f"{bits.mean():.2f} ± {bits.std():.2f}, most {bits.max():.2f} bit"
        words = {"label": f"{look['label']}: {spread}"}
        cumulative.step(x, y, where="post", **drawing.along(look, len(x)) | words)
    xlabel = "mean disclosure of a speaker [bit]"
    density.set(xlabel=xlabel, ylabel="share of speakers (thin line: mean)")
    cumulative.set(xlabel=xlabel, ylabel="share of speakers up to it", ylim=(0, 1.02))


def _plot_examples(shares, ax, examples):
    """Draw the ranks of some speakers and their models, scaled to 1, and cumulative (Figure 7)."""
    for index, (speaker, (p, gamma)) in enumerate(examples.items()):
        ranks = np.arange(1, len(p) + 1)
        shares.vlines(ranks[p > 0], 0, (p / p.max())[p > 0], color=drawing.colour(index))
        shares.plot(ranks, gamma / gamma.max(), color=drawing.colour(index), linestyle=":")
        ax.step(ranks, np.cumsum(p), where="post", color=drawing.colour(index), label=speaker)
        ax.plot(ranks, np.cumsum(gamma), color=drawing.colour(index), linestyle=":")
        ends = [1, len(p)], [1 / len(p), 1]
    ax.plot(*ends, color=INK, linewidth=0.8, label="chance")
    shares.set(xlabel="rank", ylabel="share of utterances, of its largest", ylim=(0, 1.02))
    ax.set(xlabel="rank", ylabel="share of utterances up to it", ylim=(0, 1.02))
    for text in ax.legend(loc="lower right", title="dotted: model").get_texts():
        text.set_parse_math(False)  # the id of a speaker may hold a $


def lengths_picture(
    *, disclosures: Mapping[str, ByLength], n_templates: int, title: str = ""
) -> Figure:
    """Disclosure against the length of tests and templates, one panel a system.

    Parameters
    ----------
    disclosures : {system: ByLength}
    n_templates : of the gallery
    title : above the figure
    """
    figure, axes = drawing.grid(
        *(len(disclosures), MOST_COLUMNS, LENGTHS_INCHES, (1.2, 0.4)), sharex=True, sharey=True
    )
    most_bit = math.log2(n_templates)
    looks = drawing.looks(disclosures)
    for ax, (system, by_template) in zip(axes, disclosures.items(), strict=True):
        plot_lengths(ax, disclosures=by_template, most_bit=most_bit)
        ax.set_title(looks[system]["label"], fontsize="small")
        ax.set_gid(looks[system]["gid"])
    for ax in axes[-MOST_COLUMNS:]:
        ax.set_xlabel(LENGTH_AXIS, fontsize="small")
    figure.supylabel("disclosure [bit]", fontsize="medium")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center")
    figure.suptitle(f"{title}; {n_templates} templates: at most {most_bit:.2f} bit")
    return figure


def plot_lengths(ax: Axes, *, disclosures: ByLength, most_bit: float) -> None:
    """Draw disclosure against test length, a line for every template length.

    Figure 8 of Backstrom et al., 2025, with the bounds of ``curves.composition_bounds``.
    """
    seconds = seconds_of_tests(disclosures)
    ticks = list(seconds.values())
    for index, (template, by_test) in enumerate(sorted(disclosures.items())):
        points = [by_test[test] for test in sorted(by_test)]
        colour = drawing.colour(index)
        x, y = [one.test_s for one in points], [one.bits.value for one in points]
        label = template_words(template, by_test)
        ax.plot(x, y, marker="o", color=colour, label=label)
        shift = (index - (len(disclosures) - 1) / 2) * BESIDE * (ticks[-1] - ticks[0])
        # (x, low, high) of each interval; reshaped, because there may be none.
        limits = [(one.test_s + shift, *one.bits.limits) for one in points if one.bits.limits]
        ax.vlines(*np.reshape(limits, (-1, 3)).T, color=colour, linewidth=0.8)
    for name, (seconds_of_bound, bound) in composition_bounds(disclosures, most_bit).items():
        look: drawing.Look = {"color": INK, "linestyle": BOUND_LINES[name], "linewidth": 0.8}
        ax.plot(seconds_of_bound, bound, label=name, **look)
    ax.axhline(most_bit, color=FAINT, linestyle=":", linewidth=0.8)
    words = [f"{seconds_text(lasts)}\n{test}" for test, lasts in seconds.items()]
    ax.set(ylim=(0, None), xticks=ticks, xticklabels=words)


def _summary(metrics, n_templates):
    rate, bit, model_bit = SUMMARY
    lines = []
    for words, name, form, unit in (
        (f"rank 1 of {n_templates}:", rate, "{:.1f}".format, "%"),
        ("mean", bit, "{:.2f}".format, f"of {math.log2(n_templates):.2f} bit"),
        ("model", model_bit, "{:.2f}".format, "bit"),
    ):
        number = shown_of(metrics, name)
        lines.append(f"{words} {number._replace(definition=None).text(form)} {unit}")
        # On the same line it would run into the next panel.
        if definition := number.definition_text(form):
            lines.append(f"{BY_DEFINITION} {definition} {unit}")
    return "\n".join(lines)
