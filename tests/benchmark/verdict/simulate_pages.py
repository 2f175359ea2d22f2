"""How often a page of verdicts is wrong, on simulated speakers whose true numbers are known.

    OMP_NUM_THREADS=1 python tests/benchmark/verdict/simulate_pages.py --table pages.tsv

A cell is a kind of page. Each of its pages is drawn, attacked and judged: scores -> evidence ->
what was found of every system -> levels and order, all as in a verdict. Only the numbers are
compiled (compiled_rates.py), and of permutations there are 19, which is enough for a band.

Scores are those of simulations.py: both classes are Gaussian with variance 1 and distance d', with
effects of speakers, and half of every effect is common to all attacks on all systems. Unprotected
speech has d' = 2.5 under every attack, an equal error rate of 10.6 %.

What is counted
---------------
* ``wrong_order``: pages with any pair "A is better than B" where A is not.
* ``wrong_level``: pages with any system in a level below a threshold that it is not below. A cell
  whose systems are exactly at a threshold shows the largest error.
* ``none_left``: pages on which anything is called so that is not.
* ``seen``: pairs that differ in truth, and are shown.
* ``held``: for every number of the first system, how many 95 % intervals hold the truth; then how
  many lie above it.

Cells that stand in the table are not simulated again.
"""

import argparse
import csv
import functools
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "scripts"), str(Path(__file__).parent)]

from compiled_rates import NUMBERS, assess  # numba imports coverage, of which benchmark has one

sys.path += [str(ROOT / "tests"), str(ROOT / "tests" / "benchmark")]

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri
from scipy.stats import binom
from simulations import simulated_scores, true_numbers

from voiceprivacy.inout import seeds
from voiceprivacy.privacy.scores.trials import SpeakerTrials
from voiceprivacy.privacy.verdict import levels
from voiceprivacy.privacy.verdict.draws import merged
from voiceprivacy.privacy.verdict.evidence import DECE, EER, EXPOSED
from voiceprivacy.privacy.verdict.findings import judged_system
from voiceprivacy.privacy.verdict.levels import LITTLE_REDUCED, NONE_LEFT, REDUCED, Thresholds
from voiceprivacy.privacy.verdict.means import mean_record
from voiceprivacy.privacy.verdict.record import Record
from voiceprivacy.privacy.verdict.trust import Attack, Attacker

LEFT, TPR = "evidence_left_percent", "tpr_at_fpr_0.01_percent"
HELD = (DECE, LEFT, EER, TPR, EXPOSED)
ORIGINAL = 2.5  # d' of unprotected speech
LIMIT = {NONE_LEFT: 1.0, REDUCED: 50.0, LITTLE_REDUCED: 100.0}  # percent left, shown to be below
THRESHOLDS = Thresholds(1.0, 50.0, 0.35, 45.0, 2.0)
N_PERMUTATIONS = 19  # the fewest of which there is a band
BETWEEN_DRAWS = 0.1  # standard deviation of log d' between draws of an anonymiser


class Cell(NamedTuple):
    """A kind of page: its systems leave ``left`` percent of the evidence, in turns.

    ``effort`` is one of EFFORTS. Several numbers of ``speakers`` are several lists. ``condition``
    rr is linkage within a release with two recordings of each speaker.
    """

    speakers: tuple[int, ...]
    systems: int
    attacks: int
    effort: str = "equal"
    left: tuple[float, ...] = (100.0,)
    condition: str = "pp"
    draws: int = 1
    readings: int = 1
    sets: int = 400


def equal(separation, n_attacks, system):
    """All attacks find as much."""
    return [separation] * n_attacks


def unequal(separation, n_attacks, system):
    """Attacks find between a third and all."""
    return list(separation * np.linspace(0.3, 1, n_attacks))


def crosswise(separation, n_attacks, system):
    """Of every system another attack finds most, the others half of it."""
    return [separation / (1 if k == system % n_attacks else 2) for k in range(n_attacks)]


def spared(separation, n_attacks, system):
    """The strongest attack was tried on the first system only; the others find half of it."""
    return [separation if system == 0 else None] + [separation / 2] * (n_attacks - 1)


EFFORTS = {each.__name__: each for each in (equal, unequal, crosswise, spared)}
CELLS = (
    Cell((12,), 1, 1),
    Cell((40,), 1, 1),
    Cell((12,), 5, 4, "crosswise"),
    Cell((40,), 5, 4, "crosswise", sets=200),
    Cell((8, 24), 5, 2, "crosswise"),
    Cell((12,), 5, 2, "crosswise", (50.0,), "rr"),
    Cell((20,), 5, 2, left=(50.0,), draws=3, sets=200),
    Cell((12,), 2, 8, left=(50.0,)),
    Cell((12,), 5, 4, "spared", (50.0,)),
    Cell((12,), 20, 1),
    Cell((100,), 1, 1),
    Cell((40,), 2, 1, left=(1.0,), readings=4, sets=200),
    Cell((12,), 2, 8, "unequal"),
    Cell((40,), 2, 8, left=(50.0,), sets=200),
    Cell((40,), 20, 1, left=(50.0,), sets=100),
    Cell((12,), 20, 4, "crosswise", (50.0,), sets=100),
    Cell((100,), 5, 2, "crosswise", sets=100),
    Cell((12,), 2, 2, left=(1.0,), readings=4, sets=200),
    Cell((100,), 2, 1, left=(1.0,), readings=4, sets=60),
    Cell((20,), 2, 1, left=(24.0, 49.0)),
    Cell((40,), 2, 1, left=(24.0, 49.0), sets=200),
    Cell((40,), 2, 4, left=(24.0, 49.0), sets=100),
    Cell((5,), 1, 1),
    Cell((8,), 1, 1),
)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--table", type=Path, default=Path("pages.tsv"), help="appended to")
    parser.add_argument("--sets", type=float, default=1.0, help="times the usual number of sets")
    parser.add_argument("--replicates", type=int, default=300)
    parser.add_argument("--cells", type=int, nargs="+", help="positions in CELLS")
    arguments = parser.parse_args()
    done = {row[0] for row in rows_of(arguments.table)}
    for position in arguments.cells or range(len(CELLS)):
        cell = CELLS[position]
        name = described(cell)
        if name in done:
            continue
        n_sets = round(cell.sets * arguments.sets)
        counted = simulate(cell, range(n_sets), n_replicates=arguments.replicates)
        with open(arguments.table, "a", newline="", encoding="utf-8") as file:
            csv.writer(file, delimiter="\t").writerow([name, n_sets, *map(percent, counted)])
        print(name, n_sets, *map(percent, counted), sep=" | ", flush=True)


def rows_of(path):
    """The rows of the table that is there so far."""
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter="\t"))


def described(cell):
    speakers = " and ".join(map(str, cell.speakers))
    left = " and ".join(f"{each:g}" for each in cell.left)
    options = f"{cell.condition}, {cell.readings} readings, {cell.draws} draws"
    return (
        f"{speakers} speakers, {cell.systems} systems, {cell.attacks} attacks,"
        f" {cell.effort}, {left} % left, {options}"
    )


def percent(values):
    known = [value for value in values if value is not None]
    return f"{100 * np.mean(known):.1f}" if known else "-"


def simulate(cell, indices, *, n_replicates):
    """Flags of each page: wrong order, wrong level, none left, seen; then, for each of HELD,
    whether the interval holds the truth and whether it lies above (None where there is none)."""
    pages = [page(cell, index, n_replicates=n_replicates) for index in indices]
    return list(zip(*pages, strict=True))


def page(cell, index, *, n_replicates):
    """The flags of one page; see simulate."""
    draw = seeds.generator(index, "page", described(cell))
    true = {f"s{k}": cell.left[k % len(cell.left)] for k in range(cell.systems)}
    separations, further = drawn_separations(cell, true, draw)
    attacks = attacked(cell, separations, index, draw, n_replicates)
    original = attacks.pop("original")
    judged = {
        name: judged_system(own, original, THRESHOLDS, is_original=False)
        for name, own in attacks.items()
    }
    if cell.draws > 1:
        names = [[f"{name} draw {r}" for r in range(cell.draws)] for name in true]
        judged = {
            name: merged([judged[one] for one in own])
            for name, own in zip(true, names, strict=True)
        }
    # As if all attacks that "none left" asks for were tried, and found no more than these.
    findings = {
        ("page", name): one.findings._replace(may_be_none_left=True, chance={TPR: 1.0})
        for name, one in judged.items()
    }
    shown = [(one, other) for _, one, other in levels.better(findings)]
    named = levels.levels(findings, THRESHOLDS)
    strongest = {"s0"} if cell.effort == "spared" else set(true)
    wrong = [named["page", s] for s in strongest if true[s] >= LIMIT.get(named["page", s], np.inf)]
    differing = len(set(cell.left)) > 1
    return [
        any(true[one] >= true[other] for one, other in shown),
        bool(wrong),
        NONE_LEFT in wrong,
        any(true[one] < true[other] for one, other in shown) if differing else None,
        *held(judged["s0"], further, cell),
    ]


def drawn_separations(cell, true, draw):
    """{system or draw of it: [d' under each attack]}, and those of a further draw of the first."""
    separations = {"original": [ORIGINAL] * cell.attacks}
    for position, (name, left) in enumerate(true.items()):
        own = EFFORTS[cell.effort](separation_of(left), cell.attacks, position)
        if cell.draws == 1:
            separations[name] = own
            continue
        for r in range(cell.draws):
            factor = np.exp(BETWEEN_DRAWS * draw.normal())
            separations[f"{name} draw {r}"] = [factor * each for each in own]
    factor = np.exp(BETWEEN_DRAWS * draw.normal()) if cell.draws > 1 else 1.0
    first = EFFORTS[cell.effort](separation_of(true["s0"]), cell.attacks, 0)
    return separations, [factor * each for each in first]


def attacked(cell, separations, index, draw, n_replicates):
    """{system: [Attack, ...]}: mean records over the lists of the cell."""
    tried = [
        (system, k, own[k])
        for system, own in separations.items()
        for k in range(cell.attacks)
        if own[k] is not None
    ]
    per_list = []
    for n_speakers in cell.speakers:
        scores = released_pairs if cell.condition == "rr" else simulated_scores
        size = (n_speakers, 4 if n_speakers >= 40 else 8)
        lists = scores(size, [separation for _, _, separation in tried], draw)
        per_list.append([recorded(trials, cell, index, n_replicates) for trials in lists])
    attacks = {system: [] for system in separations}
    for (system, k, _), records in zip(tried, zip(*per_list, strict=True), strict=True):
        record = mean_record(records, [1.0] * len(records)) if len(records) > 1 else records[0]
        condition = cell.condition
        if system == "original" and condition == "pp":
            condition = "oo"
        attacker = Attacker(f"attacker{k}", "cosine", None)
        attacks[system].append(Attack(attacker, condition, "lazy-informed", record))
    if cell.condition == "rr":  # a verdict also asks how strong attackers are on unprotected speech
        attacks["original"] += [one._replace(condition="oo") for one in attacks["original"]]
    return attacks


def recorded(trials, cell, index, n_replicates):
    """A verdict's Record; readings beyond those of the cell find nothing."""
    made = assess(
        trials,
        n_replicates=n_replicates,
        n_permutations=N_PERMUTATIONS,
        seed=index,
        within_release=cell.condition == "rr",
        n_readings=cell.readings,
    )
    n_target = int(trials.target.sum())
    known = np.where(np.arange(4) < cell.readings, 1.0, np.nan)
    return Record(
        in_four_readings(made.values),
        in_four_readings(made.replicates) * known[:, None, None],
        in_four_readings(made.null),
        numbers=NUMBERS,
        reasons={},
        n_speakers=len(trials.speakers),
        n_target=n_target,
        n_nontarget=len(trials.target) - n_target,
        n_exposable=len(trials.speakers),
        spread=1.0,
        exposed={},
    )


def in_four_readings(numbers):
    """Numbers (readings, 4, ...) of four readings; those that were not tried are unknown."""
    padded = np.full((4, *numbers.shape[1:]), np.nan)
    padded[:, NUMBERS.index(DECE)] = 0.0
    padded[: len(numbers)] = numbers
    return padded


def released_pairs(size, separations, draw):
    """simulated_scores of unordered pairs of a release: two recordings of each speaker.

    Pairs of one recording are left out. Speakers, recordings and utterances have effects.
    """
    n_speakers, n_utterances = size
    one, other = np.triu_indices(n_speakers * n_utterances, 1)
    recordings = 2 * np.array([one, other]) // n_utterances
    one, other = np.array([one, other])[:, recordings[0] != recordings[1]]
    enrolment, trial = one // n_utterances, other // n_utterances
    target = enrolment == trial

    def effects():
        of_target, of_speaker = 0.6 * draw.normal(size=n_speakers), draw.normal(size=n_speakers)
        of_recording = draw.normal(size=2 * n_speakers)
        of_utterance = draw.normal(size=n_speakers * n_utterances)
        of_pair = draw.normal(size=(n_speakers, n_speakers))[enrolment, trial]
        noise = draw.normal(size=len(one))
        utterances = of_utterance[one] + of_utterance[other]
        speakers = of_speaker[enrolment] + of_speaker[trial]
        first, second = 2 * one // n_utterances, 2 * other // n_utterances
        own = of_target[enrolment] + 0.1**0.5 * utterances + 0.44**0.5 * noise
        between = 0.2**0.5 * speakers + 0.3 * of_pair + 0.31**0.5 * noise
        between += 0.05**0.5 * (of_recording[first] + of_recording[second] + utterances)
        return np.where(target, own, between)

    common = effects()
    names = np.array([f"{n_speakers}-{index:03d}" for index in range(n_speakers)])
    for separation in separations:
        scores = np.where(target, 0.5, -0.5) * separation + 0.5**0.5 * (common + effects())
        order = np.argsort(scores)
        parts = (scores, target, enrolment, trial)
        yield SpeakerTrials(names, *(part[order] for part in parts))


# What is true.


def held(judged, separations, cell):
    """For each of HELD: whether the interval holds the truth, and whether it lies above."""
    n_utterances = 4 if cell.speakers[0] >= 40 else 8
    # A speaker of a release has as many pairs of his own as he has utterances of one recording,
    # squared.
    n_trials = (n_utterances // 2) ** 2 if cell.condition == "rr" else n_utterances
    truths = [truth(each, n_trials) for each in separations if each is not None]
    flags = []
    for name in HELD:
        best, true = judged.numbers[name], max(one[name] for one in truths)
        is_known = best is not None
        flags.append(best.low <= true <= best.high if is_known else None)
        flags.append(best.low > true if is_known else None)
    return flags


@functools.cache
def truth(separation, n_trials):
    """True numbers of one attack, such that more is worse."""
    threshold = -separation / 2 - ndtri(0.01)
    effect, weight = np.polynomial.hermite_e.hermegauss(61)
    linked_share = ndtr((separation / 2 + 0.6 * effect - threshold) / 0.8)
    exposed = binom.sf(np.ceil(n_trials / 2) - 1, n_trials, linked_share)
    return {
        DECE: dece(separation),
        EER: 100 - 100 * ndtr(-separation / 2),
        TPR: 100 * ndtr(separation / 2 - threshold),
        EXPOSED: 100 * np.average(exposed, weights=weight),
        LEFT: 100 * dece(separation) / dece(ORIGINAL),
    }


@functools.cache
def dece(separation):
    return true_numbers(separation)["dece_bit"]


@functools.cache
def separation_of(left):
    """The d' at which so many percent of the evidence of unprotected speech are left."""
    if left == 100.0:
        return ORIGINAL
    return brentq(lambda d: dece(d) - left / 100 * dece(ORIGINAL), 1e-3, 9, xtol=1e-4)


if __name__ == "__main__":
    main()
