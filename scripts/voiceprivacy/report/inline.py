"""A picture of a run as part of its page: in the page's colours, beside others.

matplotlib draws every figure once. What is black, white or grey there follows the page's scheme;
colours of systems stay.
"""

import re
import zlib

from voiceprivacy.report.figures import FAINT, GRID, GROUND, INK

COLOURS = {
    INK: "currentColor",
    FAINT: "var(--faint)",
    GRID: "var(--grid)",
    GROUND: "var(--ground)",
}
ROOT = re.compile(r'.*?<svg [^>]*?viewBox="0 0 (\S+) (\S+)"[^>]*>', re.DOTALL)
UNSEEN = re.compile(r"<(metadata|style)\b.*?</\1>", re.DOTALL)
# Of every text: the page's style says the same once.
NEEDLESS = re.compile(
    "font-family: 'DejaVu Sans', 'Verdana', sans-serif; |" + r' transform="rotate\(-0 [^"]*"'
)
NOTHING = '<g id="nothing'  # of a picture that has nothing to show but words that say so


def inlined(svg: str) -> str:
    """The text of an SVG that plots.style wrote, for the page."""
    ending = f"{zlib.crc32(svg.encode()):08x}"  # no two pictures of a page have the same ids
    svg = ROOT.sub(r'<svg viewBox="0 0 \1 \2" style="--width: \1pt" aria-hidden="true">', svg, 1)
    svg = NEEDLESS.sub("", UNSEEN.sub("", svg))
    svg = re.sub(r'( id="|url\(#|href="#)([^")]+)', rf"\1\g<2>{ending}", svg)
    for colour, own in COLOURS.items():
        svg = svg.replace(colour, own)
    return svg


def shows_nothing(svg: str) -> bool:
    """Whether there is nothing to show but words that say so."""
    return NOTHING in svg
