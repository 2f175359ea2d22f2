"""How often back-ends find a planted leak: by the recipe of a run, and those that learnt nothing.

A cell is kind:training:evaluated:shrinkage; tests/support/leak_sets.py makes its sets. ``recipe``
is PLDA as runs train it, on protected speech. ``both`` learns from the same utterances unprotected
besides, in which half of the variance is of persons. Of back-ends that learnt nothing, ``permuted``
learns from permuted speakers, ``other`` from other speech without the leak, and ``cosine`` not at
all. A table that exists is continued: what it has of a cell is not run again.

    OMP_NUM_THREADS=1 python tests/benchmark/leak_simulations.py \\
        --cells recipe:250:100:0.1 --sets 20 --output leaks.tsv
"""

import argparse
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]

from support.leak_sets import found_in

LIMIT = 2.0  # percent: a leak is found where the lower limit lies above
COLUMNS = ("cell", "sets", "found", "mean", "lower_median")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", nargs="+", help="KIND:TRAINING:EVALUATED:SHRINKAGE")
    parser.add_argument("--sets", type=int, default=100, help="simulated sets in each cell")
    parser.add_argument("--output", type=Path, required=True, help="TSV to write or to continue")
    arguments = parser.parse_args()
    if not arguments.output.exists():
        arguments.output.write_text("\t".join(COLUMNS) + "\n")
    ready = {line.split("\t")[0] for line in arguments.output.read_text().splitlines()}
    for cell in [cell for cell in arguments.cells if cell not in ready]:
        line = "\t".join([cell, str(arguments.sets), *figures(cell, arguments.sets)])
        with arguments.output.open("a") as file:
            file.write(line + "\n")
        print(line, flush=True)


def figures(cell, n_sets):
    """The columns from ``found`` on."""
    kind, n_training, n_evaluated, shrinkage = cell.split(":")
    numbers = int(n_training), int(n_evaluated), float(shrinkage)
    sets = [found_in(kind, *numbers, seed=seed) for seed in range(n_sets)]
    lows = np.array([evidence.low() for evidence in sets])
    mean = np.mean([evidence.percent for evidence in sets])
    return str((lows > LIMIT).sum()), f"{mean:.3g}", f"{np.median(lows):.3g}"


if __name__ == "__main__":
    main()
