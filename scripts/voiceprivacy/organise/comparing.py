"""Two folders of results as one, so that one report shows both.

Conventions
-----------
* A trial list is common if both have it with the same numbers of trials. Other lists are named with
  the reason, and left out: they stand on the page of their own run.
* An attacker is common on a corpus if unprotected speech gives the same numbers on its lists.
  Otherwise it is another model under the same name, or other speech, and its extractor is called
  EXTRACTOR@NAME, where NAME is what the results are called.
* Anonymisers are called ANONYMISER@NAME; the original of a common attack stands there once.
* Each run keeps its own verdict: anonymisers of different runs were not attacked on the same draws.
  Their numbers are compared in pairs all the same, where both runs drew the same speakers for their
  intervals.
"""

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.inout.arrays import read_npz
from voiceprivacy.inout.files import BadInput, counted, whole_folder_or_absent
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.rows import write_typed
from voiceprivacy.inout.tables import number_in, write_table
from voiceprivacy.organise.finished_run import FinishedRun
from voiceprivacy.privacy.uncertainty import paired
from voiceprivacy.privacy.uncertainty.interval_files import INTERVALS, REPLICATES
from voiceprivacy.provenance.record import FIELDS, Difference, compare_runs
from voiceprivacy.report.comparison import compare, write_comparison, write_latex
from voiceprivacy.report.mailed import reduced
from voiceprivacy.report.metrics import Number, write_metrics
from voiceprivacy.report.page import TEMPLATE, write_page
from voiceprivacy.report.releases import released
from voiceprivacy.report.sections import Utility, utility_section
from voiceprivacy.report.uncertainty import read_comparisons
from voiceprivacy.vocabulary import (
    ABSENT,
    ACROSS_CORPORA,
    MEAN,
    ORIGINAL,
    Attack,
    Pair,
    SystemInterval,
    TrialList,
    all_averages,
    average_folder,
)

COUNTS = {"n_target": 0.0, "n_nontarget": 0.0}  # how far they may differ: not at all
TOLERANCES = {"eer_percent": 0.1, "cllr_bit": 0.01}  # another processor rounds differently
ONLY_HERE = "only here"
SAME_DRAWS = 0.5  # percentage points of EER between the same draws on two kinds of processors
Averages = dict[str, dict[str, dict[str, float]]]  # {name: {corpus: {list: weight}}}


def name_in(run: FinishedRun, anonymiser: str) -> str:
    """What an anonymiser of a run is called beside those of others."""
    return anonymiser if anonymiser == ORIGINAL else f"{anonymiser}@{run.name}"


class Merged(NamedTuple):
    """What became of the attacks of two runs.

    ``renamed``: {name of the run: {attack that is shown: its name in the merged folder}};
    ``common``: attacks of both; ``apart``: what is not the same, and why.
    """

    both: Sequence[FinishedRun]
    metrics: list[Number]
    renamed: dict[str, dict[Attack, Attack]]
    common: set[Attack]
    apart: list[Difference]

    def takes(self, run: FinishedRun, attack: Attack, anonymiser: str) -> bool:
        """Whether a system is shown; the second run's original is not where both have it."""
        is_second = anonymiser == ORIGINAL and run is not self.both[0]
        return attack in self.renamed[run.name] and not (is_second and attack in self.common)


def merge(both: Sequence[FinishedRun]) -> Merged:
    """Align two runs; BadInput where they have no list in common."""
    unprotected = [_unprotected(run) for run in both]
    counts: list[dict[TrialList, dict[str, str]]] = [{}, {}]
    for own, of_lists in zip(unprotected, counts, strict=True):
        for (corpus, trials, *_), texts in own.items():
            of_lists.setdefault(TrialList(corpus, trials), {}).update(texts)
    left_out = _differences(counts, COUNTS)
    lists = (counts[0].keys() & counts[1].keys()) - left_out.keys()
    if not lists:
        why = "; ".join(f"{'/'.join(listed)}: {one[0]}" for listed, one in left_out.items())
        raise BadInput(f"{both[0].folder} and {both[1].folder}: no trial list is in both ({why})")
    shown = [{one: own[one] for one in own if TrialList(*one[:2]) in lists} for own in unprotected]
    differing = _differences(shown, TOLERANCES)
    # One list with other numbers is enough: the attacker stands apart on all lists of the corpus.
    others = {attack._replace(trials=ABSENT) for attack in differing}
    apart = [Difference(f"{'/'.join(one)}: left out", *why) for one, why in left_out.items()]
    apart += [Difference("/".join(one), *why) for one, why in differing.items()]
    common = {one for one in shown[0] if one._replace(trials=ABSENT) not in others}
    of_parts = {Attack(corpus, trials, ABSENT, ABSENT) for corpus, trials in lists}
    of_parts |= {attack._replace(trials=ABSENT) for attack in of_parts}  # where utility stands
    merged = Merged(both, [], {}, common | of_parts, apart)
    for run, own in zip(both, shown, strict=True):
        renamed = merged.renamed[run.name] = {attack: attack for attack in merged.common}
        for attack in own.keys() - common:
            renamed[attack] = attack._replace(extractor=f"{attack.extractor}@{run.name}")
        for number in run.numbers:
            attack = _attack(number)
            if merged.takes(run, attack, number.anonymiser):
                named = renamed[attack]._asdict() | {"anonymiser": name_in(run, number.anonymiser)}
                merged.metrics.append(number._replace(**named))
    merged.metrics.sort()
    return merged


def _attack(number: Number) -> Attack:
    return Attack(number.corpus, number.trials, number.extractor, number.backend)


def _unprotected(run: FinishedRun) -> dict[Attack, dict[str, str]]:
    """{attack on a trial list: {metric: number of unprotected speech}}."""
    texts: dict[Attack, dict[str, str]] = {}
    for number in run.numbers:
        if ABSENT not in (number.trials, number.extractor):
            own = texts.setdefault(_attack(number), {})
            if number.anonymiser == ORIGINAL and number.condition == "oo":
                own[number.metric] = number.value
    return texts


def _differences(
    both: Sequence[Mapping[Any, Mapping[str, str]]], tolerances: Mapping[str, float]
) -> dict[Any, list[str]]:
    """Why numbers {what they are of: {metric: text}} of two runs are not the same, for each run."""
    first, second = both
    differing = {}
    for key in sorted(first.keys() | second.keys()):
        if key not in first or key not in second:
            differing[key] = [ONLY_HERE if key in own else ABSENT for own in both]
            continue
        for name, tolerance in tolerances.items():
            texts = [own[key].get(name, "") for own in both]
            one, other = map(number_in, texts)
            if all(texts) and texts[0] != texts[1] and not abs(one - other) <= tolerance:
                differing[key] = [f"{name} of unprotected speech is {text}" for text in texts]
                break
    return differing


def write_compared_page(both: Sequence[FinishedRun], folder: Path) -> list[str]:
    """Write a folder of two results as one: numbers, comparisons, page, and their differences.

    The page says no more than those of its two runs would: it can be mailed. Returned are lines for
    the terminal: what is the same, and what differs.
    """
    merged = merge(both)
    averages = averages_of_both(merged)
    differing = compare_runs(*(run.provenance for run in both))
    utility = [*chain.from_iterable(_utility_of(merged, run) for run in both)]
    with whole_folder_or_absent(folder) as temporary:
        _copy_files(merged, temporary / "metrics")
        uncompared = _write_comparisons(merged, temporary, averages)
        write_metrics(temporary / "metrics.tsv", merged.metrics)
        write_table(temporary / "differences.tsv", ["what", *(run.name for run in both)], differing)
        provenance = merged_provenance(merged, averages)
        write_json(temporary / "provenance.json", provenance)
        comparisons = read_comparisons(temporary / "comparisons", merged.metrics)
        systems = released(compare(merged.metrics, comparisons))
        report = temporary / "report"
        write_page(
            report / "index.html",
            template=TEMPLATE,
            systems=systems,
            metrics=merged.metrics,
            figures=[],  # each run's own page has them
            provenance=provenance,
            comparisons=comparisons,
            utility=utility_section(utility) if utility else None,
            verdicts=[run.verdict for run in both],
        )
        write_comparison(report / "tables" / "comparison.tsv", systems)
        write_latex(report / "tables" / "comparison.tex", systems)
    n_common = sum(attack.extractor != ABSENT for attack in merged.common)
    why = "the runs drew other speakers"
    return [
        f"{counted(n_common, 'set is', 'sets are')} the same in {both[0].name} and {both[1].name}",
        *(f"  {name}: {one} | {other}" for name, one, other in merged.apart),
        *(f"pairs across runs are not compared for {name}: {why}" for name in uncompared),
        *(
            f"differs: {name}: {one} | {other}"
            for name, one, other in differing
            if name.startswith(("version", "git"))
        ),
        f"{counted(len(differing), 'difference')} in config, versions and models: "
        f"{folder / 'differences.tsv'}",
        f"Report: {(folder / 'report' / 'index.html').absolute()}",
    ]


def _utility_of(merged: Merged, run: FinishedRun) -> Iterator[Utility]:
    """The measures of utility of a run, named like the attacks."""
    for line in run.utility:
        attack = Attack(line.corpus, line.trials, ABSENT, ABSENT)
        if merged.takes(run, attack, line.anonymiser):
            yield line._replace(anonymiser=name_in(run, line.anonymiser))


def averages_of_both(merged: Merged) -> Averages:
    """The averages of which all lists were tried; a name means what it does in the first run."""
    tried = {(number.corpus, number.trials) for number in merged.metrics}
    averages: Averages = {}
    for run in reversed(merged.both):
        averages |= run.config.get("report", {}).get("averages", {})
    lists = all_averages(averages, ())
    return {name: own for name, own in averages.items() if tried.issuperset(lists[name])}


def merged_provenance(merged: Merged, averages: Averages) -> dict[str, Any]:
    """One provenance for the page: what is the same in both, both configs, and what differs."""
    one, other = said = [reduced(run.provenance) for run in merged.both]
    same = [field for field in (*FIELDS, "packages", "revisions") if field in one]
    config: dict[str, Any] = {"anonymisers": {}, "report": {"averages": averages}}
    for run, own in zip(merged.both, said, strict=True):
        config[run.name] = own["config"]
        for anonymiser, options in own["config"].get("anonymisers", {}).items():
            config["anonymisers"][name_in(run, anonymiser)] = options
    return {
        **{field: one[field] for field in same if one[field] == other.get(field)},
        "config": config,
        "differences": {
            "names": [run.name for run in merged.both],
            "rows": [*merged.apart, *compare_runs(*said)],
        },
    }


def _copy_files(merged: Merged, folder: Path) -> None:
    """Copy metrics under their names in the merged folder; none is a link."""
    for run in merged.both:
        for path in run.files("metrics/**/*"):
            parts = path.relative_to(run.folder / "metrics").parts
            if len(parts) != 6:
                continue  # of several systems: those of two runs cannot be made one
            family, corpus, trials, anonymiser, extractor, file = parts
            attack = Attack(corpus, trials, extractor, backend=file.partition(".")[0])
            named = merged.renamed[run.name].get(attack)
            if named and merged.takes(run, attack, anonymiser):
                system = Path(family, named.corpus, named.trials, name_in(run, anonymiser))
                copy = folder / system / named.extractor / file
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy, follow_symlinks=False)


def _write_comparisons(merged: Merged, folder: Path, averages: Averages) -> list[str]:
    """Compare systems in pairs under each attacker: means over the lists of a corpus, and averages.

    Returned is CORPUS/EXTRACTOR/BACKEND where the runs drew other speakers: only pairs of one run
    are compared there.
    """
    lists_of: dict[tuple[str, str], set[TrialList]] = {}
    for number in merged.metrics:
        if number.metric == "eer_percent" and number.ci_low != ABSENT:
            lists = lists_of.setdefault((number.extractor, number.backend), set())
            lists.add(TrialList(number.corpus, number.trials))
    uncompared = []
    for (extractor, backend), lists in sorted(lists_of.items()):
        means: dict[tuple[str, str], Mapping[Any, float]] = {}
        for corpus in sorted({listed.corpus for listed in lists}):
            of_it = sorted(listed for listed in lists if listed.corpus == corpus)
            means[corpus, MEAN if len(of_it) > 1 else of_it[0].trials] = dict.fromkeys(of_it, 1)
        for name, weights in all_averages(averages, sorted(lists)).items():
            if lists.issuperset(weights):
                means[ACROSS_CORPORA, average_folder(name)] = weights
        for (corpus, trials), of_lists in means.items():
            common = [Attack(one.corpus, one.trials, extractor, backend) for one in of_lists]
            are_same = all(_is_same_draw(merged, one) for one in common if one in merged.common)
            path = folder / "comparisons" / corpus / trials / extractor / f"{backend}.tsv"
            # Replicates of other speakers cannot be subtracted from each other.
            names = [""] if are_same else [f"@{run.name}" for run in merged.both]
            _write_pairs(path, folder / "metrics", names, of_lists)
            if not are_same and corpus != ACROSS_CORPORA:
                uncompared.append(f"{corpus}/{extractor}/{backend}")
    return uncompared


def _write_pairs(
    path: Path, metrics: Path, endings: Iterable[str], weights: Mapping[Any, float]
) -> None:
    """Compare systems under an attacker, those of each ending with each other and the original."""
    attacker = f"{path.parent.name}/{path.stem}{INTERVALS}"
    pairs: list[Pair] = []
    systems: list[SystemInterval] = []
    for ending in endings:
        tried: dict[tuple[str, str], dict[TrialList, Path]] = {}
        for corpus, trials in weights:
            for file in sorted(metrics.glob(f"*/{corpus}/{trials}/*/{attacker}")):
                family, *_, anonymiser = file.relative_to(metrics).parts[:4]
                if anonymiser == ORIGINAL or anonymiser.endswith(ending):
                    on_lists = tried.setdefault((family, anonymiser), {})
                    on_lists[TrialList(corpus, trials)] = file
        # A mean over fewer lists is another number.
        complete = [one.values() for one in tried.values() if one.keys() == weights.keys()]
        paths = sorted(chain.from_iterable(complete))
        if paths:
            numbers = paired.read_systems(paths, folder=metrics, weights=weights)
            of_group = paired.compare_all(numbers)
            pairs += of_group[0]
            systems += of_group[1]
    write_typed(path, Pair, pairs)
    # The original of a common attack is of both.
    each_once = list(dict.fromkeys(systems))
    write_typed(path.with_suffix(".systems.tsv"), SystemInterval, each_once)


def _is_same_draw(merged: Merged, attack: Attack) -> bool:
    """Whether the replicates of unprotected speech are the same in both results."""
    name = f"metrics/verification/{attack.path(ORIGINAL)}{REPLICATES}"
    paths = [run.folder / name for run in merged.both]
    if not all(path.is_file() for path in paths):
        return False
    one, other = (read_npz(path, [])["oo/eer_percent"] for path in paths)
    is_alike = one.shape == other.shape
    return is_alike and np.allclose(one, other, rtol=0, atol=SAME_DRAWS, equal_nan=True)
