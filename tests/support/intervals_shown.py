"""Every value that a page, a terminal or a LaTeX table prints with its interval.

It reads what people read: a value, and behind it an interval in brackets. Lines of limits below a
line of values are read by column. Charts are read by what they say where somebody points.
"""

import html
import itertools
import re
from typing import NamedTuple

from voiceprivacy.report.terminal import ATTACK_WIDTH, NAME_WIDTH, NUMBER_WIDTHS
from voiceprivacy.vocabulary import DAGGER, INFINITY, MINUS, NO_BREAK

NUMBER = rf"[-{MINUS}]?(?:\d+(?:\.\d+)?(?:e[-{MINUS}]?\d+)?|{INFINITY}|inf)"
INTERVAL = re.compile(rf"\[({NUMBER})%?, ({NUMBER})%?\]")
# A unit or a tag can stand between both, and the interval of a chart or a sentence has words.
PRINTED = re.compile(
    rf"({NUMBER})%?(?: (?:%|bit|dB|log10|MOS|[A-F0]\+?))*(?:\s*\[|\W*95 % interval )"
    rf"({NUMBER})%?(?:, | to )({NUMBER})"
)
UNSEEN = "script|style|pre|noscript"
OF_LATEX = r"{\scriptsize ["  # an interval in a row of its own
BLOCKS = "td|th|p|li|dd|dt|figcaption|summary|text|title"


class Printed(NamedTuple):
    """A value with its interval, and the text around it."""

    value: float
    low: float
    high: float
    words: str

    @property
    def is_inside(self):
        return self.low <= self.value <= self.high


def number(text):
    return float(text.replace(MINUS, "-").replace(INFINITY, "inf").removesuffix(DAGGER))


def printed_in(text):
    """Values with intervals in a text; an interval without a value before it is an error."""
    text = text.replace(NO_BREAK, " ")
    shown = [Printed(*map(number, match.groups()), words=text) for match in PRINTED.finditer(text)]
    n_brackets = len(INTERVAL.findall(text))
    n_words = text.count("95 % interval ")
    assert len(shown) == n_brackets + n_words, f"an interval of no value: {text}"
    return shown


def of_page(text):
    """What cells, sentences and charts of a page print."""
    text = re.sub(rf"<({UNSEEN})\b.*?</\1>", "", text, flags=re.DOTALL)
    shown = []
    for block in re.split(rf"</?(?:{BLOCKS})\b[^>]*>", text):
        words = html.unescape(re.sub(r"<[^>]+>", " ", block))
        shown += printed_in(" ".join(words.split()))
    return shown


def of_terminal(lines):
    """What tables of a terminal print: limits stand below the values."""
    shown = []
    lines = list(lines)
    for values, low, high in zip(lines, lines[1:], lines[2:], strict=False):
        if low.strip().startswith("95 % from"):
            columns = zip(_cells(values), _cells(low), _cells(high), strict=True)
            shown += [
                Printed(number(value), number(bottom), number(top), values)
                for value, bottom, top in columns
                if bottom
            ]
    for line in lines:
        shown += printed_in(line)
    return shown


def _cells(line):
    texts, start = [], NAME_WIDTH + 1 + ATTACK_WIDTH
    for width in NUMBER_WIDTHS:
        texts.append(line[start : start + width].strip())
        start += width
    return texts


def of_latex(text):
    """What a LaTeX table prints, in brackets beside a value or in a row below it."""
    text = text.replace("$-$", "-").replace(r"$\infty$", INFINITY).replace(r"$^\dagger$", "")
    text = text.replace(r"\%", "%")
    rows = [line.removesuffix(r" \\").split(" & ") for line in text.splitlines()]
    shown = []
    for values, limits in itertools.pairwise(rows):
        for value, interval in zip(values, limits, strict=False):
            if OF_LATEX in interval:
                shown += printed_in(
                    f"{value.strip().partition(' ')[0]} [{interval.partition('[')[2]}"
                )
    for cell in itertools.chain.from_iterable(rows):
        if OF_LATEX not in cell:
            shown += printed_in(cell)
    return shown
