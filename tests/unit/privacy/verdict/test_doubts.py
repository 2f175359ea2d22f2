"""Lists that look wrong are noticed, and ordinary ones are not."""

import numpy as np
import pytest
from support.heldout_lists import score_table

from voiceprivacy.privacy.verdict.doubts import STRANGERS_ALONE, TARGETS_BELOW, doubts_of
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
