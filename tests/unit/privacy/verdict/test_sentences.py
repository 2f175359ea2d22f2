"""The sentences of the verdict: nothing that is not shown, and what was not tried first."""

import itertools
import re

import pytest
from support import verdicts

from voiceprivacy.privacy.verdict.levels import Thresholds
from voiceprivacy.privacy.verdict.sentences import (
    NO_LINKAGE,
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
        [first, recognised, left, errors, *_] = said_of(
            judgement({"b2": verdicts.system(level)}, [["b2"]])
        )
        assert first == NO_SEMI
        assert recognised == "With b2, 16 % of utterances are still recognised at 1 % false alarms."
        assert "evidence" in left, level
        assert errors.endswith(
            " makes 26.4 % errors, 8.6 % unprotected; whoever guesses errs half of the time."
        ), level


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
    told = (
        "With leaky, 20 % of the speakers are found in at least half of their utterances"
        " at 1 % false alarms, more than chance gives."
    )
    assert said[said.index(told) + 1] == "The file verdict.json names 1 of these speakers of leaky."


def of_one(**changed):
    return judgement({"b2": verdicts.system(**changed)}, [["b2"]])


def test_limits_are_never_rounded_to_nothing():
    """Neither "0 % is left" of 0.4, nor "up to 0 % cannot be excluded" of 0.31."""
    little = {"evidence_left_percent": [0.4, 0.1, 1.2]}
    assert "With b2, 0.4 % of the evidence" in " ".join(said_of(of_one(level="reduced", **little)))
    bound = {"evidence_left_percent": [0.0, 0.0, 0.31]}
    assert "up to 0.4 % of it" in " ".join(said_of(of_one(level="none_found", **bound)))
    bound = {"evidence_left_percent": [5.0, 0.0, 23.1]}
    assert "up to 24 % of it" in " ".join(said_of(of_one(level="none_found", **bound)))


def test_little_of_few_speakers_is_no_zero():
    """Not "0 % [0, 38]": that reads as nothing."""
    few = said_of(of_one(level="reduced", evidence_left_percent=[0.33, 0.0, 38.3]))
    assert "With b2, between 0 and 39 % of the evidence is left; it is shown" in " ".join(few)


def test_where_nothing_counts_nothing_is_warned_of():
    assert warnings(judgement({"broken": verdicts.silent()}, [])) == []


def test_sentences_name_the_thresholds_of_the_config():
    [_, _, said, *_] = said_of(of_one(level="none_left"), nothing_percent=3.0)
    assert "With b2, less than 3 % of the evidence is left" in said
    [_, _, said, *_] = said_of(of_one(level="little_reduced"), reduced_percent=20)
    assert said.endswith("it is not shown that less than 20 % is left.")
    [_, _, said, *_] = said_of(of_one(level="little_reduced"))
    assert said.endswith("it is not shown that half of it is gone.")
    [_, _, said, *_] = said_of(of_one(level="reduced"), reduced_percent=20)
    assert said.endswith("it is shown that less than 20 % is left.")


def test_a_direction_is_that_of_the_errors_which_the_sentence_names():
    turned = {"eer_folded_percent": verdicts.PP | {"reading": "descending"}}
    [_, _, _, said, *_] = said_of(of_one(attacks=turned))
    assert "attacks, which takes low scores for the same speaker, makes 26.4 %" in said
    for level in ("none_found", "none_left"):
        assert "which takes" not in " ".join(said_of(of_one(level=level, attacks=turned))), level


def test_the_only_attack_that_counts_is_not_the_only_one():
    refused = {"ecapa/plda (pp) on b2": "constant scores"}
    alone = judgement({"b2": verdicts.system(n_attacks=1)}, [["b2"]])
    assert "With b2, the only attack makes" in " ".join(said_of(alone))
    told = " ".join(said_of(alone | {"untrusted": refused}))
    assert "With b2, the only attack that counts makes" in told


def test_numbers_that_are_unknown_are_told_as_unknown():
    unknown = verdicts.system(
        "reduced", eer_folded_percent="undefined", eer_unprotected_percent="undefined"
    )
    one = judgement({"b2": unknown}, [["b2"]])
    said = " ".join(said_of(one))
    assert "makes an unknown share of errors, an unknown share unprotected; whoever" in said
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


def uneven(counted, refused=()):
    """What is told of systems on which different attacks count: {system: attacks}."""
    systems = {name: verdicts.system(counted=attacks) for name, attacks in counted.items()}
    told = warnings(judgement(systems, [list(systems)], untrusted=dict.fromkeys(refused, "flat")))
    told = told[told.index(NO_LINKAGE) + 1 : told.index(ONE_DRAW)]
    assert not told or told[0].startswith("Systems were not attacked alike: ")
    return " ".join(told).removeprefix("Systems were not attacked alike: ")


COSINE = ["ecapa/cosine (op)", "ecapa/cosine (pp)"]
SEMI = ["ecapa/semi (op)", "ecapa/semi (pp)"]


@pytest.mark.parametrize(
    ("counted", "refused", "told"),
    [
        ({"b2": COSINE, "b3": COSINE}, [], ""),
        (  # one of three
            {"b2": COSINE, "b2r": [*COSINE, *SEMI], "b3": COSINE},
            [],
            "the semi-informed attack of ecapa was tried on b2r only.",
        ),
        (  # all but one
            {"b2": [*COSINE, *SEMI], "b2r": [*COSINE, *SEMI], "b3": COSINE},
            [],
            "the semi-informed attack of ecapa was not tried on b3.",
        ),
        (  # under one condition only
            {"b2": COSINE, "b3": COSINE[:1], "b4": COSINE[:1]},
            [],
            "the attack of ecapa + cosine counts on b3 and b4 under OP only.",
        ),
        (  # tried on both, and not to be trusted on one of them
            {"b2": [*COSINE, *SEMI], "b3": COSINE},
            ["ecapa/semi_on_b3 (op) on b3", "ecapa/semi_on_b3 (pp) on b3"],
            "the semi-informed attack of ecapa does not count on b3, for the reason given.",
        ),
        (  # an attacker that was trained on a system, of which nothing counts
            {"b2": [*COSINE, *SEMI], "b3": COSINE},
            ["ecapa_on_b3/semi"],
            "the semi-informed attack of ecapa does not count on b3, for the reason given.",
        ),
        (  # refused under one condition
            {"b2": COSINE, "b3": COSINE[1:]},
            ["ecapa/cosine (op) on b3"],
            "the attack of ecapa + cosine counts on b3 under PP only.",
        ),
        (  # tried, refused and not tried
            {"b2": [*COSINE, *SEMI], "b3": COSINE, "b4": COSINE},
            ["ecapa/semi_on_b3 (op) on b3"],
            "the semi-informed attack of ecapa was not tried on b4."
            " The semi-informed attack of ecapa does not count on b3, for the reason given.",
        ),
        (  # two attackers of whom the same is to be said
            {"b2": [*COSINE, *GIVEN, "fused/all (pp)"], "b3": COSINE},
            [],
            "the attack by scores of asv and the fused attack all were tried on b2 only.",
        ),
        (  # nobody counts on both
            {"b2": COSINE, "b3": GIVEN},
            [],
            "the attack by scores of asv was tried on b3 only."
            " The attack of ecapa + cosine was tried on b2 only.",
        ),
    ],
)
def test_unequal_effort_is_told_of_each_attacker(counted, refused, told):
    assert uneven(counted, refused) == told


def test_of_much_unequal_effort_a_few_sentences_are_told():
    extractors = {f"x{index}": [f"e{index}/cosine (pp)"] for index in range(9)}
    told = uneven({"all": COSINE} | extractors)
    assert told.count(". ") == 3 and told.endswith(" The file verdict.json has more that differs.")


def test_who_counts_under_other_conditions_on_every_system_is_told_of_both():
    told = uneven({"b2": COSINE[:1], "b3": COSINE[1:]})
    assert told == (
        "the attack of ecapa + cosine counts on b2 under OP only."
        " The attack of ecapa + cosine counts on b3 under PP only."
    )


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


def test_of_many_systems_the_first_have_sentences_and_the_table_the_rest():
    layers = [[f"s{number:02}"] for number in range(20)]
    better = [[f"s{one:02}", f"s{two:02}"] for one, two in itertools.combinations(range(20), 2)]
    systems = {name: verdicts.system() for [name] in layers}
    said = said_of(judgement(systems, layers, better=better))
    assert sum("at least half" in told for told in said) == 5
    assert said[-2].startswith("s04 leaves less evidence than s05, s06")
    assert said[-1] == "14 further systems leave less evidence than others: see the table."
    assert len(said) < 40


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


# Sentences that a reader can hold in his head.

KNOWN = {"identification_of_20_percent": [39.0, 30.0, 48.0]}


def recognised(**changed):
    return [told for told in said_of(of_one(**changed)) if "recognised" in told]


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        (KNOWN, "39 % of utterances are still recognised among 20 speakers; guessing gives 5 %."),
        ({}, "16 % of utterances are still recognised at 1 % false alarms."),
        (  # more than the evidence left
            {"identification_of_20_percent": [80.0, 70.0, 90.0]},
            "80 % of utterances are still recognised among 20 speakers, more than its evidence"
            " tells; guessing gives 5 %.",
        ),
        (  # guessing is not excluded
            {"identification_of_20_percent": [12.0, 4.0, 20.0]},
            "12 % of utterances are recognised among 20 speakers; guessing gives 5 %: that can be"
            " luck.",
        ),
        (
            {"tpr_at_fpr_0.01_percent": [1.5, 0.4, 3.1]},
            "1.5 % of utterances are recognised at 1 % false alarms: that can be luck.",
        ),
    ],
)
def test_recognised_utterances_are_told_first_of_a_system(numbers, told):
    assert recognised(**numbers) == [f"With b2, {told}"]
    assert "recognised" in said_of(of_one(**numbers))[1]


@pytest.mark.parametrize("limits", ["undefined", [40.0, 1.0, 99.0]])
def test_what_is_not_known_of_recognised_utterances_is_not_told(limits):
    assert recognised(**{"tpr_at_fpr_0.01_percent": limits}) == []


LEVELS = ("none_left", "none_found", "reduced", "little_reduced", "not_shown")
LIMITS = ([0.31, 0.0, 38.3], [112.0, 89.0, 140.0], [48.6, 40.2, 60.1], "undefined")
REASONS = {"ecapa/plda (pp) on b2": "constant scores"}


def records():
    """Sets of every level with known and unknown numbers, alone and beside others."""
    rates = ("identification_of_20_percent", "tpr_at_fpr_0.01_percent", "exposed_speakers_percent")
    errors = ("eer_folded_percent", "eer_unprotected_percent")
    for level, limits, errs in itertools.product(LEVELS, LIMITS, ([9.74, 4.5, 13.9], "undefined")):
        one = verdicts.system(level, **dict.fromkeys(rates, limits), **dict.fromkeys(errors, errs))
        if limits != "undefined":
            one["evidence_left_percent"] = limits
        small = one | {"small_semi_informed": "40 training speakers", "n_attacks": 12, "draws": 3}
        lone = one | {"n_attacks": 1, "counted": GIVEN}
        nothing = verdicts.silent("no attack counts") | {"eer_folded_percent": [9.7, 4.5, 13.9]}
        floors = {"f0/words": {"feature": "words", "eer_folded_percent": [37.1, 30.0, 44.0]}}
        yield judgement({"b2": one}, [["b2"]])
        yield judgement({"b2": lone}, [["b2"]], untrusted=REASONS, floors=floors)
        systems = {"b2": one, "b3": small, "b4": lone, "b5": nothing}
        yield judgement(systems, [["b2"], ["b3", "b4"]], better=[["b2", "b3"], ["b2", "b4"]])
        yield judgement({f"s{index}": one for index in range(20)}, [[f"s{i}" for i in range(20)]])


def test_no_sentence_has_more_than_three_numbers_or_an_interval():
    walked = 0
    for one_set in records():
        for sentence in said_of(one_set) + warnings(one_set):
            numbers = re.findall(r"(?<![\w.])\d+(?:\.\d+)?", sentence)
            assert len(numbers) <= 3, sentence
            assert "[" not in sentence and len(sentence.split()) <= 30, sentence
            walked += 1
    assert walked > 1000
