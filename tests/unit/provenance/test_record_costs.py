"""What a run cost: sums of Snakemake's benchmark files by rule."""

import pytest

from voiceprivacy.inout.files import BadInput
from voiceprivacy.provenance.record import COLUMNS, job_costs


def write(path, *rows):
    """Rows of (wall s, peak memory MB, CPU s) as Snakemake writes them."""
    path.parent.mkdir(parents=True)
    lines = ["\t".join([wall, "0:00:01", rss, *["1.0"] * 6, cpu]) for wall, rss, cpu in rows]
    path.write_text("\n".join(["\t".join(COLUMNS), *lines]) + "\n")


def test_times_are_summed_and_the_largest_job_counts_for_memory(tmp_path):
    write(tmp_path / "score_trials/demo/f/op.tsv", ("1.5", "120.25", "1.25"))
    write(tmp_path / "score_trials/demo/m/op.tsv", ("2.5", "80.0", "0.25"))
    expected = {"jobs": 2, "wall_s": 4.0, "cpu_s": 1.5, "peak_memory_mb": 120}
    assert job_costs(tmp_path) == {"score_trials": expected}


def test_a_job_too_short_to_be_measured_counts_as_zero(tmp_path):
    write(tmp_path / "list_trials/demo/f.tsv", ("0.1", "NA", "NA"))
    assert job_costs(tmp_path)["list_trials"] == {
        "jobs": 1,
        "wall_s": 0.1,
        "cpu_s": 0.0,
        "peak_memory_mb": 0,
    }


def test_without_benchmarks_nothing_is_known(tmp_path):
    (tmp_path / "empty_rule").mkdir()
    assert job_costs(tmp_path) == {}
    assert job_costs(tmp_path / "absent") == {}


def test_a_file_of_another_kind_is_named(tmp_path):
    (tmp_path / "rule").mkdir()
    (tmp_path / "rule" / "x.tsv").write_text("a\tb\n")
    with pytest.raises(BadInput, match=r"x.tsv:1: expected the columns"):
        job_costs(tmp_path)
