"""Lists that look wrong are noticed, and ordinary ones are not."""

import numpy as np
import pytest
from support.heldout_lists import score_table

from voiceprivacy.inout.ids import namer_of_sessions
from voiceprivacy.privacy.verdict.doubts import (
    OTHER_SESSIONS,
    STRANGERS_ALONE,
    TARGETS_BELOW,
    doubts_of,
    is_of_other_sessions,
)
from voiceprivacy.privacy.verdict.score_table import Scored
from voiceprivacy.privacy.verdict.verdict import verdict_of

PERSONS, RECORDINGS = 20, 4
OF = np.arange(PERSONS * RECORDINGS) // RECORDINGS  # the person of each recording
OWN = np.arange(PERSONS)[:, None] == OF


def noise(seed):
    """Scores (S, N) of enrolments and recordings; each enrolment and recording has an offset."""
    draw = np.random.default_rng(seed)
    noise = draw.normal(size=OWN.shape) + draw.normal(size=(PERSONS, 1))
    return noise + draw.normal(size=(1, len(OF)))


def doubts(protected, unprotected, kept=None, sign=1):
    """What is doubtful of scores (S, N) of a list, and of those of unprotected speech."""
    kept = np.ones(OWN.shape, bool) if kept is None else kept
    trials = [(f"e{one}", f"t{other}") for one, other in np.argwhere(kept).tolist()]
    speakers = {f"e{person}": f"p{person}" for person in range(PERSONS)}
    speakers |= {f"t{number}": f"p{person}" for number, person in enumerate(OF.tolist())}
    lists = [
        Scored(trials, sign * scores[kept][:, None], [("a", condition)])
        for scores, condition in ((protected, "pp"), (unprotected, "oo"))
    ]
    return doubts_of(*lists, speakers)


@pytest.mark.parametrize("distance", [0, 1, 4])
@pytest.mark.parametrize("sign", [1, -1])
def test_ordinary_lists_are_not_doubted(distance, sign):
    for seed in range(5):
        assert not doubts(noise(seed) + distance * OWN, noise(100 + seed) + 5 * OWN, sign=sign)


@pytest.mark.parametrize("sign", [1, -1])
def test_targets_below_nontargets_are_doubted_unless_unprotected_ones_are_below_too(sign):
    below = noise(1) - 2 * OWN
    assert doubts(below, noise(2) + 5 * OWN, sign=sign) == {TARGETS_BELOW}
    assert not doubts(below, noise(2), sign=sign), "nobody knows which scores are the higher ones"


def test_nontargets_that_are_the_highest_scores_of_a_recording_are_doubted():
    for seed in range(5):
        scores = noise(seed)
        highest = np.argsort(np.argsort(np.where(OWN, -99, -scores), axis=0), axis=0) < 6
        assert TARGETS_BELOW in doubts(scores, noise(100 + seed) + 5 * OWN, highest | OWN)


def test_files_that_are_mixed_up_are_doubted():
    for seed in range(5):
        files = np.random.default_rng(seed).permutation(len(OF))
        mixed = noise(seed) + 5 * OWN[:, files]
        assert STRANGERS_ALONE in doubts(mixed, noise(100 + seed) + 5 * OWN)


def test_a_doubt_is_a_reason_and_trials_with_themselves_have_no_part():
    table = score_table({"original a oo": 9, "x a op": -9}, 12, 3)
    facts = verdict_of(table)
    assert facts["systems"]["x"]["doubts"] == [TARGETS_BELOW] and not facts["warnings"]
    [list_of_x] = table.scores["all"]["x"].values()
    list_of_x["t0", "t0"] = 1e9
    again = verdict_of(table)
    of_itself = {"code": "of_itself", "list": "all", "trials": 1}
    assert again == facts | {"warnings": [of_itself]}


def listed(kept, session_of):
    """A list of 12 enrolled persons and 4 recordings of each: its trials, speakers and sessions.

    ``kept`` says of (enrolled person, recording, whether it is a target) what is compared,
    ``session_of`` names the session of (person, number of a recording, None if enrolled).
    """
    owners = {f"t{number}": number // 4 for number in range(48)}
    trials = [
        (f"e{person}", name)
        for person in range(12)
        for name, owner in owners.items()
        if kept(person, int(name[1:]), person == owner)
    ]
    speakers = {f"e{person}": f"p{person}" for person in range(12)}
    speakers |= {name: f"p{owner}" for name, owner in owners.items()}
    sessions = {f"e{person}": {session_of(person, None)} for person in range(12)}
    sessions |= {name: {session_of(owner, int(name[1:]))} for name, owner in owners.items()}
    return trials, speakers, sessions


def microphone(person, recording):
    return str((recording or 0) % 2)


@pytest.mark.parametrize(
    ("kept", "session_of"),
    [
        # targets by one microphone, nontargets by the other
        (lambda _, recording, is_target: (recording % 2 == 0) == is_target, microphone),
        # each person enrols in a room: targets are of this room, nontargets of others
        (
            lambda person, recording, is_target: is_target or (person + recording // 4) % 2,
            lambda person, _: str(person % 2),
        ),
        # the other way round: a person is tried in the other room
        (
            lambda person, recording, is_target: is_target or (person + recording // 4) % 2,
            lambda person, recording: str((person + (recording is not None)) % 2),
        ),
    ],
)
def test_targets_that_are_always_of_other_sessions_are_doubted(kept, session_of):
    assert is_of_other_sessions(*listed(kept, session_of))
    assert not is_of_other_sessions(*listed(lambda *_: True, session_of)), "all are compared"


@pytest.mark.parametrize(
    ("kept", "session_of"),
    [
        # chapters of LibriSpeech: nobody else reads them
        (lambda *_: True, lambda person, _: f"chapter of {person}"),
        (lambda *_: True, lambda person, recording: f"{person}-{recording}"),
        # some persons are tried and never enrol; each has sessions of their own
        (lambda person, recording, _: person < 6, lambda person, _: f"home of {person}"),
        # few pairs, which happen to be of two rooms
        (
            lambda person, recording, is_target: person < 2 and (is_target or recording == 8),
            lambda person, _: str(person // 2),
        ),
    ],
)
def test_sessions_that_persons_have_alone_or_that_differ_by_chance_are_no_doubt(kept, session_of):
    assert not is_of_other_sessions(*listed(kept, session_of))


def test_sessions_that_ids_show_are_a_reason_against_low():
    table = score_table({"original a oo": 9, "x a op": 0}, 12, 4)
    named = {name: f"{name}-m{index % 2}" for index, name in enumerate(table.speaker_of)}
    table.speaker_of = {named[name]: who for name, who in table.speaker_of.items()}
    for own in table.scores["all"].values():
        for attack, column in own.items():
            own[attack] = {
                (named[one], named[other]): score
                for (one, other), score in column.items()
                if (table.speaker_of[named[one]] == table.speaker_of[named[other]])
                == named[other].endswith("m0")
            }
    assert OTHER_SESSIONS not in verdict_of(table)["systems"]["x"]["reasons"]
    table.name_sessions = namer_of_sessions("-(m.)$")
    facts = verdict_of(table)["systems"]["x"]
    assert facts["doubts"] == [OTHER_SESSIONS] and OTHER_SESSIONS in facts["reasons"]
