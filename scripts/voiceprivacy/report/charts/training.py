"""How an attacker was trained: the loss of every epoch, and the error rate of speakers who were held out."""

from voiceprivacy.report.charts.chart import FAINT, INK, chart, level, line

MOST_MARKED = 60


def losses(curve):
    """The mean loss of every epoch of a report.training.Curve."""
    trace = _epochs(curve, curve.loss, "training loss", "epoch %{x:.0f}: %{y:.4g}")
    return chart(
        [trace], x=_axis(curve), y={"title": "training loss"}, height=260, showlegend=False
    )


def held_out(curve):
    """The EER of held-out speakers, and the first epoch where it is lowest."""
    eers = curve.held_out_eer_percent
    lowest = int(eers.argmin())
    trace = _epochs(curve, eers, "EER of held-out speakers", "epoch %{x:.0f}: %{y:.2f} %")
    best = line(
        [curve.epoch[lowest]],
        [eers[lowest]],
        f"lowest: epoch {curve.epoch[lowest]:g}",
        hover="%{y:.2f} %",
    )
    best |= {"mode": "markers", "marker": {"color": INK, "size": 10}}
    y = {"title": "EER of held-out speakers [%]", "rangemode": "tozero"}
    return chart(
        [trace, best],
        x=_axis(curve),
        y=y,
        height=300,
        shapes=[level("x", float(curve.epoch[lowest]), colour=FAINT)],
    )


def _axis(curve):
    """Whole epochs, about ten of them with a number."""
    return {"title": "epoch", "dtick": max(1, round(len(curve.epoch) / 10))}


def _epochs(curve, values, name, hover):
    trace = line(curve.epoch, values, name, hover=hover)
    return trace | {"mode": "lines+markers" if len(curve.epoch) <= MOST_MARKED else "lines"}
