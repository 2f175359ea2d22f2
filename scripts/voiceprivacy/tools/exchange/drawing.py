"""Drawings of the leaderboard as SVG: the plane of privacy and utility, and the ladder of attacks.

Conventions
-----------
* A drawing is text that stands in a page. Its classes get their colours from the page's style, so
  that it is dark where the page is. It has no colours, scripts or styles of its own.
* What counts (tier B) is filled; numbers without evidence (tier A) are hollow.
* Names come from files of others: they are escaped here.
* Lengths are in units of the drawing, which is as wide as WIDTH.
"""

import html
from collections.abc import Sequence
from typing import NamedTuple

WIDTH, PLANE_HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 56, 24, 16, 46
LETTER, LINE = 8, 15  # width and height of a label's letter
MOST_NAMES = 30  # of so many points each has its name; of more, those on the front
TICKS = (1, 2, 5, 10, 20, 25, 50)
MOST_TICKS = 7

ROW, NAME_WIDTH = 24, 180  # of the ladder
MOST_LETTERS = 22
HIGHEST_EER = 50.0  # folded


class Point(NamedTuple):
    """A system in the plane: equal error rate and utility in percent, and what it is called."""

    name: str
    utility: float
    eer_percent: float
    counts: bool
    explanation: str


class Rung(NamedTuple):
    """One attack on a system; ``low`` and ``high`` limit its equal error rate, if they are known.

    ``strongest`` marks the one that counts.
    """

    eer_percent: float
    low: float | None
    high: float | None
    counts: bool
    strongest: bool
    condition: str
    explanation: str


def front(points: Sequence[Point], *, higher: bool) -> list[Point]:
    """The points that count and that no other one beats in both, from much utility to little.

    ``higher`` says whether more of the measure is better.
    """
    sign = -1 if higher else 1
    kept: list[Point] = []
    counting = [point for point in points if point.counts]
    for point in sorted(counting, key=lambda one: (sign * one.utility, -one.eer_percent)):
        if not kept or point.eer_percent > kept[-1].eer_percent:
            kept.append(point)
    return kept


def plane(points: Sequence[Point], *, axis: str, higher: bool, label: str) -> str:
    """Privacy against one measure of utility; good is upwards and to the right.

    Parameters
    ----------
    points : at least one
    axis : the words below the drawing
    higher : whether more of the measure is better
    label : what the drawing shows, for who cannot see it
    """
    values = [point.utility for point in points]
    # Values that hardly differ stand close together, however few they are.
    margin = max(0.08 * (max(values) - min(values)), 0.05 * max(map(abs, values))) or 1.0
    low, high = min(values) - margin, max(values) + margin
    first, last = (low, high) if higher else (high, low)
    right = WIDTH - RIGHT

    def across(utility: float) -> float:
        return LEFT + (utility - first) / (last - first) * (right - LEFT)

    def up(eer_percent: float) -> float:
        return PLANE_HEIGHT - BOTTOM - eer_percent / HIGHEST_EER * (PLANE_HEIGHT - TOP - BOTTOM)

    parts = [_opening(PLANE_HEIGHT, label)]
    for tick in _ticks(0, HIGHEST_EER):
        parts.append(_line(LEFT, up(tick), right, up(tick), "grid"))
        parts.append(_text(LEFT - 8, up(tick) + 4, f"{tick:g}", "tick end"))
    for tick in _ticks(low, high):
        x = across(tick)
        parts.append(_line(x, TOP, x, PLANE_HEIGHT - BOTTOM, "grid"))
        parts.append(_text(x, PLANE_HEIGHT - BOTTOM + 16, f"{tick:g}", "tick middle"))
    arrow = f"{axis}, \N{RIGHTWARDS ARROW} more utility"
    parts.append(_text((LEFT + right) / 2, PLANE_HEIGHT - 8, arrow, "axis middle"))
    parts.append(_upright(14, (TOP + PLANE_HEIGHT - BOTTOM) / 2, "EER [%], → more privacy"))
    best = front(points, higher=higher)
    if best:
        parts.append(_staircase([(across(one.utility), up(one.eer_percent)) for one in best]))
    named = points if len(points) <= MOST_NAMES else best
    drawn = [(point, across(point.utility), up(point.eer_percent)) for point in points]
    for point, x, y in drawn:
        parts.append(_dot(x, y, point.counts, point.explanation))
    parts += _names([triple for triple in drawn if triple[0] in named], drawn)
    return "".join([*parts, "</svg>"])


def ladder(rows: Sequence[tuple[str, Sequence[Rung]]], *, label: str) -> str:
    """Every attack on every system: a row for each, from much privacy to little.

    Parameters
    ----------
    rows : [(name, attacks)], at least one attack in each
    label : what the drawing shows, for who cannot see it
    """
    height = TOP + ROW * len(rows) + BOTTOM
    start, end = NAME_WIDTH, WIDTH - RIGHT

    def across(eer_percent: float) -> float:
        return start + eer_percent / HIGHEST_EER * (end - start)

    parts = [_opening(height, label)]
    for tick in _ticks(0, HIGHEST_EER):
        parts.append(_line(across(tick), TOP, across(tick), height - BOTTOM, "grid"))
        parts.append(_text(across(tick), height - BOTTOM + 16, f"{tick:g}", "tick middle"))
    parts.append(_text((start + end) / 2, height - 8, "EER [%], → more privacy", "axis middle"))
    for index, (name, rungs) in enumerate(rows):
        y = TOP + ROW * (index + 0.5)
        shown = name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1]}…"
        parts.append(_text(start - 10, y + 4, shown, "name end"))
        values = [rung.eer_percent for rung in rungs]
        parts.append(_line(across(min(values)), y, across(max(values)), y, "span"))
        for rung in sorted(rungs, key=lambda one: (one.strongest, one.counts)):
            if rung.low is not None and rung.high is not None:
                parts.append(_line(across(rung.low), y, across(rung.high), y, "limits"))
            parts.append(_rung(across(rung.eer_percent), y, rung))
    return "".join([*parts, "</svg>"])


def _opening(height: float, label: str) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{html.escape(label)}">'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{html.escape(text)}</text>'


def _upright(x: float, y: float, text: str) -> str:
    turned = f'transform="rotate(-90 {x:.1f} {y:.1f})"'
    return f'<text class="axis middle" x="{x:.1f}" y="{y:.1f}" {turned}>{text}</text>'


def _dot(x: float, y: float, counts: bool, explanation: str) -> str:
    kind = "counts" if counts else "claim"
    title = f"<title>{html.escape(explanation)}</title>"
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="5">{title}</circle>'


SHAPES = {
    "op": "M{x} {y}m-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",  # a circle
    "pp": "M{x} {y}m-5 -5h10v10h-10z",  # a square
}
DIAMOND = "M{x} {y}m0 -6l6 6l-6 6l-6 -6z"  # of the other conditions


def _rung(x: float, y: float, rung: Rung) -> str:
    kind = "counts" if rung.counts else "claim"
    kind += " strongest" if rung.strongest else ""
    path = SHAPES.get(rung.condition, DIAMOND).format(x=f"{x:.1f}", y=f"{y:.1f}")
    return f'<path class="{kind}" d="{path}"><title>{html.escape(rung.explanation)}</title></path>'


def _staircase(corners: Sequence[tuple[float, float]]) -> str:
    """The front: what is below it and to the left of it is beaten."""
    x, y = corners[0]
    path = [f"M{x:.1f} {PLANE_HEIGHT - BOTTOM}V{y:.1f}"]
    for x, y in corners[1:]:
        path.append(f"H{x:.1f}V{y:.1f}")
    return f'<path class="front" d="{"".join(path)}H{LEFT}"/>'


def _names(
    named: Sequence[tuple[Point, float, float]], drawn: Sequence[tuple[Point, float, float]]
) -> list[str]:
    """Names beside their points: on the first side where nothing else stands; else none."""
    boxes = [(x - 6, y - 6, x + 6, y + 6) for _, x, y in drawn]
    parts = []
    for point, x, y in named:
        width = LETTER * len(point.name)
        sides = [(x + 8, y + 4), (x - 8 - width, y + 4)]
        sides += [(x - width / 2, y - 9), (x - width / 2, y + 17)]
        for left, base in sides:
            box = (left, base - LINE + 3, left + width, base + 3)
            inside = box[0] > LEFT and box[2] < WIDTH - 4 and box[1] > 0
            if inside and not any(_overlap(box, other) for other in boxes):
                boxes.append(box)
                parts.append(_text(left, base, point.name, "name"))
                break
    return parts


def _overlap(one: Sequence[float], other: Sequence[float]) -> bool:
    apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    return not apart


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers between two limits, at most MOST_TICKS."""
    scale = 1.0
    while (high - low) / scale > TICKS[-1] * MOST_TICKS:
        scale *= 10
    while (high - low) / scale < TICKS[0]:
        scale /= 10
    step = next(scale * tick for tick in TICKS if (high - low) / (scale * tick) < MOST_TICKS)
    first = -(-low // step)
    numbers = []
    while first * step <= high:
        numbers.append(first * step + 0.0)  # never -0
        first += 1
    return numbers
