"""Systems read from the files of a run and compared: means over lists, and mistakes."""

import itertools

import numpy as np
import pytest
from support.calls import succeeds
from support.systems import COMMON, write_system, write_two_lists

from voiceprivacy.errors import BadInput
from voiceprivacy.privacy.uncertainty import bootstrap, paired
from voiceprivacy.privacy.uncertainty.corrections import CORRECTIONS

DRAW = np.random.default_rng(1)
AVERAGE = {("libri", "f"): 0.25, ("vctk", "f"): 0.75}


def read(folder, *trials, **options):
    files = write_two_lists(folder)
    paths = itertools.chain.from_iterable(files[name] for name in trials)
    return paired.read_systems(paths, folder=folder, **options)


def test_all_metrics_have_intervals_and_those_with_a_direction_are_compared(tmp_path):
    pairs, systems = paired.compare_all(read(tmp_path, "f", "m"))
    [pair] = pairs  # min DCF has no valid interval, so nothing is said of it
    assert (pair.condition, pair.metric) == ("pp", "eer_percent")
    assert (pair.difference, pair.verdict) == (2, "A is better")
    levels = {("oo", "original"): 10, ("pp", "b1"): 17, ("pp", "b2"): 15}
    expected = [
        (condition, metric, name, level, *of_level(level, metric))
        for (condition, name), level in levels.items()
        for metric in ("eer_percent", "min_dcf")
    ]
    assert systems == sorted(expected, key=lambda system: system[:3])


def of_level(level, metric):
    correction = CORRECTIONS.get(metric, bootstrap.NONE)
    limits = bootstrap.interval(float(level), level + COMMON, n_speakers=20, correction=correction)
    return pytest.approx(limits.ci_low), pytest.approx(limits.ci_high)


def test_the_interval_of_an_average_over_corpora_is_that_of_the_averaged_replicates(tmp_path):
    """Two corpora with a list f each, of other speakers; b2 is worse on vctk alone."""
    libri, vctk = 10 + DRAW.normal(size=999), 20 + DRAW.normal(size=999)
    paths = [
        write_system(tmp_path, "verification/libri/f/b1", libri, value=10.0, n_speakers=29),
        write_system(tmp_path, "verification/vctk/f/b1", vctk, value=20.0, n_speakers=15),
        write_system(tmp_path, "verification/libri/f/b2", libri, value=10.0),
        write_system(tmp_path, "verification/vctk/f/b2", vctk - 4, value=16.0),
    ]
    rate = {"value": 50.0, "metrics": ["identification_rate_percent"]}
    paths.append(write_system(tmp_path, "ranks/libri/f/b1", libri, **rate))  # vctk has no gallery
    read_here = paired.read_systems(paths, folder=tmp_path, weights=AVERAGE)
    pairs, systems = paired.compare_all(read_here)
    expected = bootstrap.interval(17.5, 0.25 * libri + 0.75 * vctk, n_speakers=15)
    assert [system[:3] for system in systems] == [("pp", "eer_percent", f"b{i}") for i in (1, 2)]
    assert systems[0][3:] == pytest.approx((17.5, expected.ci_low, expected.ci_high))
    [pair] = pairs
    assert (pair.difference, pair.ci_low, pair.ci_high) == pytest.approx((3, 3, 3))


def test_lists_without_a_weight_and_weights_without_a_list_are_named(tmp_path):
    message = rf"{tmp_path}: with a weight but no intervals, or without weight: libri/m, vctk/m$"
    with pytest.raises(BadInput, match=message):
        read(tmp_path, "f", "m", weights={("libri", "f"): 1, ("vctk", "m"): 1})


def test_systems_on_other_lists_are_refused(tmp_path):
    files = write_two_lists(tmp_path)
    with pytest.raises(BadInput, match=f"{tmp_path}: verification: systems differ in their lists"):
        paired.read_systems([*files["f"], *files["m"][:1]], folder=tmp_path)


def test_a_file_in_another_place_is_refused(tmp_path):
    with pytest.raises(BadInput, match="expected FAMILY/CORPUS"):
        paired.read_systems([tmp_path / "elsewhere.intervals.json"], folder=tmp_path / "metrics")


def words(folder, *trials):
    files = write_two_lists(folder)
    paths = list(itertools.chain.from_iterable(files[name] for name in trials))
    written = ["--comparisons", folder / "pairs.tsv", "--systems", folder / "systems.tsv"]
    return ["--intervals", *paths, "--folder", folder, *written]


def test_the_command_compares_one_list_or_the_mean_of_lists(tmp_path):
    said = succeeds("compare_anonymisers", *words(tmp_path, "f", "m"))
    header, line = (line.split("\t") for line in (tmp_path / "pairs.tsv").read_text().splitlines())
    pair = dict(zip(header, line, strict=True))
    assert (pair["condition"], pair["anonymiser_a"], pair["anonymiser_b"]) == ("pp", "b1", "b2")
    assert (pair["value_a"], pair["difference"], pair["verdict"]) == ("17.0", "2.0", "A is better")
    rows = [line.split("\t") for line in (tmp_path / "systems.tsv").read_text().splitlines()[1:]]
    assert len(rows) == 6 and ["oo", "eer_percent", "original", "10.0"] in [row[:4] for row in rows]
    assert "A is better" in said
    succeeds("compare_anonymisers", *words(tmp_path, "f"))
    assert "\t12.0\t10.0\t2.0\t" in (tmp_path / "pairs.tsv").read_text()
