"""A picture inside of the page: its colours, its ids, and whose its marks are."""

import re

from matplotlib.colors import to_hex

from voiceprivacy.report.figures import FAINT, GREY, INK
from voiceprivacy.report.inline import inlined, shows_nothing
from voiceprivacy.report.plots import drawing

EVIL = "<script>\"b2\" & 'more'</script>"


def picture(name="b2", words="b2 OP\n0.31 bit"):
    figure, ax = drawing.figure(4, 3)
    ax.plot([0, 1], [0, 1], "o-", color="#0072B2", label=name, **drawing.tooltip(name, words))
    ax.axhline(0.5, color=FAINT)
    figure.legend(loc="outside lower center")
    return drawing.svg_of(figure)


def test_ink_and_greys_are_those_of_the_page_and_colours_of_systems_stay():
    drawn = picture()
    shown = inlined(drawn)
    assert f"stroke: {INK}" in drawn and f"stroke: {FAINT}" in drawn
    colours = set(re.findall('#[0-9a-f]{6}(?=[;"])', shown))
    assert colours == {"#0072b2"}
    assert "var(--ground)" in shown and "var(--faint)" in shown and "currentColor" in shown
    assert to_hex(GREY) not in (INK, FAINT), "unprotected speech has a colour of its own"


def test_marks_and_their_entry_of_the_legend_say_whose_they_are_as_text():
    groups = re.findall('<g data-system="b2"><title>b2 OP\n0.31 bit</title>', picture())
    assert len(groups) == 3, "the line, and in the legend its line and its name"
    shown = inlined(picture(EVIL, EVIL))
    assert "<script" not in shown
    words = "&lt;script&gt;\"b2\" &amp; 'more'&lt;/script&gt;"
    assert f"<title>{words}</title>" in shown and f">{words}</text>" in shown


def test_two_pictures_share_no_id_and_every_reference_has_its_own():
    pictures = [inlined(picture(name)) for name in ("b2", "b2r")]
    ids = [set(re.findall(' id="([^"]*)"', shown)) for shown in pictures]
    assert ids[0] and not ids[0] & ids[1]
    for own, shown in zip(ids, pictures, strict=True):
        assert set(re.findall(r'(?:url\(|href=")#([^)"]+)', shown)) == own


def test_a_picture_with_nothing_to_show_says_so():
    figure, _ = drawing.figure(4, 3)
    for words in ("", "nothing here"):
        drawn = drawing.svg_of(drawing.say_nothing(figure, words) if words else figure)
        assert shows_nothing(drawn) == shows_nothing(inlined(drawn)) == bool(words)
        assert ("nothing here" in drawn) == bool(words)
