"""The table for papers: the same rows, escaped, every line with the same number of columns."""

from voiceprivacy.report.comparison import compare, write_latex
from voiceprivacy.report.typeset import latex
from voiceprivacy.report.uncertainty import shown_columns


def test_special_characters_are_escaped():
    assert latex("b2_r & 50% {$#^~\\}") == (
        r"b2\_r \& 50\% \{\$\#\textasciicircum{}\textasciitilde{}\textbackslash{}\}"
    )


def test_rows_and_columns_of_the_table(tmp_path, metrics):
    path = tmp_path / "comparison.tex"
    metrics = [
        metric._replace(anonymiser=metric.anonymiser.replace("b2r", "b_2")) for metric in metrics
    ]
    systems = compare(metrics)
    write_latex(path, systems)
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.endswith(r"\\") and "multicolumn" not in line]
    assert lines[0] == r"\begin{tabular}{lllrrrrrrrrrr}" and lines[-1] == r"\end{tabular}"
    assert {row.count(" & ") for row in rows} == {len(shown_columns(systems)) + 2}
    assert len(rows) == 2 + 5 * 3
    numbers = "10.2 & 1.25 & 0.50 & 0.250 & 1.50 (B) & -- & $-$1.25 & 1.50 & 1.25 & 40.0"
    assert rf"b\_2 & lazy-informed & m & {numbers} \\" in rows
    assert path.read_text(encoding="utf-8").isascii()
