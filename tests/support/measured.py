"""Tables of utterances that a measure of utility has written."""

from pathlib import Path

from voiceprivacy.inout.tables import Utterance

UTTERANCES = [Utterance(f"u{at}", f"s{at % 2}", "f", Path("-"), 1.0) for at in range(4)]


def measure(folder, anonymiser, name, **metrics):
    """Write DEMO/TRIAL/ANONYMISER/NAME.tsv with {metric: values of u0, u1, ...}; its path."""
    path = folder / "demo" / "trial" / anonymiser / f"{name}.tsv"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = ["utterance\tmetric\tvalue"]
    for metric, values in metrics.items():
        rows += [f"u{at}\t{metric}\t{value}" for at, value in enumerate(values)]
    path.write_text("\n".join(rows) + "\n")
    return path
