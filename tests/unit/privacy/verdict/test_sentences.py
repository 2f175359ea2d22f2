"""The sentences of the verdict: nothing that is not shown, and what was not tried first."""

from support import verdicts

from voiceprivacy.privacy.verdict.levels import Thresholds
from voiceprivacy.privacy.verdict.sentences import (
    NO_SEMI,
    NO_SEMI_DECLARED,
    NO_SEMI_TRUSTED,
    ONE_DRAW,
    SEMI_DECLARED,
    sentences,
    warnings,
)

THRESHOLDS = Thresholds(**verdicts.THRESHOLDS)
GIVEN = ["asv/given (pp)"]


def judgement(systems, order, **changed):
    return verdicts.set_of(systems, order, **changed)


def said_of(one_set, **thresholds):
    return sentences(one_set, THRESHOLDS._replace(**thresholds))


def test_every_level_names_the_equal_error_rate_and_what_is_left():
    levels = ("none_left", "none_found", "reduced", "little_reduced", "not_shown")
    for level in levels:
        [first, second, *_] = said_of(judgement({"b2": verdicts.system(level)}, [["b2"]]))
        assert first == NO_SEMI
        assert "26.4 % [13.6, 39.6] errors where 50 is guessing" in second, level


def test_no_sentence_says_that_an_anonymiser_protects():
    systems = {"b2": verdicts.system("reduced"), "b2r": verdicts.system("none_found", 1.0)}
    set_of_two = judgement(systems, [["b2r"], ["b2"]], better=[["b2r", "b2"]])
    text = " ".join(said_of(set_of_two) + warnings(set_of_two))
    assert "protects" not in text and "best" not in text
    assert "b2r leaves less evidence than b2." in text


def test_systems_that_are_not_shown_to_differ_are_not_ordered():
    systems = {"b2": verdicts.system(), "b2r": verdicts.system()}
    said = said_of(judgement(systems, [["b2", "b2r"]]))
    assert said[-1] == "Of b2 and b2r, none is shown to leave less evidence than another."


def test_a_control_has_no_sentence():
    systems = {"b2": verdicts.system(), "noise": verdicts.system(None, 0.0)}
    assert "noise" not in " ".join(said_of(judgement(systems, [["b2"]])))


def test_without_anonymisers_nothing_was_protected():
    assert said_of(judgement({}, [])) == ["Nothing was protected."]
    assert warnings(judgement({}, [])) == []


def test_of_a_system_without_a_trusted_attack_the_reason_is_said():
    said = said_of(judgement({"broken": verdicts.silent()}, []))
    assert said == ["Nothing can be said about broken: no attack can be trusted (constant scores)."]


def test_one_draw_is_told_where_anonymisers_are_ours():
    assert ONE_DRAW in warnings(judgement({"b2": verdicts.system()}, [["b2"]]))
    of_others = judgement({"b2": verdicts.system(counted=GIVEN)}, [["b2"]])
    assert ONE_DRAW not in warnings(of_others)


def test_exposed_speakers_are_told_although_most_evidence_is_gone():
    said = said_of(judgement({"leaky": verdicts.system("reduced", 9.0)}, [["leaky"]]))
    [exposed] = [sentence for sentence in said if "at least half" in sentence]
    assert exposed.startswith(
        "With leaky, 20 % [5, 35] of the speakers (1 of them named in verdict.json) are"
    )


def of_one(**changed):
    return judgement({"b2": verdicts.system(**changed)}, [["b2"]])


def test_limits_are_never_rounded_to_nothing():
    """Neither "0 % is left" of 0.4, nor "up to 0 % cannot be excluded" of 0.31."""
    little = {"evidence_left_percent": [0.4, 0.1, 1.2]}
    assert "0.4 % [0.1, 1.2] of the evidence" in " ".join(
        said_of(of_one(level="reduced", **little))
    )
    bound = {"evidence_left_percent": [0.0, 0.0, 0.31]}
    assert "up to 0.4 % of it" in " ".join(said_of(of_one(level="none_found", **bound)))
    bound = {"evidence_left_percent": [5.0, 0.0, 23.1]}
    assert "up to 24 % of it" in " ".join(said_of(of_one(level="none_found", **bound)))


def test_little_of_few_speakers_is_no_zero():
    """Not "0 % [0, 38]": that reads as nothing."""
    few = said_of(of_one(level="reduced", evidence_left_percent=[0.33, 0.0, 38.3]))
    assert "unprotected: between 0 and 39 % of the evidence is left." in " ".join(few)


def test_where_nothing_counts_nothing_is_warned_of():
    assert warnings(judgement({"broken": verdicts.silent()}, [])) == []


def test_sentences_name_the_thresholds_of_the_config():
    [_, said, *_] = said_of(of_one(level="none_left"), nothing_percent=3.0)
    assert ": less than 3 % of the evidence is left" in said
    [_, said, *_] = said_of(of_one(level="little_reduced"), reduced_percent=20)
    assert said.endswith("it is not shown that less than 20 % is left.")
    [_, said, *_] = said_of(of_one(level="little_reduced"))
    assert said.endswith("it is not shown that half of it is gone.")


def test_a_direction_is_that_of_the_errors_which_the_sentence_names():
    turned = {"eer_folded_percent": verdicts.PP | {"reading": "descending"}}
    [_, said, *_] = said_of(of_one(attacks=turned))
    assert "attacks, which takes low scores for the same speaker, makes 26.4 %" in said
    for level in ("none_found", "none_left"):
        [_, said, *_] = said_of(of_one(level=level, attacks=turned))
        assert "which takes" not in said, level


def test_the_only_attack_that_counts_is_not_the_only_one():
    refused = {"ecapa/plda (pp) on b2": "constant scores"}
    alone = judgement({"b2": verdicts.system(n_attacks=1)}, [["b2"]])
    assert "With b2, the only attack makes" in said_of(alone)[1]
    assert "the only attack that counts makes" in said_of(alone | {"untrusted": refused})[1]


def test_numbers_that_are_unknown_are_told_as_unknown():
    unknown = verdicts.system(
        "reduced", eer_folded_percent="undefined", eer_unprotected_percent="undefined"
    )
    one = judgement({"b2": unknown}, [["b2"]])
    said = " ".join(said_of(one))
    assert (
        "makes an unknown share of errors where 50 is guessing and an unknown share unprot" in said
    )
    exposed = verdicts.system("reduced", exposed_speakers_percent="undefined")
    assert "at least half" not in " ".join(said_of(judgement({"b2": exposed}, [["b2"]])))


def test_the_semi_informed_are_told_for_each_system():
    """One that was trained on speech of b2 says nothing about b3."""
    semi = verdicts.system(tried=["lazy-informed", "semi-informed"])
    both = judgement({"b2": semi, "b3": semi}, [["b2", "b3"]])
    assert not [told for told in warnings(both) if "expect less" in told]
    one = judgement({"b2": semi, "b3": verdicts.system()}, [["b2", "b3"]])
    told = "No attacker was trained on speech of b3: expect less protection than this."
    assert warnings(one)[0] == told and said_of(one)[0] == told


def test_an_attacker_that_was_trained_on_a_control_is_no_effort():
    systems = {"b2": verdicts.system(), "copy": verdicts.system(None, tried=["semi-informed"])}
    assert said_of(judgement(systems, [["b2"]]))[0] == NO_SEMI


def test_a_refused_semi_informed_attack_is_told_as_refused():
    one = of_one()
    one["effort"]["refused"] = ["semi-informed"]
    assert said_of(one)[0] == NO_SEMI_TRUSTED


def test_scores_are_declared_only_where_no_attacker_of_ours_counts():
    """Also where the given one is the strongest on every system."""
    alone = of_one(counted=GIVEN, attack=verdicts.PP | {"extractor": "asv", "backend": "given"})
    assert warnings(alone)[:2] == [
        NO_SEMI_DECLARED,
        "All scores were made elsewhere. What the attackers of asv knew is not checked.",
    ]
    beside = of_one(counted=["ecapa/cosine (pp)", *GIVEN], attack=alone["systems"]["b2"]["attack"])
    assert warnings(beside)[:2] == [NO_SEMI, "What the attackers of asv knew is not checked."]
    semi = of_one(counted=["ecapa/cosine (pp)", *GIVEN], tried=["semi-informed"])
    assert "What the attackers of asv knew is not checked." in warnings(semi)


def test_what_is_only_declared_is_told_as_declared():
    semi = {"tried": ["semi-informed"], "counted": GIVEN}
    assert said_of(of_one(declared_only=["semi-informed"], **semi))[0] == SEMI_DECLARED
    assert SEMI_DECLARED not in said_of(of_one(**semi))


def test_systems_that_no_attack_counts_on_are_not_told_as_spared():
    systems = {"b2": verdicts.system(tried=["semi-informed", "linkage"]), "b3": verdicts.silent()}
    told = " ".join(warnings(judgement(systems, [["b2"]])))
    assert "b3" not in told and "linkage" not in told and "trained" not in told


def test_unequal_effort_is_told():
    systems = {"b2": verdicts.system(), "b3": verdicts.system(counted=["ecapa/cosine (pp)"])}
    told = warnings(judgement(systems, [["b2", "b3"]]))
    assert (
        "Systems were not attacked alike: missing or not counted are ecapa/plda (op) on b3." in told
    )
    alike = judgement({"b2": verdicts.system(), "b3": verdicts.system()}, [["b2", "b3"]])
    assert "alike" not in " ".join(warnings(alike))


def test_refused_linkage_is_told_as_refused():
    one = judgement({"b2": verdicts.system()}, [["b2"]])
    assert verdicts.NO_LINKAGE in warnings(one)
    one["effort"]["refused"] = ["linkage"]
    assert any("no such attack can be trusted" in told for told in warnings(one))
    assert verdicts.NO_LINKAGE not in warnings(one)


def test_linkage_is_told_for_each_system():
    linked = verdicts.system(tried=["linkage"])
    told = warnings(judgement({"b2": linked, "b3": verdicts.system()}, [["b2", "b3"]]))
    assert "No comparison of released files (linkage) counts for b3." in told
    assert "(linkage)" not in " ".join(warnings(judgement({"b2": linked}, [["b2"]])))


def test_inferred_speakers_are_told():
    one = of_one()
    one["effort"]["inferred"] = ["asv"]
    assert "Who speaks in the trials of asv was inferred" in " ".join(warnings(one))


def test_speech_that_an_attacker_knows_from_its_training_is_told():
    one = of_one()
    one["effort"]["heard"] = {"ecapa/cosine": ["LibriSpeech dev-clean", "LibriSpeech test-clean"]}
    known = "LibriSpeech dev-clean and LibriSpeech test-clean"
    assert f"ecapa + cosine learnt from speakers of {known}" in " ".join(warnings(one))


def test_controls_alone_are_not_nothing():
    alone = judgement({"noise": verdicts.system(None, 0.0)}, [])
    assert said_of(alone) == ["Only controls were attacked, whose effect is known."]
    assert warnings(alone) == []


def test_attacks_that_are_on_no_whole_set_are_not_nothing():
    missed = judgement({}, [], untrusted={"asv/given (pp) on b2": "not tried on every list"})
    assert said_of(missed) == ["Nothing can be said: no attack was tried on every list."]


def test_lists_of_many_names_end_in_their_number():
    names = [f"s{number:02}" for number in range(25)]
    said = said_of(judgement(dict.fromkeys(names, verdicts.system()), [names]))
    assert said[-1].startswith("Of s00, s01, s02") and "s11 and 13 more, none is" in said[-1]
    assert "20 further systems: see the table." in said


def test_exposed_speakers_of_a_little_reduced_system_are_told_where_most_are_hidden():
    few = said_of(of_one(level="little_reduced"))
    assert any("at least half of their utterances" in sentence for sentence in few)
    most = said_of(of_one(level="little_reduced", exposed_speakers_percent=[90.0, 70.0, 100.0]))
    assert not any("at least half of their utterances" in sentence for sentence in most)


def test_no_sentence_is_broken_by_a_point_and_a_blank():
    """The page splits the verdict there."""
    systems = {
        "b2": verdicts.system(),
        "b3": verdicts.silent(),
        "b4": verdicts.system("none_found"),
    }
    for sentence in said_of(judgement(systems, [["b4"], ["b2"]], better=[["b4", "b2"]])):
        assert ". " not in sentence


def test_where_protected_training_speech_is_missing_the_warning_says_why():
    lazy, semi = ["lazy-informed"], ["lazy-informed", "semi-informed"]
    tried = {"b2": semi, "team": lazy, "other": lazy}
    systems = {name: verdicts.system("reduced", tried=known) for name, known in tried.items()}
    one = judgement(systems, [list(systems)])
    one["effort"]["untaught"] = {
        "team": "nothing is in team/train",
        "other": "nothing is in team/train",
        "b2": "another attacker learnt from it",
    }
    assert warnings(one)[:2] == [
        "No attacker was trained on speech of team and other: expect less protection than this.",
        "There is no protected training speech of team and other (nothing is in team/train).",
    ]
