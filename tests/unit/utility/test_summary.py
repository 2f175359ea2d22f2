"""The table of a corpus: means and their intervals, lists, and contradictions between measures."""

import math

import numpy as np
import pytest
from support.calls import flags, succeeds
from support.measured import UTTERANCES, measure

from voiceprivacy.catalogue import METRICS
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.manifests import Utterance, write_manifest
from voiceprivacy.utility.measures import drawn
from voiceprivacy.utility.summary import Draws, resampled_mean, summarise


def summary(paths, options=None, lists=None):
    given = {"options": options or {}, "n_replicates": 50, "seed": 0}
    return summarise(paths, UTTERANCES, lists or {}, **given).numbers


def test_means_of_all_utterances_and_of_each_list(tmp_path):
    path = measure(tmp_path, "b2", "wer", wer=[1, 2, 3, 6])
    lists = {"f": {"u0", "u1", "speaker"}, "m": {"u2", "u3"}}
    numbers = summary([path], {"wer": {"better": "lower"}}, lists)
    means = [(number.trials, number.value, number.n_utterances) for number in numbers]
    assert means == [("-", 3, 4), ("f", 1.5, 2), ("m", 4.5, 2)]
    assert {number.better for number in numbers} == {"lower"}
    assert numbers[0][:5] == ("demo", "-", "b2", "wer", "wer")


BOUNDED = [row for row in METRICS.values() if row.family == "utility" and row.low > -math.inf]


@pytest.mark.parametrize("metric", BOUNDED, ids=lambda metric: metric.name)
@pytest.mark.parametrize("n_speakers", [3, 4])
def test_limits_are_numbers_that_the_metric_can_be(tmp_path, metric, n_speakers):
    """The page refuses others; few speakers have limits by t, which know no range."""
    high = metric.high if math.isfinite(metric.high) else metric.low + 1
    values = [metric.low, *(n_speakers - 1) * [high]]
    lines = [Utterance(f"u{i}", f"s{i}", "f", "x.wav", 1.0) for i in range(n_speakers)]

    def number_of(**measured):
        path = measure(tmp_path, "b2", "mine", **measured)
        return summarise([path], lines, {}, options={}, n_replicates=200, seed=0).numbers[0]

    for ends in (values, [metric.low + high - value for value in values]):
        number = number_of(**{metric.name: ends})
        assert metric.low <= number.ci_low <= number.value <= number.ci_high <= metric.high
    assert number_of(own=values).ci_high > high  # nobody knows what one's own measure can be


def test_a_weight_applies_to_the_other_metrics_only(tmp_path):
    path = measure(tmp_path, "b2", "asr", wer=[0.5, 0, 0, 0], n_words=[1, 1, 1, 7])
    numbers = summary([path], {"asr": {"weight": "n_words"}})
    assert {number.metric: number.value for number in numbers} == {"wer": 0.05, "n_words": 2.5}


def test_a_measure_of_some_utterances_of_each_speaker(tmp_path):
    """The others are no missing measures, and one measure of all stands beside it."""
    some = drawn(UTTERANCES, {"utterances": 1}, seed=0)
    assert sorted(line.speaker for line in some) == ["s0", "s1"]
    path = measure(tmp_path, "b2", "asr", wer=range(4))
    whole = measure(tmp_path, "b2", "length", length=[1, 2, 3, 4])
    with pytest.raises(BadInput, match="not in the manifest"):
        summary([path], {"asr": {"utterances": 1}})
    kept = [line.utterance for line in some]
    header, *lines = path.read_text().splitlines()
    path.write_text("\n".join([header, *(line for line in lines if line[:2] in kept)]) + "\n")
    number, of_all = summary([path, whole], {"asr": {"utterances": 1}})
    assert number.value == sum(int(name[1]) for name in kept) / 2
    assert (number.n_utterances, number.n_undefined, number.n_speakers) == (2, 0, 2)
    assert (of_all.value, of_all.n_utterances) == (2.5, 4)
    with pytest.raises(BadInput, match="of 4 utterances is missing"):
        summary([path], {})


def test_contradictions_are_named(tmp_path):
    one = measure(tmp_path, "b2", "asr", wer=[0] * 4)
    same = measure(tmp_path, "b2", "other", wer=[1] * 4)
    with pytest.raises(BadInput, match="asr and other both measure wer"):
        summary([one, same])
    more = measure(tmp_path, "b3", "asr", wer=[0] * 4, cer=[0] * 4)
    with pytest.raises(BadInput, match="asr measures cer for only one of b2 and b3"):
        summary([one, more])
    with pytest.raises(BadInput, match="weight: it measures no 'words', only wer"):
        summary([one], {"asr": {"weight": "words"}})
    negative = measure(tmp_path, "b2", "asr", wer=[0] * 4, words=[1, 1, 1, -1])
    with pytest.raises(BadInput, match="weight words is -1, below 0"):
        summary([negative], {"asr": {"weight": "words"}})


def test_the_name_of_a_joint_number_is_no_metric_of_another_measure(tmp_path):
    heard = measure(tmp_path, "b2", "emotion", sad=[1, 0, "undefined", 1])
    own = measure(tmp_path, "b2", "mine", emotion_percent=[1] * 4)
    options = {"emotion": {"statistic": "macro_recall", "joint": "emotion_percent"}}
    with pytest.raises(BadInput, match="emotion and mine both measure emotion_percent"):
        summary([heard, own], options)


def test_the_command_shows_numbers_and_spells_out_what_is_undefined(tmp_path):
    path = measure(tmp_path, "b2", "wer", wer=[0.25] * 4, cer=["undefined"] * 4)
    write_manifest(tmp_path / "manifest.tsv", UTTERANCES)
    files = {"manifest": tmp_path / "manifest.tsv", "metrics": tmp_path / "utility.tsv"}
    lines = succeeds("assess_utility", *flags(measures=path, **files)).splitlines()
    assert [line.split() for line in lines] == [
        ["b2", "cer", "undefined", "[-,", "-]"],
        ["b2", "wer", "0.25", "[-,", "-]"],
    ]


def mean_of(values, speakers, *, n_replicates=200, seed=0, weights=None):
    draws = Draws(n_replicates, seed)
    mean, _ = resampled_mean(values, speakers, weights=weights, draws=draws)
    return mean


OF_SPEAKERS = {
    "over utterances and not over speakers": ([1.0, 1.0, 4.0], "sst", None, (2, 3, 0, 2)),
    "the rate of all words": ([0.1, 1.0], "st", [10.0, 2.0], (3 / 12, 2, 0, 2)),
    "without what is undefined": ([1.0, "undefined", 3.0], "stt", None, (2, 3, 1, 2)),
    "of nothing defined": (["undefined"], "s", None, ("undefined", 1, 1, 0)),
    "of nothing that weighs": ([1.0], "s", [0.0], ("undefined", 1, 0, 0)),
    "of one speaker": ([1.0, 2.0], "ss", None, (1.5, 2, 0, 1)),
    "of one who weighs": ([1.0, 0.0, 0.0], "abc", [1.0, 0.0, 0.0], (1.0, 3, 0, 1)),
}


@pytest.mark.parametrize("kind", OF_SPEAKERS)
def test_a_mean_of_so_few_speakers_has_no_interval(kind):
    """It has the numbers of utterances, of undefined ones, and of speakers beside it."""
    values, speakers, weights, expected = OF_SPEAKERS[kind]
    mean = mean_of(values, list(speakers), weights=weights)
    assert (mean.ci_low, mean.ci_high) == (None, None)
    assert (mean.value, *mean[3:]) == pytest.approx(expected)


def test_three_speakers_have_an_interval_that_is_wider_than_their_values():
    assert mean_of([1.0, 2.0, 3.0], list("abc"), n_replicates=0).ci_high is None
    result = mean_of([1.0, 2.0, 3.0], list("abc"))
    assert result.ci_low < 1 and result.ci_high > 3
    assert mean_of([0.5] * 6, list("aabbcc"))[:3] == (0.5, 0.5, 0.5)  # equal values: no width


def test_the_order_of_utterances_changes_nothing():
    draw = np.random.default_rng(3)
    values, speakers = draw.normal(size=30).tolist(), draw.choice(list("abcdef"), 30).tolist()
    order = draw.permutation(30)
    other = mean_of([values[at] for at in order], [speakers[at] for at in order])
    assert other == pytest.approx(mean_of(values, speakers))


def test_an_interval_is_that_of_speakers_and_not_of_utterances():
    """Ten speakers with 50 equal utterances each: as wide as with one utterance each."""
    values = np.random.default_rng(1).normal(size=10).tolist()
    names = [f"s{at}" for at in range(10)]
    many = mean_of(values * 50, names * 50)
    assert many[1:3] == pytest.approx(mean_of(values, names)[1:3])


def test_95_percent_intervals_hold_the_truth_about_as_often():
    draw = np.random.default_rng(0)
    names = [f"s{at}" for at in range(12) for _ in range(5)]
    held = 0
    for run in range(200):
        effects = np.repeat(draw.normal(size=12), 5) + draw.normal(size=60)
        result = mean_of(effects.tolist(), names, seed=run)
        held += result.ci_low <= 0 <= result.ci_high
    assert 180 <= held <= 199
