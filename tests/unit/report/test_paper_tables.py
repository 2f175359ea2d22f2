"""Tables for papers: the columns of the paper of 2022, all forms, and what is missing is a dash."""

import pytest

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.tables import read_rows
from voiceprivacy.report import paper_tables, typeset
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.paper_tables import BOUND, write_ranks
from voiceprivacy.vocabulary import evaluation_notes


def metrics(backend="cosine", runs=2):
    """libri_test_trials_f of the paper: B2r with a second run, and the unprotected set."""
    of_original = {"dece_bit": 0.584, "worst_case_log10": 3.979, "tag": "C", "eer_percent": 7.66}
    of_op = {"dece_bit": 0.236, "worst_case_log10": 2.541, "tag": "C", "deid_percent": 53.51}
    of_op |= {"dece_op_oo_percent": 59.59, "cllr_min_op_oo_percent": 58.87}
    of_op |= {"cece_linear_bit": 0.014} if runs == 2 else {}
    of_pp = {"gvd_db": -1.94, "gain_dece_db": -4.38, "gain_cllr_min_db": "-inf"}
    values = {("original", "oo"): of_original, ("b2r", "op"): of_op, ("b2r", "pp"): of_pp}
    lines = []
    for (anonymiser, condition), numbers in values.items():
        key = ("libri", "f", anonymiser, "xvector", backend, condition)
        lines += [Number(*key, name, str(value)) for name, value in numbers.items()]
    return lines


def rows(table):
    lines = typeset.markdown(table).splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_tables_2_to_4_in_their_columns():
    row = ["libri_f (0.584, 3.979, C)", "b2r", "53.51", "-1.94", "0.236/0.014", "2.541", "C"]
    pitch = Number("libri", "f", "b2r", "-", "-", "-", "pitch_correlation", "0.8")
    assert rows(paper_tables.table_2([*metrics(), pitch]))[2:] == [row], "utility is no attack"
    # Without a second run there is no distortion to show.
    assert rows(paper_tables.table_2(metrics(runs=1)))[2][4] == "0.236"
    assert rows(paper_tables.table_3(metrics()))[2] == ["libri_f", "b2r", "53.51", "59.59", "58.87"]
    assert rows(paper_tables.table_4(metrics()))[2] == ["libri_f", "b2r", "-1.94", "-4.38", "-inf"]
    table = paper_tables.table_3(metrics() + metrics(backend="plda"))
    names = ["libri_f, xvector + cosine", "libri_f, xvector + plda"]
    assert [row[0] for row in rows(table)[2:]] == names


def test_the_whole_challenge_has_every_condition_and_original_first():
    cells = rows(paper_tables.every_condition(metrics()))[2:]
    assert [row[1:3] for row in cells] == [["original", "OO"], ["b2r", "OP"], ["b2r", "PP"]]
    assert cells[0][3] == "7.66" and cells[2][3:] == ["-"] * 8


def test_intervals_stand_in_brackets_and_as_columns_and_the_band_beside_d_ece(tmp_path):
    known = []
    for line in metrics():
        limits = {"ci_low": "0.1", "ci_high": "0.3"} if line.metric == "dece_bit" else {}
        known.append(line._replace(**limits))
    known.append(known[0]._replace(metric="dece_null95_bit", value="0.05", ci_low="-", ci_high="-"))
    unbiased = [line._replace(unbiased=0.2) for line in known]
    for lines in (known, unbiased):
        assert rows(paper_tables.table_2(lines))[2][4] == "0.236 [0.100, 0.300]/0.014"
    # Where nothing is known of its bias, the nearest limit.
    for lines, value in ((unbiased, "0.200"), (known, "0.300")):
        original = rows(paper_tables.every_condition(lines))[2]
        assert original[7] == f"{value} [0.100, 0.300] (by definition 0.584)"
        assert original[-1] == "0.050"
    cells = first_row(tmp_path / "t.tsv", paper_tables.every_condition(unbiased))
    assert cells["dece_bit"].startswith("0.58"), "a program gets the definition's"
    assert (cells["dece_bit_ci_low"], cells["dece_bit_ci_high"]) == ("0.1", "0.3")
    assert cells["eer_percent_ci_low"] == "-" and "tag_ci_low" not in cells
    assert cells["dece_null95_bit"] == "0.05"


def first_row(path, table):
    """The first row of a table of TSV: {column: text}."""
    typeset.write(path, table)
    header, row, *_ = [line.split("\t") for line in path.read_text().splitlines()]
    return dict(zip(header, row, strict=True))


def test_tsv_is_in_full_precision_with_names_that_a_program_knows(tmp_path):
    cells = first_row(tmp_path / "t.tsv", paper_tables.table_2(metrics()))
    names = ("cece_linear_bit", "oo_worst_case_log10", "gvd_db", "anonymiser")
    assert [cells[name] for name in names] == ["0.014", "3.979", "-1.94", "b2r"]


def test_latex_escapes_names_but_not_formulas():
    text = typeset.booktabs(paper_tables.table_2(metrics()))
    assert text.count(r"\begin{table*}") == text.count(r"\begin{tabular}{@{}lr") == 1
    assert r"$D_{ECE}$/$C_{ECE}$ [bit]" in text and r"DeID [\%]" in text
    assert r"\textit{libri\_f (0.584, 3.979, C)}} \\" in text
    assert r"b2r & 53.51 & $-$1.94 & 0.236/0.014 & 2.541 & C \\" in text


def test_the_evaluation_of_2026_stands_below_tables():
    corpora = {
        "a": {"protocol": {"given": {"mixed": {"list": "m.txt", "cross_gender": 4}}}},
        "b": {"protocol": {"given": {"f": {"directory": "f", "repeats": "last"}}}},
    }
    assert evaluation_notes({"corpora": corpora}) == []
    plan, own_list = evaluation_notes({"plan": "june", "corpora": corpora})
    assert "June 2026 (signs" in plan
    assert own_list.startswith("a, mixed: own cross-gender list, seed 4.")
    table = paper_tables.table_3(metrics())._replace(notes=["100 % of it.", own_list])
    assert typeset.markdown(table).endswith(f"\n\n100 % of it.\n{own_list}\n")
    text = typeset.booktabs(table).rstrip()
    assert r"100 \% of it" in text and r"published rate is of this list.}" in text


def test_groups_are_apart_and_named_once():
    table = paper_tables.every_condition(metrics() + metrics(backend="plda"))
    text = typeset.booktabs(table)
    assert text.count(r"\toprule") == 1 and text.count(r"\midrule") == 2
    assert text.count("xvector + plda") == 1


def test_limits_stand_below_their_numbers():
    values = {"eer_percent": 5.0, "cllr_bit": 0.5, "n_target": 40, "n_nontarget": 440}
    values |= {"cllr_min_bit": 0.2, "cllr_cal_bit": 0.3, "min_dcf": 1.0, "linkability": "undefined"}
    limits = {"eer_percent_ci_low": 1.0, "eer_percent_ci_high": 9.0}
    table = paper_tables.of_scores({"a_b": values | limits}, "verification")
    lines = typeset.booktabs(table).splitlines()
    assert not any("&  &" in line for line in lines if "EER" in line), "each column has a title"
    row = lines.index(r"a\_b & 5.00 & 0.500 & 0.200 & 0.300 & 1.000 & undefined & 40 & 440 \\")
    assert lines[row + 1].startswith(r" & {\scriptsize [1.00, 9.00]} & ")
    assert table.names[:4] == ["label", "eer_percent", "eer_percent_ci_low", "eer_percent_ci_high"]
    assert "cllr_bit_ci_low" not in table.names


def test_zebras_table_of_score_files_says_what_a_list_of_this_size_can_show():
    values = {"dece_bit": 0.1, "worst_case_log10": 1.5, "tag": "B", "tag_ceiling": "C"}
    values |= {"worst_case_floor_log10": 0.001, "worst_case_ceiling_log10": 2.5}
    assert rows(paper_tables.of_scores({"a|b": values}))[2][-3:] == ["2.500", "B", "C"]


def test_a_run_without_anonymisers_and_unknown_kinds_of_tables_are_refused(tmp_path):
    with pytest.raises(BadInput, match="no anonymiser"):
        paper_tables.table_2([metric for metric in metrics() if metric.anonymiser == "original"])
    with pytest.raises(BadInput, match="tsv, md or tex"):
        typeset.write(tmp_path / "t.xlsx", paper_tables.table_2(metrics()))
    with pytest.raises(BadInput, match="tsv or tex"):
        write_ranks(tmp_path / "t.md", of_gallery("ecapa", 2.0))
    assert list(tmp_path.iterdir()) == []


def of_gallery(extractor, bits):
    values = {"n_templates": 8, "log2_n_templates_bit": 3.0, "disclosure_bit": bits}
    key = ("demo", "f_t1_d1", "original", extractor, "cosine", "oo")
    values |= {"match_positive_percent": 75.0}
    return [Number(*key, name, str(value)) for name, value in values.items()]


def test_features_stand_side_by_side_and_their_sum_is_a_bound_up_to_log2_n(tmp_path):
    path, names = tmp_path / "t.tsv", ["ecapa+cosine", "f0+cosine", BOUND]
    for ecapa, bound in ((2.0, "2.5"), (2.9, "3.0")):
        write_ranks(path, [*of_gallery("ecapa", ecapa), *of_gallery("f0", 0.5)])
        columns = path.read_text().splitlines()[0].split("\t")
        assert columns[-3:] == names
        rows = {row["metric"]: row for _, row in read_rows(path, columns)}
        shown = [rows["disclosure_bit"][name] for name in names]
        assert shown == [str(ecapa), "0.5", bound]
    assert rows["match_negative_percent"]["ecapa+cosine"] == "25.0"
    assert rows["kl_cll_bit"]["f0+cosine"] == "-"
