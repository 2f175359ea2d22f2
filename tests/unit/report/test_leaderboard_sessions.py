"""Two runs of an anonymiser on the page: numbers with their intervals, and dashes for what was not
measured.
"""

from voiceprivacy.report.metrics import Number
from voiceprivacy.report.sections import SESSION_TITLES, sessions


def metric(condition, name, value, *limits):
    return Number("demo", "f", "b2r", "ecapa", "cosine", condition, name, value, *limits)


def test_numbers_of_two_runs_stand_with_their_intervals():
    numbers = [metric("p0p1", "eer_percent", "30.04", "14.31", "46.4"), metric("p0p1", "tag", "B")]
    numbers += [
        metric("op", "cece_linear_bit", "0.0778", "-0.028", "0.1778"),
        metric("op", "eer_percent", "1.0"),
    ]
    [found] = sessions(numbers)
    cells = dict(zip(SESSION_TITLES, found.cells, strict=True))
    assert (cells["EER [%]"], cells["tag"]) == ("30.0 [14.3, 46.4]", "B")
    assert cells["C_ECE linear [bit]"] == "0.078 [\N{MINUS SIGN}0.028, 0.178]"
    assert cells["C_ECE isotonic [bit]"] == cells["linkability"] == "\N{EN DASH}"


def test_intervals_that_are_undefined_are_left_out():
    [found] = sessions([metric("p0p1", "eer_percent", "30.04", "undefined", "undefined")])
    assert found.cells[0] == "30.0"


def test_an_anonymiser_with_one_run_is_not_listed():
    assert sessions([metric("op", "eer_percent", "30.04")]) == []
