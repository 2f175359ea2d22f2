"""How often a verdict is wrong, on simulated speakers whose true numbers are known.

    OMP_NUM_THREADS=1 python tests/benchmark/verdict/simulate_verdict.py --table verdict.tsv

Scores are those of simulations.py: both classes are Gaussian with variance 1 and distance d', with
effects of speakers, and half of every effect is common to all attacks on all systems. From there on
everything is as in a verdict, but that the numbers are compiled (compiled_rates.py).

* limits: how often limits of single attacks, and of the strongest of many, hold the truth;
* pages: how often "A is better than B" is wrong, and how often a difference is seen;
* thresholds: how often a system is shown below a threshold that it is exactly at;
* bands: how often attacks without any evidence are called more than zero evidence;
* release: the same for linkage within a release, whose utterances are drawn from a few dimensions;
* persons: how often somebody is named though nothing is to be seen.

Settings that stand in the table are not simulated again.
"""

import argparse
import csv
import functools
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))

import numpy as np
from compiled_rates import (
    NUMBERS,
    assess,
    check,
)  # numba imports coverage, of which benchmark has one

sys.path += [str(ROOT / "tests"), str(ROOT / "tests" / "benchmark")]

from scipy.optimize import brentq
from scipy.special import ndtr, ndtri
from scipy.stats import binom
from simulations import simulated_scores, true_numbers
from support.plain_rates import everybody_tried, unordered_pairs

from voiceprivacy.inout import seeds
from voiceprivacy.privacy.verdict import evidence, levels, trust
from voiceprivacy.privacy.verdict.evidence import DECE, EER, EXPOSED
from voiceprivacy.privacy.verdict.findings import candidates_of, evidence_left
from voiceprivacy.privacy.verdict.levels import Findings
from voiceprivacy.privacy.verdict.record import Record
from voiceprivacy.privacy.verdict.strongest import ONE_SIDED, p_below, strongest

COLUMNS = ("simulation", "setting", "number", "result", "sets")
LEFT = "evidence_left_percent"
TPR = "tpr_at_fpr_0.01_percent"
ORIGINAL_SEPARATION = 2.5  # an equal error rate of 10.6 %
UTTERANCES = {8: 8, 12: 8, 20: 8, 40: 4, 60: 4, 100: 4}  # at least 1,000 nontargets from 12 on


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--table", type=Path, default=Path("verdict.tsv"), help="appended to")
    parser.add_argument("--only", nargs="+", choices=SIMULATIONS, default=list(SIMULATIONS))
    parser.add_argument("--speakers", type=int, nargs="+", default=[12, 20, 40, 100])
    parser.add_argument("--sets", type=float, default=1.0, help="times the usual number of sets")
    parser.add_argument("--replicates", type=int, default=300)
    arguments = parser.parse_args()

    [trials] = simulated_scores((12, 8), [1.0], np.random.default_rng(0))
    check(trials, n_replicates=5, n_permutations=5, seed=0)
    done = {(row[0], row[1]) for row in lines_of(arguments.table)}
    for name in arguments.only:
        simulate, settings = SIMULATIONS[name]
        for sets, n_speakers, *setting in settings:
            text = f"{n_speakers} speakers, {', '.join(map(str, setting))}"
            if n_speakers not in arguments.speakers or (name, text) in done:
                continue
            n_sets = round(sets * arguments.sets)
            results = simulate(n_speakers, *setting, n_sets, n_replicates=arguments.replicates)
            lines = [(name, text, number, result, n_sets) for number, result in results]
            append(arguments.table, lines)
            for line in lines:
                print(*line, sep=" | ", flush=True)


def lines_of(path):
    """The lines of the table that is there so far."""
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter="\t"))[1:]


def append(path, lines):
    is_new = not path.exists()
    with open(path, "a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerows([COLUMNS] * is_new + lines)


# Attacks.


def attack(
    trials, name, seed, *, condition="pp", n_replicates, n_permutations=0, n_readings=1, **options
):
    """A verdict's Attack; readings beyond n_readings are undefined."""
    made = assess(
        trials,
        n_replicates=n_replicates,
        n_permutations=n_permutations,
        seed=seed,
        n_readings=n_readings,
        **options,
    )
    record = Record(
        *(in_four_readings(numbers) for numbers in made[:3]),
        numbers=NUMBERS,
        reasons={},
        n_speakers=len(trials.speakers),
        n_target=int(trials.target.sum()),
        n_nontarget=int((~trials.target).sum()),
        n_exposable=len(trials.speakers),
        spread=1.0,
        exposed={},
    )
    return trust.Attack(trust.Attacker(name, "cosine", None), condition, "lazy-informed", record)


def in_four_readings(numbers):
    padded = np.full((4, *numbers.shape[1:]), np.nan)
    padded[: len(numbers)] = numbers
    return padded


def attacks_on_systems(n_speakers, separations, index, **options):
    """{system: [Attack, ...]} of {system: [d' under each attack]}; None is an attack not tried."""
    size = (n_speakers, UTTERANCES[n_speakers])
    flat = [(system, k) for system, own in separations.items() for k in range(len(own))]
    tried = [(system, k) for system, k in flat if separations[system][k] is not None]
    distances = [separations[system][k] for system, k in tried]
    scored = simulated_scores(size, distances, seeds.generator(index, "verdict", str(size)))
    attacks = {system: [] for system in separations}
    for (system, k), trials in zip(tried, scored, strict=True):
        condition = "oo" if system == "original" else "pp"
        made = attack(trials, f"attacker{k}", index, condition=condition, **options)
        attacks[system].append(made)
    return attacks


@functools.cache
def truth(separation, n_utterances):
    """True numbers of one attack, such that more is worse; per cent of all evidence beside."""
    numbers = true_numbers(separation)
    threshold = -separation / 2 - ndtri(0.01)
    effect, weight = np.polynomial.hermite_e.hermegauss(61)
    linked_share = ndtr((separation / 2 + 0.6 * effect - threshold) / 0.8)
    exposed = binom.sf(np.ceil(n_utterances / 2) - 1, n_utterances, linked_share)
    return {
        DECE: numbers["dece_bit"],
        EER: 100 - numbers["eer_rocch_percent"],
        TPR: 100 * ndtr(separation / 2 - threshold),
        EXPOSED: 100 * np.average(exposed, weights=weight),
        LEFT: 100 * numbers["dece_bit"] / dece(ORIGINAL_SEPARATION),
    }


@functools.cache
def dece(separation):
    return true_numbers(separation)["dece_bit"]


@functools.cache
def separation_of(share):
    """The d' at which a share of the evidence of unprotected speech is left."""
    return brentq(lambda d: dece(d) - share * dece(ORIGINAL_SEPARATION), 1e-3, 9, xtol=1e-3)


# Limits.


def limits(n_speakers, kind, separation, n_sets, *, n_replicates):
    """Shares of sets whose limits of the strongest attack hold the truth, and what they miss."""
    separations = KINDS_OF_ATTACKS[kind](separation)
    n_utterances = UTTERANCES[n_speakers]
    counts = {name: [] for name in (*NUMBERS, LEFT)}
    for index in range(n_sets):
        systems = {"a": separations, "original": [ORIGINAL_SEPARATION]}
        attacks = attacks_on_systems(n_speakers, systems, index, n_replicates=n_replicates)
        candidates = {name: candidates_of(attacks["a"], name) for name in NUMBERS}
        candidates[LEFT] = evidence_left(candidates[DECE], attacks["original"])
        for name, own in candidates.items():
            best = strongest(own)
            if best is not None:
                counts[name].append((best.value, best.low, best.high, best.defined))
    for name, drawn in counts.items():
        true = max(truth(each, n_utterances)[name] for each in separations)
        value, low, high, defined = np.array(drawn).T
        yield (
            name,
            f"{share((low <= true) & (true <= high))}"
            f" (below {share(true < low)}, above {share(true > high)}),"
            f" truth {true:.4g}, value {np.median(value):.4g}, defined {np.median(defined):.4g},"
            f" width {np.mean(high - low):.3g}, shown above truth {share(value > true)}",
        )


KINDS_OF_ATTACKS = {
    "1 attack": lambda d: [d],
    "2 equal": lambda d: [d] * 2,
    "8 equal": lambda d: [d] * 8,
    "8 unequal": lambda d: list(d * np.linspace(0.3, 1, 8)),
}


# Pages.


def findings_of(attacks, original):
    """Findings of a system; no level is asked for."""
    rates = {name: candidates_of(attacks, name) for name in NUMBERS}
    left = evidence_left(rates.pop(DECE), original)
    return Findings(left, rates, {}, False, False, None)


def pages(n_speakers, n_systems, n_attacks, effort, n_sets, *, n_replicates):
    """Shares of pages with any wrong pair; all systems are alike under all attacks."""
    wrong, pairs = [], []
    for index in range(n_sets):
        separation = (0.3, 1.0, 2.0)[index % 3]
        systems = EFFORTS[effort](separation, n_systems, n_attacks)
        systems["original"] = [ORIGINAL_SEPARATION]
        attacks = attacks_on_systems(n_speakers, systems, index, n_replicates=n_replicates)
        original = attacks.pop("original")
        findings = {("set", name): findings_of(own, original) for name, own in attacks.items()}
        shown = [
            (one, other)
            for _, one, other in levels.better(findings)
            if strength(systems[one]) >= strength(systems[other]) or effort == "spared"
        ]
        wrong.append(bool(shown))
        pairs.append(len(shown))
    yield "pages with a wrong pair", share(wrong)
    for position, separation in enumerate((0.3, 1.0, 2.0)):
        yield f"with d' = {separation}", share(wrong[position::3])
    yield "wrong pairs a page", f"{np.mean(pairs):.3f}"


def strength(separations):
    return max(each for each in separations if each is not None)


def equally(separation, n_systems, n_attacks):
    """All attacks find as much of all systems."""
    return {f"s{system}": [separation] * n_attacks for system in range(n_systems)}


def crosswise(separation, n_systems, n_attacks):
    """Of every system another attack finds most, the others half of it."""
    systems = equally(separation / 2, n_systems, n_attacks)
    for system, own in enumerate(systems.values()):
        own[system % n_attacks] = separation
    return systems


def spared(separation, n_systems, n_attacks):
    """The strongest attack finds as much of all, and was tried on the first system only."""
    systems = equally(separation / 2, n_systems, n_attacks)
    for system, own in enumerate(systems.values()):
        own[0] = separation if system == 0 else None
    return systems


EFFORTS = {"equal": equally, "crosswise": crosswise, "spared": spared}


def power(n_speakers, n_attacks, separation, other, n_sets, *, n_replicates):
    """How often a difference of two systems is seen."""
    seen = []
    for index in range(n_sets):
        systems = {"a": [separation] * n_attacks, "b": [other] * n_attacks}
        systems["original"] = [ORIGINAL_SEPARATION]
        attacks = attacks_on_systems(n_speakers, systems, index, n_replicates=n_replicates)
        original = attacks.pop("original")
        findings = {("set", name): findings_of(own, original) for name, own in attacks.items()}
        seen.append(("set", "a", "b") in levels.better(findings))
    numbers = [truth(each, UTTERANCES[n_speakers]) for each in (separation, other)]
    left = " and ".join(f"{each[LEFT]:.0f}" for each in numbers)
    rates = " and ".join(f"{100 - each[EER]:.1f}" for each in numbers)
    yield f"seen: {left} % left, equal error rates {rates} %", share(seen)


def thresholds(n_speakers, n_attacks, percent, left, n_sets, *, n_replicates):
    """How often a system is shown below a threshold, of which ``left`` percent are left in truth.

    With four readings at 1 %, where none of them finds much.
    """
    separation = separation_of(left / 100) if left else 0.0
    below, folded, rate = [], [], []
    for index in range(n_sets):
        own = attacks_on_systems(
            n_speakers,
            {"a": [separation] * n_attacks, "original": [ORIGINAL_SEPARATION]},
            index,
            n_replicates=n_replicates,
            n_readings=4 if percent == 1 else 1,
        )
        candidates = {name: candidates_of(own["a"], name) for name in NUMBERS}
        still = evidence_left(candidates[DECE], own["original"])
        below.append(p_below(still, percent) <= ONE_SIDED)
        folded.append(100 - strongest(candidates[EER]).high >= 45)
        rate.append(strongest(candidates[TPR]).high <= 2)
    yield f"shown below {percent} %", share(below)
    if percent == 1:
        yield "error rate at least 45 %", share(folded)
        yield "at most 2 % found at 1 % false alarms", share(rate)
        yield "all three", share(np.all([below, folded, rate], axis=0))


# Nothing to be found.


def bands(n_speakers, n_attacks, n_sets, *, n_replicates):
    """False alarms of the band over four readings, and of exposed speakers."""
    alarms, single, exposed = [], [], []
    options = {"n_replicates": 0, "n_permutations": 199, "n_readings": 4}
    for index in range(n_sets):
        own = attacks_on_systems(n_speakers, {"a": [0.0] * n_attacks}, index, **options)["a"]
        value, band = trust.standardised_dece([each.record for each in own])
        alarms.append(value > band)
        single.append(trust.above_band(own[0].record))
        exposed.append(trust.beyond_chance([each.record for each in own], EXPOSED))
    yield f"{4 * n_attacks} readings together", share(alarms)
    yield "one attack in four readings", share(single)
    yield "more exposed speakers than permuted ones", share(exposed)


def release(n_speakers, n_dimensions, kind, n_sets, *, n_replicates):
    """False alarms of linkage within a release, with the band widened and not."""
    alarms = {True: [], False: []}
    exposed = []
    n_utterances = 6
    for index in range(n_sets):
        draw = seeds.generator(index, "release", str(n_speakers), str(n_dimensions))
        embeddings = draw.normal(size=(n_speakers * n_utterances, n_dimensions))
        hubs = draw.normal(size=len(embeddings)) if kind == "with hubs" else embeddings[:, 0] * 0
        if kind == "cosine":
            embeddings /= np.linalg.norm(embeddings, axis=1, keepdims=True)
        trials = unordered_pairs(
            lambda one, other, e=embeddings, h=hubs: (e[one] * e[other]).sum(1) + h[one] + h[other],
            n_speakers=n_speakers,
            n_utterances=n_utterances,
        )
        own = attack(
            trials,
            "a",
            index,
            n_replicates=0,
            n_permutations=199,
            n_readings=4,
            within_release=True,
        )
        null, value = own.record.null[:, 0], own.record.values[:, 0]
        for is_widened, flags in alarms.items():
            factor = (n_speakers / (n_speakers - 1)) ** 2 if is_widened else 1.0
            ends = np.array([trust._upper_end(each * factor) for each in null])
            joint = trust._upper_end((factor * null / ends[:, None]).max(axis=0))
            flags.append(np.max(value / ends) > joint)
        exposed.append(trust.beyond_chance([own.record], EXPOSED))
    yield "band as it is", share(alarms[False])
    yield "band widened", share(alarms[True])
    yield "more exposed speakers than permuted ones", share(exposed)


def persons(n_speakers, kind, n_sets, *, n_replicates):
    """How often anybody is named at 5 %, and how often anybody is exposed."""
    named, exposed = [], []
    n_utterances = 8
    for index in range(n_sets):
        draw = seeds.generator(index, "persons", str(n_speakers))
        effects = draw.normal(size=(2, n_speakers)) * 0.45
        pair = 0.3 * draw.normal(size=(n_speakers, n_speakers))
        trial_effects = effects[0] if kind == "hubs" else effects[1]

        def score(enrolment, trial, draw=draw, one=effects[0], other=trial_effects, pair=pair):
            noise = draw.normal(size=len(trial)) * 0.7
            return one[enrolment] + other[trial] + pair[enrolment, trial] + noise

        trials = everybody_tried(score, n_speakers=n_speakers, n_utterances=n_utterances)
        every = [evidence.exposed_speakers(trials, reading) for reading in ("ascending", "far")]
        named.append([any(each.p_holm <= 0.05 for each in own) for own in every])
        exposed.append([len(own) / n_speakers for own in every])
    for position, reading in enumerate(("ascending", "far")):
        yield f"somebody named, {reading}", share([each[position] for each in named])
        yield f"exposed, {reading}", share([each[position] for each in exposed])


def share(flags):
    return f"{100 * np.mean(flags):.1f} %"


SIMULATIONS = {  # (function, [(sets, speakers, setting, ...), ...])
    "limits": (
        limits,
        [
            *((400, size, "1 attack", d) for size in (12, 40, 100) for d in (0.5, 2.0)),
            *((200, size, "2 equal", d) for size in (12, 40) for d in (0.5, 2.0)),
            *((200, size, "8 equal", d) for size in (12, 40) for d in (0.5, 2.0)),
            *((200, size, "8 unequal", d) for size in (12, 40) for d in (0.5, 2.0)),
            *((60, 100, kind, 1.0) for kind in ("8 equal", "8 unequal")),
        ],
    ),
    "pages": (
        pages,
        [
            (600, 12, 2, 1, "equal"),
            (300, 12, 2, 8, "equal"),
            (300, 12, 5, 4, "equal"),
            (300, 12, 5, 4, "crosswise"),
            (300, 12, 2, 4, "crosswise"),
            (300, 12, 5, 4, "spared"),
            (150, 12, 20, 1, "equal"),
            (90, 12, 20, 4, "crosswise"),
            (300, 40, 2, 1, "equal"),
            (90, 40, 5, 4, "crosswise"),
            (90, 40, 5, 4, "spared"),
            (90, 100, 2, 2, "crosswise"),
        ],
    ),
    "power": (
        power,
        [
            (sets, size, n_attacks, d, d + more)
            for sets, size, n_attacks in ((200, 20, 1), (200, 40, 1), (60, 100, 1), (100, 40, 4))
            for d, more in ((0.5, 0.5), (0.5, 1.0), (1.0, 0.5), (1.0, 1.0))
        ],
    ),
    "thresholds": (
        thresholds,
        [
            *((400, size, 1, 50, 50) for size in (12, 40)),
            *((400, size, 1, 100, 100) for size in (12, 40)),
            *((100, 100, 1, percent, percent) for percent in (50, 100)),
            *((200, size, 1, 1, 1) for size in (12, 40)),
            *((200, size, 1, 1, 0) for size in (12, 40)),
            *((60, 100, 1, 1, left) for left in (1, 0)),
            (200, 12, 4, 50, 50),
        ],
    ),
    "bands": (
        bands,
        [
            (sets, size, k)
            for sets, size in ((500, 8), (500, 12), (500, 20), (200, 40))
            for k in (1, 4)
        ],
    ),
    "release": (
        release,
        [
            (500, size, n_dimensions, kind)
            for size in (8, 12, 20)
            for n_dimensions, kind in ((2, "cosine"), (8, "cosine"), (8, "with hubs"))
        ],
    ),
    "persons": (
        persons,
        [(500, size, kind) for size in (20, 40, 60) for kind in ("independent", "hubs")],
    ),
}

if __name__ == "__main__":
    main()
