"""The headline of the page: two sentences that everybody understands, and never one too many."""

import itertools
import re

import pytest
from support import verdicts

from voiceprivacy.report.verdict_words import CLAUSES, LEVELS, TOO_FEW, headline

EXPOSED = "exposed_speakers_percent"
IDENTIFIED = "identification_of_20_percent"
FOUND = "tpr_at_fpr_0.01_percent"
HUNDREDS = "of 100 speakers are found again in at least half of their recordings"


def said(systems, order=None, **changed):
    fields = verdicts.set_of(systems, [list(systems)] if order is None else order, **changed)
    return headline(fields, verdicts.THRESHOLDS)


def test_of_one_system_the_level_and_how_many_are_found_with_and_without_it():
    told = said({"b2": verdicts.system("reduced", exposed_speakers_percent=[39.4, 3.0, 67.0])})
    assert told.sentences == [
        "b2: less than 50 % of the evidence of who speaks is left.",
        f"With b2, 39 {HUNDREDS}; 20 without protection.",
    ]
    assert told.limits.replace("\N{NO-BREAK SPACE}", " ") == "95 % limits: b2 3 to 67."
    assert told.order == "", "there is nothing to be held against"


def test_of_several_systems_the_range_and_no_name_is_put_first():
    systems = {
        "b2": verdicts.system("not_shown", exposed_speakers_percent=[73.2, 37.0, 95.0]),
        "b2r": verdicts.system("not_shown", exposed_speakers_percent=[38.8, 0.0, 67.0]),
    }
    told = said(systems)
    assert told.level == ("b2 and b2r: it is not shown that any evidence of who speaks is gone.")
    assert told.people == f"Under the strongest attacks, 39 to 73 {HUNDREDS}."
    assert told.limits.startswith("Without protection: 20. ")
    assert told.order == "None of them is shown to leave less evidence than another."


def test_different_levels_are_told_apart_and_what_is_left_out_is_counted():
    systems = {
        "a": verdicts.system("none_found"),
        "b": verdicts.system("reduced"),
        "c": verdicts.system("not_shown"),
    }
    told = said(systems, [["a", "b"], ["c"]], better=[["a", "c"], ["b", "c"]])
    assert told.level == (
        "a: no more evidence of who speaks was found than chance gives;"
        " b: less than 50 % of the evidence of who speaks is left; the table has 1 more."
    )
    assert told.order == "a leaves less evidence than c. b leaves less evidence than c."


def test_thresholds_are_those_of_the_run():
    fields = verdicts.set_of({"b2": verdicts.system("reduced")}, [["b2"]])
    told = headline(fields, verdicts.THRESHOLDS | {"reduced_percent": 30})
    assert "less than 30 %" in told.level


def test_controls_and_systems_of_which_nothing_can_be_said_are_not_in_the_range():
    systems = {
        "b2": verdicts.system("reduced", exposed_speakers_percent=[39.0, 3.0, 67.0]),
        "noise": verdicts.system(None, exposed_speakers_percent=[0.0, 0.0, 1.0]),
        "broken": verdicts.silent(),
    }
    told = said(systems, [["b2"]])
    assert told.people.startswith("With b2, 39 of 100") and "noise" not in "".join(told)
    assert said({"broken": verdicts.silent()}, []).sentences == []


@pytest.mark.parametrize(
    ("unknown", "words"),
    [
        ([], HUNDREDS),
        ([EXPOSED], "of recordings, the right one of 20 speakers is the first guess"),
        ([EXPOSED, IDENTIFIED], "of recordings are matched to their speaker, at 1 % false alarms"),
    ],
)
def test_the_most_telling_number_that_is_known_of_all_is_told(unknown, words):
    known = {IDENTIFIED: [40.0, 30.0, 50.0]} | dict.fromkeys(unknown, "undefined")
    told = said({"b2": verdicts.system(**known), "b3": verdicts.system()})
    if unknown == [EXPOSED]:
        assert words not in told.people, "of b3 it is not known"
        told = said({"b2": verdicts.system(**known)})
    assert words in told.people


def test_without_any_such_number_nothing_is_said_of_who_is_found():
    unknown = dict.fromkeys((EXPOSED, IDENTIFIED, FOUND), "undefined")
    told = said({"b2": verdicts.system(**unknown)})
    assert (told.people, told.limits) == ("", "") and len(told.sentences) == 1


def test_limits_as_wide_as_the_scale_tell_nothing():
    wide = verdicts.system(exposed_speakers_percent=[39.0, 0.0, 100.0])
    told = said({"b2": wide})
    assert told.people == f"How many are found cannot be told: there are {TOO_FEW}."
    told = said({"b2": wide, "b3": verdicts.system()})
    assert f"b2 {TOO_FEW}, b3 5 to 35" in told.limits


def test_one_of_a_hundred_is_one():
    told = said({"b2": verdicts.system(exposed_speakers_percent=[1.2, 0.0, 4.0])})
    assert "1 of 100 speakers is found again" in told.people


def test_every_level_of_a_judged_system_has_a_clause():
    assert set(CLAUSES) == set(LEVELS) - {"cannot_say", "control", "unprotected"}


@pytest.mark.parametrize("levels", list(itertools.product(CLAUSES, repeat=2)))
@pytest.mark.parametrize("column", [EXPOSED, IDENTIFIED, FOUND])
def test_no_sentence_has_more_than_three_numbers_and_no_interval(levels, column):
    hidden = dict.fromkeys({EXPOSED, IDENTIFIED, FOUND} - {column}, "undefined")
    shares = {column: [39.0, 3.0, 67.0]}, {column: [73.0, 3.0, 90.0]}
    systems = {
        f"system{'xy'[index]}": verdicts.system(level, **hidden, **shares[index])
        for index, level in enumerate(levels)
    }
    for of_run in (systems, dict(list(systems.items())[:1])):
        told = said(of_run)
        for sentence in told.sentences:
            assert len(re.findall(r"\d+", sentence)) <= 3, sentence
            assert "[" not in sentence
