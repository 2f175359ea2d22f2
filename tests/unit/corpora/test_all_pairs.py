"""The protocol all_pairs: every ordered pair of utterances of different sources."""

from itertools import permutations

from voiceprivacy.corpora.listing import Findings, Listed
from voiceprivacy.corpora.parts import list_names
from voiceprivacy.corpora.protocols import all_pairs

OPTIONS = {"lists": ["f", "m"]}


def listed(name, speaker, gender="f"):
    return Listed(name, speaker, gender, "", None, "wav.scp", 1)


def trials(utterances, name="f", options=OPTIONS):
    return all_pairs.list_trials({}, options, name, utterances, utterances, Findings())


def test_all_utterances_enrol_and_are_tried():
    utterances = [listed("a1", "a"), listed("b1", "b", "m")]
    assert all_pairs.split({}, OPTIONS, utterances, Findings()) == ({"a1", "b1"}, {"a1", "b1"})
    assert list_names({"all_pairs": OPTIONS}) == ["f", "m"]


def test_every_ordered_pair_of_one_gender_is_a_trial():
    utterances = [listed("a1", "a"), listed("a2", "a"), listed("b1", "b"), listed("c1", "c", "m")]
    pairs, enrolments = trials(utterances)
    assert [trial[:2] for trial in pairs] == list(permutations(["a1", "a2", "b1"], 2))
    assert [trial[:2] for trial in pairs if trial.label == "target"] == [("a1", "a2"), ("a2", "a1")]
    assert enrolments == {"a1": ["a1"], "a2": ["a2"], "b1": ["b1"]}
    assert len(trials(utterances, "mixed")[0]) == 12


def test_pieces_of_one_source_form_no_pair():
    utterances = [listed(name, "a") for name in ("a1_seg000", "a1_seg001", "a2_seg000")]
    pairs, _ = trials(utterances)
    assert {trial[:2] for trial in pairs} == {
        ("a1_seg000", "a2_seg000"),
        ("a1_seg001", "a2_seg000"),
        ("a2_seg000", "a1_seg000"),
        ("a2_seg000", "a1_seg001"),
    }
