"""Intervals that rest on too few errors are marked, on the page and in the table for papers, and
nothing else is.
"""

import pytest
from support.made_up import TEMPLATE

from voiceprivacy.report.comparison import compare, write_latex
from voiceprivacy.report.figures import palette
from voiceprivacy.report.leaderboard import boards, leaderboard
from voiceprivacy.report.page import write_page
from voiceprivacy.report.uncertainty import SHORT_EXPLAINED, has_few_errors
from voiceprivacy.vocabulary import DAGGER

WITH_INTERVALS = ("eer_percent", "cllr_bit", "cllr_min_bit", "dece_bit")


def given(metrics, **changes):
    """Metrics with an interval each; ``changes``: values of b2's OP trials of women."""
    numbers = []
    for metric in metrics:
        if metric[1:3] == ("f", "b2") and metric.condition == "op" and metric.metric in changes:
            metric = metric._replace(value=str(changes[metric.metric]))
        limits = {"ci_low": "0.0", "ci_high": "9.0"} if metric.metric in WITH_INTERVALS else {}
        numbers.append(metric._replace(**limits))
    return numbers


def marked(systems):
    """{(set, anonymiser, condition): titles of the columns whose interval has the mark}."""
    board = leaderboard(systems, colours=palette(["b2", "b2r"]))
    titles = {}
    for row in board.rows:
        cells = zip(board.columns, row.cells, strict=True)
        titles[row.set, row.anonymiser, row.condition] = [
            column.title for column, cell in cells if DAGGER in cell.interval
        ]
    return titles, board.note


@pytest.mark.parametrize(
    ("eer_percent", "n_target", "few"), [(10, 50, False), (9.9, 50, True), (0, 10_000, True)]
)
def test_five_targets_on_the_wrong_side_are_enough(eer_percent, n_target, few):
    assert has_few_errors(eer_percent, n_target) is few


def test_intervals_of_what_sees_the_best_calibration_are_marked_where_errors_are_few(metrics):
    titles, note = marked(
        compare(given(metrics))
    )  # EERs of 100 targets: 2 and 1 %, else 6 % and more
    assert titles["demo f", "original", "oo"] == ["min Cllr", "D_ECE"]
    assert titles["demo m", "original", "oo"] == ["min Cllr", "D_ECE"]
    assert {name for name, titles in titles.items() if titles} == {
        (name, "original", "oo") for name in ("demo f", "demo m")
    }
    assert note == SHORT_EXPLAINED


def test_an_eer_of_zero_is_marked(metrics):
    titles, _ = marked(compare(given(metrics, eer_percent=0.0)))
    assert titles["demo f", "b2", "op"] == ["EER", "min Cllr", "D_ECE"]


def test_means_and_averages_have_the_mark_of_any_of_their_lists(metrics):
    systems = compare(given(metrics, eer_percent=4.0))
    assert [system.mean.few_errors for system in systems if system[3:5] == ("b2", "op")] == [True]
    assert [system.mean.few_errors for system in systems if system[3:5] == ("b2r", "op")] == [False]
    average = boards(systems, {"all": {"demo": {"f": 0.5, "m": 0.5}}})[0]
    few = [system for system in average.systems if system.mean.few_errors]
    assert {system[3:5] for system in few} == {
        ("original", "oo"),
        ("b2", "op"),
    }


def test_the_page_explains_the_mark_once_and_only_where_it_stands(metrics, tmp_path):
    def page(numbers):
        write_page(
            tmp_path / "report.html",
            template=TEMPLATE,
            systems=compare(numbers),
            metrics=numbers,
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
    assert lines[0].startswith(r"% $^\dagger$ Fewer than 5 target trials") and lines[2].startswith(
        r"\begin{tabular}"
    )
    assert sum(line.count(r"]$^\dagger$") for line in lines) == 4
    assert all(line.isascii() for line in lines)
    write_latex(path, compare(metrics))
    assert "dagger" not in path.read_text(encoding="utf-8")
