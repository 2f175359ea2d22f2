"""The ZEBRA picture: ECE profiles of systems, and the gap to perfect privacy."""

from voiceprivacy.report.plots import style


def plot_profiles(ax, *, curves, metrics):
    """Draw the ECE profiles of all systems and of perfect privacy (Figure 3 of Nautsch et al., Interspeech 2020).

    Parameters
    ----------
    ax : matplotlib axes
    curves : dict
        label -> dict of array (P,): ``prior_log_odds`` (natural logarithm), ``ece_bit`` and ``ece_default_bit``. The
        order gives the colours.
    metrics : dict
        label -> dict with ``dece_bit``, ``worst_case_log10`` and ``tag``, the legend, which is sorted by D_ECE.
    """
    (perfect,) = _lines(
        ax, next(iter(curves.values())), "ece_default_bit", color="black", label="perfect privacy (0, 0, 0)"
    )
    lines = {}
    for index, (label, curve) in enumerate(curves.items()):
        look = {"color": style.colour(index), "linestyle": style.line(index)}
        (lines[label],) = _lines(ax, curve, "ece_bit", label=f"{label} {_profile(metrics[label])}", **look)
    ranking = sorted(lines, key=lambda label: metrics[label]["dece_bit"])
    title = "system ($D_{ECE}$ [bit], worst case, tag)"
    handles = [perfect, *(lines[label] for label in ranking)]
    ax.legend(handles=handles, title=title, loc="upper left", bbox_to_anchor=(1.02, 1), alignment="left")
    ax.set(xlabel="prior log-odds, logit(π)", ylabel="ECE [bit]", ylim=(0, None))


def _lines(ax, curve, name, **look):
    return ax.plot(curve["prior_log_odds"], curve[name], **look)


def _profile(metrics):
    return f"({_short(metrics['dece_bit'])}, {_short(metrics['worst_case_log10'])}, {metrics['tag']})"


def _short(value):
    return f"{value:.3f}" if value == 0 or abs(value) >= 5e-4 else f"{value:.0e}"
