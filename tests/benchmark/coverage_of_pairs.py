"""How often intervals of several lists, runs or anonymisers hold the truth, p-values too.

Like coverage.py, on the same simulated speakers and with the same table, whose columns it takes:

* averages over the six lists of a challenge with its weights, and over two lists with equal ones;
  differences of two anonymisers on them. The lists differ in d' by up to 0.6; each half of VCTK has
  two lists of the same speakers;
* two runs of an anonymiser: C_ECE and the Cllr of calibrations that are trained on one and used on
  the other. The truth is that of infinitely many speakers, whose best calibration both runs share;
  and linkability_vpc of one run, whose truth has the bins of the simulated sets;
* two anonymisers that are alike: how often they are told apart, and how often p-values lie below 1,
  5, 10 and 50 %.
"""

import argparse
from pathlib import Path

import numpy as np
from coverage import COMPARED, SHOWN, append, held, lines_of, numbers, print_markdown
from scipy.special import ndtr
from simulations import SCALE, simulated_scores, true_numbers

from voiceprivacy.inout import seeds
from voiceprivacy.privacy.scores import trials, verification, zebra
from voiceprivacy.privacy.uncertainty import bootstrap, paired
from voiceprivacy.vocabulary import ALIKE

CHALLENGE = {  # list: weight, what its d' has more, speakers
    "libri_f": (0.25, 0.0, "libri f"),
    "libri_m": (0.25, 0.3, "libri m"),
    "vctk_f": (0.2, 0.1, "vctk f"),
    "vctk_m": (0.2, 0.4, "vctk m"),
    "vctk_f_common": (0.05, 0.3, "vctk f"),
    "vctk_m_common": (0.05, 0.6, "vctk m"),
}
TWO_LISTS = {"f": (0.5, 0.0, "f"), "m": (0.5, 0.3, "m")}
LEVELS = (0.01, 0.05, 0.1, 0.5)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--table", type=Path, default=Path("coverage_of_pairs.tsv"), help="TSV that is appended to"
    )
    parser.add_argument("--speakers", type=int, nargs="+", default=[12], help="of each list")
    parser.add_argument(
        "--separations",
        type=float,
        nargs="+",
        default=[0.5, 2.0],
        help="d' of the simulated scores",
    )
    parser.add_argument("--utterances", type=int, default=4, help="of each speaker")
    parser.add_argument("--sets", type=int, default=500, help="simulated sets for each setting")
    parser.add_argument("--replicates", type=int, default=300)
    parser.add_argument("--only", nargs="+", choices=SIMULATIONS, default=list(SIMULATIONS))
    arguments = parser.parse_args()

    options = {"sets": arguments.sets, "n_replicates": arguments.replicates}
    done = {tuple(row[:3]) for row in lines_of(arguments.table)}
    for n_speakers in arguments.speakers:
        size = (n_speakers, arguments.utterances)
        for name in arguments.only:
            simulate, *how = SIMULATIONS[name]
            for separation in arguments.separations:
                setting = (f"{name}, d' = {separation:g}", *map(str, size))
                if setting not in done:
                    lines = simulate(size, separation, *how, **options)
                    append(arguments.table, [(*setting, *line, arguments.sets) for line in lines])
    print_markdown(lines_of(arguments.table))


def of_averages(size, separation, lists, *, sets, n_replicates):
    """Lines of averages over lists, and of differences to an anonymiser with d' larger by 0.5."""
    weights = [weight for weight, *_ in lists.values()]
    expected = [
        {
            name: np.average(
                [true_numbers(separation + more + shift)[name] for _, more, _ in lists.values()],
                weights=weights,
            )
            for name in true_numbers(1.0)
        }
        for shift in (0, 0.5)
    ]
    truth = expected[0] | {
        f"difference of {name}": expected[0][name] - expected[1][name] for name in COMPARED
    }
    intervals_of_sets = [
        averages_of_set(size, separation, lists, weights, n_replicates, index)
        for index in range(sets)
    ]
    return held(truth, intervals_of_sets)


def averages_of_set(size, separation, lists, weights, n_replicates, index):
    """{metric: Interval} of one simulated set of lists."""
    systems = ({}, {})
    speakers_of = {name: speakers for name, (*_, speakers) in lists.items()}
    for speakers in dict.fromkeys(speakers_of.values()):
        own = [name for name in lists if speakers_of[name] == speakers]
        separations = [separation + lists[name][1] + shift for shift in (0, 0.5) for name in own]
        scores = list(
            simulated_scores(
                size, separations, seeds.generator(index, "average", speakers, str(size))
            )
        )
        names = np.array([f"{speakers} {number:03d}" for number in range(size[0])])
        for position, scored in enumerate(scores):
            of_list = numbers(scored._replace(speakers=names), n_replicates, index)
            systems[position // len(own)][own[position % len(own)]] = of_list
    of_set, averaged = {}, {}
    for metric in (name for name in true_numbers(1.0) if name in SHOWN):
        for system in (0, 1):
            on_lists = [
                (systems[system][name][0][metric], systems[system][name][1][metric], size[0])
                for name in lists
            ]
            averaged[system] = paired.average(on_lists, weights)[:2]
        correction = bootstrap.CORRECTIONS.get(metric, bootstrap.NONE)
        of_set[metric] = bootstrap.interval(*averaged[0], n_speakers=size[0], correction=correction)
        if metric in COMPARED:
            pair = [one - other for one, other in zip(*averaged.values(), strict=True)]
            of_set[f"difference of {metric}"] = bootstrap.interval(*pair, n_speakers=size[0])
    return of_set


def of_two_runs(size, separation, *, sets, n_replicates):
    """Lines of C_ECE and of the challenge's linkability."""
    best, intervals_of_sets, linkabilities = true_numbers(separation), [], []
    for index in range(sets):
        train, test = simulated_scores(
            size, (separation, separation), seeds.generator(index, "runs", str(size))
        )
        bins = verification.histogram_bins(
            target=train.scores[train.target], nontarget=train.scores[~train.target]
        )
        linkabilities.append(true_linkability_vpc(separation, *bins))
        samples = [
            trials.weigh(scored, np.ones(len(scored.scores), dtype=np.int64))
            for scored in (train, test)
        ]
        values = zebra.runs_metrics(*samples) | linkability_vpc(samples[0], bins)
        options = {"n_replicates": n_replicates, "seed": index}
        replicates = bootstrap.resample_runs(train, test, zebra.runs_metrics, **options)
        replicates |= bootstrap.resample_scores(
            train, lambda sample, bins=bins: linkability_vpc(sample, bins), **options
        )
        intervals = bootstrap.intervals(values, replicates, n_speakers=size[0])
        intervals_of_sets.append(
            {name: bootstrap.Interval(**limits) for name, limits in intervals.items()}
        )
    calibrations = ("linear", "isotonic", "isotonic_interpolated")
    truth = {f"cece_{name}_bit": best["dece_bit"] for name in calibrations}
    truth |= {f"cllr_{name}_bit": best["cllr_min_bit"] for name in calibrations}
    truth["linkability_vpc"] = np.mean(linkabilities)
    with_truth = [{name: intervals[name] for name in truth} for intervals in intervals_of_sets]
    return held(truth, with_truth)


def linkability_vpc(sample, bins):
    return {"linkability_vpc": verification.sample_metrics(sample, bins=bins)["linkability_vpc"]}


def true_linkability_vpc(separation, n_bins, limits):
    """Of equal-variance Gaussian scores, by histograms with these bins."""
    edges = np.linspace(*limits, n_bins + 1)
    shares = [
        np.diff(ndtr(edges / (SCALE * separation) + shift))
        for shift in (-separation / 2, separation / 2)
    ]
    target, nontarget = (share / share.sum() / (edges[1] - edges[0]) for share in shares)
    gain = np.maximum(0, (target - nontarget) / (target + nontarget)) * target
    return float(np.trapezoid(gain, (edges[:-1] + edges[1:]) / 2))


def of_alike(size, separation, *, sets, n_replicates):
    """Lines of two anonymisers that are alike: verdicts and p-values that are wrong."""
    pairs_of = {name: [] for name in COMPARED}
    for index in range(sets):
        pair = simulated_scores(
            size, (separation, separation), seeds.generator(index, "alike", str(size))
        )
        systems = [numbers(scored, n_replicates, index) for scored in pair]
        for name in COMPARED:
            by_name = {
                who: (values[name], replicates[name], size[0])
                for who, (values, replicates) in zip("ab", systems, strict=True)
            }
            pairs_of[name] += paired.compare(by_name, condition="pp", metric=name)
    for name, pairs in pairs_of.items():
        yield (
            f"told apart by {name}",
            "5 %",
            percent([pair.verdict != ALIKE for pair in pairs]),
            *"---",
        )
        below = [percent([pair.p_value < level for pair in pairs]) for level in LEVELS]
        yield (
            f"p-values of {name}",
            " / ".join(f"{100 * level:g} %" for level in LEVELS),
            " / ".join(below),
            *"---",
        )


def percent(flags):
    return f"{100 * np.mean(flags):.1f} %"


SIMULATIONS = {
    "challenge's average": (of_averages, CHALLENGE),
    "mean of two lists": (of_averages, TWO_LISTS),
    "two runs": (of_two_runs,),
    "alike": (of_alike,),
}

if __name__ == "__main__":
    main()
