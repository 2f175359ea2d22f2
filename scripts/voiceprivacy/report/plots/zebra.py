"""The ZEBRA picture: ECE profiles of systems, and the gap to perfect privacy."""

from scipy.special import expit

from voiceprivacy.report.plots import style
from voiceprivacy.report.words import short, short_limits
from voiceprivacy.vocabulary import MINUS

CALIBRATIONS = ("train", "test", "linear", "isotonic", "isotonic_interpolated", "default")
ZERO = " *"
AXES = {  # over what a profile is drawn: what becomes of prior log-odds, and the label
    "log_odds": (lambda log_odds: log_odds, r"prior log-odds, logit($\pi$)"),
    "prior": (expit, r"prior $\pi$"),
}


def picture(**of):
    """Make the figure of plot_profiles, whose arguments it takes."""
    figure, ax = style.figure(width_inches=8, height_inches=4)
    plot_profiles(ax, **of)
    return figure


def plot_profiles(ax, *, curves, metrics, over="log_odds", looks=None):
    """Draw the ECE profiles of all systems and of perfect privacy (Figure 3 of Nautsch et al., Interspeech 2020).

    Parameters
    ----------
    ax : matplotlib axes
    curves : dict
        label -> dict of array (P,): ``prior_log_odds`` (natural logarithm), ``ece_bit`` and ``ece_default_bit``
    metrics : dict
        label -> dict with ``dece_bit``, ``worst_case_log10`` and ``tag``, the legend, which is sorted by D_ECE;
        ``limits`` {dece_bit: (low, high)} and ``dece_null95_bit`` if they are known.
    over : str
        ``log_odds``, or ``prior``, over which the area between a profile and perfect privacy is D_ECE.
    looks : {label: {color, linestyle}}; without it the order of the curves gives the colours
    """
    scale, xlabel = AXES[over]

    def draw(curve, name, **look):
        (line,) = ax.plot(scale(curve["prior_log_odds"]), curve[name], **look)
        return line

    perfect = draw(
        next(iter(curves.values())),
        "ece_default_bit",
        color="black",
        label="perfect privacy (0, 0, 0)",
    )
    lines = {}
    for index, (label, curve) in enumerate(curves.items()):
        look = (
            looks[label]
            if looks
            else {"color": style.colour(index), "linestyle": style.line(index)}
        )
        lines[label] = draw(curve, "ece_bit", label=f"{label} {_profile(metrics[label])}", **look)
    ranking = sorted(lines, key=lambda label: metrics[label]["dece_bit"])
    title = "system ($D_{ECE}$ [bit], worst case, tag)"
    if any("limits" in of and of["limits"] for of in metrics.values()):
        title = "system ($D_{ECE}$ [bit] with 95 % interval, worst case, tag)"
    if any(_zero(of) for of in metrics.values()):
        title += f"\n{ZERO.strip()} no more than zero evidence"
    handles = [perfect, *(lines[label] for label in ranking)]
    ax.legend(
        handles=handles, title=title, loc="upper left", bbox_to_anchor=(1.02, 1), alignment="left"
    )
    ax.set(xlabel=xlabel, ylabel="ECE [bit]", ylim=(0, None))


def calibration_picture(*, curves, metrics):
    """Make the figure of plot_calibration for labels: {label: profiles}, {label: metrics}; a panel each."""
    figure, axes = style.figure(8, 3.2 * len(curves), rows=len(curves), squeeze=False)
    figure.get_layout_engine().set(h_pad=0.12)
    for ax, (label, profiles) in zip(axes[:, 0], curves.items(), strict=True):
        plot_calibration(ax, profiles=profiles, metrics=metrics[label])
        ax.set_title(label, fontsize="medium")
    return figure


def plot_calibration(ax, *, profiles, metrics):
    """Draw what calibrations that are trained on one run are worth on the other (Figure 8 of Noe et al., CSL 2022).

    Parameters
    ----------
    ax : matplotlib axes
    profiles : dict of array (P,)
        ``prior_log_odds`` and ``ece_{train, test, linear, isotonic, default}_bit``
    metrics : dict
        ``{dece, worst_case, tag}`` of train and test, ``{cece, cllr}_{linear, isotonic}_bit``, for the legend;
        ``limits`` {metric: (low, high)} of those that have an interval
    """
    looks = {
        "default": ("perfect privacy (0, 0, 0)", "black", "-"),
        "train": ("run 0, oracle calibration", style.colour(0), "-"),
        "test": ("run 1, oracle calibration", "0.5", "-"),
        "isotonic": ("run 1, isotonic calibration of run 0", style.colour(3), "-"),
        "linear": ("run 1, linear calibration of run 0", style.colour(1), "--"),
    }
    for name, (label, colour, line) in looks.items():
        numbers = _numbers_of(name, metrics)
        label += f"\n{numbers.strip()}" if numbers and metrics.get("limits") else numbers
        ax.plot(
            profiles["prior_log_odds"], profiles[f"ece_{name}_bit"], line, color=colour, label=label
        )
    title = "($D_{ECE}$, worst case, tag) or [$C_{ECE}$; $C_{llr}$]"
    title += "\nwith 95 % intervals" if metrics.get("limits") else ""
    ax.legend(title=title, loc="upper left", bbox_to_anchor=(1.02, 1), alignment="left")
    ax.set(xlabel=AXES["log_odds"][1], ylabel="ECE [bit]", ylim=(0, 1.4))


def _numbers_of(name, metrics):
    if name in ("train", "test"):
        worst = short(metrics[f"worst_case_{name}_log10"])
        return f" ({_with_limits(f'dece_{name}_bit', metrics)}, {worst}, {metrics[f'tag_{name}']})"
    if name in ("linear", "isotonic"):
        return (
            f" [{'; '.join(_with_limits(f'{of}_{name}_bit', metrics) for of in ('cece', 'cllr'))}]"
        )
    return ""


def _with_limits(name, metrics):
    low, high = metrics.get("limits", {}).get(name, (None, None))
    return short(metrics[name]) + (
        "" if low is None else f" ({low:.2f} to {high:.2f})".replace("-", MINUS)
    )


def _profile(metrics):
    interval = short_limits(metrics.get("limits", {}).get("dece_bit"), digits=2)
    worst = short(metrics["worst_case_log10"])
    return f"({short(metrics['dece_bit'])}{interval}, {worst}, {metrics['tag']}){ZERO if _zero(metrics) else ''}"


def _zero(metrics):
    """Whether D_ECE is known to lie in the zero-evidence band."""
    band = metrics.get("dece_null95_bit", "undefined")
    return band != "undefined" and metrics["dece_bit"] <= band
