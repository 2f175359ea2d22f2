"""The parts of a plan alone: each is made of a few entries, without the other parts."""

import pytest

from voiceprivacy.plan.attackers import Attackers, instances
from voiceprivacy.plan.given import Given
from voiceprivacy.plan.outputs import Averages
from voiceprivacy.plan.sources import ScoreFile
from voiceprivacy.plan.speech import Speech
from voiceprivacy.vocabulary import Attack

DEMO = {"synthetic": {}, "use": "evaluation", "protocol": {"enrol_trial": {"lists": ["f", "m"]}}}
TRAIN = {"folder": {}, "use": "train"}
B2 = {"command": "b2", "runs": 2, "options": {}, "resample": False, "sandbox": False}


@pytest.fixture
def speech():
    return Speech({"demo": DEMO, "others": TRAIN}, {"b2": B2})


def test_scoring_a_system_takes_the_speech_of_its_conditions_only(speech):
    repeated = ["op", "pp", "p0p1"]
    both = {"original": "original", "run0": "b2"}
    assert speech.spoken("enrolment", "b2", repeated) == both
    assert speech.spoken("trial", "b2", repeated) == {**both, "run1": "b2_run1"}
    assert speech.spoken("enrolment", "original", ["oo"]) == {"original": "original"}
    assert speech.spoken("enrolment", "b2_run1", ["op"]) == {"original": "original"}
    assert speech.spoken("trial", "b2_run1", ["op"]) == {"original": "original", "run0": "b2_run1"}


def test_lists_of_one_corpus_have_no_average_over_corpora(speech):
    entries = ({"ecapa": {"model": "m"}}, {"cosine": {"type": "cosine"}})
    attackers = Attackers(*(instances(entry, speech.anonymisers) for entry in entries), speech)
    given = Given({}, {}, speech)
    averages = Averages({}, attackers, given)
    assert (averages.weights, averages.attacks()) == ({}, [])
    named = Averages({"both lists": {"demo": {"f": 1, "m": 3}}}, attackers, given)
    assert named.weights == {"both-lists": {("demo", "f"): 1, ("demo", "m"): 3}}
    assert named.attacks() == [Attack("over-corpora", "both-lists", "ecapa", "cosine")]


def test_the_mean_of_given_scores_is_of_systems_on_all_lists(speech):
    files = {
        ScoreFile("demo", trials, system, "op"): f"{trials}_{system}.tsv"
        for trials, system in (("f", "b1"), ("f", "b2"), ("m", "b2"), ("m", "b3"))
    }
    for missing, mean in ((None, {"b2"}), (ScoreFile("demo", "f", "b2", "op"), set())):
        files.pop(missing, None)
        entries = {"theirs": {"speakers": "{trials}.tsv"}}
        given = Given(entries, {"theirs": files}, speech, n_replicates=20)
        of_mean = Attack("demo", "mean", "theirs", "given")
        assert {path.split("/")[-3] for path in given.compared_intervals(of_mean)} == mean
        assert (of_mean in given.compared()) == bool(mean)
