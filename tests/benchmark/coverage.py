"""How often the intervals hold the truth, measured on simulated speakers whose true numbers are known.

Every simulated set draws new speakers: scores with effects of the enrolled and the tried speaker and of the pair, or
embeddings with a mean per speaker. An interval holds if the number of infinitely many such speakers lies within it
(for ranks: of infinitely many test speakers against galleries of the same size).
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import numpy as np  # noqa: E402
from scipy.special import ndtr  # noqa: E402

from voiceprivacy import seeds  # noqa: E402
from voiceprivacy.arrays import ScoreMatrix  # noqa: E402
from voiceprivacy.privacy import bootstrap, null, ranks, similarity, trials, verification, zebra  # noqa: E402

SCALE = 1.5  # scores are LLRs times this: miscalibrated, so that Cllr and min Cllr differ
COMPARED = ("eer_percent", "cllr_bit", "cllr_min_bit", "dece_bit", "linkability")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speakers", type=int, nargs="+", default=[12, 20, 40])
    parser.add_argument("--separations", type=float, nargs="+", default=[0.5, 2.0], help="d' of the simulated scores")
    parser.add_argument("--utterances", type=int, default=4, help="of each speaker")
    parser.add_argument("--sets", type=int, default=500, help="simulated sets for each setting")
    parser.add_argument("--replicates", type=int, default=300)
    arguments = parser.parse_args()

    print("| simulated | speakers | metric | truth | mean of the values | percentile | reported | width |")
    print("|---|---|---|---|---|---|---|---|")
    options = {"sets": arguments.sets, "n_replicates": arguments.replicates}
    for size in [(n_speakers, arguments.utterances) for n_speakers in arguments.speakers]:
        for separation in arguments.separations:
            report(f"scores, d' = {separation}", size[0], *of_scores(size, separation, **options))
        report("embeddings", size[0], *of_embeddings(size, **options))
        alarms = [alarm(size, index, arguments.replicates) for index in range(arguments.sets)]
        print(
            f"| scores, d' = 0 | {size[0]} | false alarms | 5 % | {100 * np.mean(alarms):.1f} % | - | - | - |",
            flush=True,
        )


def report(what, n_speakers, truth, found):
    """Print one line a metric: ``found`` is a list of {metric: Interval}."""
    for name in found[0]:
        of = [intervals[name] for intervals in found if not isinstance(intervals[name].ci_low, str)]
        held = {
            kind: np.mean([getattr(one, f"{kind}_low") <= truth[name] <= getattr(one, f"{kind}_high") for one in of])
            for kind in ("percentile", "ci")
        }
        mean, width = np.mean([one.value for one in of]), np.mean([one.ci_high - one.ci_low for one in of])
        share = " | ".join(f"{100 * held[kind]:.1f} %" for kind in ("percentile", "ci"))
        print(
            f"| {what} | {n_speakers} | {name} | {truth[name]:.4g} | {mean:.4g} | {share} | {width:.3g} |", flush=True
        )


def of_scores(size, separation, *, sets, n_replicates):
    """True numbers, and {metric: Interval} of every simulated set; differences are to a second anonymiser."""
    truth, found = true_numbers(separation), []
    other = true_numbers(separation + 0.5)
    truth |= {f"difference of {name}": truth[name] - other[name] for name in COMPARED}
    for index in range(sets):
        draw = seeds.generator(index, "scores", str(size))
        first, second = simulated_scores(size, (separation, separation + 0.5), draw)
        values, replicates = numbers(first, n_replicates, index)
        of_set = named_intervals(values, replicates, size[0])
        values_of_second, replicates_of_second = numbers(second, n_replicates, index)
        for name in COMPARED:
            pair = (values[name] - values_of_second[name], replicates[name] - replicates_of_second[name])
            bounds = bootstrap.UNBOUNDED if name in bootstrap.BIASED else None
            of_set[f"difference of {name}"] = bootstrap.interval(*pair, n_speakers=size[0], bounds=bounds)
        found.append(of_set)
    return truth, found


def numbers(of, n_replicates, seed):
    def both(sample):
        return verification.of_sample(sample) | zebra.of_sample(sample)

    point = both(trials.weigh(of, np.ones(len(of.scores), dtype=np.int64)))
    return point, bootstrap.resample_scores(of, both, n_replicates=n_replicates, seed=seed)


def named_intervals(values, replicates, n_speakers):
    found = bootstrap.intervals(values, replicates, n_speakers=n_speakers)
    kept = (
        *COMPARED,
        "eer_rocch_percent",
        "mean_disclosure_bit",
        "identification_rate_percent",
        "deid_percent",
        "gvd_db",
    )
    return {name: bootstrap.Interval(**of) for name, of in found.items() if name in kept}


def simulated_scores(size, separations, draw):
    """Every speaker against every speaker's utterances: SpeakerTrials of two anonymisers on the same speakers.

    Both classes have variance 1, of it: target trials 0.36 of the speaker; nontarget trials 0.2 of each speaker, 0.09
    of the pair. Half of every effect is common to both anonymisers. At a separation of 0 target trials have the effects
    of nontarget trials: no evidence at all.
    """
    n_speakers, n_utterances = size
    enrolment = np.repeat(np.arange(n_speakers), n_speakers * n_utterances)
    trial = np.tile(np.repeat(np.arange(n_speakers), n_utterances), n_speakers)
    target = enrolment == trial
    common = effects(enrolment, trial, target & (max(separations) > 0), n_speakers, draw)
    names = np.array([f"{n_speakers}-{index:03d}" for index in range(n_speakers)])
    for separation in separations:
        own = effects(enrolment, trial, target & (separation > 0), n_speakers, draw)
        scores = np.where(target, 0.5, -0.5) * separation + np.sqrt(0.5) * (common + own)
        order = np.argsort(scores)
        parts = (SCALE * separation * scores if separation else scores, target, enrolment, trial)
        yield trials.SpeakerTrials(names, *(part[order] for part in parts), np.arange(len(order)))


def effects(enrolment, trial, target, n_speakers, draw):
    of_target, of_enrolment, of_trial = (draw.normal(size=n_speakers) * size for size in (0.6, 0.2**0.5, 0.2**0.5))
    of_pair = 0.3 * draw.normal(size=(n_speakers, n_speakers))
    noise = draw.normal(size=len(target))
    between = of_enrolment[enrolment] + of_trial[trial] + of_pair[enrolment, trial] + np.sqrt(0.51) * noise
    return np.where(target, of_target[enrolment] + 0.8 * noise, between)


def true_numbers(separation):
    """Of equal-variance Gaussian LLRs: EER = Phi(-d'/2), the others by the trapezoidal rule."""
    x = np.linspace(-15, 15, 300_001)
    density = np.exp(-((x - separation / 2) ** 2) / 2) / np.sqrt(2 * np.pi)
    llrs = separation * x

    def mean(values):
        return np.trapezoid(values * density, x)

    eer = 100 * ndtr(-separation / 2)
    return {
        "eer_percent": eer,
        "eer_rocch_percent": eer,
        "cllr_bit": mean(np.logaddexp(0, -SCALE * llrs)) / np.log(2),  # nontargets mirror the targets
        "cllr_min_bit": mean(np.logaddexp(0, -llrs)) / np.log(2),
        "dece_bit": mean(zebra._gain(llrs)) / np.log(2),
        "linkability": mean(np.maximum(0, np.tanh(llrs / 2))),
    }


def alarm(size, index, n_replicates):
    """Whether scores without any evidence are said to hold more than zero evidence."""
    of, _ = simulated_scores(size, (0, 0), seeds.generator(index, "null", str(size)))
    sample = trials.weigh(of, np.ones(len(of.scores), dtype=np.int64))
    limit = null.dece_null95_bit(null.null_dece_bits(of, n_replicates=n_replicates, seed=index), n_speakers=size[0])
    return limit != "undefined" and zebra.of_sample(sample)["dece_bit"] > limit


def of_embeddings(size, *, sets, n_replicates):
    """True numbers, and {metric: Interval} of every simulated set, of ranks (OP) and similarity matrices."""
    found = []
    for index in range(sets):
        matrices, templates = simulated_matrices(size, seeds.generator(index, "embeddings", str(size)))
        options = {"n_replicates": n_replicates, "seed": index}
        replicates = bootstrap.resample_similarities(**matrices, **options)
        replicates = {"deid_percent": replicates["op"]["deid_percent"], "gvd_db": replicates["pp"]["gvd_db"]}
        replicates |= bootstrap.resample_ranks(ranks.true_ranks(templates), templates.row_speakers, **options)
        values = similarity.assess(**matrices).metrics | ranks.disclosure(ranks.histogram(ranks.true_ranks(templates)))
        found.append(named_intervals(values, replicates, size[0]))
    return true_of_embeddings(size), found


def true_of_embeddings(size):
    """DeID and G_VD of many speakers; ranks of many galleries of the same size."""
    matrices, _ = simulated_matrices((300, size[1]), seeds.generator(0, "many speakers"))
    histograms = []
    for index in range(3000):
        _, templates = simulated_matrices(size, seeds.generator(index, "truth", str(size)), pairs=False)
        histograms.append(ranks.histogram(ranks.true_ranks(templates)))
    return similarity.assess(**matrices).metrics | ranks.disclosure(np.mean(histograms, axis=0))


def simulated_matrices(size, draw, *, pairs=True, dimensions=6):
    """Similarities of OO, OP and PP, and the templates' ScoreMatrix of OP; protection hides two thirds of the voice."""
    n_speakers, n_utterances = size
    speaker = np.repeat(np.arange(n_speakers), n_utterances)
    voice, disguise = draw.normal(size=(2, n_speakers, dimensions))
    original = voice[speaker] + draw.normal(size=(len(speaker), dimensions))
    protected = (voice + 1.4 * disguise)[speaker] / 1.72 + draw.normal(size=(len(speaker), dimensions))
    template = voice + draw.normal(size=voice.shape) / 2
    names = np.array([f"{n_speakers}-{index:03d}" for index in range(n_speakers)])
    utterances, enrolled = np.arange(len(speaker)).astype(str), np.char.add("e", np.arange(n_speakers).astype(str))
    ids = (utterances, enrolled, names[speaker], names)
    templates = ScoreMatrix(*ids, protected @ template.T, utterances, enrolled)
    if not pairs:
        return {}, templates
    matrices = {}
    for name, rows, columns in (("oo", original, original), ("op", original, protected), ("pp", protected, protected)):
        ids = (utterances, utterances, names[speaker], names[speaker])
        matrix = ScoreMatrix(*ids, rows @ columns.T, utterances, utterances)
        matrices[name] = similarity.similarities(similarity.compare(matrix))
    return matrices, templates


if __name__ == "__main__":
    main()
