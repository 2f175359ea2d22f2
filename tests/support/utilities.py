"""A made-up results/metrics/utility/CORPUS.tsv, for the systems of support.verdicts."""

from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.measured import Utility
from voiceprivacy.utility.rows import UtilityMean

WORDS_PERCENT = {"original": 37.2, "b2": 62.4, "b2r": 67.6, "broken": 50.0, "noise": 100.0}


def means(corpus, metric, values, *, better="lower", width=4.0):
    """A mean over all utterances of each system, whose limits lie so far away."""
    rows = []
    for system, value in values.items():
        numbers = (value, value - width, value + width, 40, 0, 10)
        rows.append(UtilityMean(corpus, "-", system, "own", metric, *numbers, better))
    return rows


def measured(anonymiser, metric, value="0.5", low="-", high="-", **changed):
    """A line of a measure as the report reads it."""
    numbers = (str(value), str(low), str(high), 9, 0, 3)
    line = Utility("demo", "-", anonymiser, "asr", metric, *numbers, "lower")
    return line._replace(**changed)


def write(path, rows):
    write_table(path, UtilityMean._fields, rows)
    return path
