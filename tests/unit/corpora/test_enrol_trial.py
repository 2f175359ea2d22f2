"""The protocol enrol_trial: disjoint, from another session, and blind to the order of files."""

import random
from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from voiceprivacy.corpora.listing import Findings, Listed
from voiceprivacy.corpora.protocols import enrol_trial

OPTIONS = {"enrolment_utterances": 3, "lists": ["f", "m"]}
SESSIONS = st.lists(
    st.integers(1, 6), min_size=1, max_size=4
)  # utterances in each session of a speaker


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


def test_as_little_as_possible_is_left_unused():
    enrolment, trial, _ = split(speakers([[7, 3, 4]]))
    assert enrolment == {"s0-1-0", "s0-1-1", "s0-1-2"}
    assert len(trial) == 11


def test_short_sessions_enrol_together_when_one_is_left():
    enrolment, trial, _ = split(speakers([[2, 2, 1]]))
    assert {name.split("-")[1] for name in enrolment} == {"0", "1"}
    assert trial == {"s0-2-0"}


def test_without_enough_sessions_one_session_is_divided():
    enrolment, trial, _ = split(speakers([[10]]))
    assert (len(enrolment), len(trial)) == (3, 7)


def test_who_enrols_is_not_always_the_first():
    enrolment, _, _ = split(speakers([[10]] * 30))
    counts = Counter(name.split("-")[2] for name in enrolment)
    assert min(counts.values()) > 2
    assert len(counts) == 10


def test_a_speaker_with_too_few_utterances_is_named():
    assert split(speakers([[3]]))[2] == [
        "wav.scp:1: speaker 's0' has 3 utterances: enrol_trial needs at least 4"
    ]


def test_every_speaker_of_a_list_meets_every_trial_utterance_of_the_list():
    enrolment = [listed("b1", "b"), listed("a2"), listed("a1"), listed("c1", "c", "m")]
    trial = [listed("b3", "b"), listed("a3"), listed("c3", "c", "m")]
    trials, enrolments = enrol_trial.list_trials({}, OPTIONS, "f", enrolment, trial, Findings())
    assert enrolments == {"a": ["a1", "a2"], "b": ["b1"]}
    assert list(trials) == [
        ("a", "a3", "target"),
        ("a", "b3", "nontarget"),
        ("b", "a3", "nontarget"),
        ("b", "b3", "target"),
    ]
    trials, enrolments = enrol_trial.list_trials({}, OPTIONS, "mixed", enrolment, trial, Findings())
    assert len(trials) == 9
    assert list(enrolments) == ["a", "b", "c"]
