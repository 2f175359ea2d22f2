"""What all figures share: colours."""

from support import made_up

from voiceprivacy.report.figures import COLOURS, GREY, dash, palette, palette_of
from voiceprivacy.report.metrics import Number


def test_colours_follow_the_config_and_repeat_with_other_lines():
    names = [f"a{index}" for index in range(8)]
    colours = palette(["original", *names])
    assert colours["original"] == GREY and colours["a0"] == colours["a6"] == COLOURS[0]
    looks = set()
    for name in names:
        looks |= {(colours[name], dash(colours, name, condition)) for condition in ("op", "pp")}
    assert len(looks) == 16
    foreign = Number("c", "f", "team7", "e", "given", "pp", "eer_percent", "1")
    assert list(palette_of(made_up.PROVENANCE, [foreign])) == ["original", "b2", "b2r", "team7"]
