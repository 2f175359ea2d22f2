"""The zoo: every speaker at his mean LLR with himself and with others, one chart a condition."""

from voiceprivacy.report.charts.chart import chart, label, level, points, rounded
from voiceprivacy.vocabulary import DASH, MINUS

ANIMALS = {  # corner -> symbol, as in the picture for papers
    "dove": "diamond",
    "chameleon": "square",
    "phantom": "triangle-down",
    "worm": "triangle-up",
    "-": "circle",
}
TITLES = {
    "oo": "OO: originals",
    "op": "OP: original enrols, protected tried",
    "pp": "PP: protected",
}


def zoo(animals, *, colour, spans):
    """One condition.

    Parameters
    ----------
    animals : {speaker: {mean_target_llr, mean_impostor_llr (None: undefined), corner, animal, n_target}}
        Markers are filled where the animal is more than chance.
    colour : of the system
    spans : (lowest, highest) LLR of both axes, the same in all conditions
    """
    traces = [_corner(corner, animals, colour) for corner in ANIMALS]
    means = zip(("target", "impostor"), spans, strict=True)
    x, y = ({"title": f"mean {of} LLR", "range": list(span)} for of, span in means)
    lines = [level("x", 0), level("y", 0)]
    return chart([trace for trace in traces if trace["x"]], x=x, y=y, height=360, shapes=lines)


def table(found):
    """The same as a table of text: titles, and a row for every speaker.

    Parameters
    ----------
    found : {condition: animals}, as above; an animal in brackets is one that chance may have put there
    """
    titles = ["speaker"]
    for condition in found:
        titles += [f"{condition.upper()} {what}" for what in ("target", "impostor", "animal")]
    speakers = sorted({speaker for animals in found.values() for speaker in animals})
    rows = [
        [name, *(text for of in found.values() for text in _texts(of.get(name)))]
        for name in speakers
    ]
    return titles, rows


def _texts(of):
    if of is None:
        return [DASH] * 3
    means = (of["mean_target_llr"], of["mean_impostor_llr"])
    animal = (
        f"({of['corner']})"
        if of["animal"] == "-" and of["corner"] != "-"
        else of["animal"].replace("-", DASH)
    )
    return [
        *(DASH if mean is None else f"{mean:.2f}".replace("-", MINUS) for mean in means),
        animal,
    ]


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
