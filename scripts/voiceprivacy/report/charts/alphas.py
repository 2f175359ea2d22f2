"""The McAdams coefficients that an anonymiser drew."""

from voiceprivacy.inout.files import counted
from voiceprivacy.report.charts.chart import chart, label, of_system, points, rounded


def drawn(*, alphas, colours):
    """Every coefficient that was drawn, a strip for each anonymiser.

    Parameters
    ----------
    alphas : {anonymiser: {alpha: [speakers]}}
    colours : {anonymiser: colour}
    """
    traces = [
        of_system(_strip(of, anonymiser, colours[anonymiser]), anonymiser)
        for anonymiser, of in alphas.items()
    ]
    x = {"title": "McAdams coefficient alpha (1 = unchanged)"}
    return chart(
        traces, x=x, y={"type": "category", "automargin": True}, height=150 + 45 * len(alphas)
    )


def _strip(of, anonymiser, colour):
    return points(
        [rounded(alpha) for alpha in of],
        [label(anonymiser)] * len(of),
        anonymiser,
        colour=colour,
        symbol="line-ns-open",
        size=16,
        hover="%{text}<br>alpha %{x:.4f}",
        texts=[_who(speakers) for speakers in of.values()],
    )


def _who(speakers):
    if len(speakers) == 1:
        return label(speakers[0])
    return f"{counted(len(speakers), 'speaker')}: {label(', '.join(speakers[:5]))}{' …' if len(speakers) > 5 else ''}"
