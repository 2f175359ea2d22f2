"""How well laws of ranks tell of larger galleries, in worlds of simulated voices.

export OMP_NUM_THREADS=1 PYTHONPATH=scripts:tests
python tests/benchmark/larger_galleries.py --table galleries.tsv

Compared are the law of privacy/matrices/larger.py, the beta-binomial model, and generalised Pareto
tails of the nontarget scores of all utterances.
"""

import argparse

import numpy as np
from scipy.special import betaln
from scipy.stats import genpareto

from voiceprivacy.inout.arrays import ScoreMatrix
from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy import Floats
from voiceprivacy.privacy.matrices import betabinomial, ranks
from voiceprivacy.privacy.matrices.larger import guesses

COLUMNS = ["world", "speakers", "among", "truth", "guess", "law", "held", "beta", "tails"]
KINDS = {"normal": None, "clear": 0.55, "unclear": 0.95, "mixed": None}  # spread of utterances
SPEAKERS, SIZES, UTTERANCES = (25, 100), (10, 40), 8  # sizes in galleries of the speakers
DIMENSIONS, OF_TEMPLATE = 40, 0.35
TAIL = 0.1  # of the nontarget scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=100, help="of each kind")
    parser.add_argument("--table", required=True, help="TSV to write")
    arguments = parser.parse_args()
    rows = []
    for kind in KINDS:
        for n_speakers in SPEAKERS:
            worlds = [measured(kind, n_speakers, seed) for seed in range(arguments.worlds)]
            known = [world for world in worlds if world is not None]
            for index, times in enumerate(SIZES):
                numbers = np.array([world[index] for world in known])
                if not np.isnan(numbers[:, 1]).any():  # else too far for so few speakers
                    rows.append((kind, n_speakers, times * n_speakers, *summary(numbers)))
                    print(*rows[-1], flush=True)
    write_table(arguments.table, COLUMNS, rows)


def summary(numbers: Floats) -> list[float]:
    """Truth, mean guess, root mean square miss, share of limits that hold, misses of the others."""
    truth, law, low, high, beta, tails = numbers.T
    mean = truth.mean()

    def miss(values: Floats) -> float:
        return float(np.sqrt(np.nanmean((values - truth) ** 2)))

    held = 100 * np.mean((low <= mean) & (mean <= high))
    told = (mean, law.mean(), miss(law), held, miss(beta), miss(tails))
    return [round(float(number), 1) for number in told]


def measured(kind: str, n_speakers: int, seed: int) -> Floats | None:
    """Percent of first ranks (2, 6) among more people, true and guessed; None if all are found."""
    scores = simulated(kind, n_speakers, max(SIZES) * n_speakers, np.random.default_rng(seed))
    own = scores[np.arange(len(scores)), np.repeat(np.arange(n_speakers), UTTERANCES)]
    matrix = matrix_of(scores[:, :n_speakers], n_speakers)
    try:
        guessed = guesses(matrix, sizes=tuple(times * n_speakers for times in SIZES))
    except ranks.TooFewSpeakers:
        return None
    by_size = {guess.n_templates: guess for guess in guessed}
    beta = betabinomial.fit(ranks.histogram(ranks.true_ranks(matrix)))
    tail = shares_in_tails(others_of(matrix), own)
    rows = []
    for times in SIZES:
        size = times * n_speakers
        truth = np.mean((scores[:, :size] > own[:, None]).sum(axis=1) == 0)
        guess = by_size.get(size)
        law = [np.nan] * 3 if guess is None else guess[2:5]
        by_beta = np.exp(betaln(beta.alpha, beta.beta + size - 1) - betaln(beta.alpha, beta.beta))
        by_tails = np.mean((1 - tail) ** (size - 1))
        rows.append([100 * truth, *law, 100 * by_beta, 100 * by_tails])
    return np.array(rows)


def simulated(kind: str, n_speakers: int, n_people: int, draw: np.random.Generator) -> Floats:
    """Scores of utterances of the first speakers against all people (R, N)."""
    true = np.repeat(np.arange(n_speakers), UTTERANCES)
    if kind == "normal":
        scores = draw.normal(size=(len(true), n_people))
        scores[np.arange(len(true)), true] = draw.normal(2.5, 1.3, len(true))
        return scores
    scale = 1 / np.sqrt(np.arange(1, DIMENSIONS + 1))
    people = draw.normal(size=(n_people, DIMENSIONS)) * scale
    spread = KINDS[kind] or np.exp(draw.normal(-0.3, 0.4, n_speakers))[true][:, None]
    tests = people[true] + spread * draw.normal(size=(len(true), DIMENSIONS)) * scale
    templates = people + OF_TEMPLATE * draw.normal(size=people.shape) * scale
    return _unit(tests) @ _unit(templates).T


def matrix_of(scores: Floats, n_speakers: int) -> ScoreMatrix:
    """The matrix of the speakers who are there."""
    names = np.array([f"s{number:04d}" for number in range(n_speakers)])
    rows = np.array([f"u{number}" for number in range(len(scores))])
    sources = np.char.add("template-", names)
    of_rows = np.repeat(names, UTTERANCES)
    return ScoreMatrix(rows, names, of_rows, names, scores, rows, sources)


def others_of(matrix: ScoreMatrix) -> Floats:
    """The nontarget scores of each utterance (R, N - 1)."""
    is_other = matrix.row_speakers[:, None] != matrix.column_speakers
    return matrix.scores[is_other].reshape(len(matrix.rows), -1)


def shares_in_tails(scores: Floats, own: Floats) -> Floats:
    """The share of others above each utterance's own score (R,), by tails beyond the data."""
    mean, spread = scores.mean(axis=1), scores.std(axis=1)
    others = np.sort(((scores - mean[:, None]) / spread[:, None]).ravel())
    own = (own - mean) / spread
    least = np.quantile(others, 1 - TAIL)
    shape, _, scale = genpareto.fit(others[others > least] - least, floc=0)
    inside = 1 - np.searchsorted(others, own, side="right") / len(others)
    return np.where(own > least, TAIL * genpareto.sf(own - least, shape, scale=scale), inside)


def _unit(vectors: Floats) -> Floats:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


if __name__ == "__main__":
    main()
