"""How much evidence is left: ECE profiles, calibrations on another run, and an attacker's training.

The functions that are named like a kind of figure read its files and draw it.
"""

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.special import expit

from voiceprivacy.report.curves import (
    CALIBRATIONS,
    MOST_MARKED_EPOCHS,
    PROFILES,
    Curve,
    read_curve,
    read_curves,
    read_numbers,
    read_systems,
    shown_of,
)
from voiceprivacy.report.figures import FAINT, GREY, INK, draws_in
from voiceprivacy.report.plots import drawing
from voiceprivacy.report.typeset import short
from voiceprivacy.report.uncertainty import within_zero_evidence
from voiceprivacy.vocabulary import MINUS

Profile = Mapping[str, NDArray]  # {prior_log_odds, ece_..._bit: array (P,)}

ZERO_EVIDENCE_MARK = " *"
AXES = {  # over what a profile is drawn: what becomes of prior log-odds, and the label
    "log_odds": (lambda log_odds: log_odds, r"prior log-odds, logit($\pi$)"),
    "prior": (expit, r"prior $\pi$"),
}
WIDTH_INCHES, HEIGHT_INCHES = 6.2, 3.6
PANEL_OF_CALIBRATION_INCHES = 5.2
PANEL_INCHES = 2.2


def zebra(
    *,
    anonymisers: Sequence[str],
    curves: Sequence[str],
    metrics: Sequence[str],
    palette: Sequence[str] = (),
) -> Figure:
    """ECE profiles of all systems under one attack, from files of assess_zebra.py."""
    profiles, numbers = read_systems(
        anonymisers=anonymisers,
        curves=curves,
        metrics=metrics,
        columns=PROFILES,
        needs=("dece_bit", "worst_case_log10", "tag"),
    )
    looks = drawing.looks(profiles, palette)
    return profiles_picture(curves=profiles, metrics=numbers, looks=looks)


def calibration(*, curves: str, metrics: str) -> Figure:
    """A panel for every condition of one anonymiser, from files of assess_calibration.py."""
    columns = ["prior_log_odds", *(f"ece_{name}_bit" for name in CALIBRATIONS)]
    return calibration_picture(curves=read_curves(curves, columns), metrics=read_numbers(metrics))


def training(*, curve: str, title: str = "") -> Figure:
    """Loss and held-out error rate by epoch, from training.tsv of a model."""
    return training_picture(read_curve(curve), title=title)


def all_profiles(
    *,
    systems: Sequence[str],
    sets: Sequence[str],
    curves: Sequence[str],
    palette: Sequence[str] = (),
) -> Figure:
    """A panel of ECE profiles for every set, from files of assess_zebra.py.

    Of a system OO and OP are shown; where a file has neither, all that it has. ``curves`` are all
    sets of the first system, then of the next.
    """
    panels = drawing.panels(systems, sets, curves)
    profiles: dict[str, dict[str, Profile]] = {name: {} for name in sets}
    for (system, name), path in panels.items():
        by_condition = read_curves(path, PROFILES)
        shown = [condition for condition in ("oo", "op") if condition in by_condition]
        for condition in shown or by_condition:
            profiles[name][f"{system}/{condition}"] = by_condition[condition]
    return all_profiles_picture(profiles, anonymisers=palette)


def profiles_picture(
    *,
    curves: Mapping[str, Profile],
    metrics: Mapping[str, dict],
    over: str = "log_odds",
    looks: Mapping[str, dict] | None = None,
) -> Figure:
    """Draw the ECE profiles of all systems and of perfect privacy.

    Figure 3 of Nautsch et al., Interspeech 2020.

    Parameters
    ----------
    curves : {label: {prior_log_odds (natural logarithm), ece_bit, ece_default_bit: array (P,)}}
    metrics : {label: {dece_bit, worst_case_log10, tag}}
        The legend, which is sorted by D_ECE; with ``shown`` {dece_bit: Shown} and
        ``dece_null95_bit`` if they are known.
    over : "log_odds", or "prior", over which D_ECE is the area up to perfect privacy
    looks : {label: {color, linestyle, marker}}; without it their order gives them
    """
    figure, ax = drawing.figure(WIDTH_INCHES, HEIGHT_INCHES)
    scale, xlabel = AXES[over]
    first = next(iter(curves.values()))
    x = scale(first["prior_log_odds"])
    words = "perfect privacy (0, 0, 0)"
    ax.plot(x, first["ece_default_bit"], color=INK, label=words)
    looks = looks or {label: drawing.look(index) for index, label in enumerate(curves)}
    # The least disclosure comes first, below perfect privacy.
    for label in _ranking({label: metrics[label]["dece_bit"] for label in curves}):
        curve, look = curves[label], looks[label]
        words = f"{look.get('label', label)} {_profile(metrics[label])}"
        said = drawing.tooltip(look.get("gid", "\t").partition("\t")[0], words)
        ax.plot(
            scale(curve["prior_log_odds"]),
            curve["ece_bit"],
            **drawing.along(look, len(curve["ece_bit"])) | {"label": words} | said,
        )
    ax.set(xlabel=xlabel, ylabel="ECE [bit]", ylim=(0, None))
    title = {"title": _title_of_legend(metrics.values()), "alignment": "left"}
    drawing.one_legend(figure, columns=1, side="lower left", **title)
    return figure


def all_profiles_picture(
    profiles: Mapping[str, Mapping[str, Profile]], *, anonymisers: Sequence[str] = ()
) -> Figure:
    """A panel for every set with the profiles of all systems and of perfect privacy, one legend.

    Figure 10 of Noe et al., CSL 72, 2022.

    Parameters
    ----------
    profiles : {set: {ANONYMISER/CONDITION: {prior_log_odds, ece_bit, ece_default_bit: array (P,)}}}
    anonymisers : all of the run in the order of its config, which gives the colours
    """
    # Every system once, in the order of the first set that has it.
    systems = list(dict.fromkeys(itertools.chain.from_iterable(profiles.values())))
    looks = drawing.looks(systems, anonymisers)
    width, height = PANEL_INCHES * 1.3 * len(profiles) + 0.4, PANEL_INCHES * 1.2 + 0.2
    figure, axes = drawing.figure(width, height, 1, len(profiles), squeeze=False, sharey=True)
    for ax, (name, by_system) in zip(axes[0], profiles.items(), strict=True):
        first = next(iter(by_system.values()))
        # It stands in every panel, and in the one legend by the handles of the first.
        perfect = (first["prior_log_odds"], first["ece_default_bit"])
        ax.plot(*perfect, color=INK, label="perfect privacy")
        for system, curve in by_system.items():
            look = drawing.along(looks[system], len(curve["ece_bit"]))
            ax.plot(curve["prior_log_odds"], curve["ece_bit"], **look)
        ax.set_title(name, fontsize="medium")
        ax.set(ylim=(0, None), xlabel=r"logit($\pi$)")
    axes[0, 0].set_ylabel("ECE [bit]")
    drawing.one_legend(figure, columns=6)
    return figure


def calibration_picture(*, curves: Mapping[str, Profile], metrics: Mapping[str, dict]) -> Figure:
    """Draw what calibrations that are trained on one run are worth on the other, a panel a label.

    Figure 8 of Noe et al., CSL 2022.

    Parameters
    ----------
    curves : {label: {prior_log_odds, ece_{train, test, linear, isotonic, default}_bit: array (P,)}}
    metrics : {label: {dece, worst_case, tag of train and test, cece and cllr of linear, isotonic}}
        For the legend; ``shown`` {metric: Shown} of those that have an interval.
    """
    height = PANEL_OF_CALIBRATION_INCHES * len(curves)
    figure, axes = drawing.figure(WIDTH_INCHES, height, rows=len(curves), squeeze=False)
    figure.set_layout_engine("constrained", h_pad=0.12)  # titles need room below the axis above
    for ax, (label, profiles) in zip(axes[:, 0], curves.items(), strict=True):
        _plot_calibration(ax, profiles, metrics[label])
        ax.set_title(label.upper(), fontsize="medium")
    return figure


def _plot_calibration(ax, profiles, metrics):
    looks = {
        "default": ("perfect privacy (0, 0, 0)", INK, "-"),
        "train": ("run 0, oracle calibration", drawing.colour(0), "-"),
        "test": ("run 1, oracle calibration", GREY, "-"),
        "isotonic": ("run 1, isotonic calibration of run 0", drawing.colour(3), "-"),
        "linear": ("run 1, linear calibration of run 0", drawing.colour(1), "--"),
    }
    has_limits = bool(metrics.get("shown"))
    for name, (words, colour, line) in looks.items():
        numbers = _numbers_of_calibration(name, metrics)
        separator = "\n" if has_limits else " "  # with intervals they need a line of their own
        label = f"{words}{separator}{numbers}" if numbers else words
        ax.plot(
            profiles["prior_log_odds"], profiles[f"ece_{name}_bit"], line, color=colour, label=label
        )
    title = "($D_{ECE}$, worst case, tag) or [$C_{ECE}$; $C_{llr}$]"
    title += "\nwith 95 % intervals" if has_limits else ""
    below = {"loc": "upper left", "bbox_to_anchor": (-0.02, -0.2), "alignment": "left"}
    ax.legend(title=title, fontsize="small", title_fontsize="small", **below)
    ax.set(xlabel=AXES["log_odds"][1], ylabel="ECE [bit]", ylim=(0, max(1.4, ax.dataLim.ymax)))


def training_picture(curve: Curve, *, title: str = "") -> Figure:
    """Draw the loss by epoch; with held-out speakers their EER too, and where it is lowest."""
    has_held_out = len(curve.held_out_eer_percent) > 0
    n_panels = 2 if has_held_out else 1
    height = 1.6 * n_panels + 0.8
    figure, axes = drawing.figure(6, height, n_panels, 1, squeeze=False, sharex=True)
    look = {"marker": "o" if len(curve.epoch) <= MOST_MARKED_EPOCHS else "", "markersize": 3}
    axes[0, 0].plot(curve.epoch, curve.loss, color=drawing.colour(0), **look)
    axes[0, 0].set(ylabel="training loss", title=title)
    if has_held_out:
        ax, eers = axes[1, 0], curve.held_out_eer_percent
        lowest = len(eers) - 1 - int(eers[::-1].argmin())  # of equal ones the last is kept
        epoch = curve.epoch[lowest]
        ax.plot(curve.epoch, eers, color=drawing.colour(1), **look)
        ax.axvline(epoch, color=FAINT, linestyle=":", linewidth=0.8)
        ax.plot(epoch, eers[lowest], "o", color=INK, label=f"lowest: epoch {epoch:g}")
        ax.set(ylabel="EER of held-out\nspeakers [%]", ylim=(0, None))
        ax.legend(loc="lower right")
    axes[-1, 0].set_xlabel("epoch")
    axes[-1, 0].xaxis.get_major_locator().set_params(integer=True)  # there is no epoch 2.5
    return figure


def _ranking(dece_bit):
    """Labels ANONYMISER/CONDITION by D_ECE; draws of one system stand together, by their mean."""
    draws = draws_in(label.rpartition("/")[0] for label in dece_bit)
    systems = {}
    for label in dece_bit:
        anonymiser, _, condition = label.rpartition("/")
        draw = draws[anonymiser]
        # A label without a condition is a system of its own.
        system = (draw.system, condition) if anonymiser else (label, "")
        systems.setdefault(system, []).append((draw.number, label))

    def mean(group):
        return np.mean([dece_bit[label] for _, label in group])

    groups = map(sorted, sorted(systems.values(), key=mean))
    return [label for _, label in itertools.chain.from_iterable(groups)]


def _title_of_legend(metrics):
    title = "system ($D_{ECE}$ [bit], worst case, tag)"
    if any(numbers.get("shown") for numbers in metrics):
        title = "system ($D_{ECE}$ [bit] with 95 % interval, worst case, tag)"
    if any(map(within_zero_evidence, metrics)):
        title += f"\n{ZERO_EVIDENCE_MARK.strip()} no more than zero evidence"
    return title


def _profile(metrics):
    disclosed = shown_of(metrics, "dece_bit").text(_short)
    worst = short(metrics["worst_case_log10"])
    mark = ZERO_EVIDENCE_MARK if within_zero_evidence(metrics) else ""
    return f"({disclosed}, {worst}, {metrics['tag']}){mark}"


def _numbers_of_calibration(name, metrics):
    if name in ("train", "test"):
        worst = short(metrics[f"worst_case_{name}_log10"])
        disclosed = shown_of(metrics, f"dece_{name}_bit").text(_short)
        return f"({disclosed}, {worst}, {metrics[f'tag_{name}']})"
    if name in ("linear", "isotonic"):
        costs = [shown_of(metrics, f"{cost}_{name}_bit").text(_short) for cost in ("cece", "cllr")]
        return f"[{'; '.join(costs)}]"
    return ""


def _short(value):
    return short(value).replace("-", MINUS)
