"""What all figures share: colours and marks."""

import itertools

from support import made_up
from support.colours import SEEN_BY, distance

from voiceprivacy.report.figures import COLOURS, GREY, MARKS, dash, marks, palette, palette_of
from voiceprivacy.report.metrics import Number


def test_colours_follow_the_config_and_repeat_after_six():
    names = [f"a{index}" for index in range(8)]
    colours = palette(["original", *names])
    assert colours["original"] == GREY and colours["a0"] == colours["a6"] == COLOURS[0]
    assert len({dash(condition) for condition in ("op", "pp", "rr")}) == 3
    foreign = Number("c", "f", "team7", "e", "given", "pp", "eer_percent", "1")
    assert list(palette_of(made_up.PROVENANCE, [foreign])) == ["original", "b2", "b2r", "team7"]


def test_twenty_systems_are_told_apart_by_everybody():
    """Two systems have different marks, or colours that differ for the colour-blind too."""
    names = [f"a{index}" for index in range(20)]
    colours, mark_of = palette(names), marks(names)
    for one, other in itertools.combinations(["original", *names], 2):
        if mark_of[one] == mark_of[other]:
            for sight in SEEN_BY:
                assert distance(colours[one], colours[other], sight) > 10, (one, other, sight)
    neighbours = itertools.pairwise(names)
    assert all(colours[a] != colours[b] and mark_of[a] != mark_of[b] for a, b in neighbours)


def test_draws_of_an_anonymiser_share_their_look():
    names = ["b2r", "b2", "b2r_draw2"]
    assert marks(names) == {"original": "x", "b2r": MARKS[0], "b2": MARKS[1], "b2r_draw2": MARKS[0]}


def test_distances_of_colours_are_those_of_sharma_and_others():
    """Table 1 of Sharma, Wu and Dalal, 2005, for two colours of sRGB: black and white are 100."""
    assert abs(distance("#000000", "#ffffff", "everybody") - 100) < 0.1
    assert distance("#0072B2", "#0072B2", "deuteranopia") == 0
    # Red and green of one lightness are told apart by most people, and hardly by deuteranopes.
    red, green = "#b06050", "#6e8050"
    assert distance(red, green, "deuteranopia") < 10 < distance(red, green, "everybody")
