"""Pairs of anonymisers of two runs: the second's may be compared with the first's where both drew the same speakers."""

import numpy as np

from voiceprivacy.inout.arrays import read_npz
from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy.uncertainty import paired, strongest
from voiceprivacy.report.uncertainty import PAIRS, STRONGEST, SYSTEMS
from voiceprivacy.vocabulary import ACROSS_CORPORA, MEAN, ORIGINAL, all_averages, average_folder

SAME_DRAWS = 0.5  # percentage points of EER that replicates of the same draw may differ by, on another processor


def averages_of_both(both, metrics):
    """The averages over corpora of two runs of which all lists were tried, as in a config: {name: {corpus: weights}}.

    A name that means something else in the second run is called NAME@SECOND there.

    Parameters
    ----------
    both : two Results; metrics : list of Number, merged
    """
    tried, found = {(metric.corpus, metric.trials) for metric in metrics}, {}
    for of in both:
        for name, weights in (
            of.provenance.get("config", {}).get("report", {}).get("averages", {}).items()
        ):
            if {(corpus, trials) for corpus, lists in weights.items() for trials in lists} <= tried:
                found[name if found.get(name, weights) == weights else f"{name}@{of.name}"] = (
                    weights
                )
    return found


def write_comparisons(both, merged, folder, averages):
    """Write comparisons/CORPUS/TRIALS/EXTRACTOR/BACKEND.tsv (and .systems.tsv) and strongest.tsv of a merged folder.

    Parameters
    ----------
    both : two Results; merged : Merged; folder : the merged folder, into which copy_files copied
    averages : over corpora, which are compared like the means over the lists of a corpus

    Returns
    -------
    set of (corpus, extractor, backend) : where the runs drew other speakers, and only pairs of one run are compared
    """
    groups = {}
    for metric in merged.metrics:
        if metric.metric == "eer_percent" and metric.ci_low != "-":
            groups.setdefault((metric.extractor, metric.backend), set()).add(
                (metric.corpus, metric.trials)
            )
    apart = set()
    for (extractor, backend), lists in sorted(groups.items()):
        for corpus in sorted({corpus for corpus, _ in lists}):
            of_corpus = dict.fromkeys(sorted(place for place in lists if place[0] == corpus), 1)
            trials = MEAN if len(of_corpus) > 1 else next(iter(of_corpus))[1]
            if not _write(both, merged, folder, (corpus, trials, extractor, backend), of_corpus):
                apart.add((corpus, extractor, backend))
        for name, weights in all_averages(averages, sorted(lists)).items():
            if weights.keys() <= lists:
                _write(
                    both,
                    merged,
                    folder,
                    (ACROSS_CORPORA, average_folder(name), extractor, backend),
                    weights,
                )
    _write_strongest(both, merged, folder, groups, averages)
    return apart


def _write(both, merged, folder, place, weights):
    """Compare on the mean over some lists {(corpus, trials): weight}; returns whether pairs across runs were."""
    attacker = "/".join(place[2:])
    files = [
        path
        for corpus, trials in weights
        for path in sorted(
            (folder / "metrics").glob(f"*/{corpus}/{trials}/*/{attacker}{paired.INTERVALS}")
        )
    ]
    same = all(_same_draws(both, of) for of in _common(merged, weights, place[2:]))
    if same:
        pairs, systems = _compared(files, folder, weights)
    else:
        of_each = [
            [path for path in files if path.parts[-3].endswith((f"@{of.name}", ORIGINAL))]
            for of in both
        ]
        found = [_compared(of, folder, weights) for of in of_each]
        pairs, systems = (
            [row for part in parts for row in part] for parts in zip(*found, strict=True)
        )
        systems = list(dict.fromkeys(systems))
    path = folder / "comparisons" / place[0] / place[1] / f"{attacker}.tsv"
    write_table(path, PAIRS, pairs)
    write_table(path.with_suffix(".systems.tsv"), SYSTEMS, systems)
    return same


def _write_strongest(both, merged, folder, groups, averages):
    """Compare the strongest attacks where both runs drew the same speakers: on each corpus and each average.

    ``groups`` are {(extractor, backend): {(corpus, trials)}}. Elsewhere the report goes by the systems' own intervals.
    """
    tried = sorted(set().union(*groups.values()))
    places = {}
    for corpus in {corpus for corpus, _ in tried}:
        lists = dict.fromkeys((place for place in tried if place[0] == corpus), 1)
        places[corpus, MEAN if len(lists) > 1 else next(iter(lists))[1]] = lists
    for name, weights in all_averages(averages, tried).items():
        places[ACROSS_CORPORA, average_folder(name)] = weights
    for (corpus, trials), weights in places.items():
        common = [of for attacker in groups for of in _common(merged, weights, attacker)]
        if common and all(_same_draws(both, of) for of in common):
            paths = [
                path
                for of in weights
                for path in (folder / "metrics/verification").glob(
                    f"{'/'.join(of)}/*/*/*{paired.INTERVALS}"
                )
            ]
            attacks = strongest.read_attacks(paths, folder=folder / "metrics", weights=weights)
            path = folder / "comparisons" / corpus / trials / "strongest.tsv"
            write_table(path, STRONGEST, strongest.compare(attacks))


def _common(merged, lists, attacker):
    """Sets of both runs among some lists under an attacker."""
    return {of for of in merged.common if of[:2] in lists and of[2:] == tuple(attacker)}


def _compared(files, folder, weights):
    """Rows of pairs and of systems, as compare_anonymisers writes them, of the systems that were tried on all lists."""
    tried = {}
    for path in files:
        family, corpus, trials, anonymiser, *_ = path.relative_to(folder / "metrics").parts
        tried.setdefault((family, anonymiser), {})[corpus, trials] = path
    complete = [
        path for of in tried.values() if of.keys() == weights.keys() for path in of.values()
    ]
    if not complete:
        return [], []
    return paired.compare_all(
        paired.read_systems(sorted(complete), folder=folder / "metrics", weights=weights)
    )


def _same_draws(both, place):
    """Whether the replicates of unprotected speech are the same in both runs."""
    corpus, trials, extractor, backend = place
    name = f"verification/{corpus}/{trials}/{ORIGINAL}/{extractor}/{backend}{paired.REPLICATES}"
    paths = [of.folder / "metrics" / name for of in both]
    if not all(path.is_file() for path in paths):
        return False
    one, other = (read_npz(path, [])["oo/eer_percent"] for path in paths)
    return one.shape == other.shape and np.allclose(
        one, other, rtol=0, atol=SAME_DRAWS, equal_nan=True
    )
