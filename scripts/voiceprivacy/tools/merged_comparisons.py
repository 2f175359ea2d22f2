"""Pairs of anonymisers of two runs: the second's may be compared with the first's where both drew the same speakers."""

import numpy as np

from voiceprivacy.arrays import read_npz
from voiceprivacy.privacy import paired
from voiceprivacy.privacy.bootstrap import CORRECTIONS, NONE, interval
from voiceprivacy.report.metrics import ORIGINAL
from voiceprivacy.report.uncertainty import MEAN, PAIRS, SYSTEMS
from voiceprivacy.tables import write_table

SAME_DRAWS = 0.5  # percentage points of EER that replicates of the same draw may differ by, on another processor


def write_comparisons(both, merged, folder):
    """Write comparisons/CORPUS/TRIALS/EXTRACTOR/BACKEND.tsv (and .systems.tsv) of a merged folder.

    Parameters
    ----------
    both : two Results; merged : Merged; folder : the merged folder, into which copy_files copied

    Returns
    -------
    set of (corpus, extractor, backend) : where the runs drew other speakers, and only pairs of one run are compared
    """
    apart = set()
    groups = {}
    for metric in merged.metrics:
        if metric.metric == "eer_percent" and metric.ci_low != "-":
            groups.setdefault((metric.corpus, metric.extractor, metric.backend), set()).add(metric.trials)
    for (corpus, extractor, backend), lists in sorted(groups.items()):
        files = sorted((folder / "metrics").glob(f"*/{corpus}/*/*/{extractor}/{backend}{paired.INTERVALS}"))
        of_each = [[path for path in files if path.parts[-3].endswith((f"@{of.name}", ORIGINAL))] for of in both]
        common = {place for place in merged.common if (place[0], *place[2:]) == (corpus, extractor, backend)}
        if all(_same_draws(both, place) for place in common):
            pairs, systems = _compared(files, folder)
        else:
            apart.add((corpus, extractor, backend))
            found = [_compared(of, folder) for of in of_each]
            pairs, systems = ([row for part in parts for row in part] for parts in zip(*found, strict=True))
            systems = list(dict.fromkeys(systems))
        path = folder / "comparisons" / corpus / (MEAN if len(lists) > 1 else min(lists)) / extractor / f"{backend}.tsv"
        write_table(path, PAIRS, pairs)
        write_table(path.with_suffix(".systems.tsv"), SYSTEMS, systems)
    return apart


def _compared(files, folder):
    """Rows of pairs and of systems, as compare_anonymisers writes them."""
    pairs, systems = [], []
    for (condition, metric), of in sorted(paired.read_systems(files, folder=folder / "metrics").items()):
        for anonymiser, (value, replicates, n_speakers) in of.items():
            found = interval(value, replicates, n_speakers=n_speakers, correction=CORRECTIONS.get(metric, NONE))
            systems.append((condition, metric, anonymiser, value, found.ci_low, found.ci_high))
        if metric in paired.MORE_IS_BETTER:
            pairs += paired.compare(of, condition=condition, metric=metric)
    return pairs, systems


def _same_draws(both, place):
    """Whether the replicates of unprotected speech are the same in both runs."""
    corpus, trials, extractor, backend = place
    name = f"verification/{corpus}/{trials}/{ORIGINAL}/{extractor}/{backend}{paired.REPLICATES}"
    paths = [of.folder / "metrics" / name for of in both]
    if not all(path.is_file() for path in paths):
        return False
    one, other = (read_npz(path, [])["oo/eer_percent"] for path in paths)
    return one.shape == other.shape and np.allclose(one, other, rtol=0, atol=SAME_DRAWS, equal_nan=True)
