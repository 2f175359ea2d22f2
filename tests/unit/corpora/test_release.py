"""Pairs within a release: every attacker links the same ones."""

import itertools
import tracemalloc

import pytest

from voiceprivacy.corpora import release
from voiceprivacy.inout import seeds
from voiceprivacy.inout.tables import Trial


def released(*utterances):
    """Trials of these utterances, and who speaks: the part of an id before the first hyphen."""
    speakers = {utterance: utterance.partition("-")[0] for utterance in utterances}
    listed = [Trial("e", utterance, "nontarget") for utterance in utterances]
    return {"trials": listed, "speakers": speakers}


def test_a_release_has_each_unordered_pair_once():
    pairs = release.release_pairs(**released("a-1", "a-2", "b-1"))
    assert pairs == [
        Trial("a-1", "a-2", "target"),
        Trial("a-1", "b-1", "nontarget"),
        Trial("a-2", "b-1", "nontarget"),
    ]


def test_pieces_of_one_utterance_are_not_linked():
    pairs = release.release_pairs(**released("a-1_seg000", "a-1_seg001", "a-2", "b-1"))
    targets = {(pair.enrolment, pair.trial) for pair in pairs if pair.label == "target"}
    assert targets == {("a-1_seg000", "a-2"), ("a-1_seg001", "a-2")}


def test_utterances_of_one_recording_are_not_linked():
    names = [f"{speaker}-{chapter}-{n}" for speaker in "abc" for chapter in "12" for n in "12"]
    pairs = release.release_pairs(**released(*names), recording="^(.+)-")
    targets = [pair for pair in pairs if pair.label == "target"]
    assert len(targets) == 3 * 4
    assert all(pair.enrolment[2] != pair.trial[2] for pair in targets)


def test_recordings_are_not_kept_apart_where_no_three_speakers_have_several():
    names = [f"{speaker}-1-{n}" for speaker in "abc" for n in "12"] + ["a-2-1", "b-2-1"]
    pairs = release.release_pairs(**released(*names), recording="^(.+)-")
    assert Trial("c-1-1", "c-1-2", "target") in pairs


@pytest.mark.parametrize("most", [1, 17, 100, 10**6])
def test_pairs_are_drawn_from_all_of_them_in_their_order(monkeypatch, most):
    """As if all were listed, of which a fixed seed draws positions."""
    monkeypatch.setattr(release, "MOST_NONTARGETS", most)
    names = [f"{speaker}-{n % 2}-{n}" for n in range(5) for speaker in "abcdef"]
    listed = released(*names, "g-0-0", *[f"h-1-{n}" for n in range(9)])
    ids = [trial.trial for trial in listed["trials"]]
    every = {"target": [], "nontarget": []}
    for one, other in itertools.combinations(ids, 2):
        if one[0] != other[0]:
            every["nontarget"].append(Trial(one, other, "nontarget"))
        elif one[2] != other[2]:
            every["target"].append(Trial(one, other, "target"))
    if len(every["nontarget"]) > most:
        draw = seeds.generator(0, "pairs within a release")
        kept = sorted(draw.choice(len(every["nontarget"]), most, replace=False))
        every["nontarget"] = [every["nontarget"][position] for position in kept]
    pairs = release.release_pairs(**listed, recording="^(.+)-")
    assert pairs == every["target"] + every["nontarget"]


def test_pairs_of_thousands_of_trials_are_drawn_without_listing_all_of_them():
    """2,500 trials have three million pairs, which took hundreds of megabytes."""
    names = [f"{n % 500}-{n}" for n in range(2500)]
    listed = released(*names)
    tracemalloc.start()
    try:
        pairs = release.release_pairs(**listed)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sum(pair.label == "nontarget" for pair in pairs) == release.MOST_NONTARGETS
    assert peak < 100e6
