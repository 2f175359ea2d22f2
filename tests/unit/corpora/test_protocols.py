"""Protocols: enrol_trial (disjoint, from other sessions), all_pairs, and pairs within a release."""

import random
from collections import Counter
from itertools import chain, permutations
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from support.memory import peak_of

from voiceprivacy.corpora import release
from voiceprivacy.corpora.listing import Findings, Listed
from voiceprivacy.corpora.parts import list_names
from voiceprivacy.corpora.protocols import all_pairs, enrol_trial
from voiceprivacy.inout.trial_lists import Trial

OPTIONS = {"enrolment_utterances": 3, "lists": ["f", "m"]}
SESSIONS = st.lists(st.integers(1, 6), min_size=1, max_size=4)  # utterances in each of a speaker


def listed(name, speaker="a", gender="f", session=""):
    return Listed(name, speaker, gender, session, Path("x.wav"), "wav.scp", 1)


def speakers(sizes, gender="f"):
    """For every speaker the sizes of his sessions."""
    return [
        listed(f"s{number}-{session}-{index}", f"s{number}", gender, str(session))
        for number, sessions in enumerate(sizes)
        for session, count in enumerate(sessions)
        for index in range(count)
    ]


def split(utterances, options=OPTIONS):
    findings = Findings()
    enrolment, trial = enrol_trial.split({}, options, utterances, findings)
    return enrolment, trial, [str(finding) for finding in findings]


@given(
    sizes=st.lists(SESSIONS.filter(lambda sizes: sum(sizes) > 3), min_size=1, max_size=5),
    seed=st.integers(0, 99),
)
def test_parts_are_disjoint_and_blind_to_the_order_of_files(sizes, seed):
    utterances = speakers(sizes)
    enrolment, trial, findings = split(utterances)
    assert findings == []
    assert not enrolment & trial
    for number in range(len(sizes)):
        assert sum(name.startswith(f"s{number}-") for name in enrolment) == 3
        assert any(name.startswith(f"s{number}-") for name in trial)
    random.Random(seed).shuffle(utterances)
    assert split(utterances)[:2] == (enrolment, trial)


@given(sizes=SESSIONS.filter(lambda sizes: len(sizes) > 1 and max(sizes) >= 3))
def test_trials_come_from_other_sessions_than_the_enrolment(sizes):
    utterances = speakers([sizes])
    session = {utterance.utterance: utterance.session for utterance in utterances}
    enrolment, trial, _ = split(utterances)
    assert not {session[name] for name in enrolment} & {session[name] for name in trial}


def test_as_little_as_possible_is_left_unused_and_short_sessions_enrol_together():
    enrolment, trial, _ = split(speakers([[7, 3, 4]]))
    assert enrolment == {"s0-1-0", "s0-1-1", "s0-1-2"}
    assert len(trial) == 11
    enrolment, trial, _ = split(speakers([[2, 2, 1]]))
    assert {name.split("-")[1] for name in enrolment} == {"0", "1"}
    assert trial == {"s0-2-0"}


def test_who_enrols_is_not_always_the_first_and_too_few_utterances_are_named():
    enrolment, _, _ = split(speakers([[10]] * 30))
    counts = Counter(name.split("-")[2] for name in enrolment)
    assert min(counts.values()) > 2 and len(counts) == 10
    said = "wav.scp:1: speaker 's0' has 3 utterances: enrol_trial needs at least 4"
    assert split(speakers([[3]]))[2] == [said]
    assert split(speakers([[3]]), OPTIONS | {"lists": ["m"]})[2] == []


def test_every_speaker_of_a_list_meets_every_trial_utterance_of_the_list():
    enrolment = [listed("b1", "b"), listed("a2"), listed("a1"), listed("c1", "c", "m")]
    trial = [listed("b3", "b"), listed("a3"), listed("c3", "c", "m")]
    trials, enrolments = enrol_trial.list_trials({}, OPTIONS, "f", enrolment, trial, Findings())
    assert enrolments == {"a": ["a1", "a2"], "b": ["b1"]}
    expected = ["a a3 target", "a b3 nontarget", "b a3 nontarget", "b b3 target"]
    assert [" ".join(trial) for trial in trials] == expected
    trials, enrolments = enrol_trial.list_trials({}, OPTIONS, "mixed", enrolment, trial, Findings())
    assert len(trials) == 9
    assert list(enrolments) == ["a", "b", "c"]


def pairs_of(utterances, name="f", options=OPTIONS):
    return all_pairs.list_trials({}, options, name, utterances, utterances, Findings())


def test_all_utterances_enrol_and_every_ordered_pair_of_one_gender_is_a_trial():
    utterances = [listed("a1", "a"), listed("a2", "a"), listed("b1", "b"), listed("c1", "c", "m")]
    every = {"a1", "a2", "b1", "c1"}
    assert all_pairs.split({}, OPTIONS, utterances, Findings()) == (every, every)
    assert list_names({"all_pairs": OPTIONS}) == ["f", "m"]
    pairs, enrolments = pairs_of(utterances)
    assert [trial[:2] for trial in pairs] == list(permutations(["a1", "a2", "b1"], 2))
    assert [trial[:2] for trial in pairs if trial.label == "target"] == [("a1", "a2"), ("a2", "a1")]
    assert enrolments == {"a1": ["a1"], "a2": ["a2"], "b1": ["b1"]}
    assert len(pairs_of(utterances, "mixed")[0]) == 12


def test_pieces_of_one_source_form_no_pair():
    of_one, other = ("a1_seg000", "a1_seg001"), "a2_seg000"
    pairs, _ = pairs_of([listed(name, "a") for name in (*of_one, other)])
    expected = {(name, other) for name in of_one} | {(other, name) for name in of_one}
    assert {trial[:2] for trial in pairs} == expected


def released(*utterances):
    """Trials of these utterances, and who speaks: the part of an id before the first hyphen."""
    speakers = {utterance: utterance.partition("-")[0] for utterance in utterances}
    listed = [Trial("e", utterance, "nontarget") for utterance in utterances]
    return {"trials": listed, "speakers": speakers}


def test_a_release_has_each_unordered_pair_once():
    pairs = release.release_pairs(**released("a-1", "a-2", "b-1"))
    others = [Trial(name, "b-1", "nontarget") for name in ("a-1", "a-2")]
    assert pairs == [Trial("a-1", "a-2", "target"), *others]


def test_utterances_of_one_recording_are_not_linked():
    names = [f"{speaker}-{chapter}-{n}" for speaker in "abc" for chapter in "12" for n in "12"]
    pairs = release.release_pairs(**released(*names), recording="^(.+)-")
    targets = [pair for pair in pairs if pair.label == "target"]
    assert len(targets) == 3 * 4
    assert all(pair.enrolment[2] != pair.trial[2] for pair in targets)
    shared = release.release_pairs(**released(*names), recording="-(.+)-")  # by all of them
    assert len(shared) == 3 * 4 + 3 * 8
    # Recordings are not kept apart where no three speakers have several.
    names = [f"{speaker}-1-{n}" for speaker in "abc" for n in "12"] + ["a-2-1", "b-2-1"]
    pairs = release.release_pairs(**released(*names), recording="^(.+)-")
    assert Trial("c-1-1", "c-1-2", "target") in pairs


def test_of_many_pairs_all_recordings_have_as_many_and_speakers_meet_all_others(monkeypatch):
    monkeypatch.setattr(release, "MOST_LINKED", 1000)
    names = [f"{n % 10}-{n % 3}-{n}" for n in range(120)]
    pairs = release.release_pairs(**released(*names), recording="^(.+)-")
    assert len({frozenset(pair[:2]) for pair in pairs}) == len(pairs)
    others = [pair for pair in pairs if pair.label == "nontarget"]
    assert len(others) == 1000
    counts = Counter(chain.from_iterable(pair[:2] for pair in others))
    assert len(counts) == 120
    assert max(counts.values()) - min(counts.values()) <= 4
    met = Counter(frozenset((pair.enrolment[0], pair.trial[0])) for pair in others)
    assert len(met) == 10 * 9 / 2
    assert max(met.values()) < 2 * min(met.values())


def test_of_many_target_pairs_each_speaker_has_as_many(monkeypatch):
    monkeypatch.setattr(release, "MOST_LINKED", 99)
    pairs = release.release_pairs(**released(*[f"{n % 5}-{n}" for n in range(100)], "one-1"))
    counts = Counter(pair.enrolment[0] for pair in pairs if pair.label == "target")
    assert {*counts.values()} == {19, 20}


def test_pairs_of_thousands_of_trials_are_drawn_without_listing_all_of_them():
    """2,000 trials have two million pairs, which took hundreds of megabytes."""
    listed = released(*[f"{n % 400}-{n}" for n in range(2000)])
    pairs, peak = peak_of(lambda: release.release_pairs(**listed))
    assert sum(pair.label == "nontarget" for pair in pairs) == release.MOST_LINKED
    assert peak < 100e6
