"""metrics.tsv: every number once, under the right condition, whole or not at all."""

import math

import pytest

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.report.metrics import Number, collect, read_metrics, write_metrics


def found(metrics, **where):
    return [metric for metric in metrics if metric._asdict() == metric._asdict() | where]


def test_a_number_stands_once_under_its_path_and_condition_in_any_order(metrics, paths, folder):
    [metric] = found(metrics, trials="m", anonymiser="b2r", condition="pp", metric="eer_percent")
    key = ("demo", "m", "b2r", "xvector", "cosine", "pp")
    assert metric == Number(*key, "eer_percent", "10.25", "-", "-")
    # Numbers of two conditions stand under the protected one.
    for name, condition in (("deid_percent", "op"), ("gvd_db", "pp")):
        assert {metric.condition for metric in found(metrics, metric=name)} == {condition}
    # The reference that every anonymiser has, and a number of two families, are kept once.
    [metric] = found(metrics, condition="oo", metric="ddiag", trials="f")
    assert metric.anonymiser == "original"
    assert len(found(metrics, metric="n_target")) == 2 * 5
    assert len({metric[:7] for metric in metrics}) == len(metrics)
    metrics = collect(paths, folder=folder)
    assert metrics == collect(paths[::-1], folder=folder) == sorted(metrics)


def test_intervals_stand_beside_their_numbers_and_have_limits(paths, folder):
    path = folder / "similarity/demo/f/b2/xvector/cosine.intervals.json"
    limits = {"value": 50.0, "ci_low": -1.5, "ci_high": None}
    write_json(path, {"op": {"deid_percent": limits, "ddiag": limits}, "oo": {"ddiag": limits}})
    metrics = collect(paths, folder=folder, intervals=[path])
    [deid] = found(metrics, metric="deid_percent", anonymiser="b2", trials="f")
    assert (deid.value, deid.ci_low, deid.ci_high) == ("50.0", "-1.5", "-")
    [original] = found(metrics, metric="ddiag", condition="oo", trials="f")
    assert (original.anonymiser, original.ci_low) == ("original", "-1.5")
    assert len([metric for metric in metrics if metric.ci_low != "-"]) == 3
    write_json(path, {"op": {"deid_percent": {"value": 50.0}}})
    with pytest.raises(BadInput, match="deid_percent is ''"):
        collect(paths, folder=folder, intervals=[path])


def test_two_families_that_disagree_stop_the_run(paths, folder):
    path = folder / "zebra/demo/f/b2/xvector/cosine.json"
    values = read_json(path)
    values["op"]["n_target"] = 99
    write_json(path, values)
    with pytest.raises(BadInput, match=r"n_target is 99, but 100 in .*verification"):
        collect(paths, folder=folder)


def test_numbers_keep_full_precision_and_infinity_is_a_word(folder, tmp_path):
    path = folder / "verification/demo/f/original/xvector/cosine.json"
    numbers = {"third": 1 / 3, "large": math.inf, "small": -math.inf}
    texts = {"unknown": "undefined", "tag": "0"}
    write_json(path, {"oo": numbers | texts})
    write_metrics(tmp_path / "metrics.tsv", collect([path], folder=folder))
    values = {metric.metric: metric.value for metric in read_metrics(tmp_path / "metrics.tsv")}
    assert values == {"third": repr(1 / 3), "large": "inf", "small": "-inf"} | texts


NO_NUMBERS = ["null", "NaN", '""', "true", "[1]"]
NOTHING = ["{}", "[]", "3", '{"op": {}}']


def test_a_missing_number_or_none_at_all_stops_the_run(folder):
    path = folder / "zebra/demo/f/b2/xvector/cosine.json"
    path.parent.mkdir(parents=True)
    texts = {f'{{"op": {{"dece_bit": {no}}}}}': "dece_bit is" for no in NO_NUMBERS}
    for text, words in (texts | dict.fromkeys(NOTHING, "holds no metrics")).items():
        path.write_text(text)
        with pytest.raises(BadInput, match=words):
            collect([path], folder=folder)


def test_a_file_in_another_place_is_named(tmp_path):
    for name in ("metrics/zebra/demo/f/b2/cosine.json", "elsewhere/zebra/demo/f/b2/x/cosine.json"):
        write_json(tmp_path / name, {"op": {"dece_bit": 0.1}})
        with pytest.raises(BadInput, match="expected metrics/FAMILY"):
            collect([tmp_path / name], folder=tmp_path / "metrics")


def test_a_table_with_a_missing_or_second_number_is_refused_with_its_line(tmp_path, metrics):
    path, (first, second, *_) = tmp_path / "metrics.tsv", metrics
    for value in ("", "-", "nan"):
        write_metrics(path, [first, second._replace(value=value)])
        with pytest.raises(BadInput, match=r"metrics.tsv:3: .* has no value"):
            read_metrics(path)
    write_metrics(path, [first, second, first._replace(value="7")])
    with pytest.raises(BadInput, match=r"metrics.tsv:4: demo f .* occurs twice"):
        read_metrics(path)


def test_values_without_their_bias_are_read_where_files_of_intervals_have_them(tmp_path):
    path = tmp_path / "metrics/zebra/demo/f/b2/ecapa/cosine.intervals.json"
    known = {"op": {"unbiased": 0.3}, "oo": {"unbiased": None}, "pp": {}}
    write_json(path, {name: {"dece_bit": {"value": 0.4} | one} for name, one in known.items()})
    lines = [
        Number("demo", "f", anonymiser, "ecapa", "cosine", condition, "dece_bit", "0.4")
        for anonymiser, condition in (("b2", "op"), ("b2", "pp"), ("original", "oo"))
    ]
    write_metrics(tmp_path / "metrics.tsv", lines)
    read = read_metrics(tmp_path / "metrics.tsv")
    assert [line.unbiased for line in read] == [0.3, None, None], "an earlier version wrote none"
