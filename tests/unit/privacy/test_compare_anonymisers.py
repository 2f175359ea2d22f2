"""The command that compares anonymisers: lists, their mean, averages over corpora, what does not belong together."""

import numpy as np
import pytest
from calls import call, succeeds

from voiceprivacy.arrays import write_npz
from voiceprivacy.files import write_json
from voiceprivacy.privacy import bootstrap

DRAW = np.random.default_rng(0)
COMMON = DRAW.normal(size=999)


@pytest.fixture
def folder(tmp_path):
    """Two anonymisers and the original on two lists, b1 always two points of EER above b2."""
    for trials, level in (("f", 10.0), ("m", 20.0)):
        for anonymiser, shift in (("b1", 2.0), ("b2", 0.0), ("original", -5.0)):
            condition = "oo" if anonymiser == "original" else "pp"
            value = level + shift
            replicates = value + COMMON
            path = tmp_path / "verification" / "libri" / trials / anonymiser / "ecapa" / "cosine"
            of = bootstrap.interval(value, replicates, n_speakers=20)._asdict()
            found = {"eer_percent": of, "min_dcf": of, "disclosure_bit": of}  # a headline has no replicates of its own
            write_json(path.with_suffix(".intervals.json"), {condition: found})
            arrays = {f"{condition}/{name}": replicates for name in ("eer_percent", "min_dcf")}
            write_npz(path.with_suffix(".bootstrap.npz"), arrays)
    return tmp_path


def compare(folder, *trials, options=()):
    paths = [path for of in trials for path in sorted(folder.glob(f"verification/libri/{of}/*/*/*.intervals.json"))]
    written = ["--comparisons", folder / "pairs.tsv", "--systems", folder / "systems.tsv"]
    return call("compare_anonymisers", "--intervals", *paths, "--folder", folder, *written, *options)


def write_system(folder, corpus, trials, value, replicates, *, family="verification", anonymiser="b1", n_speakers=20):
    path = folder / family / corpus / trials / anonymiser / "ecapa" / "cosine"
    of = bootstrap.interval(value, replicates, n_speakers=n_speakers)._asdict()
    metric = "eer_percent" if family == "verification" else "identification_rate_percent"
    write_json(path.with_suffix(".intervals.json"), {"pp": {metric: of}})
    write_npz(path.with_suffix(".bootstrap.npz"), {f"pp/{metric}": replicates})
    return path.with_suffix(".intervals.json")


def test_the_command_compares_one_list_or_the_mean_of_lists(folder):
    done = compare(folder, "f", "m")
    assert done.returncode == 0, done.stderr
    header, *lines = [line.split("\t") for line in (folder / "pairs.tsv").read_text().splitlines()]
    [pair] = [dict(zip(header, line, strict=True)) for line in lines]
    assert (pair["condition"], pair["anonymiser_a"], pair["anonymiser_b"]) == ("pp", "b1", "b2")
    assert (pair["value_a"], pair["difference"], pair["verdict"]) == ("17.0", "2.0", "A is better")
    rows = [line.split("\t") for line in (folder / "systems.tsv").read_text().splitlines()[1:]]
    assert len(rows) == 6 and ["oo", "eer_percent", "original", "10.0"] in [row[:4] for row in rows]
    assert "A is better" in done.stdout


def test_the_interval_of_an_average_over_corpora_is_that_of_the_averaged_replicates(tmp_path):
    """Two corpora with a list f each, of other speakers; two systems, of which b2 is worse on vctk alone."""
    libri, vctk = 10 + DRAW.normal(size=999), 20 + DRAW.normal(size=999)
    paths = [
        write_system(tmp_path, "libri", "f", 10.0, libri, n_speakers=29),
        write_system(tmp_path, "vctk", "f", 20.0, vctk, n_speakers=15),
        write_system(tmp_path, "libri", "f", 10.0, libri, anonymiser="b2"),
        write_system(tmp_path, "vctk", "f", 16.0, vctk - 4, anonymiser="b2"),
        write_system(tmp_path, "libri", "f", 50.0, libri, family="ranks"),  # vctk has no gallery: no mean of ranks
    ]
    written = ["--comparisons", tmp_path / "pairs.tsv", "--systems", tmp_path / "systems.tsv"]
    weights = ["--weights", "libri/f=0.25", "vctk/f=0.75"]
    succeeds("compare_anonymisers", "--intervals", *paths, "--folder", tmp_path, *written, *weights)
    _, *rows = [line.split("\t") for line in (tmp_path / "systems.tsv").read_text().splitlines()]
    expected = bootstrap.interval(17.5, 0.25 * libri + 0.75 * vctk, n_speakers=15)
    assert [row[:3] for row in rows] == [["pp", "eer_percent", "b1"], ["pp", "eer_percent", "b2"]]
    assert [float(number) for number in rows[0][3:]] == pytest.approx([17.5, expected.ci_low, expected.ci_high])
    header, pair = [line.split("\t") for line in (tmp_path / "pairs.tsv").read_text().splitlines()]
    pair = dict(zip(header, pair, strict=True))
    assert [float(pair[name]) for name in ("difference", "ci_low", "ci_high")] == pytest.approx([3, 3, 3])


def test_weights_of_other_lists_are_refused(folder):
    done = compare(folder, "f", "m", options=["--weights", "libri/f=1", "vctk/m=1"])
    assert done.returncode == 2 and "without weight: libri/m, vctk/m" in done.stderr


def test_systems_on_other_lists_are_refused(folder):
    for path in (folder / "verification/libri/m/b2").rglob("*.intervals.json"):
        path.unlink()
    done = compare(folder, "f", "m")
    assert done.returncode == 2 and "systems differ in their lists" in done.stderr
