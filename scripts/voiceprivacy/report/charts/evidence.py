"""ECE profiles: how much evidence is left, and what a calibration is worth on another run."""

from voiceprivacy.report.charts.chart import INK, chart, line, of_system, tall
from voiceprivacy.report.colours import dash
from voiceprivacy.report.words import short, short_limits

PRIOR = {"title": "prior log-odds of the attacker, logit(π)"}
HOVER = "prior log-odds %{x:.1f}: ECE %{y:.3f} bit"
CALIBRATIONS = {  # profile -> words, kind of line
    "train": ("run 0, its own ideal calibration", "solid"),
    "test": ("run 1, its own ideal calibration", "dash"),
    "isotonic": ("run 1, isotonic calibration of run 0", "dashdot"),
    "linear": ("run 1, linear calibration of run 0", "dot"),
}


def profiles(*, curves, metrics, colours):
    """ECE profiles of systems and of perfect privacy.

    Parameters
    ----------
    curves : {(anonymiser, condition): {prior_log_odds, ece_bit, ece_default_bit: array (P,)}}
    metrics : {(anonymiser, condition): {dece_bit, dece_limits, zero_evidence, worst_case_log10, tag}}
    colours : {anonymiser: colour}
    """
    first = next(iter(curves.values()))
    traces = [
        line(first["prior_log_odds"], first["ece_default_bit"], "perfect privacy", hover=HOVER)
    ]
    for (anonymiser, condition), curve in curves.items():
        of = metrics[anonymiser, condition]
        disclosed = f"D_ECE {short(of['dece_bit'])}{short_limits(of['dece_limits'])} bit"
        zero = ", no more than zero evidence" if of["zero_evidence"] else ""
        numbers = f"{disclosed}{zero}<br>worst case {_worst(of)}<br>"
        look = {"colour": colours[anonymiser], "dash": dash(colours, anonymiser, condition)}
        name = f"{anonymiser} {condition.upper()}"
        profile = line(
            curve["prior_log_odds"], curve["ece_bit"], name, hover=numbers + HOVER, **look
        )
        traces.append(of_system(profile, anonymiser))
    return chart(
        traces, x=PRIOR, y={"title": "ECE [bit]", "rangemode": "tozero"}, height=tall(420, traces)
    )


def calibrations(*, profiles, colour):
    """Two runs of an anonymiser, and run 1 read with the calibrations of run 0.

    Parameters
    ----------
    profiles : {prior_log_odds and ece_{train, test, linear, isotonic, default}_bit: array (P,)}
    colour : of the anonymiser
    """
    x = profiles["prior_log_odds"]
    traces = [line(x, profiles["ece_default_bit"], "perfect privacy", hover=HOVER)]
    for name, (words, kind) in CALIBRATIONS.items():
        look = {"colour": colour if name in ("train", "test") else INK, "dash": kind}
        traces.append(line(x, profiles[f"ece_{name}_bit"], words, hover=HOVER, **look))
    return chart(traces, x=PRIOR, y={"title": "ECE [bit]", "range": [0, 1.4]}, height=400)


def _worst(of):
    worst = of["worst_case_log10"]
    return f"{worst if isinstance(worst, str) else short(worst)} ({of['tag']})"
