"""Utility of two anonymisers: by hand, joint with privacy's draws, and truths that are known."""

import numpy as np
import pytest
from support import runs
from support.calls import flags, succeeds
from support.measured import UTTERANCES, measure

from voiceprivacy.inout.arrays import read_npz
from voiceprivacy.inout.manifests import write_manifest
from voiceprivacy.privacy.uncertainty.bootstrap import multiplicities
from voiceprivacy.privacy.uncertainty.interval_files import Estimate
from voiceprivacy.privacy.uncertainty.paired import compare_utility
from voiceprivacy.utility.summary import Draws, resampled_mean


def test_replicates_draw_the_same_speakers_as_privacy():
    names = ["s3", "s1", "s2"]
    drawn = Draws(50, 7).of(names)
    assert np.array_equal(drawn, multiplicities(names, n_replicates=50, seed=7))


def test_replicates_of_a_mean_are_the_means_of_drawn_speakers():
    values, speakers = [1.0, 3.0, 8.0, 5.0], ["a", "a", "b", "c"]
    _, replicates = resampled_mean(values, speakers, draws=Draws(60, 1))
    drawn = Draws(60, 1).of(["a", "b", "c"])
    n_utterances, totals = drawn @ [2, 1, 1], drawn @ [4, 8, 5]
    assert not n_utterances.all()
    expected = [total / n if n else np.nan for total, n in zip(totals, n_utterances, strict=True)]
    assert replicates == pytest.approx(expected, nan_ok=True)


def pairs_of(tmp_path, *, options="{}", **measures):
    """Rows of the comparisons and the replicates, for {anonymiser: {metric: values}}."""
    paths = [measure(tmp_path, name, "own", **metrics) for name, metrics in measures.items()]
    write_manifest(tmp_path / "manifest.tsv", UTTERANCES)
    (tmp_path / "f.tsv").write_text("enrolment\ttrial\tlabel\ns0\tu0\ttarget\ns1\tu1\ttarget\n")
    files = {name: tmp_path / name for name in ("metrics", "comparisons")}
    files["replicates"] = tmp_path / "replicates.npz"
    files |= {"manifest": tmp_path / "manifest.tsv", "trials": tmp_path / "f.tsv"}
    words = flags(**files, measures=paths, options=options, bootstrap=40)
    succeeds("assess_utility", *words)
    return runs.rows(files["comparisons"]), read_npz(files["replicates"], [])


def test_every_two_are_compared_on_every_list_and_the_original_last(tmp_path):
    values = {"wer": [1, 2, 3, 4]}
    rows, replicates = pairs_of(tmp_path, original=values, b2=values, b3=values)
    named = [(row["trials"], row["anonymiser_a"], row["anonymiser_b"]) for row in rows]
    of_each = [("b2", "original"), ("b3", "original"), ("b2", "b3")]
    assert named == [(trials, *pair) for trials in ("-", "f") for pair in of_each]
    assert sorted(replicates) == ["wer/b2", "wer/b3", "wer/original"]
    assert replicates["wer/b2"].shape == (40,)


def test_what_only_weights_is_not_compared(tmp_path):
    values = {"wer": [1, 2, 3, 4], "n_words": [1, 1, 2, 2]}
    options = '{"own": {"better": "lower", "weight": "n_words"}}'
    rows, _ = pairs_of(tmp_path, b2=values, b3=values, options=options)
    assert {row["metric"] for row in rows} == {"wer"}


def test_an_undefined_measure_is_compared_with_nothing(tmp_path):
    rows, replicates = pairs_of(tmp_path, b2={"wer": ["undefined"] * 4}, b3={"wer": [1, 2, 3, 4]})
    assert {row["difference"] for row in rows} == {"undefined"}
    assert {row["verdict"] for row in rows} == {"cannot be told apart"}
    assert np.isnan(replicates["wer/b2"]).all()


def estimate(value, noise):
    return Estimate(value, value + noise, 40)


def test_the_words_follow_the_direction_and_are_neutral_without_one():
    draw = np.random.default_rng(0)
    common, own = draw.normal(size=(2, 999))
    systems = {"a": estimate(30.0, 5 * common), "b": estimate(25.0, 5 * common + own)}
    said = {}
    for more_is_better in (True, False, None):
        [pair] = compare_utility(systems, trials="-", metric="m", more_is_better=more_is_better)
        said[more_is_better] = pair.verdict, pair.share_a_better
    assert (said[True], said[False]) == (("A is better", 1.0), ("B is better", 0.0))
    assert said[None] == ("A is higher", "undefined")


def test_95_percent_of_paired_differences_hold_the_truth():
    """Speakers differ by 3, what each of two systems does to a speaker by 1: truth -1."""
    draw = np.random.default_rng(0)
    names = [f"s{at}" for at in range(15)]
    speakers = list(np.repeat(names, 4))
    held = apart = 0
    for run in range(300):
        voices = np.repeat(draw.normal(scale=3, size=15), 4)
        systems = {}
        for name, shift in (("a", 0.0), ("b", 1.0), ("like_a", 0.0)):
            own = np.repeat(draw.normal(size=15), 4) + draw.normal(size=60)
            values = list(voices + shift + own)
            mean, drawn = resampled_mean(values, speakers, draws=Draws(300, run))
            systems[name] = Estimate(mean.value, drawn, mean.n_speakers)
        rows = compare_utility(systems, trials="-", metric="m", more_is_better=True)
        by_pair = {(row.anonymiser_a, row.anonymiser_b): row for row in rows}
        held += by_pair["a", "b"].ci_low <= -1 <= by_pair["a", "b"].ci_high
        apart += by_pair["a", "like_a"].verdict != "cannot be told apart"
    assert 275 <= held <= 296 and 4 <= apart <= 25
