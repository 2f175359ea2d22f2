"""Which semi-informed attack is strongest for a second of training: a table, and a figure of it.

The runs are finished ones that have embeddings of training speech, original and protected.
Back-ends are trained here. Extractors that a run trained (semi_on_<anonymiser>) are taken from it
with the seconds that its benchmarks tell; so are those of other runs on the same lists, such as
scratch_on_<anonymiser>. All are tried on the run's lists (PP and OP, mean over
lists). Intervals are percentiles over draws of speakers, 95 %.

    python tests/benchmark/semi_informed.py --runs excerpt demo --corpora test_other demo \
        --train train_clean_100 demo_train --trained scratch --anonymiser b2r \
        --figure docs/guide/semi_informed.png
"""

import argparse
import csv
import functools
import itertools
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import torch

from voiceprivacy.attack.backends import backends, plda, recipes
from voiceprivacy.inout.tables import read_manifest, read_trials
from voiceprivacy.privacy.scores import trials, verification, zebra
from voiceprivacy.privacy.uncertainty import bootstrap

EXTRACTOR, N_REPLICATES, LISTS = "ecapa_small", 300, ("f", "m")
KINDS = {  # of attacks: colour (Okabe and Ito) and words
    "WCCN": ("#56B4E9", "WCCN"),
    "LDA": ("#E69F00", "LDA"),
    "PLDA": ("#D55E00", "PLDA"),
    "head": ("#009E73", "head on embeddings"),
    "semi": ("#0072B2", "network, fine-tuned"),
    "scratch": ("#CC79A7", "network, from scratch"),
}


def linear(embeddings, mean, directions):
    """Embeddings (N, D), centred and multiplied by directions (K, D)."""
    return (embeddings - mean) @ directions.T


def mapped(mean, directions):
    """A scorer: cosine after a linear map."""
    change = functools.partial(linear, mean=mean, directions=directions)
    return lambda *, enrolment, counts, trial: backends.cosine(
        enrolment=change(enrolment), counts=counts, trial=change(trial)
    )


def whitening(embeddings, speakers):
    """Within-class covariance normalisation, and cosine."""
    directions = plda.lda(embeddings, speakers, dimensions=embeddings.shape[1], shrinkage=0.1)
    return mapped(embeddings.mean(axis=0), directions)


def lda(embeddings, speakers):
    """LDA to 30 dimensions, and cosine."""
    directions = plda.lda(embeddings, speakers, dimensions=30, shrinkage=0.1)
    return mapped(embeddings.mean(axis=0), directions)


def kaldi_plda(embeddings, speakers):
    """The chain of the challenges, shrunk."""
    recipe = recipes.vpc_recipe(embeddings, speakers, shrinkage=0.1)
    return functools.partial(recipes.score_recipe, recipe)


def head(embeddings, speakers):
    """A linear layer, trained with an additive angular margin of 0.2 for 60 epochs; and cosine."""
    torch.manual_seed(0)
    names, labels = np.unique(speakers, return_inverse=True)
    mean, scale = embeddings.mean(axis=0), embeddings.std()
    data = torch.tensor((embeddings - mean) / scale, dtype=torch.float32)
    target = torch.tensor(labels)
    weights = torch.nn.Parameter(torch.eye(data.shape[1]))
    centres = [data[target == number].mean(dim=0) for number in range(len(names))]
    classes = torch.nn.Parameter(torch.stack(centres))
    optimiser = torch.optim.Adam([weights, classes], lr=1e-3, weight_decay=1e-3)
    for batch in itertools.chain.from_iterable(
        torch.randperm(len(data)).split(64) for _ in range(60)
    ):
        unit = torch.nn.functional.normalize(data[batch] @ weights.T)
        cosines = (unit @ torch.nn.functional.normalize(classes).T).clamp(-0.999999, 0.999999)
        own = torch.nn.functional.one_hot(target[batch], len(names)).bool()
        cosines = torch.where(own, torch.cos(torch.acos(cosines) + 0.2), cosines)
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(30 * cosines, target[batch]).backward()
        optimiser.step()
    return mapped(mean, weights.detach().numpy().astype(float))


LEARNERS = {"WCCN": whitening, "LDA": lda, "PLDA": kaldi_plda, "head": head}


def methods(run, corpus, anonymiser):
    """Attacks without training, and by back-ends: (name, training seconds, extractor, scorer)."""
    yield "lazy-informed", None, EXTRACTOR, backends.cosine
    part = run / "results"
    manifest = read_manifest(part / "audio" / corpus / "train" / "original" / "manifest.tsv")
    names = [utterance.utterance for utterance in manifest]
    speakers = [utterance.speaker for utterance in manifest]
    original, protected = [
        backends.read_gallery(
            part / "embeddings" / corpus / "train" / system / f"{EXTRACTOR}.npz"
        ).embeddings_of(names)
        for system in ("original", anonymiser)
    ]
    both = np.concatenate([protected, original])
    kinds = {"protected": (protected, speakers), "both": (both, speakers * 2)}
    if len(set(speakers)) == len(speakers):
        del kinds["protected"]  # one utterance of each: nothing varies within speakers
    for (kind, heard), (name, learn) in itertools.product(kinds.items(), LEARNERS.items()):
        started = time.process_time()
        score = learn(*heard)
        yield f"{name}, {kind}", time.process_time() - started, EXTRACTOR, score


def trained(run, anonymiser):
    """Attacks by the networks that a run trained: (name, training seconds, extractor, scorer)."""
    for path in sorted((run / "results" / "models").glob(f"*_on_{anonymiser}")):
        benchmark = run / "results" / "benchmarks" / "train_extractor" / f"{path.name}.tsv"
        with open(benchmark, newline="") as file:
            [row] = csv.DictReader(file, delimiter="\t")
        yield path.name.partition("_on_")[0], float(row["cpu_time"]), path.name, backends.cosine


def rates(run, corpus, anonymiser, extractor, score, condition):
    """{metric: (value, low, high)}: the mean over lists."""
    values, replicates = [], []
    systems = {"enrolment": anonymiser if condition == "pp" else "original", "trial": anonymiser}
    for name in LISTS:
        folder = run / "results" / "trials" / corpus
        listed = read_trials(folder / f"{name}.tsv")
        galleries = {
            part: backends.read_gallery(
                run / "results/embeddings" / corpus / part / system / f"{extractor}.npz"
            )
            for part, system in systems.items()
        }
        enrolments = backends.read_enrolments(folder / f"{name}.enrolments.tsv")
        scores = backends.score_trials(score, listed, **galleries, enrolments=enrolments)
        scored = {"target": [], "nontarget": []}
        for trial, value in zip(listed, scores, strict=True):
            scored[trial.label].append((trial, value))
        arranged = trials.arrange(scored, trials.read_speakers(folder / f"{name}.speakers.tsv"))
        values.append(measure(trials.whole_sample(trials.by_class(arranged))))
        draws = bootstrap.resample_scores(arranged, measure, n_replicates=N_REPLICATES, seed=0)
        replicates.append(draws)
    told = {}
    for metric in values[0]:
        drawn = np.mean([draws[metric] for draws in replicates], axis=0)
        low, high = np.nanpercentile(drawn, [2.5, 97.5])
        told[metric] = (np.mean([one[metric] for one in values]), low, high)
    return told


def measure(sample):
    """Equal error rate and D_ECE of a sample."""
    both = verification.sample_metrics(sample) | zebra.sample_metrics(sample)
    return {name: both[name] for name in ("eer_percent", "dece_bit")}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=Path, nargs="+", required=True)
    parser.add_argument("--corpora", nargs="+", required=True, help="evaluated, one of each run")
    parser.add_argument("--train", nargs="+", required=True, help="corpus for training of each run")
    parser.add_argument(
        "--trained",
        type=Path,
        nargs="+",
        default=[],
        help="further runs on the same lists, for the networks that they trained",
    )
    parser.add_argument("--anonymiser", default="b2r")
    parser.add_argument("--figure", required=True)
    arguments = parser.parse_args()

    figure, axes = plt.subplots(
        len(arguments.runs), 2, figsize=(9, 6.5), sharex=True, sharey=True, squeeze=False
    )
    print("| corpus | attack | seconds | EER, PP | D_ECE, PP | EER, OP | D_ECE, OP |")
    print("|---" * 7 + "|")
    for number, (run, corpus, train) in enumerate(
        zip(arguments.runs, arguments.corpora, arguments.train, strict=True)
    ):
        attacks = [(run, *attack) for attack in methods(run, train, arguments.anonymiser)]
        for folder in (run, *arguments.trained):
            if (folder / "results" / "trials" / corpus).exists():
                attacks += [(folder, *attack) for attack in trained(folder, arguments.anonymiser)]
        for folder, name, seconds, extractor, score in attacks:
            cells = [corpus, name, "-" if seconds is None else f"{seconds:.2g}"]
            for column, condition in enumerate(("pp", "op")):
                told = rates(folder, corpus, arguments.anonymiser, extractor, score, condition)
                for digits, (value, low, high) in zip((1, 2), told.values(), strict=True):
                    cells.append(f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]")
                draw(axes[number, column], name, seconds, told["eer_percent"])
            print(f"| {' | '.join(cells)} |", flush=True)
    finish(figure, axes, arguments)


def draw(ax, name, seconds, limits):
    """One attack: a point with its interval, or a line for the attack that needs no training."""
    value, low, high = limits
    if seconds is None:
        ax.axhline(value, color="grey", linestyle="--", linewidth=1, label="without training")
        return
    kind, _, speech = name.partition(", ")
    colour, words = KINDS[kind]
    both = speech != "protected"
    errors = [[max(0, value - low)], [max(0, high - value)]]
    ax.errorbar(
        seconds,
        value,
        errors,
        color=colour,
        marker="o",
        markerfacecolor=colour if both else "white",
        capsize=2,
        label=words if both else f"{words}, protected speech only",
    )


def finish(figure, axes, arguments):
    """Titles, scales and one legend."""
    for column, condition in enumerate(("PP", "OP")):
        axes[0, column].set_title(f"{arguments.anonymiser}, {condition}")
        axes[-1, column].set_xlabel("seconds of training on one core")
        axes[-1, column].set_xscale("log")
    for row, corpus in zip(axes, arguments.corpora, strict=True):
        row[0].set_ylabel(f"{corpus}: EER [%]")
        row[0].set_ylim(bottom=0)
    handles = {}
    for ax in axes.flat:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure.legend(handles.values(), handles, loc="lower center", ncols=3, frameon=False)
    figure.tight_layout(rect=(0, 0.13, 1, 1))
    figure.savefig(arguments.figure, dpi=100)


if __name__ == "__main__":
    main()
