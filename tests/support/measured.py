"""Tables of utterances that a measure of utility has written."""

from pathlib import Path

from voiceprivacy.inout.tables import Utterance, write_table

UTTERANCES = [Utterance(f"u{at}", f"s{at % 2}", "f", Path("-"), 1.0) for at in range(4)]


def measure(folder, anonymiser, name, **metrics):
    """Write DEMO/TRIAL/ANONYMISER/NAME.tsv with {metric: values of u0, u1, ...}; its path."""
    path = folder / "demo" / "trial" / anonymiser / f"{name}.tsv"
    rows = [(f"u{at}", one, value) for one, own in metrics.items() for at, value in enumerate(own)]
    write_table(path, ("utterance", "metric", "value"), rows)
    return path
