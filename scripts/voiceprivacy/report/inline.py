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
STYLE = re.compile(r'(<[^<>]*?) style="([^"]*)"')
NOTHING = '<g id="nothing'  # of a picture that has nothing to show but words that say so


def inlined(svg: str) -> str:
    """The text of an SVG that plots.style wrote, for the page."""
    ending = f"{zlib.crc32(svg.encode()):08x}"  # no two pictures of a page have the same ids
    svg, rules = _with_classes(NEEDLESS.sub("", UNSEEN.sub("", svg)), f"v{ending}")
    root = rf'<svg class="v{ending}" viewBox="0 0 \1 \2" style="--width: \1pt" aria-hidden="true">'
    svg = ROOT.sub(rf"{root}<style>{rules}</style>", svg, 1)
    svg = re.sub(r'( id="|url\(#|href="#)([^")]+)', rf"\1\g<2>{ending}", svg)
    for colour, own in COLOURS.items():
        svg = svg.replace(colour, own)
    return svg


def _with_classes(svg, picture):
    """A picture whose styles are classes, and their rules: a third of it is styles said again."""
    numbers: dict[str, int] = {}

    def name(match):
        return f'{match[1]} class="s{numbers.setdefault(match[2], len(numbers))}"'

    svg = STYLE.sub(name, svg)
    return svg, "".join(f".{picture} .s{number}{{{style}}}" for style, number in numbers.items())


def shows_nothing(svg: str) -> bool:
    """Whether there is nothing to show but words that say so."""
    return NOTHING in svg
