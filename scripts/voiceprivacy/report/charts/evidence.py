"""How much evidence is left: ECE profiles, calibrations on another run, and an attacker's training.

The functions that are named like a kind of figure read its files and draw it for the page.
"""

from collections.abc import Mapping

from numpy.typing import NDArray

from voiceprivacy.catalogue.metric import WITHOUT_SECOND_RUN
from voiceprivacy.report.charts.chart import (
    FAINT,
    INK,
    Chart,
    Drawn,
    Run,
    chart,
    label,
    level,
    line,
    of_draw,
    tall,
)
from voiceprivacy.report.curves import (
    CALIBRATIONS,
    MOST_MARKED_EPOCHS,
    PROFILES,
    Curve,
    read_curve,
    read_curves,
)
from voiceprivacy.report.figures import Figure, dash, draws_in, marks
from voiceprivacy.report.typeset import short
from voiceprivacy.report.uncertainty import within_zero_evidence

Profile = Mapping[str, NDArray]
System = tuple[str, str]  # (anonymiser, condition)
Table = tuple[list[str], list[list[str]]]  # titles, rows

PRIOR = {"title": "prior log-odds of the attacker, logit(π)"}
TITLES = ["system", "D_ECE [bit], 95 % interval", "worst case [log10]", "tag"]
ZERO = ", no more than zero evidence"
HOVER = "prior log-odds %{x:.1f}: ECE %{y:.3f} bit"
SHOWN_CALIBRATIONS = {  # profile -> words, kind of line
    "train": ("run 0, its own ideal calibration", "solid"),
    "test": ("run 1, its own ideal calibration", "dash"),
    "isotonic": ("run 1, isotonic calibration of run 0", "dashdot"),
    "linear": ("run 1, linear calibration of run 0", "dot"),
}


def zebra(figure: Figure, run: Run) -> Drawn:
    """ECE profiles of all systems under one attack."""
    curves, numbers = {}, {}
    for anonymiser, path in figure.by_system("curves", order=run.colours).items():
        for condition, curve in read_curves(path, PROFILES).items():
            metrics = run.metrics.get(figure.system(anonymiser, condition), {})
            # Two runs have charts of their own.
            if condition in WITHOUT_SECOND_RUN and "dece_bit" in metrics:
                curves[anonymiser, condition] = curve
                numbers[anonymiser, condition] = _evidence(metrics, run)
    if not curves:
        return Drawn([])
    drawn = profiles(curves=curves, metrics=numbers, colours=run.colours)
    return Drawn([("", drawn)], profiles_table(numbers, run.colours))


def calibration(figure: Figure, run: Run) -> Drawn:
    """A chart for every condition of one anonymiser."""
    columns = ["prior_log_odds", *(f"ece_{name}_bit" for name in CALIBRATIONS)]
    colour = run.colours[figure.anonymiser]
    charts = []
    for condition, curve in read_curves(figure.arguments["curves"], columns).items():
        charts.append((condition.upper(), calibrations(profiles=curve, colour=colour)))
    return Drawn(charts)


def training(figure: Figure, run: Run) -> Drawn:
    """The loss of one extractor's training, and the error rate of held-out speakers, if any."""
    curve = read_curve(figure.arguments["curve"])
    charts = [("", losses(curve))]
    if len(curve.held_out_eer_percent):
        charts.append(("", held_out(curve)))
    return Drawn(charts)


def profiles(
    *, curves: Mapping[System, Profile], metrics: Mapping[System, dict], colours: dict[str, str]
) -> Chart:
    """ECE profiles of systems and of perfect privacy.

    Parameters
    ----------
    curves : {(anonymiser, condition): {prior_log_odds, ece_bit, ece_default_bit: array (P,)}}
    metrics : {(anonymiser, condition): {dece_bit (a Shown), zero_evidence, worst_case_log10, tag}}
    colours : {anonymiser: colour}
    """
    first = next(iter(curves.values()))  # perfect privacy depends on the prior alone
    traces = [
        line(first["prior_log_odds"], first["ece_default_bit"], "perfect privacy", hover=HOVER)
    ]
    draws = draws_in(colours)
    for (anonymiser, condition), curve in curves.items():
        profile = line(
            curve["prior_log_odds"],
            curve["ece_bit"],
            f"{draws[anonymiser].words} {condition.upper()}",
            hover=_numbers(metrics[anonymiser, condition]) + HOVER,
            colour=colours[anonymiser],
            dash=dash(condition),
            mark=marks(colours)[anonymiser],
        )
        drawn = of_draw(profile, anonymiser, condition.upper(), colours)
        # Of several draws the legend has the first, and says so: numbers are of one draw.
        drawn["name"] += f": {label(_in_legend(metrics[anonymiser, condition]))}"
        if draws[anonymiser].n_draws > 1:
            drawn["name"] = drawn["name"].replace(": ", " (draw 1): ", 1)
        traces.append(drawn)
    y = {"title": "ECE [bit]", "rangemode": "tozero"}
    return chart(traces, x=PRIOR, y=y, height=tall(420, traces))


def profiles_table(metrics: Mapping[System, dict], colours: dict[str, str]) -> Table:
    """The numbers of all systems as a table of text: titles, and a row for each."""
    rows = []
    for (anonymiser, condition), numbers in metrics.items():
        worst = numbers["worst_case_log10"]
        rows.append(
            [
                f"{draws_in(colours)[anonymiser].words} {condition.upper()}",
                numbers["dece_bit"].text(short) + (ZERO if numbers["zero_evidence"] else ""),
                worst if isinstance(worst, str) else short(worst),
                numbers["tag"],
            ]
        )
    return TITLES, rows


def calibrations(*, profiles: Profile, colour: str) -> Chart:
    """Two runs of an anonymiser, and run 1 read with the calibrations of run 0.

    Parameters
    ----------
    profiles : {prior_log_odds and ece_{train, test, linear, isotonic, default}_bit: array (P,)}
    colour : of the anonymiser
    """
    x = profiles["prior_log_odds"]
    traces = [line(x, profiles["ece_default_bit"], "perfect privacy", hover=HOVER)]
    for name, (words, kind) in SHOWN_CALIBRATIONS.items():
        # The runs themselves have their anonymiser's colour, what is carried over has none.
        line_colour = colour if name in ("train", "test") else INK
        profile = profiles[f"ece_{name}_bit"]
        traces.append(line(x, profile, words, hover=HOVER, colour=line_colour, dash=kind))
    return chart(traces, x=PRIOR, y={"title": "ECE [bit]", "range": [0, 1.4]}, height=400)


def losses(curve: Curve) -> Chart:
    """The mean loss of every epoch."""
    trace = _epochs(curve, curve.loss, "training loss", "epoch %{x:.0f}: %{y:.4g}")
    y = {"title": "training loss"}
    return chart([trace], x=_epoch_axis(curve), y=y, height=260, showlegend=False)


def held_out(curve: Curve) -> Chart:
    """The EER of held-out speakers, and the first epoch where it is lowest."""
    eers = curve.held_out_eer_percent
    lowest = int(eers.argmin())  # the first of several
    epoch = float(curve.epoch[lowest])
    trace = _epochs(curve, eers, "EER of held-out speakers", "epoch %{x:.0f}: %{y:.2f} %")
    best = line([epoch], [eers[lowest]], f"lowest: epoch {epoch:g}", hover="%{y:.2f} %")
    best |= {"mode": "markers", "marker": {"color": INK, "size": 10}}
    return chart(
        [trace, best],
        x=_epoch_axis(curve),
        y={"title": "EER of held-out speakers [%]", "rangemode": "tozero"},
        height=300,
        shapes=[level("x", epoch, colour=FAINT)],
    )


def _evidence(metrics, run):
    """The numbers of a system as the chart shows them, from {metric: Number}."""
    numbers = {name: _value(metric.value) for name, metric in metrics.items()}
    return numbers | {
        "dece_bit": run.shown(metrics["dece_bit"]),
        "zero_evidence": within_zero_evidence(numbers),
    }


def _value(text):
    try:
        return float(text)
    except ValueError:
        return text


def _in_legend(metrics):
    """What stands beside the system's name, so that nobody needs to point at its line."""
    star = " *" if metrics["zero_evidence"] else ""
    return f"{short(metrics['dece_bit'].value)} bit{star}, {metrics['tag']}"


def _numbers(metrics):
    """What stands above the profile's own numbers when one points at it."""
    worst = metrics["worst_case_log10"]  # a word where it is undefined
    worst = worst if isinstance(worst, str) else short(worst)
    zero = ZERO if metrics["zero_evidence"] else ""
    disclosed = f"D_ECE {metrics['dece_bit'].text(short)} bit{zero}"
    return f"{disclosed}<br>worst case {worst} ({metrics['tag']})<br>"


def _epoch_axis(curve):
    """Whole epochs, about ten of them with a number."""
    return {"title": "epoch", "dtick": max(1, round(len(curve.epoch) / 10))}


def _epochs(curve, values, name, hover):
    trace = line(curve.epoch, values, name, hover=hover)
    few = len(curve.epoch) <= MOST_MARKED_EPOCHS  # else points would be a thick line
    return trace | {"mode": "lines+markers" if few else "lines"}
