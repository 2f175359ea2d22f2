"""Statistics of utterances: rates that lose no error, and macro recalls by their definitions."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import recall_score
from support.measured import measure

from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.utility.statistics import STATISTICS
from voiceprivacy.utility.summary import Draws, resampled_mean, summarise
from voiceprivacy.vocabulary import UNDEFINED

LABELS = ["angry", "happy", "neutral", "sad"]
POOLED = {"better": "higher", "statistic": "macro_recall", "joint": "uar_percent"}
OF_SPEAKERS = POOLED | {"statistic": "macro_recall_of_speakers", "weight": "uar_fold"}
OPTIONS = {"pooled": {"uar": POOLED}, "of_speakers": {"uar": OF_SPEAKERS}}


def test_a_rate_counts_errors_where_there_was_nothing_to_be_right():
    draws = Draws(10, 0)
    options = {"weights": [4.0, 0.0, UNDEFINED], "statistic": STATISTICS["rate"]}
    rate, _ = resampled_mean([50.0, 300.0, UNDEFINED], ["s1", "s2", "s3"], draws=draws, **options)
    assert rate.value == 100 * (2 + 3) / 4 and rate.n_undefined == 1
    mean, _ = resampled_mean([50.0, 300.0], ["s1", "s2"], weights=[4.0, 0.0], draws=draws)
    assert mean.value == 50  # a mean leaves out what weighs nothing


def judged(seed, n=60, n_speakers=6):
    """Speakers with a fold, true and heard labels; speaker s0 is never sad."""
    generator = np.random.default_rng(seed)
    speakers = [f"s{at % n_speakers}" for at in range(n)]
    codes, others = generator.integers(0, 4, (2, n))
    codes[(np.arange(n) % n_speakers == 0) & (codes == 3)] = 1
    said = np.where(generator.random(n) < 0.6, codes, others)
    true, heard = ([LABELS[code] for code in own] for own in (codes, said))
    # Folds of one, two and three speakers: means over speakers and over folds differ.
    folds = [{"s0": 1, "s1": 2, "s2": 2}.get(speaker, 3) for speaker in speakers]
    return speakers, folds, true, heard


def numbers(tmp_path, options, speakers, folds, true, heard, *, lists=None, n_replicates=200):
    rights = [100 * (said == label) for label, said in zip(true, heard, strict=True)]
    columns = {"uar_fold": folds} if options == "of_speakers" else {}
    for name in LABELS:
        columns[f"uar_{name}_percent"] = [
            right if name == label else UNDEFINED for right, label in zip(rights, true, strict=True)
        ]
    path = measure(tmp_path, "b2", "uar", **columns)
    lines = [Utterance(f"u{at}", name, "f", Path("-"), 1.0) for at, name in enumerate(speakers)]
    given = {"options": OPTIONS[options], "n_replicates": n_replicates, "seed": 0}
    return summarise([path], lines, lists or {}, **given)


def macro(true, heard):
    labels = sorted(set(true))
    return 100 * recall_score(true, heard, average="macro", labels=labels)


def macro_of_speakers(times, speakers, folds, true, heard):
    """Mean over folds of the mean over speakers, each of them so many times."""
    of_fold = {}
    for name, copies in times.items():
        own = [at for at, speaker in enumerate(speakers) if speaker == name]
        recall = macro([true[at] for at in own], [heard[at] for at in own])
        of_fold.setdefault(folds[own[0]], []).extend([recall] * copies)
    return np.mean([np.mean(recalls) for recalls in of_fold.values() if recalls])


@pytest.mark.parametrize("seed", range(3))
def test_pooled_macro_recall_is_that_of_scikit_learn(tmp_path, seed):
    speakers, folds, true, heard = judged(seed)
    summary = numbers(tmp_path, "pooled", speakers, folds, true, heard)
    by_name = {number.metric: number for number in summary.numbers}
    assert by_name["uar_percent"].value == pytest.approx(macro(true, heard))
    right = [said == "sad" for label, said in zip(true, heard, strict=True) if label == "sad"]
    assert by_name["uar_sad_percent"].value == pytest.approx(100 * np.mean(right))
    assert by_name["uar_percent"].better == "higher" and by_name["uar_percent"].n_utterances == 60


@pytest.mark.parametrize("seed", range(3))
def test_macro_recall_of_speakers_is_a_mean_over_speakers_and_then_over_folds(tmp_path, seed):
    speakers, folds, true, heard = judged(seed)
    summary = numbers(tmp_path, "of_speakers", speakers, folds, true, heard)
    expected = macro_of_speakers(dict.fromkeys(speakers, 1), speakers, folds, true, heard)
    by_name = {number.metric: number for number in summary.numbers}
    assert by_name["uar_percent"].value == pytest.approx(expected)
    assert "uar_fold" not in by_name  # the number of a fold is no measure


@pytest.mark.parametrize("options", OPTIONS)
def test_replicates_of_a_macro_recall_are_those_of_drawn_speakers(tmp_path, options):
    speakers, folds, true, heard = judged(0)
    names = sorted(set(speakers))
    summary = numbers(tmp_path, options, speakers, folds, true, heard, n_replicates=5)
    drawn = Draws(5, 0).of(names)
    [replicates] = [own for key, own in summary.replicates.items() if key.metric == "uar_percent"]
    for times, value in zip(drawn, replicates, strict=True):
        copies = dict(zip(names, times, strict=True))
        rows = np.repeat(np.arange(len(speakers)), [copies[name] for name in speakers])
        expected = macro([true[at] for at in rows], [heard[at] for at in rows])
        if options == "of_speakers":
            expected = macro_of_speakers(copies, speakers, folds, true, heard)
        assert value == pytest.approx(expected)


def test_a_list_without_one_of_the_labels_has_the_mean_of_the_others(tmp_path):
    speakers, folds, true, heard = judged(1)
    few = {f"u{at}" for at, label in enumerate(true) if label in ("angry", "sad")}
    lists = {"few": few, "none": set()}
    summary = numbers(tmp_path, "pooled", speakers, folds, true, heard, lists=lists)
    values = {(number.trials, number.metric): number.value for number in summary.numbers}
    rows = [at for at in range(60) if f"u{at}" in few]
    expected = macro([true[at] for at in rows], [heard[at] for at in rows])
    assert values["few", "uar_percent"] == pytest.approx(expected)
    assert values["few", "uar_happy_percent"] == UNDEFINED
    assert values["none", "uar_percent"] == UNDEFINED


def test_one_speaker_has_a_number_without_an_interval(tmp_path):
    true, heard = judged(2)[2:]
    summary = numbers(tmp_path, "of_speakers", ["s1"] * 60, [1] * 60, true, heard)
    (number,) = [line for line in summary.numbers if line.metric == "uar_percent"]
    assert number.value == pytest.approx(macro(true, heard))
    assert (number.ci_low, number.ci_high, number.n_speakers) == (None, None, 1)
