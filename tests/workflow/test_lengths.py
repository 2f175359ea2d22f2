"""Speech that lasts half as long as the original: it is attacked by its timing, too."""

import re

import pytest
from support import runs

HALVED = """
def anonymise(samples, sample_rate, *, utterance, speaker, seed):
    return samples[: len(samples) // 2]
"""


@pytest.mark.long
def test_a_method_that_changes_lengths_is_judged_by_its_timing_too(tmp_path):
    runs.make_kaldi_directory(tmp_path / "data" / "tiny")
    (tmp_path / "half.py").write_text(HALVED)
    (tmp_path / "hear.py").write_text(runs.HEAR)
    runs.write_config(
        tmp_path,
        anonymisers={"half": {"function": "half.py:anonymise", "lengths": "free"}},
        extractors={"spectra": {"command": "python hear.py"}},
        utility={"words": False, "quality": False},
        report={"bootstrap": 0, "listen": 0},
    )
    runs.finish(tmp_path)
    results = tmp_path / "results"
    table = runs.rows(results / "metrics.tsv")
    attackers = {row["extractor"] for row in table if row["anonymiser"] == "half"}
    assert attackers == {"-", "spectra", "timing"}
    assert {row["value"] for row in table if row["metric"] == "pitch_correlation"} == {"undefined"}
    page = (results / "report" / "index.html").read_text()
    assert re.search(r"pitch_correlation[^<]*lengths: free", page)
