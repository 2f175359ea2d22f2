"""Two folders of results as one, so that one report shows both.

Conventions
-----------
* Results are aligned by attack: a trial list under an attacker.
* A list is common if both have it with the same numbers of trials; otherwise its corpus is called
  CORPUS@NAME, where NAME is what the results are called.
* An attacker is common on a corpus if unprotected speech gives the same numbers on its common
  lists. Otherwise it is another model under the same name, or other speech, and its extractor is
  called EXTRACTOR@NAME.
* Anonymisers are called ANONYMISER@NAME; the original of a common attack stands there once.
* Utility has - as extractor and backend, and as list where it was measured on a whole part.
"""

import math
import shutil
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.inout.arrays import read_npz
from voiceprivacy.inout.files import SCRIPTS, counted, whole_folder_or_absent
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.tables import write_table
from voiceprivacy.organise.finished_run import FinishedRun
from voiceprivacy.privacy.uncertainty import paired
from voiceprivacy.privacy.uncertainty.interval_files import INTERVALS, REPLICATES, Estimate
from voiceprivacy.provenance.record import FIELDS, Difference, compare_runs
from voiceprivacy.report.comparison import compare, write_comparison, write_latex
from voiceprivacy.report.mailed import reduced
from voiceprivacy.report.metrics import Number, write_metrics
from voiceprivacy.report.page import write_page
from voiceprivacy.report.releases import released
from voiceprivacy.report.sections import (
    Utility,
    read_utility,
    utility_section,
)
from voiceprivacy.report.terminal import summary
from voiceprivacy.report.uncertainty import read_comparisons
from voiceprivacy.vocabulary import (
    ABSENT,
    ACROSS_CORPORA,
    MEAN,
    ORIGINAL,
    UNDEFINED,
    Attack,
    Pair,
    StrongestPair,
    SystemInterval,
    TrialList,
    UtilityPair,
    all_averages,
    average_folder,
)

COUNTS = {"n_target": 0.0, "n_nontarget": 0.0}  # how far they may differ: not at all
TOLERANCES = {"eer_percent": 0.1, "cllr_bit": 0.01}  # another processor rounds differently
ONLY_HERE = "only here"
# Of files FAMILY/CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND.*; others are of several systems.
Texts = Mapping[Attack, Mapping[str, str]]  # {attack: {metric: number of unprotected speech}}


def name_in(run: FinishedRun, anonymiser: str) -> str:
    """What an anonymiser of a run is called beside those of others."""
    return anonymiser if anonymiser == ORIGINAL else f"{anonymiser}@{run.name}"


class Merged(NamedTuple):
    """What became of the attacks of two runs.

    ``renamed``: {name of the run: {attack: the attack's name in the merged folder}};
    ``common``: attacks of both; ``alone``: {name of the run: {attack: why it stands apart}}.
    """

    both: Sequence[FinishedRun]
    metrics: list[Number]
    renamed: dict[str, dict[Attack, Attack]]
    common: set[Attack]
    alone: dict[str, dict[Attack, str]]

    def takes(self, run: FinishedRun, attack: Attack, anonymiser: str) -> bool:
        """Whether a system is shown; the second run's original is not where both have it."""
        return anonymiser != ORIGINAL or run is self.both[0] or attack not in self.common


def merge(both: Sequence[FinishedRun]) -> Merged:
    """Align two runs."""
    lines = [_aligned(run) for run in both]
    attacks = [set(map(_attack, own)) for own in lines]
    reasons = _apart(attacks, [_original_numbers(own) for own in lines])
    common = (attacks[0] & attacks[1]) - reasons.keys()
    renamed, alone = {}, {}
    for run, own in zip(both, attacks, strict=True):
        renamed[run.name] = {attack: attack for attack in sorted(own)}
        alone[run.name] = dict.fromkeys(sorted(own - common), ONLY_HERE)
        for attack in own & reasons.keys():
            field, why = reasons[attack]
            other = {field: f"{getattr(attack, field)}@{run.name}"}
            renamed[run.name][attack] = attack._replace(**other)
            alone[run.name][attack] = why
    merged = Merged(both, [], renamed, common, alone)
    for run, numbers in zip(both, lines, strict=True):
        for number in numbers:
            attack = _attack(number)
            if merged.takes(run, attack, number.anonymiser):
                named = renamed[run.name][attack]
                anonymiser = name_in(run, number.anonymiser)
                merged.metrics.append(
                    number._replace(
                        corpus=named.corpus, extractor=named.extractor, anonymiser=anonymiser
                    )
                )
    merged.metrics.sort()
    return merged


def _aligned(run: FinishedRun) -> list[Number]:
    """Numbers of lists; what one extractor tells of people belongs to none."""
    return [line for line in run.numbers if line.extractor == ABSENT or line.trials != ABSENT]


def _attack(number: Number) -> Attack:
    return Attack(number.corpus, number.trials, number.extractor, number.backend)


def _original_numbers(metrics: Sequence[Number]) -> Texts:
    texts: dict[Attack, dict[str, str]] = {}
    for number in metrics:
        if number.anonymiser == ORIGINAL and number.condition == "oo":
            texts.setdefault(_attack(number), {})[number.metric] = number.value
    return texts


class _Reason(NamedTuple):
    """Why an attack of the same name stands apart, and which of its names gets an ending."""

    field: str  # corpus or extractor
    why: str


def _apart(attacks: Sequence[set[Attack]], numbers: Sequence[Texts]) -> dict[Attack, _Reason]:
    """Why attacks are not the same in both; ``attacks`` and ``numbers`` are of both runs."""
    first, second = attacks
    every = first | second
    why_apart = {
        listed: _list_difference(listed, attacks, numbers)
        for listed in {TrialList(attack.corpus, attack.trials) for attack in every}
    }
    reasons = {}
    for attack in every:
        why = why_apart[TrialList(attack.corpus, attack.trials)]
        lists = [one for one in why_apart if one.corpus == attack.corpus and one.trials != ABSENT]
        if attack.trials == ABSENT and lists and all(why_apart[one] for one in lists):
            why = "its trial lists stand apart"  # and the utility of the whole part with them
        if why:
            reasons[attack] = _Reason("corpus", why)
    # One list with other numbers is enough: the attacker stands apart on all lists of the corpus.
    common = sorted((first & second) - reasons.keys())
    for attack in common:
        if attack not in reasons and (
            why := _difference([texts.get(attack, {}) for texts in numbers], TOLERANCES)
        ):
            reason = _Reason("extractor", f"{why}: another attacker, or other speech")
            for other in common:
                if other == attack._replace(trials=other.trials):
                    reasons[other] = reason
    return reasons


def _list_difference(
    listed: TrialList, attacks: Sequence[set[Attack]], numbers: Sequence[Texts]
) -> str:
    """Why a list is not the same in both; nothing where it is."""
    counts = []
    for own, texts in zip(attacks, numbers, strict=True):
        on_list = sorted(one for one in own if TrialList(one.corpus, one.trials) == listed)
        if not on_list:
            return ONLY_HERE
        # The trials of a list are the same for every attacker: the first one says how many.
        counts.append(next((texts[attack] for attack in on_list if attack in texts), {}))
    return _difference(counts, COUNTS)


def _difference(both: Sequence[Mapping[str, str]], tolerances: Mapping[str, float]) -> str:
    """What differs between numbers {metric: text} of two originals; nothing where they agree."""
    one, other = both
    for name, tolerance in tolerances.items():
        if name in one and name in other and not _is_close(one[name], other[name], tolerance):
            return f"{name} of unprotected speech is {_short(one[name])} and {_short(other[name])}"
    return ""


def _is_close(one: str, other: str, tolerance: float) -> bool:
    try:
        return one == other or math.isclose(float(one), float(other), rel_tol=0, abs_tol=tolerance)
    except ValueError:  # a word such as undefined
        return False


def _short(text: str) -> str:
    try:
        return f"{float(text):.4g}"
    except ValueError:
        return text


# Files.


def copy_files(merged: Merged, folder: Path) -> None:
    """Copy metrics under their names in the merged folder.

    Raises
    ------
    BadInput : a file is a link or no plain one
    """
    for run in merged.both:
        for path in run.files("metrics/**/*"):
            if name := _renamed_path(path.relative_to(run.folder / "metrics"), run, merged):
                copy = folder / "metrics" / name
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy, follow_symlinks=False)


def _renamed_path(relative: Path, run: FinishedRun, merged: Merged) -> Path | None:
    """The path of a file in the merged folder; None for what is not taken."""
    if len(relative.parts) != 6:
        return None  # of several systems: those of two runs cannot be made one
    family, corpus, trials, anonymiser, extractor, file = relative.parts
    attack = Attack(corpus, trials, extractor, backend=file.partition(".")[0])
    renamed = merged.renamed[run.name].get(attack)
    if not renamed or not merged.takes(run, attack, anonymiser):
        return None
    name = name_in(run, anonymiser)
    return Path(family, renamed.corpus, renamed.trials, name, renamed.extractor, file)


# What else a page shows: utility, and averages.


def merged_utility(merged: Merged, run: FinishedRun) -> Iterator[Utility]:
    """The measures of utility of a run, named like the attacks."""
    for line in run.utility:
        attack = Attack(line.corpus, line.trials, ABSENT, ABSENT)
        if merged.takes(run, attack, line.anonymiser):
            corpus = merged.renamed[run.name][attack].corpus
            yield line._replace(corpus=corpus, anonymiser=name_in(run, line.anonymiser))


def averages_of_both(merged: Merged) -> dict[str, dict[str, dict[str, float]]]:
    """The averages over corpora of which all lists were tried, as in a config: {name: weights}.

    A name means what it means in the first run that has it.
    """
    tried = {(number.corpus, number.trials) for number in merged.metrics}
    averages: dict[str, dict[str, dict[str, float]]] = {}
    for run in reversed(merged.both):
        averages |= run.config.get("report", {}).get("averages", {})
    return {
        name: weights
        for name, weights in averages.items()
        if tried.issuperset(chain.from_iterable(product([one], weights[one]) for one in weights))
    }


# One provenance for the page.


def merged_provenance(
    provenances: Mapping[str, Mapping[str, Any]],
    differing: Sequence[Difference],
    averages: Mapping,
) -> dict[str, Any]:
    """One provenance for the page: where two runs differ, both values.

    Parameters
    ----------
    provenances : {name of the run: its provenance}, of two
    differing : what the page says of their differences
    averages : over corpora, as in a config
    """
    names, (first, second) = list(provenances), provenances.values()
    fields = [field for field in FIELDS if field in first or field in second]
    merged = {field: _joined(names, first.get(field), second.get(field)) for field in fields}
    for section in ("packages", "revisions", "seeds"):
        one, other = first.get(section, {}), second.get(section, {})
        keys = dict.fromkeys([*one, *other])
        merged[section] = {key: _joined(names, one.get(key), other.get(key)) for key in keys}
    configs = {name: of_run.get("config", {}) for name, of_run in provenances.items()}
    anonymisers = {}
    for name, config in configs.items():
        for anonymiser, options in config.get("anonymisers", {}).items():
            anonymisers[f"{anonymiser}@{name}"] = options
    report = configs[names[0]].get("report", {}) | {"averages": averages}
    return merged | {
        "config": {"anonymisers": anonymisers, "report": report, **configs},
        "differences": {"names": names, "rows": differing},
    }


def _joined(names: Sequence[str], first: Any, second: Any) -> Any:
    """The value of both, or each with the name of its run in front."""
    values = [ABSENT if value is None else value for value in (first, second)]
    if values[0] == values[1]:
        return values[0]
    return "; ".join(f"{name}: {value}" for name, value in zip(names, values, strict=True))


# The folder of both: numbers, pairs of systems, the page, and what differs. Each run keeps its own
# verdict: anonymisers of different runs were not attacked on the same draws. Their numbers are
# compared in pairs all the same, where both runs drew the same speakers for their intervals.

TEMPLATE = SCRIPTS.parent / "workflow" / "report" / "index.html.j2"


def write_compared_page(
    both: Sequence[FinishedRun], folder: Path, *, internal: bool = False
) -> list[str]:
    """Write a folder of two results as one: numbers, comparisons, page, and their differences.

    Parameters
    ----------
    both : two runs, with names
    folder : path, to be written whole or not at all
    internal : whether the page may hold everything, as ``report: {internal: true}`` in a config

    Returns
    -------
    list of str : lines for the terminal
    """
    merged = merge(both)
    averages = averages_of_both(merged)
    apart = _attacks_apart(merged)
    differing = compare_runs(*(run.provenance for run in both))
    names = [run.name for run in both]
    with whole_folder_or_absent(folder) as temporary:
        copy_files(merged, temporary)
        uncompared = write_comparisons(merged, temporary, averages)
        write_metrics(temporary / "metrics.tsv", merged.metrics)
        provenances = {run.name: run.provenance for run in both}
        provenance = merged_provenance(provenances, [*apart, *differing], averages)
        write_json(temporary / "provenance.json", provenance)
        if not internal:  # a page that is mailed says no more than its two runs would
            mailed = {name: reduced(of_run) for name, of_run in provenances.items()}
            said = [*apart, *compare_runs(*mailed.values())]
            provenance = merged_provenance(mailed, said, averages)
            del provenance["seeds"]
        write_table(temporary / "differences.tsv", ["what", *names], differing)
        comparisons = read_comparisons(temporary / "comparisons", merged.metrics)
        systems = released(compare(merged.metrics, comparisons))
        _write_report(temporary, merged, systems, comparisons, provenance, internal)
    return [
        *summary(systems, comparisons, verdicts=[run.verdict for run in both]),
        "",
        *_about_both(merged, apart, uncompared, differing),
        f"{counted(len(differing), 'difference')} in config, versions and models: "
        f"{folder / 'differences.tsv'}",
        f"Report: {(folder / 'report' / 'index.html').absolute()}",
    ]


def _about_both(merged, apart, uncompared, differing):
    """Lines about what is the same in both results and what is not."""
    first, second = (run.name for run in merged.both)
    n_common = sum(attack.extractor != ABSENT for attack in merged.common)
    yield f"{counted(n_common, 'set is', 'sets are')} the same in {first} and {second}"
    for attack in apart:
        yield f"  {attack.name}: {attack.first} | {attack.second}"
    for attacker in sorted(uncompared):
        why = "the runs drew other speakers"
        yield f"pairs across runs are not compared for {'/'.join(attacker)}: {why}"
    for difference in differing:
        if difference.name.startswith(("version", "git")):
            yield f"differs: {difference.name}: {difference.first} | {difference.second}"


def _attacks_apart(merged):
    """Why an attack stands apart (list of Difference), for each that is not common."""
    reasons = []
    for run in merged.both:
        for attack, why in merged.alone[run.name].items():
            renamed = merged.renamed[run.name][attack]
            if renamed.extractor == ABSENT:
                continue  # its utility stands apart with it
            name = f"{renamed.corpus}, list {renamed.trials}"
            said = [why if other is run else ABSENT for other in merged.both]
            reasons.append(Difference(f"{name}, {renamed.extractor} + {renamed.backend}", *said))
    return reasons


# Comparisons in pairs.

SAME_DRAWS = 0.5  # percentage points of EER between the same draws on two kinds of processors


class _Mean(NamedTuple):
    """Lists whose mean is compared, and the names under which files about the mean lie."""

    corpus: str
    trials: str
    weights: Mapping[Any, float]


def _means(lists: set[TrialList], averages: dict) -> Iterator[_Mean]:
    """The mean of each corpus, and the averages over corpora whose lists are all there."""
    for corpus in sorted({listed.corpus for listed in lists}):
        own = sorted(listed for listed in lists if listed.corpus == corpus)
        trials = MEAN if len(own) > 1 else own[0].trials
        yield _Mean(corpus, trials, dict.fromkeys(own, 1))
    for name, weights in all_averages(averages, sorted(lists)).items():
        if lists.issuperset(weights):
            yield _Mean(ACROSS_CORPORA, average_folder(name), weights)


def write_comparisons(merged: Merged, folder: Path, averages: dict) -> set[tuple[str, str, str]]:
    """Compare systems in pairs, and the strongest attacks on them, in comparisons/.

    Parameters
    ----------
    merged : results
    folder : the merged folder, into which copy_files copied
    averages : over corpora, which are compared like the means over the lists of a corpus

    Returns
    -------
    set of (corpus, extractor, backend) : where the runs drew other speakers, and only pairs of one
        run are compared
    """
    lists_of: dict[tuple[str, str], set[TrialList]] = {}
    for number in merged.metrics:
        if number.metric == "eer_percent" and number.ci_low != ABSENT:
            lists = lists_of.setdefault((number.extractor, number.backend), set())
            lists.add(TrialList(number.corpus, number.trials))
    uncompared = set()
    for attacker, lists in sorted(lists_of.items()):
        for mean in _means(lists, averages):
            if not _write_pairs(merged, folder, mean, attacker) and mean.corpus != ACROSS_CORPORA:
                uncompared.add((mean.corpus, *attacker))
    for mean in _means(set().union(*lists_of.values()), averages):
        shared: list[Attack] = []
        for attacker in lists_of:
            shared += _common(merged, mean, attacker)
        # Elsewhere the report goes by the systems' own intervals.
        if shared and all(_is_same_draw(merged, attack) for attack in shared):
            paths = _intervals(folder, "verification", mean, "*/*")
            attacks = paired.read_attacks(paths, folder=folder / "metrics", weights=mean.weights)
            path = folder / "comparisons" / mean.corpus / mean.trials / "strongest.tsv"
            write_table(path, StrongestPair._fields, paired.compare_strongest(attacks))
    _write_utility(merged, folder)
    return uncompared


def _intervals(folder: Path, family: str, mean: _Mean, attacker: str) -> list[Path]:
    """Files of intervals of the lists of a mean."""
    paths: list[Path] = []
    for corpus, trials in mean.weights:
        files = f"{family}/{corpus}/{trials}/*/{attacker}{INTERVALS}"
        paths += sorted((folder / "metrics").glob(files))
    return paths


def _write_pairs(merged: Merged, folder: Path, mean: _Mean, attacker: tuple[str, str]) -> bool:
    """Compare systems under an attacker; returns whether the runs drew the same speakers."""
    extractor, backend = attacker
    paths = _intervals(folder, "*", mean, f"{extractor}/{backend}")
    common = _common(merged, mean, attacker)
    same_draws = all(_is_same_draw(merged, attack) for attack in common)
    groups = [paths]
    if not same_draws:  # replicates of other speakers cannot be subtracted from each other
        groups = []
        for run in merged.both:
            own = (ORIGINAL, f"@{run.name}")
            groups.append([path for path in paths if path.parts[-3].endswith(own)])
    pairs: list[Pair] = []
    systems: list[SystemInterval] = []
    for group in groups:
        of_group = _compared(group, folder, mean)
        pairs += of_group[0]
        systems += of_group[1]
    path = folder / "comparisons" / mean.corpus / mean.trials / extractor / f"{backend}.tsv"
    write_table(path, Pair._fields, pairs)
    # The original of a common attack is of both.
    each_once = list(dict.fromkeys(systems))
    write_table(path.with_suffix(".systems.tsv"), SystemInterval._fields, each_once)
    return same_draws


def _compared(
    paths: Sequence[Path], folder: Path, mean: _Mean
) -> tuple[list[Pair], list[SystemInterval]]:
    """Rows of pairs and of systems that were tried on all lists of a mean."""
    tried: dict[tuple[str, str], dict[TrialList, Path]] = {}
    for path in paths:
        family, corpus, trials, anonymiser, *_ = path.relative_to(folder / "metrics").parts
        tried.setdefault((family, anonymiser), {})[TrialList(corpus, trials)] = path
    complete: list[Path] = []
    for by_list in tried.values():
        # A mean over fewer lists is another number.
        if by_list.keys() == mean.weights.keys():
            complete += by_list.values()
    if not complete:
        return [], []
    systems = paired.read_systems(sorted(complete), folder=folder / "metrics", weights=mean.weights)
    return paired.compare_all(systems)


def _common(merged: Merged, mean: _Mean, attacker: tuple[str, str]) -> list[Attack]:
    """Attacks of both results by an attacker on a mean's lists."""
    return [
        attack
        for attack in merged.common
        if (attack.extractor, attack.backend) == attacker
        and TrialList(attack.corpus, attack.trials) in mean.weights
    ]


def _is_same_draw(merged: Merged, attack: Attack) -> bool:
    """Whether the replicates of unprotected speech are the same in both results."""
    name = f"metrics/verification/{attack.path(ORIGINAL)}{REPLICATES}"
    paths = [run.folder / name for run in merged.both]
    if not all(path.is_file() for path in paths):
        return False
    one, other = (read_npz(path, [])["oo/eer_percent"] for path in paths)
    is_close = one.shape == other.shape and np.allclose(
        one, other, rtol=0, atol=SAME_DRAWS, equal_nan=True
    )
    return bool(is_close)


def _write_utility(merged: Merged, folder: Path) -> None:
    """Compare systems of both runs by utility, where both drew the same speakers."""
    by_corpus: dict[str, dict[tuple[str, str], dict[str, Estimate]]] = {}
    for run in merged.both:
        # An earlier version kept no replicates.
        for path in run.files(f"metrics/utility/*{REPLICATES}"):
            table = path.with_name(path.name.replace(REPLICATES, ".tsv"))
            drawn = read_npz(path, [])
            for line in read_utility([table]) if table.is_file() else ():
                attack = Attack(line.corpus, line.trials, ABSENT, ABSENT)
                replicates = drawn.get(f"{line.metric}/{line.anonymiser}")
                if replicates is None or line.trials != ABSENT or line.better == ABSENT:
                    continue
                if merged.takes(run, attack, line.anonymiser):
                    measures = by_corpus.setdefault(merged.renamed[run.name][attack].corpus, {})
                    systems = measures.setdefault((line.metric, line.better), {})
                    value = line.value if line.value == UNDEFINED else float(line.value)
                    estimate = Estimate(value, replicates, int(line.n_speakers))
                    systems[name_in(run, line.anonymiser)] = estimate
    for corpus, measures in sorted(by_corpus.items()):
        common = [attack for attack in merged.common if attack.corpus == corpus]
        attacks = [attack for attack in common if attack.extractor != ABSENT]
        if attacks and all(_is_same_draw(merged, attack) for attack in attacks):
            pairs: list[UtilityPair] = []
            for (metric, better), systems in sorted(measures.items()):
                if len({one.replicates.shape for one in systems.values()}) > 1:
                    continue  # of other numbers of draws
                pairs += paired.compare_utility(
                    systems, trials=ABSENT, metric=metric, more_is_better=better == "higher"
                )
            path = folder / "comparisons" / "utility" / f"{corpus}.tsv"
            write_table(path, UtilityPair._fields, pairs)


# The page.


def _write_report(folder, merged, systems, comparisons, provenance, internal):
    report = folder / "report"
    utility = [*chain.from_iterable(merged_utility(merged, one) for one in merged.both)]
    write_page(
        report / "index.html",
        template=TEMPLATE,
        systems=systems,
        metrics=merged.metrics,
        figures=[],  # each run's own page has them
        provenance=provenance,
        comparisons=comparisons,
        internal=internal,
        utility=utility_section(utility) if utility else None,
        verdicts=[one.verdict for one in merged.both],
    )
    write_comparison(report / "tables" / "comparison.tsv", systems)
    write_latex(report / "tables" / "comparison.tex", systems)
