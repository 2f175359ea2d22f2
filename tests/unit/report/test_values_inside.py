"""No value stands outside of its own interval, wherever it is printed, in a run where all would."""

import itertools
import math

import pytest
from support import intervals_shown, made_up
from support.utilities import measured

from voiceprivacy.catalogue import COLUMNS, METRICS
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.report import paper_tables, typeset
from voiceprivacy.report.comparison import compare, write_latex
from voiceprivacy.report.figures import palette_of
from voiceprivacy.report.leaderboard import boards, leaderboard
from voiceprivacy.report.metrics import Number, write_metrics
from voiceprivacy.report.page import write_page
from voiceprivacy.report.plots import systems as pictures
from voiceprivacy.report.sessions import SESSIONS
from voiceprivacy.report.terminal import summary
from voiceprivacy.report.utility_tables import utility_section
from voiceprivacy.report.verdict import read_verdict
from voiceprivacy.vocabulary import Attack

NO_INTERVAL = ("n_target", "n_nontarget", "n_templates", "tag", "dece_null95_bit")
LOW, UNBIASED, HIGH = 0.21, 0.37, 0.66  # above every value


def with_intervals(numbers):
    """Numbers that all lie below their intervals, with their values without bias."""
    changed = []
    for line in numbers:
        if line.metric not in NO_INTERVAL and math.isfinite(float(line.value)):
            value = float(line.value)
            limits = {"ci_low": str(value + LOW), "ci_high": str(value + HIGH)}
            line = line._replace(**limits, unbiased=value + UNBIASED)
        changed.append(line)
    return changed


@pytest.fixture(scope="module")
def numbers():
    """All numbers of the made-up run, and two runs of b2r."""
    sessions = []
    for condition, metric in SESSIONS:
        if condition == "p0p1":
            value = "C" if metric.title == "tag" else "0.5"
            key = ("libri", "f", "b2r", *made_up.ATTACKER, condition, metric.name)
            sessions.append(Number(*key, value))
    return with_intervals(sorted([*made_up.metrics(), *sessions]))


@pytest.fixture(scope="module")
def comparisons(numbers):
    means = {}
    for board in boards(compare(numbers), made_up.AVERAGES):
        for system, column in itertools.product(board.systems, COLUMNS):
            value = system.mean.numbers[column.name].value
            if isinstance(value, float) and math.isfinite(value):
                means[system.key.number("mean", column.name)] = (value + LOW, value + HIGH)
    return means


def utility():
    values = {"-": 12.5, "f": 0.05, "m": 3.0}
    return [
        measured("b2", "wer", value, value + LOW, value + HIGH, corpus="libri", trials=trials)
        for trials, value in values.items()
    ]


def assert_inside(printed, *, at_least):
    outside = [one.words for one in printed if not one.is_inside]
    assert not outside, f"{len(outside)} of {len(printed)}: {outside[:3]}"
    assert len(printed) >= at_least, "too few to believe that all were read"


def test_on_the_page(tmp_path, numbers, comparisons):
    made_up.write_results(tmp_path)
    means = [one.metric_line for one in utility()]
    content = {
        "metrics": sorted([*numbers, *means]),
        "verdict": read_verdict(tmp_path / "verdict.json", numbers=means),
        "systems": compare(numbers, comparisons),
        "comparisons": comparisons,
        "published": made_up.published(numbers),
        "utility": utility_section(utility()),
    }
    text = made_up.render(tmp_path, **content).read_text()
    assert_inside(intervals_shown.of_page(text), at_least=300)
    for section in ("leaderboard", "utility", "sessions", "published", "distinctiveness"):
        assert f'id="{section}"' in text
    assert text.count("by definition") > 100, "the numbers of metrics.tsv stand beside them"


def test_on_pages_of_ranks_alone_and_in_the_terminal(tmp_path, numbers, comparisons):
    galleries = [line for line in numbers if "_t" in line.trials]
    page, nothing = tmp_path / "index.html", {"systems": [], "figures": [], "provenance": {}}
    write_page(page, template=made_up.TEMPLATE, metrics=galleries, **nothing)
    text = page.read_text()
    assert_inside(intervals_shown.of_page(text), at_least=2)
    lines = [" ".join(summary([], numbers=galleries))]  # a sentence on several lines
    assert_inside(intervals_shown.of_terminal(lines), at_least=2)
    lines = summary(compare(numbers, comparisons), comparisons, numbers)
    assert_inside(intervals_shown.of_terminal(lines), at_least=60)
    assert any("  definition  " in line for line in lines)


def test_in_tables_for_papers(tmp_path, numbers, comparisons):
    write_latex(tmp_path / "comparison.tex", compare(numbers, comparisons))
    text = (tmp_path / "comparison.tex").read_text()
    assert_inside(intervals_shown.of_latex(text), at_least=100)
    for name, table in paper_tables.TABLES.items():
        typeset.write(tmp_path / f"{name}.tex", table(numbers))
        text = (tmp_path / f"{name}.tex").read_text()
        assert_inside(intervals_shown.of_latex(text), at_least=2)


def distinctiveness(folder, numbers):
    """The picture of these numbers, without limits that they cannot have and a reader refuses."""
    lines = []
    for line in numbers:
        beyond = line.ci_high != "-" and float(line.ci_high) > METRICS[line.metric].high
        lines.append(line._replace(ci_low="-", ci_high="-") if beyond else line)
    write_metrics(folder / "metrics.tsv", lines)
    attacker = dict(zip(("extractor", "backend"), made_up.ATTACKER, strict=True))
    return pictures.distinctiveness(metrics=folder / "metrics.tsv", **attacker)


def test_in_pictures_of_metrics(tmp_path, numbers):
    """The picture reads metrics.tsv, and finds values without bias in the files beside it."""
    for line in numbers:
        if line.metric == "deid_percent":
            attack = Attack(line.corpus, line.trials, line.extractor, line.backend)
            path = f"metrics/similarity/{attack.path(line.anonymiser)}.intervals.json"
            known = {line.condition: {line.metric: {"unbiased": line.unbiased}}}
            write_json(tmp_path / path, known)
    [ax, *_] = distinctiveness(tmp_path, numbers).axes
    marks = set().union(*(mark.get_xdata() for mark in ax.get_lines()))
    assert 60.0 + UNBIASED in marks and 60.0 not in marks


def test_what_is_undefined_is_not_drawn_and_a_picture_without_anything_says_so(tmp_path, numbers):
    for undefined in ({"b2"}, {line.anonymiser for line in numbers}):
        lines = []
        for line in numbers:
            if line.metric in ("deid_percent", "gvd_db") and line.anonymiser in undefined:
                line = line._replace(value="undefined", ci_low="-", ci_high="-")
            lines.append(line)
        drawn = distinctiveness(tmp_path, lines)
        texts = drawn.legends[0].get_texts() if drawn.legends else []
        named = {text.get_text() for text in texts}
        assert not named & undefined
        is_said = any(text.get_text().startswith("undefined: ") for text in drawn.texts)
        assert is_said != bool(named)


def test_a_number_of_two_conditions_stands_once_and_without_its_bias(numbers, comparisons):
    colours = palette_of(made_up.PROVENANCE, numbers)
    table = leaderboard(compare(numbers, comparisons), colours=colours, comparisons=comparisons)
    column = [column.name for column in table.of_voices].index("deid_percent")
    [row] = [row for row in table.voices if (row.set, row.anonymiser) == ("libri f", "b2")]
    assert (row.cells[column].text, row.cells[column].by_definition) == ("60.4", "60.0")
