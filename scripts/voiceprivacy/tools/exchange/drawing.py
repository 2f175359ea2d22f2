"""The attack ladder of the leaderboard as SVG: every attack on every system.

Conventions
-----------
* A drawing is text that stands in a page. Its classes get their colours from the page's style, so
  that it is dark where the page is. It has no scripts or styles of its own.
* What counts (tier B) is filled; numbers without evidence (tier A) are hollow.
* Names come from files of others: they are escaped.
"""

import html
import io
import re
from collections.abc import Sequence
from typing import NamedTuple

import matplotlib

from voiceprivacy.report.plots import style

WIDTH, ROW, AXIS = 7.2, 0.25, 0.6  # inches
HIGHEST_EER = 50  # folded
MOST_LETTERS = 22
SHAPES = {"op": "o", "pp": "s"}  # of conditions; others are diamonds
STYLE, GROUP = re.compile(r' style="([^"]*)"'), re.compile(r'<g id="([^"]*)"(/?)>')


class Rung(NamedTuple):
    """One attack on a system; ``low`` and ``high`` limit its equal error rate, if they are known.

    ``kind`` are its classes: counts or claim, and strongest.
    """

    eer_percent: float
    low: float | None
    high: float | None
    kind: str
    condition: str
    explanation: str


def ladder(rows: Sequence[tuple[str, Sequence[Rung]]], *, label: str) -> str:
    """Every attack on every system: a row for each, from much privacy to little.

    Parameters
    ----------
    rows : [(name, attacks)], at least one attack in each, the strongest last
    label : what the drawing shows, for who cannot see it
    """
    figure, ax = style.figure(WIDTH, AXIS + ROW * len(rows))
    names = [name if len(name) <= MOST_LETTERS else name[:MOST_LETTERS] + "…" for name, _ in rows]
    ax.set_yticks(range(len(rows)), names)
    ax.set(xlim=(0, HIGHEST_EER), xlabel="EER [%], → more privacy", ylim=(len(rows) - 0.5, -0.5))

    def draw(x: Sequence[float | None], y: int, kind: str, told: str = "", shape: str = "") -> None:
        gid = f"{kind}: {html.escape(told)}"
        look = {"marker": shape, "markersize": 7, "markeredgewidth": 0}
        ax.plot(x, [y] * len(x), gid=gid, clip_on=False, **look)

    for y, (_, rungs) in enumerate(rows):
        values = [rung.eer_percent for rung in rungs]
        draw([min(values), max(values)], y, "span")
        for rung in rungs:
            if rung.low is not None:
                draw([rung.low, rung.high], y, "limits")
            shape = SHAPES.get(rung.condition, "D")
            draw([rung.eer_percent], y, rung.kind, rung.explanation, shape)
    ax.grid(axis="x")
    ax.set_axisbelow(True)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return _svg(figure, label)


def _svg(figure, label):
    """The figure as a part of a page, whose rules allow no styles in it."""
    written = io.StringIO()
    # Ids of several drawings differ.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": label}):
        figure.savefig(written, format="svg", transparent=True)
    _, _, drawn = written.getvalue().partition("</defs>")  # those of a style
    drawn = GROUP.sub(_opened, STYLE.sub(_attributes, drawn))
    width, height = 72 * figure.get_size_inches()
    told = f'role="img" aria-label="{html.escape(label)}"'
    return f'<svg viewBox="0 0 {width:g} {height:g}" {told}>{drawn}'


def _attributes(styled):
    """style="fill: none; stroke: red" as attributes."""
    pairs = [pair.split(": ") for pair in styled[1].split("; ")]
    return "".join(f' {name}="{value}"' for name, value in pairs if not name.startswith("font"))


def _opened(group):
    """The opening of a group: ours has classes and perhaps a title, matplotlib's no name."""
    kind, is_ours, told = html.unescape(group[1]).partition(": ")
    if group[2]:  # empty
        return ""
    title = f"<title>{told}</title>" if told else ""
    return f'<g class="{kind}">{title}' if is_ours else "<g>"
