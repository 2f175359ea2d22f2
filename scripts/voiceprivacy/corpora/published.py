"""What is published about the sets of the challenges and of LibriSpeech, and whether ours agree."""

from voiceprivacy import tables
from voiceprivacy.files import RESOURCES

COUNTS = RESOURCES / "published_counts.tsv"
COLUMNS = ["set", "what", "count"]


def compare(name, counts, place, findings):
    """Add an oddity for every count of a set that differs from the published one.

    Parameters
    ----------
    name : str
        Name of a data directory or subset, such as libri_test_trials_f.
    counts : dict {what: int}
        What was counted; what nothing is published about is passed over.
    place : path
        Where it was counted.
    """
    published = {row["what"]: int(row["count"]) for row in tables.read_table(COUNTS, COLUMNS) if row["set"] == name}
    for what, count in counts.items():
        if published.get(what, count) != count:
            findings.oddity(place, "-", f"{name} has {count} {what.replace('_', ' ')}, published are {published[what]}")
