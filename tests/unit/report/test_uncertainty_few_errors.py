"""Intervals that rest on too few errors are marked, on the page and in the table for papers, and
nothing else is.
"""

import pytest
from support.made_up import TEMPLATE

from voiceprivacy.report.comparison import compare, write_latex
from voiceprivacy.report.figures import palette
from voiceprivacy.report.leaderboard import averaged, leaderboard
from voiceprivacy.report.page import write_page
from voiceprivacy.report.uncertainty import SHORT_EXPLAINED, has_few_errors
from voiceprivacy.vocabulary import DAGGER

WITH_INTERVALS = ("eer_percent", "cllr_bit", "cllr_min_bit", "dece_bit")


def given(metrics, **changes):
    """Metrics with an interval each; ``changes``: values of b2's OP trials of women."""
    found = []
    for of in metrics:
        if of[1:3] == ("f", "b2") and of.condition == "op" and of.metric in changes:
            of = of._replace(value=str(changes[of.metric]))
        limits = {"ci_low": "0.0", "ci_high": "9.0"} if of.metric in WITH_INTERVALS else {}
        found.append(of._replace(**limits))
    return found


def marked(systems):
    """{(set, anonymiser, condition): titles of the columns whose interval has the mark}."""
    board = leaderboard(systems, colours=palette(["b2", "b2r"]))
    found = {}
    for row in board.rows:
        cells = zip(board.columns, row.cells, strict=True)
        found[row.set, row.anonymiser, row.condition] = [
            column.title for column, of in cells if DAGGER in of.interval
        ]
    return found, board.note


@pytest.mark.parametrize(
    ("eer_percent", "n_target", "few"), [(10, 50, False), (9.9, 50, True), (0, 10_000, True)]
)
def test_five_targets_on_the_wrong_side_are_enough(eer_percent, n_target, few):
    assert has_few_errors(eer_percent, n_target) is few


def test_intervals_of_what_sees_the_best_calibration_are_marked_where_errors_are_few(metrics):
    found, note = marked(
        compare(given(metrics))
    )  # EERs of 100 targets: 2 and 1 %, else 6 % and more
    assert found["demo f", "original", "oo"] == ["min Cllr", "D_ECE"]
    assert found["demo m", "original", "oo"] == ["min Cllr", "D_ECE"]
    assert {name for name, titles in found.items() if titles} == {
        (name, "original", "oo") for name in ("demo f", "demo m")
    }
    assert note == SHORT_EXPLAINED


def test_an_eer_of_zero_is_marked(metrics):
    found, _ = marked(compare(given(metrics, eer_percent=0.0)))
    assert found["demo f", "b2", "op"] == ["EER", "min Cllr", "D_ECE"]


def test_means_and_averages_have_the_mark_of_any_of_their_lists(metrics):
    systems = compare(given(metrics, eer_percent=4.0))
    assert [of.mean["few_errors"] for of in systems if of[3:5] == ("b2", "op")] == [True]
    assert [of.mean["few_errors"] for of in systems if of[3:5] == ("b2r", "op")] == [False]
    average = averaged(systems, {"all": {"demo": {"f": 0.5, "m": 0.5}}})["all"]
    assert {of[3:5] for of in average if of.mean["few_errors"]} == {
        ("original", "oo"),
        ("b2", "op"),
    }


def test_the_page_explains_the_mark_once_and_only_where_it_stands(metrics, tmp_path):
    def page(of):
        write_page(
            tmp_path / "report.html",
            template=TEMPLATE,
            systems=compare(of),
            metrics=of,
            figures=[],
            provenance={},
        )
        return (tmp_path / "report.html").read_text(encoding="utf-8")

    text = page(given(metrics))
    assert text.count(SHORT_EXPLAINED) == 1 and text.count("]†</span>") == 4
    assert DAGGER not in page(metrics)  # the same numbers without intervals


def test_the_table_for_papers_has_the_mark_and_a_comment(metrics, tmp_path):
    path = tmp_path / "comparison.tex"
    write_latex(path, compare(given(metrics)))
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith(r"% $^\dagger$ Fewer than 5 target trials") and lines[1].startswith(
        r"\begin{tabular}"
    )
    assert sum(line.count(r"]$^\dagger$") for line in lines) == 4
    assert all(line.isascii() for line in lines)
    write_latex(path, compare(metrics))
    assert "dagger" not in path.read_text(encoding="utf-8")
