"""How fast metrics are on one core: with a million scores, and as commands."""

import functools
import sys
import tempfile
import time
import timeit
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]

import numpy as np
from support.calls import call_measured

from voiceprivacy.inout.enrolments import write_speakers
from voiceprivacy.inout.scored_trials import write_scores
from voiceprivacy.inout.trial_lists import Trial
from voiceprivacy.privacy.matrices.matrix_files import write_matrix
from voiceprivacy.privacy.rows import ScoreMatrix
from voiceprivacy.privacy.scores import samples, verification, zebra
from voiceprivacy.privacy.uncertainty import bootstrap, null
from voiceprivacy.privacy.uncertainty.corrections import CORRECTIONS

ROUNDS = 3
BOOTSTRAP_S = 20  # what a thousand replicates of one condition may take
MILLION_S, MILLION_MB = 30, 600  # what a command may take for a million trials, with intervals
TABLES = ("curves", "law")
SIMILARITY_MB = 1000  # what similarity of 3000 utterances may take, with intervals
TOOLKIT_S = 8.7  # the ZEBRA toolkit, for its part of the same on a million scores


def main():
    both = seconds(everything, **drawn(1_000_000))
    faster = f"{both:.3f} s, a {TOOLKIT_S / both:.0f}th of the toolkit's"
    show("all metrics and the profile, 1 000 000 scores", faster)
    scored = spoken(n_speakers=20, n_utterances=30)
    replicates = seconds(resampled, scored=scored)
    band = seconds(null.null_dece_bits, scored=scored, n_replicates=1000, seed=0)
    took = f"{replicates:.2f} s (at most {BOOTSTRAP_S}); band {band:.2f} s"
    show("1000 replicates of all metrics, 12 000 scores", took)
    show("assess_zebra.py, 12 000 scores, start-up included", f"{command(scored):.2f} s")
    for n_speakers, n_utterances, n_replicates in ((40, 75, 100), (100, 100, 100)):
        scored = spoken(n_speakers=n_speakers, n_utterances=n_utterances)
        spent = seconds(resampled, scored=scored, n_replicates=n_replicates) * 1000 / n_replicates
        title = f"1000 replicates of all metrics, {len(scored.scores)} scores"
        show(title, f"{spent:.1f} s (from {n_replicates})")
    for script, (spent, peak_mb) in million().items():
        took = f"{spent:.1f} s (at most {MILLION_S}), {spent / both:.0f} times the metrics alone"
        title = f"{script}.py, 1 000 000 trials of 1000 speakers, 1000 replicates"
        show(title, f"{took}; {peak_mb:.0f} MB (at most {MILLION_MB})")
    spent, peak_mb = everything_of_a_list()
    title = "assess_scores.py with law, 1 000 000 trials of 100 speakers, 1000 replicates"
    show(title, f"{spent:.1f} s; {peak_mb:.0f} MB (at most {MILLION_MB})")
    spent, peak_mb = similarity_of(n_speakers=100, n_utterances=30)
    title = "assess_similarity.py, 3000 utterances of 100 speakers, intervals"
    show(title, f"{spent:.1f} s; {peak_mb:.0f} MB (at most {SIMILARITY_MB})")


def show(title, took):
    print(f"{title}: {took}")


def drawn(n_scores):
    generator = np.random.default_rng(0)
    n_target = n_scores // 20
    return {
        "target": generator.normal(1, 1, n_target),
        "nontarget": generator.normal(-1, 1, n_scores - n_target),
    }


def spoken(*, n_speakers, n_utterances):
    """Trials of every speaker's model against every speaker's utterances."""
    enrolled, tried, _ = np.indices((n_speakers, n_speakers, n_utterances)).reshape(3, -1)
    target = enrolled == tried
    scores = np.random.default_rng(0).normal(2 * target, 1)
    order = np.argsort(scores)
    parts = (values[order] for values in (scores, target, enrolled, tried))
    return samples.SpeakerTrials(np.arange(n_speakers).astype(str), *parts)


def resampled(scored, n_replicates=1000):
    target, nontarget = scored.scores[scored.target], scored.scores[~scored.target]
    bins = verification.histogram_bins(target=target, nontarget=nontarget)
    verify = functools.partial(verification.sample_metrics, bins=bins)
    for measure in (verify, zebra.sample_metrics):
        bootstrap.resample_scores(
            scored, measure, n_replicates=n_replicates, seed=0, corrections=CORRECTIONS
        )


def seconds(function, **arguments):
    """The fastest of several rounds, in processor time of this thread without other programs."""
    call = functools.partial(function, **arguments)
    return min(timeit.repeat(call, timer=time.thread_time, number=1, repeat=ROUNDS))


def everything(*, target, nontarget):
    zebra.assess(target=target, nontarget=nontarget)
    verification.assess(target=target, nontarget=nontarget)


def command(scored):
    """Processor time of assess_zebra.py on scores without speakers."""
    with tempfile.TemporaryDirectory() as folder:
        files = write_list(folder, scored)[:2]
        return spent_by("assess_zebra", *files, "--metrics", f"{folder}/m.json")[0]


def million():
    """Processor time in seconds and peak memory in MB of commands: {script: (time, memory)}."""
    with tempfile.TemporaryDirectory() as folder:
        files = write_list(folder, spoken(n_speakers=1000, n_utterances=1))
        return {
            script: spent_by(script, *files, "--metrics", f"{folder}/{script}.json")
            for script in ("assess_verification", "assess_zebra")
        }


def everything_of_a_list(n_replicates=1000):
    """Processor time and peak memory of what a run asks of a million scores of 100 speakers."""
    outputs = ("verification", "zebra", "curves", "law")
    with tempfile.TemporaryDirectory() as folder:
        words = write_list(folder, spoken(n_speakers=100, n_utterances=100))
        for name in outputs:
            words += [f"--{name}", f"{folder}/{name}.{'tsv' if name in TABLES else 'json'}"]
        options = ["--label", "op", "--bootstrap", str(n_replicates)]
        return spent_by("assess_scores", *words, *options)


def similarity_of(*, n_speakers, n_utterances):
    """Processor time and peak memory of similarity with intervals, every speaker left out once."""
    generator = np.random.default_rng(0)
    speakers = np.repeat([f"s{number:03d}" for number in range(n_speakers)], n_utterances)
    ids = np.arange(len(speakers)).astype(str)
    words = ["--bootstrap", "1000"]
    with tempfile.TemporaryDirectory() as folder:
        for condition, spread in (("oo", 2), ("op", 0.7), ("pp", 1.2)):
            voices = np.repeat(spread * generator.normal(size=(n_speakers, 16)), n_utterances, 0)
            heard = voices + 2 * generator.normal(size=voices.shape)
            heard /= np.linalg.norm(heard, axis=1, keepdims=True)
            matrix = ScoreMatrix(ids, ids, speakers, speakers, heard @ heard.T, ids, ids)
            write_matrix(f"{folder}/{condition}.npz", matrix)
            words += [f"--{condition}", f"{folder}/{condition}.npz"]
        return spent_by("assess_similarity", *words, "--metrics", f"{folder}/m.json")


def write_list(folder, scored):
    """Write SpeakerTrials as a score file and a map of speakers; the flags that name them."""
    listed, names, n_tried = [], {}, Counter()
    for enrolled, tried, target in zip(scored.enrolment, scored.trial, scored.target, strict=True):
        n_tried[enrolled, tried] += 1
        model, utterance = f"m{enrolled}", f"u{tried}-{n_tried[enrolled, tried]}"
        listed.append(Trial(model, utterance, "target" if target else "nontarget"))
        names[model], names[utterance] = str(enrolled), str(tried)
    write_scores(f"{folder}/s.tsv", listed, scored.scores)
    write_speakers(f"{folder}/map.tsv", names)
    return ["--scores", f"{folder}/s.tsv", "--speakers", f"{folder}/map.tsv"]


def spent_by(script, *words):
    """Processor time in seconds and peak memory in MB of one of our commands."""
    measured = call_measured(script, *words)
    assert measured.returncode == 0, measured.stderr
    return measured.seconds, measured.memory / 2**20


if __name__ == "__main__":
    main()
