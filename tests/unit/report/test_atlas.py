"""The disclosure atlas: whose number a channel has, what is left of it, charts and pictures."""

import math

from support import made_up

from voiceprivacy.inout.tables import write_table
from voiceprivacy.plan.rows import Heard
from voiceprivacy.report import atlas
from voiceprivacy.report.figures import Subject
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.plots import atlas as plots
from voiceprivacy.report.rows import AtlasPoint
from voiceprivacy.vocabulary import TrialList

POINTS = [
    AtlasPoint("original", "oo", "voice", 3.0, 2.5, 3.2, 3.25),
    AtlasPoint("original", "oo", "pitch", 1.0, 0.5, 1.5, 3.25),
    AtlasPoint("original", "oo", "timing", 0.2, 0.0, 0.4, 3.25),
    AtlasPoint("b2", "op", "voice", 0.6, "-", "-", 3.25),
    AtlasPoint("b2", "op", "pitch", 0.5, 0.1, 0.9, 3.25),
    AtlasPoint("b2", "op", "timing", 0.1, 0.0, 0.3, 3.25),
]


def test_words_of_protected_speech_are_those_of_unprotected():
    numbers = []
    for attack, value, low, high in (
        (("original", "said", "cosine", "oo"), "0.5", "0.1", "0.9"),
        (("b2", "pitch", "js", "op"), "0.25", "-", "-"),
    ):
        numbers.append(Number("demo", "f", *attack, "disclosure_bit", value, low, high))
        numbers.append(Number("demo", "f", *attack, "n_templates", "8"))
    heard = [
        Heard("b2", "op", "pitch", "b2", "op", "pitch", "js"),
        Heard("b2", "op", "contour", "b2", "op", "nowhere", "js"),
        Heard("b2", "op", "words", "original", "oo", "said", "cosine"),
    ]
    assert atlas.points_of(numbers, TrialList("demo", "f"), heard) == [
        AtlasPoint("b2", "op", "pitch", 0.25, None, None, 3.0),
        AtlasPoint("b2", "op", "words", 0.5, 0.1, 0.9, 3.0),
    ]
    assert atlas.points_of(numbers, TrialList("demo", "m"), heard) == []


def test_the_picture_has_a_panel_for_each_condition_and_the_most_that_there_is(tmp_path):
    drawn = made_up.written(tmp_path, "atlas", Subject("demo", "f"), AtlasPoint._fields, POINTS)
    protected = [point._replace(condition="pp") for point in POINTS[3:]]
    write_table(drawn.arguments["curves"], AtlasPoint._fields, [*POINTS, *protected])
    picture = plots.atlas(**drawn.arguments)
    assert len(picture.axes) == 2
    ax = picture.axes[0]
    bars = [bar for bar in ax.patches if bar.get_gid().startswith("b2\t")]
    assert [bar.get_height() for bar in bars] == [0.6, 0.5, 0.1]
    assert max(line.get_ydata()[0] for line in ax.get_lines()) == 3.25
    assert math.isclose(ax.get_ylim()[1], 1.06 * 3.25)
    # A run that protects nothing has the channels of unprotected speech.
    write_table(drawn.arguments["curves"], AtlasPoint._fields, POINTS[:3])
    assert len(plots.atlas(**drawn.arguments).axes) == 1
