"""The table of a corpus: lists, several measures, and contradictions between them."""

import math
from pathlib import Path

import pytest
from support.calls import flags, succeeds

from voiceprivacy.catalogue import METRICS
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import Utterance, write_manifest
from voiceprivacy.utility.measures import drawn
from voiceprivacy.utility.summary import summarise

UTTERANCES = [Utterance(f"u{at}", f"s{at % 2}", "f", Path("-"), 1.0) for at in range(4)]


def measure(tmp_path, anonymiser, name, **metrics):
    path = tmp_path / "demo" / "trial" / anonymiser / f"{name}.tsv"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = []
    for metric, values in metrics.items():
        rows += [f"u{at}\t{metric}\t{value}" for at, value in enumerate(values)]
    path.write_text("\n".join(["utterance\tmetric\tvalue", *rows]) + "\n")
    return path


def summary(paths, options=None, lists=None):
    summarised = summarise(
        paths, UTTERANCES, lists or {}, options=options or {}, n_replicates=50, seed=0
    )
    return summarised.numbers


def test_means_of_all_utterances_and_of_each_list(tmp_path):
    path = measure(tmp_path, "b2", "wer", wer=[1, 2, 3, 6])
    numbers = summary(
        [path], {"wer": {"better": "lower"}}, {"f": {"u0", "u1", "speaker"}, "m": {"u2", "u3"}}
    )
    assert [
        (number.trials, number.value, number.n_utterances, number.better) for number in numbers
    ] == [
        ("-", 3, 4, "lower"),
        ("f", 1.5, 2, "lower"),
        ("m", 4.5, 2, "lower"),
    ]
    assert numbers[0][:5] == ("demo", "-", "b2", "wer", "wer")


BOUNDED = [row for row in METRICS.values() if row.family == "utility" and row.low > -math.inf]


@pytest.mark.parametrize("metric", BOUNDED, ids=lambda metric: metric.name)
@pytest.mark.parametrize("n_speakers", [3, 4])
def test_limits_are_numbers_that_the_metric_can_be(tmp_path, metric, n_speakers):
    """The page refuses others; few speakers have limits by t, which know no range."""
    high = metric.high if math.isfinite(metric.high) else metric.low + 1
    values = [metric.low, *(n_speakers - 1) * [high]]
    for ends in (values, [metric.low + high - value for value in values]):
        lines = [Utterance(f"u{i}", f"s{i}", "f", "x.wav", 1.0) for i in range(n_speakers)]
        path = measure(tmp_path, "b2", "mine", **{metric.name: ends})
        ((number,), _, _) = summarise([path], lines, {}, options={}, n_replicates=200, seed=0)
        assert metric.low <= number.ci_low <= number.value <= number.ci_high <= metric.high
    other = measure(tmp_path, "b3", "mine", own=values)
    ((number,), _, _) = summarise([other], lines, {}, options={}, n_replicates=200, seed=0)
    assert number.ci_high > high  # nobody knows what one's own measure can be


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
    lines = path.read_text().splitlines()
    path.write_text(
        "\n".join([lines[0], *[line for line in lines[1:] if line.split("\t")[0] in kept]]) + "\n"
    )
    number, of_all = summary([path, whole], {"asr": {"utterances": 1}})
    assert number.value == sum(int(name[1]) for name in kept) / 2
    assert (number.n_utterances, number.n_undefined, number.n_speakers) == (2, 0, 2)
    assert (of_all.value, of_all.n_utterances) == (2.5, 4)
    with pytest.raises(BadInput, match="of 4 utterances is missing"):
        summary([path], {})


def test_contradictions_are_named(tmp_path):
    one, same = (
        measure(tmp_path, "b2", "asr", wer=[0] * 4),
        measure(tmp_path, "b2", "other", wer=[1] * 4),
    )
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


def test_the_command_shows_numbers_and_spells_out_what_is_undefined(tmp_path):
    path = measure(tmp_path, "b2", "wer", wer=[0.25] * 4, cer=["undefined"] * 4)
    write_manifest(tmp_path / "manifest.tsv", UTTERANCES)
    files = {
        "measures": path,
        "manifest": tmp_path / "manifest.tsv",
        "metrics": tmp_path / "utility.tsv",
    }
    lines = succeeds("assess_utility", *flags(**files)).splitlines()
    assert [line.split() for line in lines] == [
        ["b2", "cer", "undefined", "[-,", "-]"],
        ["b2", "wer", "0.25", "[-,", "-]"],
    ]
