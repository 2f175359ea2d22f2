"""How often intervals hold the truth, on simulated speakers whose true numbers are known.

A setting (kind of simulation, number of speakers) takes one to ten minutes on a core. Its lines are
appended to --table when it is done, and a setting that stands there is not simulated again.

Every simulated set draws new speakers: scores with effects of the enrolled and the tried speaker
and of the pair, or embeddings with a mean per speaker. An interval holds if the number of
infinitely many such speakers lies within it (for ranks: of infinitely many test speakers against
galleries of the same size).
"""

import argparse
import csv
import functools
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]

import numpy as np
from simulations import simulated_matrices, simulated_scores, true_numbers
from support.resampled import resample_similarities
from support.speakers import weigh

from voiceprivacy import seeds
from voiceprivacy.privacy.matrices import assessment, ranks, similarity
from voiceprivacy.privacy.scores import verification, zebra
from voiceprivacy.privacy.scores.calibration import pav_blocks
from voiceprivacy.privacy.uncertainty import bootstrap, normalised, null
from voiceprivacy.privacy.uncertainty.corrections import CORRECTIONS

COMPARED = ("eer_percent", "cllr_bit", "cllr_min_bit", "dece_bit", "linkability")
OF_RANKS = ("mean", "max", "std")
SIMILAR = {"op": "deid_percent", "pp": "gvd_db"}
SHOWN = {
    *(*COMPARED, "eer_rocch_percent", "eer_speechbrain_percent", "cllr_cal_bit"),
    *("deid_percent", "gvd_db", "identification_rate_percent"),
    *(f"{name}_disclosure_bit" for name in OF_RANKS),
}
CLASSES, WITHHELD = ("target", "nontarget"), "min_dcf"
KINDS = ["scores", "ratios", "embeddings", "ranks", "nothing"]
COLUMNS = ["simulated", "speakers", "utterances", "metric", "truth", "mean"]
COLUMNS += ["percentile", "reported", "width", "sets"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    table = Path("coverage.tsv")
    parser.add_argument("--table", type=Path, default=table, help="TSV that lines are appended to")
    parser.add_argument("--speakers", type=int, nargs="+", default=[12, 20, 40])
    separations = {"type": float, "nargs": "+", "default": [0.5, 2.0]}
    parser.add_argument("--separations", **separations, help="d' of the simulated scores")
    parser.add_argument("--utterances", type=int, default=4, help="of each speaker")
    parser.add_argument("--sets", type=int, default=500, help="simulated sets for each setting")
    parser.add_argument("--replicates", type=int, default=300)
    parser.add_argument("--only", nargs="+", choices=KINDS, default=KINDS)
    arguments = parser.parse_args()

    options = {"sets": arguments.sets, "n_replicates": arguments.replicates}
    done = {tuple(row[:3]) for row in lines_of(arguments.table)}
    simulations = {"embeddings": (of_embeddings,), "ranks": (of_rank_models,)}
    for separation in arguments.separations:
        simulations[f"scores, d' = {separation:g}"] = (of_scores, separation)
        simulations[f"ratios, d' = {separation:g}"] = (of_ratios, separation)
    simulations |= {"nothing, d' = 0": (of_nothing,)}
    for size in [(n_speakers, arguments.utterances) for n_speakers in arguments.speakers]:
        for name, (simulate, *how) in simulations.items():
            setting = (name, *map(str, size))
            if setting not in done and name.partition(",")[0] in arguments.only:
                lines = simulate(size, *how, **options)
                append(arguments.table, [(*setting, *line, arguments.sets) for line in lines])
    print_markdown(lines_of(arguments.table))


def lines_of(path):
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter="\t"))[1:]


def append(path, lines):
    new = not path.exists()
    with open(path, "a", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows([COLUMNS] * new + lines)


def print_markdown(lines):
    """A line for each metric, a column for each number of speakers."""
    sizes = sorted({int(line[1]) for line in lines})
    print(f"| simulated | metric | {' | '.join(f'{size} speakers' for size in sizes)} |")
    print("|---|---" + "|---" * len(sizes) + "|")
    texts = {}
    for simulated, n_speakers, _, metric, truth, mean, percentile, reported, width, _ in lines:
        shares = f"{percentile.removesuffix(' %')} / **{reported}**" if reported != "-" else ""
        text = f"{truth} ({mean}): {shares}, {width}" if shares else f"{truth}: **{mean}**"
        texts.setdefault((simulated, metric), {})[int(n_speakers)] = text
    for name, by_size in texts.items():
        print(f"| {' | '.join(name)} | {' | '.join(by_size.get(size, '') for size in sizes)} |")


def held(truth, sets):
    """Lines from metric to width: ``sets`` is a list of {metric: Interval}, one for each set."""
    for name in sets[0]:
        limited = [own[name] for own in sets if not isinstance(own[name].ci_low, str)]
        percentile = [one.percentile_low <= truth[name] <= one.percentile_high for one in limited]
        reported = [one.ci_low <= truth[name] <= one.ci_high for one in limited]
        shares = [f"{100 * np.mean(held):.1f} %" for held in (percentile, reported)]
        mean = np.mean([one.value for one in limited])
        width = np.mean([one.ci_high - one.ci_low for one in limited])
        yield name, f"{truth[name]:.4g}", f"{mean:.4g}", *shares, f"{width:.3g}"


def of_scores(size, separation, *, sets, n_replicates):
    """Lines of a simulation of scores; differences are to a second anonymiser."""
    truth, intervals_of_sets = true_numbers(separation), []
    other = true_numbers(separation + 0.5)
    truth |= {f"difference of {name}": truth[name] - other[name] for name in COMPARED}
    for index in range(sets):
        draw = seeds.generator(index, "scores", str(size))
        first, second = simulated_scores(size, (separation, separation + 0.5), draw)
        values, replicates = numbers(first, n_replicates, index)
        own = named_intervals(values, replicates, size[0])
        values_of_second, replicates_of_second = numbers(second, n_replicates, index)
        for name in COMPARED:
            value = values[name] - values_of_second[name]
            drawn = replicates[name] - replicates_of_second[name]
            own[f"difference of {name}"] = bootstrap.interval(value, drawn, n_speakers=size[0])
        intervals_of_sets.append(own)
    return held(truth, intervals_of_sets)


def numbers(scored, n_replicates, seed):
    drawn = bootstrap.resample_scores(
        scored, both, n_replicates=n_replicates, seed=seed, corrections=CORRECTIONS
    )
    return both(whole(scored)), drawn


def whole(scored):
    """The sample in which each score occurs once."""
    return weigh(scored, np.ones(len(scored.scores), dtype=np.int64))


def both(sample):
    """All metrics of scores with an interval, and min DCF, which has none."""
    counted = sample.counted()
    scores = {label: np.repeat(counted[label], counted[f"{label}_counts"]) for label in CLASSES}
    of_dcf = {WITHHELD: verification.min_dcf(**scores, blocks=pav_blocks(sample.ties))}
    return verification.sample_metrics(sample) | zebra.sample_metrics(sample) | of_dcf


def intervals_of(values, replicates, n_speakers):
    """{metric: Interval}"""
    intervals = bootstrap.intervals(
        values, replicates, n_speakers=n_speakers, corrections=CORRECTIONS
    )
    return {name: bootstrap.Interval(**interval) for name, interval in intervals.items()}


def named_intervals(values, replicates, n_speakers):
    shown = {name: drawn for name, drawn in replicates.items() if name in SHOWN}
    intervals = intervals_of(values, shown, n_speakers)
    if WITHHELD in values:
        options = {"n_speakers": n_speakers, "correction": CORRECTIONS["cllr_min_bit"]}
        intervals[WITHHELD] = bootstrap.interval(values[WITHHELD], replicates[WITHHELD], **options)
    return intervals


def of_nothing(size, *, sets, n_replicates):
    """How often scores without any evidence are said to hold more than zero evidence."""
    alarms = [alarm(size, index, n_replicates) for index in range(sets)]
    return [("false alarms", "5 %", f"{100 * np.mean(alarms):.1f} %", "-", "-", "-")]


def alarm(size, index, n_replicates):
    scored, _ = simulated_scores(size, (0, 0), seeds.generator(index, "null", str(size)))
    drawn = null.null_dece_bits(scored, n_replicates=n_replicates, seed=index)
    limit = null.dece_null95_bit(drawn, n_speakers=size[0])
    return limit != "undefined" and zebra.sample_metrics(whole(scored))["dece_bit"] > limit


def of_ratios(size, separation, *, sets, n_replicates):
    """Lines of measures in proportion to the original, whose d' is larger by 0.5."""
    conditions = {"op": separation, "pp": separation, "oo": separation + 0.5}
    true_of = {name: true_numbers(d_prime) for name, d_prime in conditions.items()}
    truth, intervals_of_sets = normalised.normalise(**ratios_of(true_of)), []
    for index in range(sets):
        draw = seeds.generator(index, "scores", str(size))
        protected, original = simulated_scores(size, (separation, separation + 0.5), draw)
        scored = {"op": protected, "pp": protected, "oo": original}
        values = {name: both(whole(one)) for name, one in scored.items()}
        left_out = {name: bootstrap.leave_one_out(one, both) for name, one in scored.items()}
        metrics = normalised.normalise(**ratios_of(values))
        options = {"speakers": protected.speakers, "n_replicates": n_replicates, "seed": index}
        replicates = normalised.resample(metrics, **ratios_of(left_out), **options)
        drawn = {name: numbers(scored[name], n_replicates, index)[1] for name in ("oo", "pp")}
        replicates |= normalised.resample_gains(ratios_of(values), ratios_of(drawn))
        intervals_of_sets.append(intervals_of(metrics, replicates, size[0]))
    return held(truth, intervals_of_sets)


def ratios_of(numbers):
    """{metric: {condition: number}} of {condition: {metric: number}}, for normalised measures."""
    return {
        name: {condition: values[name] for condition, values in numbers.items()}
        for name in ("dece_bit", "cllr_min_bit")
    }


def of_rank_models(size, *, sets, n_replicates):
    """Lines of the model that is fitted to ranks."""
    truth, intervals_of_sets = ranks.model_metrics(true_ranks(size)), []
    for index in range(sets):
        draw = seeds.generator(index, "embeddings", str(size))
        _, templates = simulated_matrices(size, draw, pairs=False)
        true_of_tests = ranks.true_ranks(templates)
        values = ranks.model_metrics(ranks.histogram(true_of_tests))
        options = {"n_replicates": n_replicates, "seed": index}
        listed = true_of_tests, templates.row_speakers
        replicates = assessment.resample_rank_models(*listed, **options)
        intervals_of_sets.append(intervals_of(values, replicates, size[0]))
    return held(truth, intervals_of_sets)


def of_embeddings(size, *, sets, n_replicates):
    """Lines of a simulation of embeddings: similarity matrices, and ranks of OP."""
    intervals_of_sets = []
    for index in range(sets):
        draw = seeds.generator(index, "embeddings", str(size))
        matrices, templates = simulated_matrices(size, draw)
        options = {"n_replicates": n_replicates, "seed": index}
        similar = resample_similarities(matrices, **options)
        replicates = {name: similar[condition][name] for condition, name in SIMILAR.items()}
        true_of_tests = ranks.true_ranks(templates)
        listed = true_of_tests, templates.row_speakers
        replicates |= assessment.resample_ranks(*listed, **options)
        values = assessed(matrices) | ranks.disclosure(ranks.histogram(true_of_tests))
        intervals_of_sets.append(named_intervals(values, replicates, size[0]))
    # Of many speakers (G_VD: protected voices differ as much); ranks of many galleries.
    truth = {"deid_percent": true_deid_percent(size[1]), "gvd_db": 0.0}
    return held(truth | ranks.disclosure(true_ranks(size)), intervals_of_sets)


def assessed(matrices):
    compared = {name: similarity.compare(matrix) for name, matrix in matrices.items()}
    similarities = {name: similarity.similarities(one) for name, one in compared.items()}
    return similarity.assess(**similarities).metrics


@functools.cache
def true_ranks(size, n_galleries=2000):
    """Mean rank histogram of many galleries of a size."""
    histograms = []
    for index in range(n_galleries):
        draw = seeds.generator(index, "truth", str(size))
        _, templates = simulated_matrices(size, draw, pairs=False)
        histograms.append(ranks.histogram(ranks.true_ranks(templates)))
    return np.mean(histograms, axis=0)


@functools.cache
def true_deid_percent(n_utterances, n_sets=60):
    percents = []
    for index in range(n_sets):
        draw = seeds.generator(index, "many speakers")
        matrices, _ = simulated_matrices((200, n_utterances), draw)
        percents.append(assessed(matrices)["deid_percent"])
    return np.mean(percents)


if __name__ == "__main__":
    main()
