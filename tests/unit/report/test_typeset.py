"""The table for papers: the same rows, escaped, every line with the same number of columns."""

import itertools

from voiceprivacy.report import typeset
from voiceprivacy.report.comparison import compare, shown_columns, write_latex
from voiceprivacy.report.typeset import TEXT_LINES, floats, latex


def test_characters_are_escaped_and_tables_split_where_a_page_ends_or_is_too_narrow():
    assert latex("b2_r & 50% {$#^~\\}") == (
        r"b2\_r \& 50\% \{\$\#\textasciicircum{}\textasciitilde{}\textbackslash{}\}"
    )
    blocks = [[["a", "1"], ["", "2"]]] * TEXT_LINES
    lines = floats(heads=[["name", "number"]], blocks=blocks, n_names=1, caption="A", notes=["n"])
    pages = "\n".join(lines).split(r"\end{table*}")[:-1]
    assert len(pages) == 3
    assert [page.count("a & 1") for page in pages] == [page.count("& 2") for page in pages]
    assert [r"\caption{A}" in page for page in pages] == [True, False, False]
    assert all("{n}" in page for page in pages)
    row = ["a", "1" * 200, "2"]
    below = ["", "", "below"]
    lines = floats(heads=[row], blocks=[[row, below]], n_names=1)
    assert sum(line.startswith(r"\begin{tabular}") for line in lines) == 2
    assert sum("& below" in line for line in lines) == 1
    assert not any(line == r" &  \\" for line in lines), "no row without anything"
    assert sum("resizebox" in line for line in lines) == 1, "the wide one is made smaller"
    assert floats(heads=[["a"]], blocks=[[["a"]]] * 700, n_names=1).count(r"\clearpage") == 1


def test_cells_are_text_and_their_numbers_have_minus_signs(tmp_path):
    columns = [typeset.Shown("$x_1$", lambda row: row["x"])]
    cells = {
        "US$ of b2-1": r"US\$ of b2-1",
        "-1.25 [-2.00, -0.50] (0.1)": "$-$1.25 [$-$2.00, $-$0.50] (0.1)",
        "set (-0.5, -inf)": "set ($-$0.5, $-$inf)",
        "-0.1/-0.2": "$-$0.1/$-$0.2",
        "-": "-",
        "[x]": "{}[x]",
        "*": "{}*",
    }
    table = typeset.Table(["x"], columns, [{"x": cell} for cell in cells])
    lines = typeset.booktabs(table).splitlines()
    assert r"$x_1$ \\" in lines
    assert [f"{cell} \\\\" in lines for cell in cells.values()] == [True] * len(cells)


def test_rows_and_columns_of_the_table(tmp_path, metrics):
    path = tmp_path / "comparison.tex"
    renamed = [one._replace(anonymiser=one.anonymiser.replace("b2r", "b_2")) for one in metrics]
    systems = compare(renamed)
    write_latex(path, systems)
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.endswith(r"\\") and "multicolumn" not in line]
    heads = [line for line in lines if line.startswith(r"\begin{tabular}")]
    assert [head.count("lll") for head in heads] == [1] * len(heads)  # names stand in every one
    assert len(rows) == len(heads) * (2 + 5 * 3)
    cells = [row.removesuffix(r" \\").split(" & ") for row in rows]
    numbers = [row[3:] for row in cells if row[:3] == [r"b\_2", "lazy-informed", "m"]]
    shown = " ".join(itertools.chain.from_iterable(numbers))
    assert shown == "10.2 1.25 0.50 0.250 1.50 (B) -- $-$1.25 1.50 1.25 40.0"
    assert len(shown.split()) - 1 == len(shown_columns(systems))
    assert path.read_text(encoding="utf-8").isascii()
