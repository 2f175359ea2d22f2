"""Two folders of results as one, aligned by set, so that one report shows both.

Conventions
-----------
* A set is a trial list under an attacker: (corpus, trials, extractor, backend).
* A list is common if both have it with the same numbers of trials; otherwise its corpus is called CORPUS@NAME.
* An attacker is common on a corpus if unprotected speech gives the same numbers on its common lists; otherwise (another
  model under the same name, or other speech) its extractor is called EXTRACTOR@NAME.
* Anonymisers are called ANONYMISER@NAME; the original of a common set stands there once.
"""

import math
import shutil
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.inout.files import BadInput, read_json
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.utility import NOWHERE, read_utility
from voiceprivacy.vocabulary import ABSENT, ORIGINAL

COUNTS = ("n_target", "n_nontarget")
TOLERANCES = {"eer_percent": 0.1, "cllr_bit": 0.01}  # another processor rounds differently
TREES = ("metrics", "curves")  # FAMILY/CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND.*
PICTURES = "report/figures"  # KIND/CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND.*; others are of several systems


class Results(NamedTuple):
    """A folder of results: what it is called, its list of Number, its provenance."""

    name: str
    folder: Path
    metrics: list
    provenance: dict


class Merged(NamedTuple):
    """What became of the sets of two Results.

    ``metrics``: list of Number; ``places``: {name: {set: the set's name in the merged folder}}; ``common``: sets of
    both; ``alone``: {name: {set: why it stands apart}}.
    """

    metrics: list
    places: dict
    common: set
    alone: dict


def read_results(name, folder):
    """Read a folder of results (metrics.tsv and provenance.json in it)."""
    folder = Path(folder)
    if not folder.is_dir():
        raise BadInput(f"{folder}: not found")
    return Results(
        name, folder, read_metrics(folder / "metrics.tsv"), read_json(folder / "provenance.json")
    )


def merge(both):
    """Align two Results.

    Returns
    -------
    Merged
    """
    sets = [_sets(of.metrics) for of in both]
    reasons = _reasons(sets, [_original_numbers(of.metrics) for of in both])
    common = sets[0] & sets[1] - reasons.keys()
    alone, places = {}, {}
    for of, own in zip(both, sets, strict=True):
        others = own - common
        alone[of.name] = {
            place: reasons.get(place, ("", "only here"))[1] for place in sorted(others)
        }
        places[of.name] = {
            place: _placed(place, reasons.get(place), of.name) for place in sorted(own)
        }
    merged = Merged([], places, common, alone)
    for of in both:
        for metric in of.metrics:
            if _is_taken(metric.anonymiser, _set(metric), of, both, common):
                corpus, _, extractor, _ = places[of.name][_set(metric)]
                who = _anonymiser(metric.anonymiser, of)
                merged.metrics.append(
                    metric._replace(corpus=corpus, extractor=extractor, anonymiser=who)
                )
    merged.metrics.sort()
    return merged


def merge_utility(both, merged):
    """The measures of utility of two Results as one list of Utility, named like the sets."""
    found = []
    for of in both:
        for one in read_utility(sorted((of.folder / "metrics" / "utility").glob("*.tsv"))):
            place = (one.corpus, one.trials, NOWHERE, NOWHERE)
            if _is_taken(one.anonymiser, place, of, both, merged.common):
                corpus = merged.places[of.name][place][0]
                found.append(
                    one._replace(corpus=corpus, anonymiser=_anonymiser(one.anonymiser, of))
                )
    return found


def _reasons(sets, numbers):
    """{set: (what is renamed, why)} of the sets that stand apart."""
    shared, reasons = sets[0] & sets[1], {}
    lists = {
        place: _list_differs(place, sets, numbers)
        for place in {place[:2] for place in sets[0] | sets[1]}
    }
    for place in sets[0] | sets[1]:
        if why := lists[place[:2]]:
            reasons[place] = ("corpus", why)
    for place in {place for place in sets[0] | sets[1] if place[1] == ABSENT}:
        named = [
            trial_list
            for trial_list in lists
            if trial_list[0] == place[0] and trial_list[1] != ABSENT
        ]
        if named and all(map(lists.get, named)):
            reasons[place] = ("corpus", "its trial lists stand apart")
    for place in sorted(shared - reasons.keys()):
        if why := _difference(place, numbers, TOLERANCES):
            corpus, _, *attacker = place
            same_attacker = [
                of for of in shared - reasons.keys() if of[0] == corpus and [*of[2:]] == attacker
            ]
            reasons |= dict.fromkeys(
                same_attacker, ("extractor", f"{why}: another attacker, or other speech")
            )
    return reasons


def _list_differs(trial_list, sets, numbers):
    """Why a list (corpus, trials) is not the same in both; nothing where it is."""
    if not all(trial_list in {place[:2] for place in own} for own in sets):
        return "only here"
    counts = [
        {
            trial_list: next(
                (of for place, of in sorted(found.items()) if place[:2] == trial_list), {}
            )
        }
        for found in numbers
    ]
    return _difference(trial_list, counts, dict.fromkeys(COUNTS, 0))


def _placed(place, reason, name):
    corpus, trials, extractor, backend = place
    renamed = reason[0] if reason else ""
    corpus = f"{corpus}@{name}" if renamed == "corpus" else corpus
    return corpus, trials, f"{extractor}@{name}" if renamed == "extractor" else extractor, backend


def copy_files(both, merged, folder):
    """Copy metrics, curves and pictures of two Results under the names that they have in the merged folder."""
    for of in both:
        for tree in (*TREES, PICTURES):
            for path in sorted((of.folder / tree).rglob("*")):
                if path.is_file() and (
                    name := _renamed(path.relative_to(of.folder / tree), of, both, merged)
                ):
                    (folder / tree / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, folder / tree / name)
        for path in sorted((of.folder / "audio").glob("*/trial/*/manifest*.tsv")):
            _copy_manifest(path, of, merged, folder)


def _copy_manifest(path, of, merged, folder):
    """What charts read beside curves: who speaks, and the coefficients that were drawn."""
    corpus, part, anonymiser, file = path.relative_to(of.folder / "audio").parts
    for name in {
        placed[0] for place, placed in merged.places[of.name].items() if place[0] == corpus
    }:
        copy = folder / "audio" / name / part / _anonymiser(anonymiser, of) / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)


def _renamed(relative, of, both, merged):
    """The path of a file in the merged folder; None for what is not taken."""
    if len(relative.parts) != 6:
        return None  # of several systems: those of two runs cannot be made one
    first, corpus, trials, anonymiser, extractor, file = relative.parts
    place = (corpus, trials, extractor, file.partition(".")[0])
    if place not in merged.places[of.name] or not _is_taken(
        anonymiser, place, of, both, merged.common
    ):
        return None
    corpus, trials, extractor, _ = merged.places[of.name][place]
    return Path(first, corpus, trials, _anonymiser(anonymiser, of), extractor, file)


def _is_taken(anonymiser, place, of, both, common):
    """The second folder's original is not needed where the sets are common."""
    return anonymiser != ORIGINAL or of is both[0] or place not in common


def _anonymiser(name, of):
    return name if name == ORIGINAL else f"{name}@{of.name}"


def _set(metric):
    return metric.corpus, metric.trials, metric.extractor, metric.backend


def _sets(metrics):
    return {_set(metric) for metric in metrics}


def _original_numbers(metrics):
    """{set: {metric: text}} of unprotected speech."""
    found = defaultdict(dict)
    for metric in metrics:
        if metric.anonymiser == ORIGINAL and metric.condition == "oo":
            found[_set(metric)][metric.metric] = metric.value
    return found


def _difference(place, numbers, tolerances):
    """What differs between two originals of a set, in words; nothing where they are the same."""
    one, other = (found.get(place, {}) for found in numbers)
    for name, tolerance in tolerances.items():
        if name in one and name in other and not _close(one[name], other[name], tolerance):
            return f"{name} of unprotected speech is {_short(one[name])} and {_short(other[name])}"
    return ""


def _close(one, other, tolerance):
    try:
        return one == other or math.isclose(float(one), float(other), rel_tol=0, abs_tol=tolerance)
    except ValueError:
        return False


def _short(text):
    try:
        return f"{float(text):.4g}"
    except ValueError:
        return text
