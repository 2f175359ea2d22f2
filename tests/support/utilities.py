"""A made-up results/metrics/utility/CORPUS.tsv, for the systems of support.verdicts."""

from pathlib import Path

from voiceprivacy.inout.tables import write_table
from voiceprivacy.vocabulary import UtilityMean

WORDS_PERCENT = {"original": 37.2, "b2": 62.4, "b2r": 67.6, "broken": 50.0, "noise": 100.0}


def means(corpus, metric, values, *, better="lower", width=4.0):
    """A mean over all utterances of each system, whose limits lie so far away."""
    return [
        UtilityMean(
            corpus=corpus,
            trials="-",
            anonymiser=system,
            measure="own",
            metric=metric,
            value=value,
            ci_low=value - width,
            ci_high=value + width,
            n_utterances=40,
            n_undefined=0,
            n_speakers=10,
            better=better,
        )
        for system, value in values.items()
    ]


def write(path, rows):
    """Write the table of a corpus."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_table(path, UtilityMean._fields, rows)
    return path
