"""How often the limits of held-out evidence miss the evidence of the population, which is known.

A cell is world:persons:attacks:percent. Each tried person has 8 recordings, or 2 to 16 in the world
``unequal``. A score is a distance for targets, plus noise of the pair of persons and noise of the
recording. Worlds: ``gaussian``; ``heavy``, with Student's noise of 4 degrees of freedom and none of
pairs (the truth of eight attacks is approximate); ``unequal``; ``mixture``, where half of the
persons are hidden: their targets are like nontargets. Of eight attacks the first four are useful,
and 0.8 of their noise is common.

The distance is such that the best attacker on single recordings has the evidence of the cell. Of
all recordings the truth follows from the distance; it is not measured for heavy tails, of which
means are not sufficient. ``false_orders`` counts pairs of sets, of the same truth, of which one is
said to leave less than the other. With --enrolments, each recording is compared with its own person
and with so many less one others, drawn. A table that exists is continued: what it has of a cell is
not run again.

    OMP_NUM_THREADS=1 python tests/benchmark/heldout_simulations.py \\
        --cells gaussian:20:1:10 --sets 50 --output cells.tsv
"""

import argparse
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.special import stdtr
from scipy.stats import norm, t

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]

from support.heldout_lists import trials_from

from voiceprivacy.privacy.verdict import evidence

WORLDS = ("gaussian", "heavy", "unequal", "mixture")
N_RECORDINGS = 8
PAIR_SHARE = 0.3  # of the variance of noise, which is 1
COMMON_SHARE = 0.8  # of the noise of recordings that useful attacks have in common
HIDDEN_SHARE = 0.5  # of the persons of a mixture
MEASURES = {"one": evidence.one_recording, "all": evidence.all_recordings}
LIMITS = {"one": 2.0, "all": 5.0}  # percent, of low remaining risk
POINTS = 2.0  # percent; an order is said above
GRID = np.linspace(-40, 60, 100_001)
COLUMNS = (
    *("cell", "measure", "sets", "truth", "mean", "deviation", "error"),
    *("lower_missed", "upper_missed", "upper_median", "within_limit", "false_orders"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    cell = "WORLD:PERSONS:ATTACKS:PERCENT; all if not given"
    parser.add_argument("--cells", nargs="*", help=cell)
    parser.add_argument("--measures", nargs="*", default=["one", "all"], help="one, all recordings")
    parser.add_argument("--sets", type=int, default=50, help="simulated lists in each cell")
    parser.add_argument("--enrolments", type=int, help="of each recording; all if not given")
    parser.add_argument("--output", type=Path, required=True, help="TSV to write or to continue")
    arguments = parser.parse_args()
    if not arguments.output.exists():
        arguments.output.write_text("\t".join(COLUMNS) + "\n")
    ready = {(*line.split("\t")[:2],) for line in arguments.output.read_text().splitlines()}
    for cell in arguments.cells or all_cells():
        missing = [name for name in arguments.measures if (cell, name) not in ready]
        with arguments.output.open("a") as file:
            for row in simulate(cell, arguments.sets, missing, arguments.enrolments):
                line = "\t".join(f"{x:.4g}" if isinstance(x, float) else str(x) for x in row)
                file.write(line + "\n")
                print(line, flush=True)


def all_cells():
    """The cells of the documentation, small lists first."""
    return [
        f"{world}:{n_persons}:{n_attacks}:{percent}"
        for n_attacks in (1, 8)
        for n_persons in (10, 20, 40, 100)
        for world in WORLDS
        for percent in (0, 5, 10, 30)
    ]


def simulate(cell, n_sets, names, n_enrolments=None):
    """Rows of one cell: what COLUMNS say of some measures."""
    world, *numbers = cell.split(":")
    n_persons, n_attacks, percent = map(int, numbers)
    distance = 0.0  # of targets, at which the best attacker has this evidence
    if percent:
        distance = brentq(lambda d: truth_of(world, n_attacks, d, 1) - percent, 0.01, 30)
    seen = {name: [] for name in names if (world, name) != ("heavy", "all")}
    for seed in range(n_sets if seen else 0):
        trials = simulated_trials(world, n_persons, n_attacks, distance, seed, n_enrolments)
        for name, evidences in seen.items():
            evidences.append(MEASURES[name](trials))
    for name, evidences in seen.items():
        yield cell, name, n_sets, *figures(name, world, n_attacks, distance, evidences)


def figures(name, world, n_attacks, distance, evidences):
    """The columns from the truth on."""
    n_recordings = [int(each.recordings) for each in evidences]
    truths = np.array([truth_of(world, n_attacks, distance, number) for number in n_recordings])
    values = np.array([each.percent for each in evidences])
    errors = np.array([each.standard_error for each in evidences])
    low = np.array([each.low() for each in evidences])
    high = np.array([each.high() for each in evidences])
    orders = []
    for safer, worse in pairwise(evidences):
        for one, other in ((safer, worse), (worse, safer)):
            difference, error = evidence.leaves_less(one, other)
            orders.append(stdtr(one.n_persons - 1, (POINTS - difference) / error) < 0.025)
    summary = [truths.mean(), values.mean(), values.std(), errors.mean()]
    summary += [(low > truths).mean(), (high < truths).mean()]
    summary += [np.median(high), (high <= LIMITS[name]).mean(), np.mean(orders)]
    return map(float, summary)


def truth_of(world, n_attacks, distance, n_recordings):
    """Evidence in percent of the best attacker on means over recordings."""
    if not distance:
        return 0.0
    variance = 1.0 if n_attacks == 1 else COMMON_SHARE + (1 - COMMON_SHARE) / (n_attacks // 2)
    deviation = np.sqrt(PAIR_SHARE + (1 - PAIR_SHARE) * variance / n_recordings)
    law = norm(scale=deviation)
    if world == "heavy":
        law = t(4, scale=np.sqrt(variance / 2))
    nontargets = law.pdf(GRID)
    targets = law.pdf(GRID - distance)
    if world == "mixture":
        targets = HIDDEN_SHARE * nontargets + (1 - HIDDEN_SHARE) * targets
    floor = 1e-300
    logarithms = [np.log(np.maximum(density, floor)) for density in (targets, nontargets)]
    llrs = np.clip(logarithms[0] - logarithms[1], -50, 50)
    gains = evidence.gain(llrs) * targets + evidence.gain(-llrs) * nontargets
    return float(evidence.PERCENT * np.trapezoid(gains, GRID))


def simulated_trials(world, n_persons, n_attacks, distance, seed, n_enrolments=None):
    """Every person, or some, against all recordings of every person."""
    draw = np.random.default_rng(seed)
    n_recordings = np.full(n_persons, N_RECORDINGS)
    if world == "unequal":
        n_recordings = draw.integers(2, 17, n_persons)
    owner = np.repeat(np.arange(n_persons), n_recordings)
    enrolled = np.repeat(np.arange(n_persons), len(owner))
    recording = np.tile(np.arange(len(owner)), n_persons)
    tried = owner[recording]
    exposed = np.ones(n_persons, bool)
    if world == "mixture":
        exposed = draw.random(n_persons) >= HIDDEN_SHARE
    shift = distance * ((enrolled == tried) & exposed[enrolled])

    def noise():
        if world == "heavy":
            return draw.standard_t(4, size=len(tried)) / np.sqrt(2)
        return draw.normal(size=len(tried))

    def pair_noise():
        return draw.normal(size=(n_persons, n_persons))[enrolled, tried]

    pair_share = 0.0 if world == "heavy" else PAIR_SHARE
    common_pair, common = pair_noise(), noise()
    n_useful = max(n_attacks // 2, 1)
    scores = []
    for attack in range(n_attacks):
        own = noise()
        if attack >= n_useful:
            scores.append(np.sqrt(pair_share) * pair_noise() + np.sqrt(1 - pair_share) * own)
            continue
        if n_attacks > 1:
            own = np.sqrt(COMMON_SHARE) * common + np.sqrt(1 - COMMON_SHARE) * own
        scores.append(shift + np.sqrt(pair_share) * common_pair + np.sqrt(1 - pair_share) * own)
    kept = np.ones(len(tried), bool)
    if n_enrolments:
        order = draw.random((len(owner), n_persons))
        order[np.arange(len(owner)), owner] = -1
        ranks = order.argsort(axis=1).argsort(axis=1)
        kept = ranks[recording, enrolled] < n_enrolments
    columns = np.stack(scores, axis=1)
    return trials_from(enrolled[kept], tried[kept], recording[kept], columns[kept])


if __name__ == "__main__":
    main()
