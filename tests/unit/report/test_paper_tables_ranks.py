"""Rank disclosure of several features beside each other: bounds, dashes, names in LaTeX."""

import pytest

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import read_rows
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.paper_tables import BOUND, write_ranks


def of_gallery(extractor, bits, *, trials="f_t1_d1", anonymiser="original", condition="oo"):
    values = {
        "n_templates": 8,
        "log2_n_templates_bit": 3.0,
        "disclosure_bit": bits,
        "match_positive_percent": 75.0,
    }
    return [
        Number("demo", trials, anonymiser, extractor, "cosine", condition, name, str(value))
        for name, value in values.items()
    ]


def test_features_stand_side_by_side_and_their_sum_is_a_bound(tmp_path):
    write_ranks(tmp_path / "t.tsv", [*of_gallery("ecapa", 2.0), *of_gallery("f0", 0.5)])
    columns = (tmp_path / "t.tsv").read_text().splitlines()[0].split("\t")
    assert columns[-3:] == ["ecapa+cosine", "f0+cosine", BOUND]
    rows = {row["metric"]: row for _, row in read_rows(tmp_path / "t.tsv", columns)}
    assert (rows["disclosure_bit"]["f0+cosine"], rows["disclosure_bit"][BOUND]) == ("0.5", "2.5")
    assert rows["match_negative_percent"]["ecapa+cosine"] == "25.0"
    assert rows["kl_cll_bit"]["f0+cosine"] == "-"


def test_the_bound_does_not_exceed_log2_n(tmp_path):
    write_ranks(tmp_path / "t.tsv", [*of_gallery("ecapa", 2.9), *of_gallery("f0", 0.5)])
    line = next(
        line
        for line in (tmp_path / "t.tsv").read_text().splitlines()
        if "\tdisclosure_bit\t" in line
    )
    assert line.endswith("\t3.0")


def test_latex_escapes_names(tmp_path):
    write_ranks(tmp_path / "t.tex", of_gallery("ecapa", 2.0))
    text = (tmp_path / "t.tex").read_text()
    assert r"f\_t1\_d1" in text and r"\toprule" in text and "disclosure_bit" not in text


def test_another_kind_of_table_is_refused(tmp_path):
    with pytest.raises(BadInput, match="tsv or tex"):
        write_ranks(tmp_path / "t.md", of_gallery("ecapa", 2.0))
    assert list(tmp_path.iterdir()) == []
