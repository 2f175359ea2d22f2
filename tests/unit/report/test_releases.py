"""Several draws of an anonymiser are one release: in rows, marks, counts, ranks and colours."""

import itertools
import math

import numpy as np
import pytest
from support import intervals_shown, made_up
from support.utilities import measured

from voiceprivacy.report.answer import rank_answers
from voiceprivacy.report.comparison import compare, write_comparison, write_latex
from voiceprivacy.report.figures import FURTHER_DRAWS, palette
from voiceprivacy.report.leaderboard import boards, leaderboard
from voiceprivacy.report.plots import drawing, evidence
from voiceprivacy.report.releases import one_release, released, released_numbers
from voiceprivacy.report.terminal import summary
from voiceprivacy.report.uncertainty import Comparisons, Shown
from voiceprivacy.report.utility_tables import utility_section
from voiceprivacy.vocabulary import UNDEFINED

SHIFTS = {"b2r": 0.0, "b2r_draw2": 3.0, "b2r_draw3": -9.0}  # of every EER of b2r
PROVENANCE = {"config": {"anonymisers": {"b2": {}, "b2r": {}, "b2r_draw2": {}, "b2r_draw3": {}}}}
COLOURS = palette(PROVENANCE["config"]["anonymisers"])


@pytest.fixture(scope="module")
def numbers():
    """The made-up run with three draws of b2r, of which the second is found least."""
    numbers = made_up.metrics()
    drawn = [number for number in numbers if number.anonymiser != "b2r"]
    of_b2r = [number for number in numbers if number.anonymiser == "b2r"]
    for number, (name, shift) in itertools.product(of_b2r, SHIFTS.items()):
        if number.metric == "eer_percent":
            value, low, high = (str(float(text) + shift) for text in number[7:10])
            number = number._replace(value=value, ci_low=low, ci_high=high)
        drawn.append(number._replace(anonymiser=name))
    return sorted(drawn)


@pytest.fixture(scope="module")
def run(numbers):
    return released(compare(numbers))


def of(run, *wanted):
    """The system of an anonymiser and a condition on libri."""
    of_libri = [one for one in run if one.corpus == "libri"]
    [system] = [one for one in of_libri if (one.anonymiser, one.condition) == wanted]
    return system


def test_limits_of_one_release_hold_for_a_further_draw_and_stay_where_a_metric_can_be():
    """Draws at 20, 26 and 17: limits lie 26/3 below and 31/3 above them, on average."""
    draws = [Shown(20.0, (12.0, 31.0)), Shown(26.0, (15.0, 33.0)), Shown(17.0, (10.0, 30.0))]
    release = one_release(draws)
    between = 4.302653 * math.sqrt((1 + 1 / 3) * np.var([20, 26, 17], ddof=1))
    low, high = 21 - math.hypot(26 / 3, between), 21 + math.hypot(31 / 3, between)
    assert (release.value, *release.limits) == pytest.approx((21, low, high))
    draws = [Shown(0.1, (0.0, 0.4)), Shown(0.6, (0.3, 0.7))]
    low, high = one_release(draws, "dece_bit").limits
    assert low == 0 and high == pytest.approx(1 / (2 * math.log(2)))


def test_what_a_draw_lacks_the_release_lacks():
    known = Shown(3.0, (2.0, 4.0))
    for draws, release in (
        ([Shown(1.0), Shown(3.0)], Shown(2.0)),
        ([Shown(1.0, (0.0, 2.0)), Shown(3.0)], Shown(2.0)),
        ([Shown(-math.inf), known], Shown(-math.inf)),
        ([Shown(UNDEFINED), known], Shown(UNDEFINED)),
        ([Shown(None), Shown(None)], Shown(None)),
        ([known._replace(definition=5.0)], known._replace(definition=5.0)),
        # The mean by definition, too.
        ([known._replace(definition=5.0), known], known._replace(definition=4.0)),
    ):
        assert one_release(draws) == release


def test_a_release_is_one_row_and_an_average_is_of_releases_too(run):
    system = of(run, "b2r", "pp")
    assert [draw.anonymiser for draw in system.draws] == list(SHIFTS)
    eer = system.sets["f"].numbers["eer_percent"]
    high = 19 + math.hypot(1, 4.302653 * math.sqrt(4 / 3 * np.var([0, 3, -9], ddof=1)))
    assert (eer.value, *eer.limits) == pytest.approx((21 + (0 + 3 - 9) / 3, 0, high))
    assert system.sets["f"].tag == "" and not of(run, "b2", "pp").draws
    assert {name.anonymiser for name in run} == {"original", "b2", "b2r"}
    on_average = boards(run, made_up.AVERAGES)[0].systems
    assert [system.anonymiser for system in on_average].count("b2r") == 2  # op and pp
    release = next(s for s in on_average if (s.anonymiser, s.condition) == ("b2r", "pp"))
    assert [draw.mean.numbers["eer_percent"].value for draw in release.draws] == [21.5, 24.5, 12.5]
    assert release.mean.numbers["eer_percent"].value == pytest.approx(19.5)
    table = leaderboard(run, colours=COLOURS)
    assert {(row.system, row.n_draws) for row in table.rows} >= {("b2r", 3), ("b2", 0)}
    assert {row.anonymiser for row in table.rows} == {"original", "b2", "b2r"}
    draws = {("b2r", f"b2r, draw {number}") for number in (1, 2, 3)}
    assert {(row.system, row.anonymiser) for row in table.draws} == draws


def test_no_evidence_is_said_only_if_no_draw_gives_any(numbers):
    changed = []
    for number in numbers:
        if number.metric == "dece_bit":  # the band ends at 0.3
            value = "0.35" if number.anonymiser == "b2r_draw3" else "0.1"
            number = number._replace(value=value)
        changed.append(number)
    table = leaderboard(released(compare(changed)), colours=COLOURS)
    column = [column.name for column in table.columns].index("dece_bit")
    said = {row.anonymiser: row.cells[column].zero_evidence for row in table.rows}
    assert said == {"b2": True, "b2r": False, "original": True}


def test_the_terminal_and_latex_name_one_release_and_tsv_has_its_draws(run, numbers, tmp_path):
    write_latex(tmp_path / "c.tex", run)
    for text in ("\n".join(summary(run)), (tmp_path / "c.tex").read_text()):
        assert "draw2" not in text and "b2r: one release. Numbers are means of 3 draws" in text
    for name, systems_written in (("raw", compare(numbers)), ("released", run)):
        write_comparison(tmp_path / f"{name}.tsv", systems_written)
    assert (tmp_path / "raw.tsv").read_text() == (tmp_path / "released.tsv").read_text()


def test_draws_share_their_look_and_are_hidden_together():
    colours = palette(["b2r", "x", "b2r_draw2"])
    assert colours["b2r"] == colours["b2r_draw2"] != colours["x"]
    assert colours["x"] == palette(["b2r", "x"])["x"]
    looks = drawing.looks(["b2r/op", "x/op", "b2r_draw2/op"])
    further = {"alpha": FURTHER_DRAWS, "label": "b2r, draw 2 OP"}
    assert looks["b2r_draw2/op"] == looks["b2r/op"] | further
    assert looks["b2r/op"]["label"] == "b2r, draw 1 OP"
    curve = {name: np.ones(2) for name in ("prior_log_odds", "ece_bit", "ece_default_bit")}
    known = {"dece_bit": 0.2, "worst_case_log10": 1.0, "tag": "A"}
    names = ["b2r/op", "b2r_draw2/op", "b2/op"]
    curves, metrics = dict.fromkeys(names, curve), dict.fromkeys(names, known)
    figure = evidence.profiles_picture(curves=curves, metrics=metrics, looks=drawing.looks(names))
    said = [line.get_gid() for line in figure.axes[0].lines[1:]]
    assert [words.partition("\t")[0] for words in said] == ["b2r", "b2r", "b2"]
    assert said[1].endswith("\tb2r, draw 2 OP (0.200, 1.000, A)")


def test_utility_is_that_of_one_release():
    values = {"b2r": (10.0, 9.0, 11.0), "b2r_draw2": (12.0, 11.0, 13.0), "b2": (7.0, 6.0, 8.0)}
    lines = [measured(name, "wer", *own, n_undefined=1) for name, own in values.items()]
    (table,) = utility_section(lines).tables
    shown = [(name, cell.text, cell.n_undefined) for name, (cell,) in table.rows]
    assert shown == [("b2", "7.00", 1), ("b2r", "11.00", 2)]


def test_ranks_are_not_led_by_the_luckiest_draw():
    galleries = [number for number in made_up.metrics() if "_t" in number.trials]
    others = [number for number in galleries if number.anonymiser != "b2r"]
    of_b2r = [one for one in galleries if (one[2], one[6]) == ("b2r", "disclosure_bit")]
    drawn = []
    for number, (name, shift) in itertools.product(of_b2r, SHIFTS.items()):
        lucky = str(float(number.value) + shift / 100)
        drawn.append(number._replace(anonymiser=name, value=lucky))
    [answer] = rank_answers([*others, *drawn]).values()
    assert "_draw" not in answer
    assert {number.anonymiser for number in released_numbers(drawn)} == {"b2r"}
    assert "b2r 0.98" in answer


def test_the_page_shows_one_system_and_unfolds_its_draws(numbers, run, tmp_path):
    made_up.write_results(tmp_path)
    content = {"metrics": numbers, "systems": run, "comparisons": Comparisons({})}
    text = made_up.render(tmp_path, **content, provenance=PROVENANCE).read_text()
    assert text.count('type="checkbox" value="b2r') == 1
    assert "Draw by draw: b2r<" in text
    assert 'data-system="b2r_draw2"' not in text
    assert [one.words for one in intervals_shown.of_page(text) if not one.is_inside] == []
