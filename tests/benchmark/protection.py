"""How often an anonymiser is shown to protect, where it does not and where it does.

On the simulated speakers of coverage.py. ``pairs`` is the rule of the report: the interval of the
difference from unprotected speech leaves zero out. ``intervals`` is the rule that it falls back to:
both intervals are disjoint. Once with one attack on each, once with the strongest of four attacks
on unprotected speech and of two on the anonymiser, whose true equal error rates are the same: then
what is chosen looks stronger than it is.
"""

import argparse

import numpy as np
from coverage import CLASSES
from scipy.special import ndtr
from simulations import simulated_scores

from voiceprivacy.inout import seeds
from voiceprivacy.privacy.scores import trials, verification
from voiceprivacy.privacy.uncertainty import bootstrap, paired
from voiceprivacy.vocabulary import ORIGINAL

ON_ORIGINAL, ON_PROTECTED = 4, 2
RULES = ("pairs", "intervals", "pairs, strongest", "intervals, strongest")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--speakers", type=int, nargs="+", default=[12, 20])
    parser.add_argument(
        "--separations", type=float, nargs="+", default=[2.0, 3.0], help="d' of unprotected speech"
    )
    parser.add_argument(
        "--shifts",
        type=float,
        nargs="+",
        default=[0.0, 0.5, 1.0],
        help="what protection takes of d'",
    )
    parser.add_argument("--utterances", type=int, default=4, help="of each speaker")
    parser.add_argument("--sets", type=int, default=200, help="simulated sets for each setting")
    parser.add_argument("--replicates", type=int, default=300)
    arguments = parser.parse_args()

    print("| speakers | EER of OO, of the anonymiser |", *(f"{rule} |" for rule in RULES))
    print("|---" * (2 + len(RULES)) + "|")
    for n_speakers in arguments.speakers:
        for separation in arguments.separations:
            for shift in arguments.shifts:
                size, both = (n_speakers, arguments.utterances), (separation, separation - shift)
                verdicts = [
                    shown(size, both, arguments.replicates, index)
                    for index in range(arguments.sets)
                ]
                rates = " / ".join(f"{100 * ndtr(-d_prime / 2):.1f} %" for d_prime in both)
                shares = " | ".join(f"{100 * share:.1f} %" for share in np.mean(verdicts, axis=0))
                print(f"| {n_speakers} | {rates} | {shares} |", flush=True)


def shown(size, separations, n_replicates, index):
    """Whether one simulated set shows protection, by each of RULES."""
    of_attacks = np.repeat(separations, (ON_ORIGINAL, ON_PROTECTED))
    scores = simulated_scores(size, of_attacks, seeds.generator(index, "protection", str(size)))
    names = np.repeat((ORIGINAL, "b1"), (ON_ORIGINAL, ON_PROTECTED))
    attacks = {
        paired.Attack(str(name), f"a{number}", "cosine", "pp"): numbers(scored, n_replicates, index)
        for number, (name, scored) in enumerate(zip(names, scores, strict=True))
    }
    single = {attack: attacks[attack] for attack in [min(attacks), max(attacks)]}
    rules = (by_pairs, by_intervals)
    return [*(rule(single) for rule in rules), *(rule(attacks) for rule in rules)]


def numbers(scored, n_replicates, index):
    replicates = bootstrap.resample_scores(
        scored, equal_error_rate, n_replicates=n_replicates, seed=index
    )
    value = equal_error_rate(trials.weigh(scored, np.ones(len(scored.scores), dtype=np.int64)))
    return value[paired.METRIC], replicates[paired.METRIC], len(scored.speakers)


def equal_error_rate(sample):
    counted = sample.counted()
    scores = {name: np.repeat(counted[name], counted[f"{name}_counts"]) for name in CLASSES}
    return {paired.METRIC: verification.eer_percent(**scores)}


def by_pairs(attacks):
    [pair] = paired.compare_strongest(attacks)
    return pair.verdict == "A is better"


def by_intervals(attacks):
    strongest = paired.strongest_attacks(attacks)
    correction = bootstrap.CORRECTIONS[paired.METRIC]
    protected, original = (
        bootstrap.interval(
            *attacks[strongest[name]][:2],
            n_speakers=attacks[strongest[name]][2],
            correction=correction,
        )
        for name in ("b1", ORIGINAL)
    )
    return protected.ci_low > original.ci_high


if __name__ == "__main__":
    main()
