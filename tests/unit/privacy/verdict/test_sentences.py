"""The sentences of the verdict: nothing that is not shown, and what was not tried first."""

from support import verdicts

from voiceprivacy.privacy.verdict.sentences import NO_SEMI, ONE_DRAW, sentences, warnings


def judgement(systems, order, **changed):
    return verdicts.set_of(systems, order, **changed)


def test_every_level_names_the_equal_error_rate_and_what_is_left():
    levels = ("none_left", "none_found", "reduced", "little_reduced", "not_shown")
    for level in levels:
        [first, second, *_] = sentences(judgement({"b2": verdicts.system(level)}, [["b2"]]))
        assert first == NO_SEMI
        assert "26.4 % [13.6, 39.6] errors where 50 is guessing" in second, level


def test_no_sentence_says_that_an_anonymiser_protects():
    systems = {"b2": verdicts.system("reduced"), "b2r": verdicts.system("none_found", 1.0)}
    set_of_two = judgement(systems, [["b2r"], ["b2"]], better=[["b2r", "b2"]])
    text = " ".join(sentences(set_of_two) + warnings(set_of_two))
    assert "protects" not in text and "best" not in text
    assert "b2r leaves less evidence than b2." in text


def test_systems_that_are_not_shown_to_differ_are_not_ordered():
    systems = {"b2": verdicts.system(), "b2r": verdicts.system()}
    said = sentences(judgement(systems, [["b2", "b2r"]]))
    assert said[-1] == "Of b2 and b2r, none is shown to leave less evidence than another."


def test_a_control_has_no_sentence():
    systems = {"b2": verdicts.system(), "noise": verdicts.system(None, 0.0)}
    assert "noise" not in " ".join(sentences(judgement(systems, [["b2"]])))


def test_without_anonymisers_nothing_was_protected():
    assert sentences(judgement({}, [])) == ["Nothing was protected."]
    assert warnings(judgement({}, [])) == []


def test_of_a_system_without_a_trusted_attack_the_reason_is_said():
    said = sentences(judgement({"broken": verdicts.silent()}, []))
    assert said == ["Nothing can be said about broken: no attack can be trusted (constant scores)."]


def test_one_draw_is_told_where_anonymisers_are_ours():
    assert ONE_DRAW in warnings(judgement({"b2": verdicts.system()}, [["b2"]]))
    given = verdicts.PP | {"backend": "given"}
    of_others = judgement({"b2": verdicts.system(attack=given)}, [["b2"]])
    assert ONE_DRAW not in warnings(of_others)


def test_exposed_speakers_are_named_although_most_evidence_is_gone():
    said = sentences(judgement({"leaky": verdicts.system("reduced", 9.0)}, [["leaky"]]))
    [exposed] = [sentence for sentence in said if "at least half" in sentence]
    assert exposed.startswith("With leaky, 20 % [5, 35] of the speakers (anna) are found")
