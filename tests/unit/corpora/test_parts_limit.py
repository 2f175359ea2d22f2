"""A quick look: few speakers and utterances, chosen by their ids."""

import itertools

from support.trees import edit, kaldi, prepare_list

from voiceprivacy.corpora import checks, parts
from voiceprivacy.corpora.listing import Findings, Listed
from voiceprivacy.inout import enrolments, trial_lists


def listed(speakers, utterances):
    pairs = itertools.product(speakers, utterances)
    return [Listed(f"{one}-{said}", one, one[0], "", None, "-", "-") for one, said in pairs]


MANY = listed([*(f"f{n}" for n in range(9)), "m1", "m2"], "abc")


def names(utterances):
    return [utterance.utterance for utterance in utterances]


def test_women_and_men_take_turns_and_a_larger_limit_keeps_what_a_smaller_one_kept():
    assert sorted(speaker[0] for speaker in parts.speakers_within(MANY, 4)) == ["f", "f", "m", "m"]
    assert parts.speakers_within(MANY, None) == {utterance.speaker for utterance in MANY}
    three = parts.speakers_within(MANY, 3)
    assert three < parts.speakers_within(MANY, 5)
    one, two = (names(parts.restrict(MANY, speakers=three, count=count)) for count in (1, 2))
    assert set(one) < set(two)
    assert (len(one), len(two)) == (3, 6)


def test_who_is_chosen_is_drawn_and_neither_the_first_by_name_nor_in_order():
    many = listed(map(str, range(10, 40)), "abcdef")
    assert parts.speakers_within(many, 5) != {f"{number}" for number in range(10, 15)}
    kept = parts.restrict(many, speakers={utterance.speaker for utterance in many}, count=1)
    assert len({utterance.utterance[-1] for utterance in kept}) == 6
    shuffled = MANY[::-1]
    assert parts.speakers_within(shuffled, 5) == parts.speakers_within(MANY, 5)
    kept = parts.restrict(shuffled, speakers={"f1"}, count=2)
    assert set(names(kept)) == set(names(parts.restrict(MANY, speakers={"f1"}, count=2)))


def test_given_lists_are_checked_whole_and_used_in_part(tmp_path):
    source, given = kaldi(tmp_path / "data", women=["w1", "w2", "w3"])
    source |= {"limit": {"speakers": 2}}
    listed, enrolled = prepare_list(tmp_path, source, given, "all")
    trials = trial_lists.read_trials(listed)
    speakers = {trial.enrolment for trial in trials}
    assert len(trials) == 2 * 4
    assert {trial.trial.split("-")[0] for trial in trials} == speakers
    assert set(enrolments.read_enrolments(enrolled)) == speakers

    (out,) = {"w1", "w2", "w3"} - speakers
    edit(tmp_path / "data" / "trials", f"{out} {out}-2 target", f"{out} {out}-2 nontarget")
    error, *_ = checks.examine(source, given, 16000).findings.errors()
    assert f"utterance '{out}-2' is labelled nontarget" in str(error)


def test_only_what_is_left_is_counted(tmp_path):
    source, given = kaldi(tmp_path, women=["w1", "w2", "w3"])
    source |= {"limit": {"speakers": 2, "utterances": 1}}
    whole = parts.split(source, given, parts.list_part(source, {}, "train"), Findings())
    assert len(whole[0]) <= 2
    examination = checks.examine(source, given, 16000)
    assert [examination.parts[name].utterances for name in ("enrolment", "trial")] == [2, 2]
    assert examination.lists == {"all": 4}
    names = {"exclude": ["w1-3", "w2-3", "w3-3"]}  # some of them beyond the limit
    assert "not one of the corpus" not in str(checks.examine(source | names, given, 16000).findings)
