"""Intervals and replicates of systems on trial lists, as a run writes them."""

import numpy as np

from voiceprivacy.inout.arrays import write_npz
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.privacy.uncertainty import bootstrap

COMMON = np.random.default_rng(0).normal(size=999)  # one draw of the speakers


def number(value, *, spread=5.0, own=0.1, n_speakers=1000):
    """A value with replicates of a spread that is common to all, and of one of its own."""
    draw = np.random.default_rng([int(value < 0), int(abs(value) * 1e6)])
    return value, value + spread * COMMON + own * draw.normal(size=999), n_speakers


def write_system(
    folder, system, replicates, *, value, condition="pp", metrics=("eer_percent",), n_speakers=20
):
    """Write a system FAMILY/CORPUS/TRIALS/ANONYMISER; the path of its intervals."""
    path = folder / system / "ecapa" / "cosine"
    interval = bootstrap.interval(value, replicates, n_speakers=n_speakers)._asdict()
    intervals = path.with_suffix(".intervals.json")
    headline = {"disclosure_bit": interval}  # has no replicates of its own
    write_json(intervals, {condition: dict.fromkeys(metrics, interval) | headline})
    arrays = {f"{condition}/{metric}": replicates for metric in metrics}
    write_npz(path.with_suffix(".bootstrap.npz"), arrays)
    return intervals


def write_two_lists(folder):
    """Two anonymisers and the original on two lists, b1 two points of EER above b2; paths."""
    paths = {}
    for trials, level in (("f", 10.0), ("m", 20.0)):
        for anonymiser, shift in (("b1", 2.0), ("b2", 0.0), ("original", -5.0)):
            path = write_system(
                folder,
                f"verification/libri/{trials}/{anonymiser}",
                level + shift + COMMON,
                value=level + shift,
                condition="oo" if anonymiser == "original" else "pp",
                metrics=("eer_percent", "min_dcf"),
            )
            paths.setdefault(trials, []).append(path)
    return paths
