"""How often a verdict finds something where nothing is to be found. See simulate_pages.py, too.

    OMP_NUM_THREADS=1 python tests/benchmark/verdict/simulate_verdict.py --table verdict.tsv

Scores are those of simulations.py without any distance between the classes: Gaussian, with effects
of speakers, and half of every effect is common to all attacks. Numbers are compiled
(compiled_rates.py).

* bands: how often attacks without any evidence are called more than zero evidence;
* release: the same for linkage within a release, whose utterances are drawn from a few dimensions;
* persons: how often somebody is named under all readings and attacks on a system.

Settings that stand in the table are not simulated again.
"""

import argparse
import csv
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

from simulations import simulated_scores
from support.plain_rates import everybody_tried, unordered_pairs

from voiceprivacy.inout import seeds
from voiceprivacy.privacy.verdict import trust
from voiceprivacy.privacy.verdict.evidence import EXPOSED
from voiceprivacy.privacy.verdict.readings import READINGS
from voiceprivacy.privacy.verdict.record import NAMED_AT, Record, exposed_in

COLUMNS = ("simulation", "setting", "number", "result", "sets")
UTTERANCES = {8: 8, 12: 8, 20: 8, 40: 4}  # at least 1,000 nontargets from 12 on
N_PERMUTATIONS = 199


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--table", type=Path, default=Path("verdict.tsv"), help="appended to")
    parser.add_argument("--only", nargs="+", choices=SIMULATIONS, default=list(SIMULATIONS))
    parser.add_argument("--sets", type=float, default=1.0, help="times the usual number of sets")
    arguments = parser.parse_args()

    [trials] = simulated_scores((12, 8), [1.0], np.random.default_rng(0))
    check(trials, n_replicates=5, n_permutations=5, seed=0)
    done = {(row[0], row[1]) for row in lines_of(arguments.table)}
    for name in arguments.only:
        simulate, settings = SIMULATIONS[name]
        for sets, n_speakers, *setting in settings:
            text = f"{n_speakers} speakers, {', '.join(map(str, setting))}"
            if (name, text) in done:
                continue
            n_sets = round(sets * arguments.sets)
            results = simulate(n_speakers, *setting, n_sets)
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


def attack(trials, name, seed, *, within_release=False):
    """A verdict's Attack in four readings, without replicates."""
    made = assess(
        trials,
        n_replicates=0,
        n_permutations=N_PERMUTATIONS,
        seed=seed,
        within_release=within_release,
    )
    n_target = int(trials.target.sum())
    record = Record(
        *made[:3],
        numbers=NUMBERS,
        reasons={},
        n_speakers=len(trials.speakers),
        n_target=n_target,
        n_nontarget=len(trials.target) - n_target,
        n_exposable=len(trials.speakers),
        spread=1.0,
        exposed={},
    )
    return trust.Attack(trust.Attacker(name, "cosine", None), "pp", "lazy-informed", record)


def bands(n_speakers, n_attacks, n_sets):
    """False alarms of the band over four readings, and of exposed speakers."""
    alarms, single, exposed = [], [], []
    size = (n_speakers, UTTERANCES[n_speakers])
    for index in range(n_sets):
        draw = seeds.generator(index, "verdict", str(size))
        lists = simulated_scores(size, [0.0] * n_attacks, draw)
        own = [attack(trials, f"attacker{k}", index) for k, trials in enumerate(lists)]
        value, band = trust.standardised_dece([each.record for each in own])
        alarms.append(value > band)
        single.append(trust.above_band(own[0].record))
        exposed.append(trust.beyond_chance([each.record for each in own], EXPOSED))
    yield f"{4 * n_attacks} readings together", share(alarms)
    yield "one attack in four readings", share(single)
    yield "more exposed speakers than permuted ones", share(exposed)


def release(n_speakers, n_dimensions, kind, n_sets):
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
        own = attack(trials, "a", index, within_release=True)
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


def persons(n_speakers, kind, n_attacks, n_sets):
    """How often anybody is named under all readings and attacks together, and upwards alone.

    Nobody is found by more than his effects: voices are independent, or hubs that are near to all.
    """
    named, upwards = [], []
    for index in range(n_sets):
        draw = seeds.generator(index, "persons", str(n_speakers), str(n_attacks))
        enrolled, tried = 0.45 * draw.normal(size=(2, n_speakers))
        tried = enrolled if kind == "hubs" else tried
        common = 0.2 * draw.normal(size=(n_speakers, n_speakers))
        attacks = []
        for _ in range(n_attacks):
            pairs = common + 0.2 * draw.normal(size=common.shape)
            score = with_effects(draw, enrolled, tried, pairs)
            trials = everybody_tried(score, n_speakers=n_speakers, n_utterances=8)
            attacks.append([exposed_in(trials, reading) for reading in READINGS])
        smallest = [[min(own.values(), default=1.0) for own in one] for one in attacks]
        is_named = np.array(smallest) <= NAMED_AT / n_attacks
        named.append(is_named.any())
        upwards.append(is_named[:, 0].any())
    yield "somebody named", share(named)
    yield "somebody named, ascending", share(upwards)


def with_effects(draw, enrolled, tried, pairs):
    """Scores of effects of enrolled and tried speakers (S,) and of their pairs (S, S)."""

    def score(enrolment, trial):
        noise = 0.7 * draw.normal(size=len(trial))
        return enrolled[enrolment] + tried[trial] + pairs[enrolment, trial] + noise

    return score


def share(flags):
    return f"{100 * np.mean(flags):.1f} %"


SIMULATIONS = {  # (function, [(sets, speakers, setting, ...), ...])
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
        [
            (sets, size, kind, n_attacks)
            for sets, size, n_attacks in ((300, 40, 1), (300, 60, 1), (150, 80, 2), (60, 140, 4))
            for kind in ("independent", "hubs")
        ],
    ),
}

if __name__ == "__main__":
    main()
