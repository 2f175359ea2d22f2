"""How often intervals of inferred classes hold the truth, and how often guessing is above its band.

Simulated embeddings are Gaussian: two classes, speakers around them, utterances around speakers. A
discriminant is linear, so its true accuracy on new speakers is a closed form. The truth of a list
is the mean accuracy of the discriminants of its folds. Protected speech has the same speakers, in
classes half as far apart: what is left of the gain is tried on it.

    OMP_NUM_THREADS=1 python tests/benchmark/coverage_of_inference.py --table inference.tsv
"""

import argparse

import numpy as np
from scipy.special import ndtr

from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy.law import attributes, inference
from voiceprivacy.privacy.law.inference import Voices

FAR = 1000.0  # a coordinate so large that embeddings of length one are linear in the others
N_UTTERANCES = 8
N_REPLICATES = 300
# Speakers of each class, dimensions, deviation of utterances from their speaker (speakers: 1).
WORLDS = [
    ((5, 5), 32, 1.0),
    ((10, 10), 64, 1.0),
    ((15, 6), 32, 1.0),
    ((20, 20), 64, 1.0),
]
SEPARATIONS = (0, 2, 4, 7)
COLUMNS = [
    *("women", "men", "dimensions", "within", "separation", "truth", "mean"),
    *("held", "width", "alarms", "left_held"),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200, help="simulated lists in each row")
    parser.add_argument("--table", required=True, help="TSV to write")
    arguments = parser.parse_args()
    rows = []
    for sizes, n_dimensions, within in WORLDS:
        for separation in SEPARATIONS:
            lists = [
                simulate(sizes, n_dimensions, within, separation, seed)
                for seed in range(arguments.sets)
            ]
            means = np.round(np.nanmean(lists, axis=0), 3).tolist()
            rows.append((*sizes, n_dimensions, within, separation, *means))
            print(*rows[-1], flush=True)
    write_table(arguments.table, COLUMNS, rows)


def simulate(sizes, n_dimensions, within, separation, seed):
    """What COLUMNS say of one list, from the truth on."""
    draw = np.random.default_rng(seed)
    classes = np.repeat([0, 1], sizes)
    names = np.array([f"{seed}-{number}" for number in range(len(classes))])
    speaker = np.repeat(np.arange(len(classes)), N_UTTERANCES)
    own = draw.normal(size=(len(classes), n_dimensions))
    noise = within * draw.normal(size=(len(speaker), n_dimensions))
    told, truths = [], []
    for apart in (separation, separation / 2):
        means = np.zeros((2, n_dimensions))
        means[:, 0] = (-apart / 2, apart / 2)
        values = (means[classes] + own)[speaker] + noise
        voices = Voices(with_far(values), speaker)
        options = {"n_replicates": N_REPLICATES, "seed": seed, "named": str(apart)}
        told.append(inference.recognise(voices, voices, classes, names, **options))
        fold = inference.folds_of(classes, names, seed=seed)
        truths.append(true_recall(voices, classes, fold, means, np.hypot(1, within)))
    unprotected, protected = told
    recall = unprotected.recall
    alarm = recall.value > unprotected.band
    left_held = np.nan
    if attributes.is_strong(unprotected, 2) and separation:
        gains = [inference.gain_over_guessing(truth, 2) for truth in truths]
        degrees = len(classes) - 2
        left = attributes.left_of(protected, unprotected, 2, n_degrees=degrees)
        left_held = left.low <= gains[1] / gains[0] <= left.high
    held = recall.low <= truths[0] <= recall.high
    return truths[0], recall.value, held, recall.high - recall.low, alarm, left_held


def with_far(values):
    return np.hstack([values, np.full((len(values), 1), FAR)])


def true_recall(voices, classes, fold, means, deviation):
    """Mean over classes of how often new speakers are told right, by the discriminants of folds."""
    train = voices._replace(embeddings=inference._of_length_one(voices.embeddings))
    n_dimensions = means.shape[1]
    # Where a linear function is on each axis says what it is.
    points = inference._of_length_one(
        with_far(np.vstack([np.zeros(n_dimensions), np.eye(n_dimensions)]))
    )
    recalls = np.zeros(2)
    for number in range(fold.max() + 1):
        others = np.flatnonzero(fold != number)
        scores = inference._discriminants(train, others, classes[None, others], points)[0]
        difference = scores[:, 1] - scores[:, 0]
        start, slope = difference[0], difference[1:] - difference[0]
        for of_class, sign in enumerate((-1, 1)):
            height = sign * (start + means[of_class] @ slope)
            share = np.mean(fold[classes == of_class] == number)
            recalls[of_class] += share * ndtr(height / (deviation * np.linalg.norm(slope)))
    return recalls.mean()


if __name__ == "__main__":
    main()
