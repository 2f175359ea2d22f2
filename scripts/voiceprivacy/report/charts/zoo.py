"""The zoo: every speaker at his mean LLR with himself and with others, one chart a condition."""

from voiceprivacy.report.charts.chart import chart, label, level, points, rounded

ANIMALS = {  # corner -> symbol, as in the picture for papers
    "dove": "diamond",
    "chameleon": "square",
    "phantom": "triangle-down",
    "worm": "triangle-up",
    "-": "circle",
}
TITLES = {"oo": "OO: originals", "op": "OP: original enrols, protected tried", "pp": "PP: protected"}


def zoo(animals, *, colour):
    """One condition.

    Parameters
    ----------
    animals : {speaker: {mean_target_llr, mean_impostor_llr (None: undefined), corner, animal, n_target}}
        Markers are filled where the animal is more than chance.
    colour : of the system
    """
    traces = [_corner(corner, animals, colour) for corner in ANIMALS]
    x, y = {"title": "mean target LLR"}, {"title": "mean impostor LLR"}
    lines = [level("x", 0), level("y", 0)]
    return chart([trace for trace in traces if trace["x"]], x=x, y=y, height=360, shapes=lines)


def _corner(corner, animals, colour):
    symbol = ANIMALS[corner]
    shown = {
        speaker: of
        for speaker, of in animals.items()
        if of["corner"] == corner and None not in (of["mean_target_llr"], of["mean_impostor_llr"])
    }
    return points(
        [rounded(of["mean_target_llr"]) for of in shown.values()],
        [rounded(of["mean_impostor_llr"]) for of in shown.values()],
        "no corner" if corner == "-" else corner,
        colour=colour,
        symbol=[symbol if of["animal"] != "-" else f"{symbol}-open" for of in shown.values()],
        hover="%{text}<br>target %{x:.2f}, impostor %{y:.2f}",
        texts=[f"{label(speaker)}: {_meaning(of)}" for speaker, of in shown.items()],
    )


def _meaning(of):
    if of["corner"] == "-":
        return "in no corner"
    return f"{of['corner']}" + ("" if of["animal"] != "-" else ", as chance may put there")
