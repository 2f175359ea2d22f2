"""The verdict on page and terminal: what the facts of a file say, and in which order."""

import re

import pytest
import yaml
from support import verdict_schema, verdicts

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.report import verdict_words
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.terminal import WIDTH, headed, lines_of_set, summary, verdict_lines
from voiceprivacy.report.verdict import NOT_GIVEN, judged_of, read_verdict
from voiceprivacy.vocabulary import DASH, LEAKS


@pytest.fixture
def read(tmp_path):
    def read(content, **options):
        write_json(tmp_path / "verdict.json", content)
        return read_verdict(tmp_path / "verdict.json", **options)

    return read


def judged(systems, **changed):
    return judged_of("demo", verdicts.set_of(systems, **changed))


def told(**changed):
    return judged({"b2": verdicts.system(**changed)}).notes


def test_every_code_of_the_schema_has_words_and_its_example_is_one():
    schema = yaml.safe_load(verdict_schema.SCHEMA.read_text(encoding="utf-8"))
    of_set, of_system = (schema["$defs"][name]["properties"] for name in ("set", "system"))
    assert {*of_system["reasons"]["items"]["enum"]} == {*verdict_words.REASONS}
    assert {*of_system["by"]["items"]["enum"]} == {*verdict_words.BY}
    assert {*of_system["state"]["enum"]} <= {*verdict_words.STATES}
    assert {*of_set["not_tried"]["items"]["enum"]} == {*verdict_words.NOT_TRIED}
    codes = of_set["warnings"]["items"]["properties"]["code"]["enum"]
    assert {*codes} == {*verdict_words.WARNINGS}
    leaks = of_set["leaks"]["oneOf"][1]["properties"]
    assert {*leaks["reason"]["enum"]} - {None} == {*verdict_words.NO_LEAK}
    tried = leaks["tried"]["items"]["properties"]
    assert {*tried["leak"]["enum"]} == {*verdict_words.SHARES} == {*LEAKS}
    known = {*verdict_words.REASONS, *verdict_words.NOT_TRIED, *verdict_words.STATES}
    assert {*verdict_words.STEPS} - {"more_persons"} <= known
    for content in (*schema["examples"], verdicts.usual()):
        assert verdict_schema.faults(content) == []


@pytest.mark.parametrize(
    ("reason", "noticed", "said"),
    [
        (None, {"leak_5": True, "leak_20": True}, "in twenty .* would have noticed.$"),
        (
            None,
            {"leak_5": False, "leak_20": True},
            "in five .* would have noticed. .* in twenty: the speakers are too few",
        ),
        (
            None,
            {"leak_5": False, "leak_20": False},
            "in five .* would not have noticed. The speakers are too few",
        ),
        (
            None,
            {"leak_5": True, "leak_20": False},
            "in five .* would not have noticed. The speakers are too few",
        ),
        (None, {"leak_5": False}, "in twenty .* would not have noticed. The speakers are too few"),
        ("no_system", {}, "^$"),  # it says nothing new
        ("scores_elsewhere", {}, "scores that were made elsewhere"),
        ("few_recordings", {}, "too few recordings"),
    ],
)
def test_the_smallest_leak_is_told_that_is_noticed_with_all_larger_ones(reason, noticed, said):
    tried = [
        {"leak": leak, "recordings": 4, "evidence_percent": None, "found": is_found}
        for leak, is_found in noticed.items()
    ]
    leaks = {"system": "b2r", "reason": reason, "tried": tried}
    facts = verdicts.set_of({"b2r": verdicts.system("low")}, leaks=leaks)
    assert verdict_schema.faults(verdicts.verdict({"demo": facts})) == []
    assert judged_of("demo", facts | {"leaks": None}).notes.control == ""
    judged = judged_of("demo", facts)
    control, lines = judged.notes.control, " ".join(map(str.strip, lines_of_set(judged)))
    assert re.search(said, control)
    assert control in lines and ("Control " in lines) == bool(control)


def test_unprotected_speech_is_first_then_least_evidence_and_controls_are_last(read):
    [own] = read(verdicts.usual()).sets
    assert [(row.system, row.words) for row in own.rows] == [
        ("original", ""),
        ("b2r", "inconclusive"),
        ("b2", "not protected"),
        ("broken", "inconclusive"),
        ("noise", "control"),
    ]
    assert not any("noise" in sentence for sentence in own.notes.why)
    content = verdicts.usual()
    content["sets"]["demo"]["systems"]["b2r"]["exposed"]["of"] = 9
    rows = [row.system for row in read(content).sets[0].rows]
    assert rows == ["original", "b2", "b2r", "broken", "noise"], "by name: so few say no order"


def test_limits_below_zero_are_shown_as_zero_and_what_is_not_measured_as_a_dash():
    assert verdict_words.limits([-1.2, -7.0, 4.4]) == ("0", "[0, 5]")
    assert verdict_words.limits(None) == (DASH, "")
    assert verdict_words.limits([31.0, -20.0, 100.0]) == ("31", "[0, 100]")


@pytest.mark.parametrize(
    ("states", "answer"),
    [
        (("open", "open"), "No."),
        (("unclear",), "Not proven, so treat it as not protected."),
        (("low", "open"), "b: no. a: these attackers find little against it."),
        ([], "Nothing was judged, so treat it as not protected."),
    ],
)
def test_the_question_is_answered_for_all_or_by_system(states, answer):
    """Where all are not protected, or one, no stronger attacker is asked for."""
    systems = {name: verdicts.system(state) for name, state in zip("ab", states, strict=False)}
    systems["noise"] = verdicts.system("open")
    warning = {"code": "no_training_speech", "system": "a"}
    notes = judged(systems, controls=["noise"], warnings=[warning]).notes
    assert notes.answer == answer
    assert (verdict_words.LEARN in notes.steps) == ({*states} != {"open"})
    assert bool(notes.warnings) == ("open" not in states[:1])


def test_the_answer_for_all_sets_is_the_worst_one_of_each_system(read):
    states = ({"a": "low", "b": "unclear"}, {"b": "open", "c": "low"}, {"a": "unclear"})
    sets = {}
    for name, own in zip(("one", "two", "three"), states, strict=True):
        systems = {system: verdicts.system(state) for system, state in own.items()}
        systems["noise"] = verdicts.system("open")
        sets[name] = verdicts.set_of(systems, controls=["noise"])
    verdict = read(verdicts.verdict(sets))
    words = "b: no. a: not proven, so treat it as not protected. c: these attackers find little"
    assert verdict.answer.startswith(words)
    assert verdict.answer in " ".join(verdict_lines(verdict))
    assert read(verdicts.usual()).answer == read(verdicts.usual()).sets[0].notes.answer


def test_systems_with_the_same_reasons_share_a_sentence_and_many_reasons_are_counted():
    many = verdicts.system("unclear", reasons=list(verdict_words.REASONS))
    systems = {"b3": verdicts.system("unclear"), "b4": verdicts.system("unclear"), "b5": many}
    why = judged(systems).notes.why
    assert sum(sentence.startswith("b3 and b4: inconclusive") for sentence in why) == 1
    [of_many] = [sentence for sentence in why if sentence.startswith("b5: inconclusive")]
    n_more = len({*verdict_words.REASONS.values()}) - verdict_words.MOST
    assert of_many.endswith(f"; {n_more} more reasons.")


def test_persons_by_chance_not_tested_missing_and_named():
    exposed = {"persons": 1, "of": 41, "not_tested": 2, "beyond_chance": False, "named": []}
    why = told(exposed=exposed, missing={"persons": 3, "trials": 40}).why
    worst = "b2 1 of 41 speakers, as many as by chance; unprotected speech 3 of 17 speakers."
    assert f"Re-identified on the worst list: {worst}" in why
    assert "2 others had too few recordings or trials." in why
    assert "b2 lacks 3 speakers and 40 trials of unprotected speech." in why
    exposed |= {"beyond_chance": True, "named": ["anna"]}
    assert "b2: the attacker re-identifies anna." in told(exposed=exposed).why
    linked = {"persons": 2, "of": 9, "named": ["anna", "ben"]}
    nearest = {"percent": 48.3, "chance_percent": 9.1, "beyond_chance": True}
    why = told(linked=linked, nearest=nearest).why
    assert "b2: the attacker links recordings of 2 of 9 speakers: anna and ben." in why
    said = f"{verdict_words.NEAREST}: b2 48 % (by chance 9 %"
    assert f"{said})." in why
    why = told(nearest=nearest | {"beyond_chance": False}).why
    assert f"{said}, not significantly more)." in why
    why = told(missing={"persons": 0, "trials": 1}).why
    assert "b2 lacks 1 trial of unprotected speech." in why


def test_what_is_found_of_planted_leaks_is_one_line_that_names_what_was_not_tried():
    shown = {"leak": "leak_learnt", "evidence_percent": [7.1, 4.2, 10.4], "planted_percent": 30}
    learnt = shown | {"held_out_p_value": 0.21, "trains_extractor": False}
    missed = learnt | {"leak": "leak_not_learnt", "held_out_p_value": None}
    tuned = dict.fromkeys(shown) | {"held_out_p_value": None, "trains_extractor": True}
    controls = {"b2": learnt, "b3": missed, "b4": tuned, "b5": None}
    systems = {name: verdicts.system("unclear", control=one) for name, one in controls.items()}
    *_, line = judged(systems | {"b6": verdicts.system("open", control=learnt)}).notes.why
    assert line.count("7 % [4, 11]") == 2 and line.count("p = 0.21") == 1
    assert line.count(verdict_words.NOT_ENOUGH) == 1
    assert line.endswith(verdict_words.EXTRACTORS)
    assert verdict_words.EXTRACTORS not in told(control=learnt).why


@pytest.mark.parametrize(("most", "said"), [(310, "about 310"), (32_000, "more than 1,000")])
def test_each_step_is_said_once_with_the_most_persons(most, said):
    systems = {
        name: verdicts.system("unclear", next=[{"code": "more_persons", "persons": persons}])
        for name, persons in (("b2", 80), ("b3", most))
    }
    persons, encoder = judged(systems, not_tried=["other_encoders"]).notes.steps
    assert f" {said} speakers " in persons and "second encoder" in encoder


@pytest.mark.parametrize(
    ("less", "state", "relation"),
    [
        ([1.0, -3.0, 5.0], "open", "like"),
        ([1.0, -3.0, 5.0], "unclear", ""),  # that nothing is shown is no likeness
        ([20.0, 11.0, 29.0], "open", "little"),
        ([60.0, 44.0, 70.0], "low", "clearly"),
        (None, "unclear", ""),
    ],
)
def test_a_system_is_held_against_unprotected_speech(less, state, relation):
    b2 = verdicts.system(state, less_than_unprotected_points=less)
    assert judged({"b2": b2}).rows[-1].relation == relation


def test_the_line_goes_from_chance_to_certainty():
    right = {"b2": [62.0, 5.0, 81.0], "b3": [3.0, 1.0, 100.0]}
    systems = {name: verdicts.system(right_of_20_percent=values) for name, values in right.items()}
    rows = {row.system: row for row in judged(systems).rows}
    assert rows["b2"].line == pytest.approx([60.0, 0.0, 80.0])
    assert rows["b3"].line == pytest.approx([0.0, 0.0, 100.0])


def test_inference_is_that_of_the_strongest_attack(read):
    numbers = [
        Number("demo", "-", "b2", extractor, "-", condition, "inferred_sex_percent", value)
        for extractor, condition, value in (("x", "op", "61"), ("x", "pp", "94.4"))
    ]
    [own] = read(verdicts.usual(), numbers=numbers).sets
    assert own.law[-1].title == "Inference of sex"
    cells = {row.system: row.law[-1] for row in own.rows}
    assert (cells["b2"].text, cells["b2"].limits) == ("94", ""), "no interval was asked for"
    assert cells["b2r"].text == DASH


def said(state, right=21.0):
    return {"state": state, "right_of_20_percent": [right, 14.0, 30.0], "evidence_percent": None}


@pytest.mark.parametrize(
    ("of_text", "cells", "sentence"),
    [
        ({"original": said("open")}, ["21", "21"], "voice: in all systems, by the transcripts."),
        ({"original": said("unclear")}, ["21", "21"], ""),
        ({"original": said("open"), "b2": said("open", 19.0)}, ["21", "19"], "voice: b2."),
        ({"original": said("open"), "b2": said("unclear", 7.0)}, ["21", "7"], ""),
        ({"original": said("open"), "b3": said("open")}, ["21", DASH], "voice: b3."),
    ],
)
def test_what_is_said_is_apart_from_the_voice(of_text, cells, sentence):
    facts = verdicts.set_of({"b2": verdicts.system()}, of_text=of_text)
    assert verdict_schema.faults(verdicts.verdict({"demo": facts})) == []
    judged = judged_of("demo", facts)
    assert [row.law[-1].text for row in judged.rows] == cells
    assert [one for one in judged.notes.why if "What is said" in one] == (
        [f"What is said gives speakers away, whatever the {sentence}"] if sentence else []
    )
    [titles] = [line for line in lines_of_set(judged) if "than unprotected" in line]
    assert "by words" in titles


def test_several_releases_are_said_with_where_the_lowest_state_is_lost_if_it_is():
    def released(percent, *systems, within_low=False):
        limits = percent and [percent, percent - 1.0, percent + 2.0]
        return {"systems": [*systems], "evidence_percent": limits, "within_low": within_low}

    draws = ("b2r", "b2r_draw2", "b2r_draw3")
    one = released(1.0, *draws[:1], within_low=True)
    releases = {
        "b2r": [one, released(2.0, *draws[:2]), released(4.0, *draws)],
        "both": [released(7.0, "b2"), released(None, "b2", "stt")],
        "unclear": [one, released(None, "b2", "stt", within_low=None)],
    }
    facts = verdicts.set_of({"b2r": verdicts.system("low")}, releases=releases)
    assert verdict_schema.faults(verdicts.verdict({"demo": facts})) == []
    draws, lost, both, unclear = judged_of("demo", facts).notes.releases
    assert draws.endswith("once, 1 % [0, 3]; twice, 2 % [1, 4]; 3 times, 4 % [3, 6].")
    assert lost.startswith("With 2 releases,")
    assert both.endswith(f"released as b2, 7 % [6, 9]; as b2 and stt, {DASH}.")
    assert unclear.startswith("unclear: ")


@pytest.mark.parametrize(("high", "most"), [(-0.4, "0"), (0.04, "0.1"), (1.0, "1"), (1.44, "1.5")])
def test_what_attackers_find_at_most_is_never_less_than_the_upper_limit(high, most):
    why = told(state="low", by=[], reasons=[], evidence_percent=[0.0, -1.0, high]).why
    assert f"b2: these attackers find at most {most} % in one recording of the worst list." in why


def test_utility_of_the_corpus_is_a_column(read):
    key = ("-", "b2", "-", "-", "-", "wer_percent")
    numbers = [Number("demo", *key, "12.34", "11", "14"), Number("other", *key, "50", "-", "-")]
    [own] = read(verdicts.usual(), numbers=numbers).sets
    cells = {row.system: row.utility for row in own.rows}
    assert (cells["b2"].text, cells["b2"].limits) == ("12.3", "[11.0, 14.0]")
    assert cells["b2r"].text == DASH


@pytest.mark.parametrize(("percent", "is_warned"), [("50", False), ("79.46", True)])
def test_a_recogniser_that_mishears_unprotected_speech_is_a_warning(read, percent, is_warned):
    numbers = [
        Number("demo", "-", system, "-", "-", "-", "wer_percent", value, "-", "-")
        for system, value in (("original", percent), ("b2", "90"))
    ]
    [own] = read(verdicts.usual(), numbers=numbers).sets
    warned = [text for text in own.notes.warnings if "mishears 79.5 %" in text]
    assert bool(warned) == is_warned


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.pop("format"),
        lambda content: content["sets"]["demo"]["systems"]["b2"].update(evidence_percent=[1, 2]),
        lambda content: content["sets"]["demo"]["systems"]["b2"].update(evidence_percent=3 * ["a"]),
        lambda content: content["sets"]["demo"].pop("systems"),
        lambda content: content["sets"]["demo"]["systems"]["b2"].update(state="perfect"),
        lambda content: content["sets"]["demo"].update(not_tried=["unheard"]),
        lambda content: content["sets"]["demo"]["systems"].update({"b\n2": verdicts.system()}),
    ],
)
def test_a_file_that_is_no_verdict_is_named(read, change):
    content = verdicts.usual()
    change(content)
    with pytest.raises(BadInput, match=r"verdict\.json: not a verdict of this version"):
        read(content)
    with pytest.raises(BadInput, match="format is 2, not 1"):
        read(verdicts.usual() | {"format": 2})


def test_a_terminal_has_few_lines_also_of_many_systems_and_reasons(read):
    lines = verdict_lines(read(verdicts.usual()))
    assert max(map(len, lines)) <= WIDTH
    [row] = [line for line in lines if line.startswith("b2 ") and "[69, 94]" in line]
    assert " ".join(row.split()) == f"b2 NOT PROTECTED 60 [51, 72] little better 80 [69, 94] {DASH}"
    [own] = read(verdicts.usual()).sets
    n_systems = len(own.rows) - 1  # without the original
    assert len(lines_of_set(own)) <= 14 + 4 * (n_systems - 1)
    reasons = list(verdict_words.REASONS)
    systems = {
        f"s{index}": verdicts.system("unclear", reasons=reasons[index:], percent=index)
        for index in range(len(reasons))
    }
    lines = lines_of_set(judged(systems, not_tried=list(verdict_words.NOT_TRIED)))
    assert len(lines) <= 14 + 4 * (len(reasons) - 1)
    alone = lines_of_set(judged({"s0": systems["s0"]}, not_tried=list(verdict_words.NOT_TRIED)))
    assert len(alone) <= 14 and "inconclusive, because" in " ".join(alone)


def test_a_system_whose_name_leaves_no_room_has_it_above_its_numbers():
    names = ["b2", f"my_{'very_' * 4}long_name", f"{'no-end-' * 20}"]
    lines = lines_of_set(judged(dict.fromkeys(names, verdicts.system())))
    assert max(map(len, lines)) <= WIDTH
    row = next(line for line in lines if line.startswith("b2 "))
    assert lines[lines.index(names[1]) + 1] == row.replace("b2", "  ")


def test_a_run_without_a_verdict_says_so(systems):
    assert NOT_GIVEN in summary(systems)


def test_a_paragraph_of_the_terminal_ends_with_a_whole_sentence():
    sentences = [f"{(word * 18).strip()}." for word in ("one ", "two ", "six ")]
    shown = headed("Why", sentences, most=2)
    assert " ".join(" ".join(shown).split()) == f"Why {sentences[0]} {sentences[1]} [...]"
