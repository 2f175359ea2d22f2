"""How sure the report is: intervals of lists and means, zero evidence, marks of few errors."""

import itertools

import pytest

from voiceprivacy.catalogue import METRICS
from voiceprivacy.catalogue.shown import SHORT_EXPLAINED, has_few_errors
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy.rows import SystemInterval
from voiceprivacy.report.comparison import compare, write_comparison, write_latex
from voiceprivacy.report.figures import palette
from voiceprivacy.report.leaderboard import boards, leaderboard
from voiceprivacy.report.paper_tables import TABLES, explained
from voiceprivacy.report.terminal import WIDTH, summary
from voiceprivacy.report.typeset import markdown
from voiceprivacy.report.uncertainty import read_comparisons, shown
from voiceprivacy.vocabulary import DAGGER


def with_intervals(metrics, *, band="0.01"):
    """Every EER gets an interval of one point to either side, every attack its band."""
    numbers = []
    for one in metrics:
        if one.metric == "eer_percent":
            eer = float(one.value)
            one = one._replace(ci_low=str(eer - 1), ci_high=str(eer + 1))
        if one.metric == "dece_bit":
            numbers.append(one._replace(metric="dece_null95_bit", value=band))
        numbers.append(one)
    return sorted(numbers)


def write_comparisons(folder, *, trials="mean", unprotected=(0.5, 3.5)):
    """The means' intervals of b2 and b2r under both attacks, and of unprotected speech."""
    path = folder / "demo" / trials / "xvector" / "cosine.systems.tsv"
    rows = [("oo", "eer_percent", "original", 2, *unprotected)]
    for anonymiser, condition in itertools.product(("b2", "b2r"), ("op", "pp")):
        rows.append((condition, "eer_percent", anonymiser, 5, 4, 7.25))
    write_table(path, SystemInterval._fields, rows)


@pytest.fixture
def report(metrics, tmp_path):
    numbers = with_intervals(metrics, band="0.25")
    write_comparisons(tmp_path)
    comparisons = read_comparisons(tmp_path, numbers)
    return compare(numbers, comparisons), comparisons


def board_of(systems):
    return leaderboard(systems, colours=palette(["b2", "b2r"]))


def test_intervals_of_lists_are_their_own_and_those_of_means_of_the_comparisons(metrics, tmp_path):
    assert read_comparisons(tmp_path / "nothing", metrics) == {}
    assert compare(metrics)[0].sets["f"].no_evidence is None
    numbers = with_intervals(metrics)
    with pytest.raises(BadInput, match=r"mean/xvector/cosine\.systems\.tsv: not found"):
        read_comparisons(tmp_path, numbers)
    # Others need not attack on every list.
    lists = {"b2": "f", "b2r": "m"}
    some = [one for one in numbers if lists.get(one.anonymiser) == one.trials]
    assert read_comparisons(tmp_path, some) == {}
    write_comparisons(tmp_path)
    systems = compare(numbers, read_comparisons(tmp_path, numbers))
    [system] = [one for one in systems if (one.anonymiser, one.condition) == ("b2r", "pp")]
    assert system.sets["f"].numbers["eer_percent"].limits == (8.25, 10.25)
    assert system.sets["mean of f, m"].numbers["eer_percent"].limits == (4, 7.25)
    assert system.sets["f"].numbers["cllr_bit"].limits is None


def test_a_single_list_needs_no_mean(metrics, tmp_path):
    numbers = [metric for metric in with_intervals(metrics) if metric.trials == "f"]
    write_comparisons(tmp_path, trials="f")
    systems = compare(numbers, read_comparisons(tmp_path, numbers))
    lows = {system.sets["f"].numbers["eer_percent"].limits[0] for system in systems}
    assert lows == {1, 19, 25, 5, 8.25}


def test_averages_over_corpora_are_read_where_they_are(metrics, tmp_path):
    numbers = with_intervals(metrics)
    write_comparisons(tmp_path)
    assert not any(key[0] != "demo" for key in read_comparisons(tmp_path, numbers))
    (tmp_path / "demo").rename(tmp_path / "over-corpora")
    (tmp_path / "over-corpora" / "mean").rename(tmp_path / "over-corpora" / "challenge")
    write_comparisons(tmp_path, unprotected=(0.25, 3.75))
    limits = read_comparisons(tmp_path, numbers)
    protected = ("mean", "b2r", "xvector", "cosine", "pp", "eer_percent")
    unprotected = ("mean", "original", "xvector", "cosine", "oo", "eer_percent")
    assert limits["over-corpora/challenge", *protected] == (4, 7.25)
    assert limits["over-corpora/challenge", *unprotected] == (0.5, 3.5)
    assert limits["demo", *unprotected] == (0.25, 3.75)


def test_the_terminal_shows_limits_and_the_band(report):
    lines = summary(*report)
    assert max(map(len, lines)) <= WIDTH
    row = next(index for index, line in enumerate(lines) if line.startswith("b2r  "))
    below = [" ".join(line.split()) for line in lines[row + 1 : row + 5]]
    assert below == ["95 % from 4.0", "95 % to 7.2", "definition 25.5", "zero evid. 0.250"]
    assert lines[row].split()[2] == "7.2", "held in its interval"
    assert lines[row].index("0.250") == lines[row + 4].index("0.250")  # below the D_ECE


def test_the_tables_for_papers_hold_the_intervals(report, tmp_path):
    systems, _ = report
    write_comparison(tmp_path / "comparison.tsv", systems)
    lines = (tmp_path / "comparison.tsv").read_text().splitlines()
    row = dict(zip(lines[0].split("\t"), lines[6].split("\t"), strict=True))
    assert (row["eer_percent_ci_low"], row["eer_percent_ci_high"]) == ("4.0", "7.25")
    assert row["dece_null95_bit"] == "0.25" and row["cllr_bit_ci_low"] == "-"
    write_latex(tmp_path / "comparison.tex", systems)
    text = (tmp_path / "comparison.tex").read_text()
    assert r"95 \%} & {\scriptsize [4.0, 7.2]} &" in text
    assert r"by definition} & {\scriptsize 22.0} &" in text, "of the mean of b2 under OP"


def test_of_many_systems_the_terminal_shows_the_strongest_attacks(metrics):
    of_b2 = [metric for metric in metrics if metric.anonymiser == "b2"]
    many = list(metrics)
    for index in range(20):
        many += [metric._replace(anonymiser=f"a{index}") for metric in of_b2]
    lines = summary(compare(many))
    assert not any("ignorant" in line for line in lines)
    assert sum(line.startswith("a") and "lazy-informed" in line for line in lines) == 20


def test_zero_evidence_is_said_of_the_attacks_and_lists_where_it_holds(metrics):
    """A weak attack without evidence says nothing of the others."""
    bands = []
    for metric in metrics:
        if metric.metric == "dece_bit":
            is_weak = (metric.anonymiser, metric.condition) == ("b2r", "op")
            value = "undefined" if metric.anonymiser == "original" else str(int(is_weak))
            bands.append(metric._replace(metric="dece_null95_bit", value=value))
    systems = compare(sorted([*metrics, *bands]))
    rows = board_of(systems).rows
    marked = [row for row in rows if any(cell.zero_evidence for cell in row.cells)]
    assert {(row.anonymiser, row.condition) for row in marked} == {("b2r", "op")}
    assert systems[0].sets["f"].no_evidence is None


def test_a_value_outside_of_its_interval_has_no_bias():
    limits, form = (0.2, 0.4), METRICS["dece_bit"].text
    for value, interval, unbiased, expected in (
        (0.3, limits, 0.25, ("0.300", "")),
        (0.45, limits, 0.31, ("0.310", "0.450")),
        (0.45, limits, 0.5, ("0.400", "0.450")),
        (0.45, limits, None, ("0.400", "0.450")),
        (0.45, None, 0.31, ("0.450", "")),
        ("undefined", limits, 0.31, ("undefined", "")),
        (0.4001, limits, 0.4, ("0.400", "")),
    ):
        number = shown(value, interval, unbiased)
        assert (form(number.value), number.definition_text(form)) == expected


def test_the_table_shows_what_lies_in_its_interval_and_the_definition_below(metrics, tmp_path):
    """Of both lists of b2 under OP the EER is above its interval; their mean is, too."""
    numbers = []
    for number in with_intervals(metrics):
        if (number.anonymiser, number.condition, number.metric) == ("b2", "op", "eer_percent"):
            number = number._replace(unbiased=6.0 if number.trials == "f" else 8.0)
        numbers.append(number)
    write_comparisons(tmp_path)
    table = board_of(compare(numbers, read_comparisons(tmp_path, numbers)))
    column = [column.name for column in table.columns].index("eer_percent")
    rows = {(row.set, row.anonymiser, row.condition): row for row in table.rows}
    cell = rows["demo: mean of f, m", "b2", "op"].cells[column]
    assert (cell.text, cell.interval, cell.by_definition) == ("7.0", "[4.0, 7.2]", "22.0")


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
    board, titles = board_of(systems), {}
    for row in board.rows:
        cells = zip(board.columns, row.cells, strict=True)
        own = [column.title for column, cell in cells if DAGGER in cell.interval]
        if own:
            titles[row.set, row.anonymiser, row.condition] = own
    return titles, board.note


def test_five_targets_on_the_wrong_side_are_enough():
    assert has_few_errors(9.9, 50) and has_few_errors(0, 10_000) and not has_few_errors(10, 50)


def test_marks_of_few_errors_are_of_lists_and_of_means_over_them(metrics):
    # EERs of 100 targets: 2 and 1 %, else 6 % and more.
    titles, note = marked(compare(given(metrics)))
    of_original = {(f"demo {trials}", "original", "oo"): ["min Cllr", "D_ECE"] for trials in "fm"}
    assert titles == of_original
    assert note == SHORT_EXPLAINED
    titles, _ = marked(compare(given(metrics, eer_percent=0.0)))
    assert titles["demo f", "b2", "op"] == ["EER", "min Cllr", "D_ECE"]
    systems = compare(given(metrics, eer_percent=4.0))
    average = boards(systems, {"all": {"demo": {"f": 0.5, "m": 0.5}}})[0]
    for of_all in (systems, average.systems):
        few = {system[3:5] for system in of_all if system.mean.few_errors}
        assert few == {("original", "oo"), ("b2", "op")}


def test_the_terminal_and_tables_of_papers_mark_and_explain_them_too(metrics):
    of_women = [one for one in given(metrics) if one.trials == "f"]
    lines = summary(compare(of_women))
    assert sum(DAGGER in line for line in lines) == 2 and SHORT_EXPLAINED[:30] in " ".join(lines)
    assert not any(DAGGER in line for line in summary(compare(metrics)))
    for name, n_marked in (("challenge", 4), ("2", 0)):
        table = explained(TABLES[name](given(metrics)), ["mine"])
        assert markdown(table).count(f"]{DAGGER}") == n_marked
        assert [*table.notes] == ["mine", *([SHORT_EXPLAINED] if n_marked else [])]
    table = explained(TABLES["2"](given(metrics, eer_percent=4.0)))
    assert markdown(table).count(f"]{DAGGER}") == 1, "D_ECE of b2 under OP"


@pytest.mark.parametrize(("n_speakers", "has_order"), [(9, False), (10, True), (None, True)])
def test_below_ten_speakers_no_order_is_shown(metrics, n_speakers, has_order):
    systems = compare([one._replace(n_speakers=n_speakers) for one in metrics])
    board = board_of(systems)
    names = [row.anonymiser for row in board.rows if row.set == "demo: mean of f, m"]
    assert (names == ["b2", "b2", "b2r", "b2r", "original"]) != has_order
    assert bool(board.order) != has_order
    assert all(row.is_ordered == has_order for row in board.rows)
    assert all(row.strongest for row in board.rows) != has_order
    assert any("is chance" in line for line in summary(systems)) != has_order


def test_the_paper_explains_the_mark_only_where_it_stands(metrics, tmp_path):
    path = tmp_path / "comparison.tex"
    write_latex(path, compare(given(metrics)))
    lines = path.read_text(encoding="utf-8").splitlines()
    notes = [line for line in lines if r"$^\dagger$ Fewer than 5" in line]
    assert notes and all(line.startswith(r"\par\smallskip\parbox") for line in notes)
    assert sum(line.count(r"]$^\dagger$") for line in lines) == 4
    assert all(line.isascii() for line in lines)
    write_latex(path, compare(metrics))
    assert "dagger" not in path.read_text(encoding="utf-8")
